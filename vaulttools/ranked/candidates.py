"""Finds the notes that hold a question's terms, in the index and by reading.

It reads the notes that the index does not know, so a note that was just changed counts like any other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final

from vaulttools.core import paths
from vaulttools.core.cached import cached_property
from vaulttools.core.folding.words import folded, forms
from vaulttools.index.words import Places, WordHits, tokens
from vaulttools.notes.note import Note
from vaulttools.ranked.finder import Finder, NoteWords, holds
from vaulttools.ranked.question import QuestionTerm
from vaulttools.ranked.weights import NOMINATION

if TYPE_CHECKING:
    from vaulttools.index.snapshot import Snapshot

_FEW_ELSEWHERE: Final = 20
"""Up to this many just changed notes outside the scope are read. If there are more, as after a checkout, the index's
old state counts: each takes a third of a millisecond to read, and they only show how frequent a word is."""

Counted = Callable[[Sequence[QuestionTerm]], Sequence[Mapping[str, int] | None]]
"""Returns by term the notes that hold it, with how often; None for a term for which there was no time."""
Reader = Callable[[str], Note | None]
"""Returns the note at a path as it is now; None if it cannot be read, which the reader records."""


class TermMatches:
    """The notes of one scope in which the terms of one question are searched for."""

    def __init__(
        self,
        notes: frozenset[str],
        index: Snapshot | None,
        read: Reader,
        stop: Callable[[], bool],
        counted: Counted | None = None,
    ) -> None:
        self.notes: Final = notes
        self.index: Final = index
        self.read: Final = read
        self.stop: Final = stop
        self.fresh: Final[dict[str, Note]] = {}
        """By path, the notes of the scope that were read because the index does not know them."""
        self.looked_at: Final[dict[str, NoteWords | None]] = {}
        """By path, the words of these and of just changed notes outside the scope; None if it could not be read."""
        self.waiting: Sequence[str] = ()
        """Notes that were not read for lack of time."""
        self.uncounted: Final[list[str]] = []
        """Names that end in signs for which there was no time to search all notes."""
        self._counted = counted
        self._held: dict[str, AbstractSet[str]] = {}
        """By piece of text, the notes that hold it."""

    def unknown(self) -> Sequence[str]:
        """Returns the notes that the index does not know, in order, then such attachments, which take longer to
        read."""
        unknown = self.notes if self.index is None else self.index.lacking_words(self.notes)
        return sorted(unknown, key=lambda path: (not paths.is_note(path), path))

    def read_notes(self, notes: Sequence[str]) -> None:
        """Read notes that the index does not know, while there is time; then just changed notes outside the scope, if
        they are few, since they show how frequent a word is."""
        for number, path in enumerate(notes):
            if path not in self.fresh and not self._look_at(path):
                self.waiting = notes[number:]
                return
        elsewhere = () if self.index is None else sorted(self.index.changed() - self.notes)
        for path in elsewhere if len(elsewhere) <= _FEW_ELSEWHERE else ():
            if not self._look_at(path):
                return

    def _look_at(self, path: str) -> bool:
        """Read a note; return whether there was time to."""
        if self.stop():
            return False
        note = self.read(path)
        words = None if note is None else NoteWords(note, self.stop)
        if words is not None and not words.is_whole:
            return False
        self.looked_at[path] = words
        if note is not None and path in self.notes:
            self.fresh[path] = note
        return True

    def text(self, path: str) -> str:
        """Returns the text of a note; `""` if it cannot be read or time is up."""
        note = None if self.stop() else self.read(path)
        return "" if note is None else note.text

    def hits(self, terms: Sequence[QuestionTerm], most: int) -> WordHits:
        """Returns the index's counts of the terms that are words, and their places in the `most` best notes."""
        nothing = WordHits([0] * len(terms), {})
        if self.index is None:
            return nothing
        spellings = [term.spellings for term in terms]
        return self.index.words(spellings, most, self.notes, self.looked_at.keys()) or nothing

    def with_term(self, term: QuestionTerm) -> AbstractSet[str]:
        """Returns the notes that hold a piece of text or have it in their names; no notes for a term that is words."""
        literal = term.literal
        if not literal:
            return frozenset()
        if literal not in self._held:
            held = self._named(literal)
            held.update(path for path, text in self._texts.items() if holds(literal, text))
            if self.index is not None and term.is_signed:
                held |= self._with_name(term)
            elif self.index is not None:
                for form in forms(literal):
                    found = self.index.with_text(form, self.looked_at.keys())
                    held.update(path for path in found if path in self.notes or paths.is_note(path))
            self._held[literal] = held
        return self._held[literal]

    def _with_name(self, term: QuestionTerm) -> AbstractSet[str]:
        """Returns the notes of the scope that hold a name that ends in signs. The index knows no signs, so ripgrep
        searches the notes for it, and attachments with its word are read."""
        counts = None if self._counted is None else self._counted([term])[0]
        if counts is None:
            self.uncounted.append(term.text)
            return frozenset()
        of_word = frozenset[str]().union(*(self.notes_with(stem) for part in term.parts for *_, stem in tokens(part)))
        attachments = [path for path in self.notes & of_word if not paths.is_note(path)]
        return self.notes & counts.keys() | {path for path in attachments if self._holds(path, term)}

    def _holds(self, path: str, term: QuestionTerm) -> bool:
        note = None if self.stop() else self.read(path)
        return note is not None and any(map(any, Finder([term]).places(note).found))

    def exists(self, term: QuestionTerm, count: int) -> bool:
        """Whether any note holds a term, in the scope or elsewhere; `count` is how many notes of the index do."""
        if count or self.with_term(term):
            return True
        if term.literal or not self.looked_at:
            return False  # the names of notes outside the scope do not count
        finder = Finder([term])
        return any(any(map(any, places.found)) for places in self.places(finder))

    def places(self, finder: Finder) -> Iterator[Places]:
        """Yields the places of the terms in each note in `looked_at`."""
        return (finder.places(note) for note in self.looked_at.values() if note is not None)

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        """By path, the folded texts of the notes in `looked_at`."""
        return {path: folded(note.note.text) for path, note in self.looked_at.items() if note is not None}

    def places_in_best(self, finder: Finder, rarities: Sequence[float], hits: WordHits, most: int) -> dict[str, Places]:
        """Returns the places of the terms in the candidates among the notes of the index, best first. For words alone
        the index nominates them; else they are the notes that hold most of the question, and are read."""
        if not finder.needs_text:
            return dict(hits.places)
        weight: dict[str, float] = defaultdict(float)
        for term, rare in zip(finder.terms, rarities, strict=True):
            for path in self.with_term(term) & self.notes - self.fresh.keys():
                weight[path] += rare * (1 + NOMINATION.in_name * holds(term.literal, folded(paths.stem(path))))
        for path, places in hits.places.items():
            for rare, columns in zip(rarities, places.found, strict=True):
                weight[path] += rare * any(columns)
        found: dict[str, Places] = {}
        for path in sorted(weight, key=lambda path: (-weight[path], path))[:most]:
            note = None if self.stop() else self.read(path)
            if note is not None:
                found[path] = finder.places(note)
        return found

    def stems(self, beginning: str, shortest: int, longest: int) -> Sequence[str]:
        """Returns the stems of `shortest` to `longest` characters with a beginning, in no order. Perhaps no note holds
        some of them any more; `notes_with` tells."""
        found = {stem for stem in self._stems_read if stem.startswith(beginning) and shortest <= len(stem) <= longest}
        stems = () if self.index is None else self.index.stems(beginning, shortest, longest)
        return list(found.union(stems))

    def notes_with(self, stem: str) -> AbstractSet[str]:
        """Returns the notes of the vault that hold a word with this stem, as far as they are known."""
        read = self._stems_read.get(stem, frozenset())
        return read if self.index is None else read | self.index.with_stem(stem, self.looked_at.keys())

    @cached_property
    def _stems_read(self) -> Mapping[str, AbstractSet[str]]:
        """By stem, the notes in `looked_at` that hold a word with it."""
        found: dict[str, set[str]] = defaultdict(set)
        for path, note in self.looked_at.items():
            for column in () if note is None else note.columns:
                for stem in column.stems:
                    found[stem].add(path)
        return dict(found)

    def _named(self, literal: str) -> set[str]:
        """Returns the notes of the scope that have a piece of text in their names."""

        def made() -> Sequence[tuple[str, str]]:
            return [(folded(paths.stem(path)), path) for path in self.notes]

        names = made() if self.index is None else self.index.kept(("names", self.notes), made)
        return {path for name, path in names if holds(literal, name)}

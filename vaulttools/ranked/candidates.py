"""Tells which notes hold a question's terms, by the index and by notes read.

Notes that the index does not know are read, so that one that was changed a moment ago counts as any other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from vaulttools.core import paths
from vaulttools.core.cached import cached_property
from vaulttools.index.view import IndexView
from vaulttools.index.word_hits import Places, WordHits
from vaulttools.notes.note import Note
from vaulttools.patterns.literals import fold
from vaulttools.ranked.finder import Finder, NoteWords
from vaulttools.ranked.question import QuestionTerm

_FEW_ELSEWHERE: Final = 20
"""Notes outside the scope that are read because they changed a moment ago. Of more, as after a checkout, what the index
held before is counted: each takes a third of a millisecond, and they only say how frequent a word is."""

Reader = Callable[[str], Note | None]
"""The note at a path as it is now; None when it cannot be read, which the reader has taken note of."""


class TermMatches:
    """The notes of one scope, as one question is put to them."""

    def __init__(self, notes: frozenset[str], index: IndexView | None, read: Reader, stop: Callable[[], bool]) -> None:
        self.notes: Final = notes
        self.index: Final = index
        self.read: Final = read
        self.fresh: Final[dict[str, Note]] = {}
        """Notes of the scope that were read because nothing was known of them."""
        self.looked_at: Final[dict[str, NoteWords | None]] = {}
        """The words of these, and of notes outside the scope that changed a moment ago; None: it could not be read."""
        self.vocabulary: Final = StemVocabulary(index, self.looked_at)
        self.waiting: Sequence[str] = ()
        """Notes that should have been read."""
        self._stop = stop
        self._held: dict[str, AbstractSet[str]] = {}
        """The notes that hold a piece of text."""

    def unknown(self) -> Sequence[str]:
        """The notes that the index does not know, in order, then such attachments, which take longer."""
        if self.index is None:
            return sorted(self.notes, key=lambda path: (not paths.is_note(path), path))
        if self.index.version() is not None:
            return self.index.unranked(self.index.kept(("attachments", self.notes), self._attachments))
        unknown = self.index.unranked(self.notes)
        return sorted(unknown, key=lambda path: (not paths.is_note(path), path))

    def _attachments(self) -> Sequence[str]:
        return sorted(path for path in self.notes if not paths.is_note(path))

    def read_notes(self, notes: Sequence[str]) -> None:
        """Read notes that the index does not know, while there is time; and notes outside the scope that changed a
        moment ago, when they are few, since they say how frequent a word is."""
        for number, path in enumerate(notes):
            if path in self.fresh:
                continue
            if self._stop():
                self.waiting = notes[number:]
                return
            note = self.read(path)
            words = None if note is None else NoteWords(note, self._stop)
            if words is not None and not words.is_whole:
                self.waiting = notes[number:]
                return
            self.looked_at[path] = words
            if note is not None:
                self.fresh[path] = note
        elsewhere = () if self.index is None else sorted(self.index.changed() - self.notes)
        if len(elsewhere) <= _FEW_ELSEWHERE:
            self._look_at(elsewhere)

    def _look_at(self, elsewhere: Sequence[str]) -> None:
        for path in elsewhere:
            if self._stop():
                return
            note = self.read(path)
            words = None if note is None else NoteWords(note, self._stop)
            if words is None or words.is_whole:
                self.looked_at[path] = words

    def hits(self, terms: Sequence[QuestionTerm], most: int) -> WordHits:
        """What the index knows of the terms that are words."""
        nothing = WordHits([0] * len(terms), {})
        if self.index is None:
            return nothing
        spellings = [term.spellings for term in terms]
        return self.index.words(spellings, most, self.notes, self.looked_at.keys()) or nothing

    def holding(self, term: QuestionTerm) -> AbstractSet[str]:
        """The notes that hold a piece of text, or have it in their names; none for words."""
        literal = term.literal
        if not literal:
            return frozenset()
        if literal not in self._held:
            held = self._named(literal)
            held.update(path for path, text in self._texts.items() if literal in text)
            if self.index is not None:
                found = self.index.holding_text(literal, self.looked_at.keys())
                held.update(path for path in found if path in self.notes or paths.is_note(path))
            self._held[literal] = held
        return self._held[literal]

    def stands(self, term: QuestionTerm, count: int) -> bool:
        """Whether any note holds a term, in the scope or elsewhere; `count` notes of the index do."""
        if count or self.holding(term):
            return True
        if term.literal:
            return False  # the names of notes outside the scope are not looked at, whether they were read or not
        finder = Finder([term])
        return any(any(map(any, places.found)) for places in self.places(finder))

    def places(self, finder: Finder) -> Iterator[Places]:
        """Where terms stand in each of the notes that were looked at."""
        return (finder.places(note) for note in self.looked_at.values() if note is not None)

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        """The texts of the notes that were read, as they are compared."""
        return {path: fold(note.note.text) for path, note in self.looked_at.items() if note is not None}

    def _named(self, literal: str) -> set[str]:
        """The notes that have a piece of text in their names; no name and no literal holds a line end."""

        def made() -> tuple[str, Sequence[str]]:
            notes = [*self.notes]
            return "\n".join(fold(paths.stem(path)).replace("\n", " ") for path in notes), notes

        names, notes = made() if self.index is None else self.index.kept(("names", self.notes), made)
        held: set[str] = set()
        number, done = 0, 0
        at = names.find(literal)
        while at >= 0:
            number += names.count("\n", done, at)
            done = names.find("\n", at)
            held.add(notes[number])
            if done < 0:
                break
            at = names.find(literal, done)
        return held


class StemVocabulary:
    """The words of all notes of a vault, as far as they are known."""

    def __init__(self, index: IndexView | None, read: Mapping[str, NoteWords | None]) -> None:
        """`read` are the notes that count as they were read, whatever is known of them; None: nothing could be read."""
        self._index = index
        self._read = read
        self._held: dict[str, tuple[int, AbstractSet[str]]] = {}
        """By stem: how many notes were read, and those of the index that hold it."""

    def stems(self, beginning: str, shortest: int, longest: int) -> Sequence[str]:
        """The stems of so many characters that begin with one, in no order; `notes` tells whether any holds one."""
        found = {stem for stem in self._of_read if stem.startswith(beginning) and shortest <= len(stem) <= longest}
        stems = () if self._index is None else self._index.stems(beginning, shortest, longest)
        return list(found.union(stems)) if found else stems

    def notes(self, stem: str) -> AbstractSet[str]:
        """The notes that hold a word of this stem."""
        read = self._of_read.get(stem, frozenset())
        if self._index is None:
            return read
        number, held = self._held.get(stem, (-1, frozenset()))
        if number != len(self._read):
            held = self._index.holding_stem(stem, self._read.keys())
            self._held[stem] = len(self._read), held
        return read | held

    @cached_property
    def _of_read(self) -> Mapping[str, AbstractSet[str]]:
        """By stem: the notes, of those that were read, that hold a word of it."""
        found: dict[str, set[str]] = defaultdict(set)
        for path, note in self._read.items():
            for column in () if note is None else note.columns:
                for stem in column.stems:
                    found[stem].add(path)
        return dict(found)

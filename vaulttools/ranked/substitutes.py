"""Finds substitutes for words that no note holds: longer words, parts, corrected spellings."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from vaulttools.core import paths
from vaulttools.index.words import Spelling, first_written, tokens
from vaulttools.ranked import english
from vaulttools.ranked.candidates import TermMatches
from vaulttools.ranked.finder import Finder
from vaulttools.ranked.question import Question, QuestionTerm, word

_SHORTEST_BEGINNING: Final = 3
"""A word of at least this many characters may be the beginning of longer ones."""

_LONGEST_ENDING: Final = 2
"""Letters of a word behind its stem."""

_SHORTEST_PART: Final = 3
"""Each word of a compound has at least this many characters."""

_LONGEST_COMPOUND: Final = 100
"""A word of up to this many characters may be two words: each cut is searched for."""

_WRITTEN_IN: Final = 3
"""Notes that are read to see how a word is written; one is enough unless it changes meanwhile."""


class Substitutes:
    """Replaces terms of one question that no note holds, and says so in sentences."""

    def __init__(self, matches: TermMatches, question: str) -> None:
        self._matches = matches
        self._question = question
        self._instead: Final[list[str]] = []
        """Sentences about terms that are replaced by parts or longer words."""
        self._corrections: Final[list[str]] = []
        """Sentences about terms that are spelt otherwise in the vault."""
        self.unfound: Final[list[str]] = []
        """Words that no text or title holds and that nothing replaces."""
        self.corrected: Final[dict[str, str]] = {}
        """By word that no note holds, the vault's spelling of it."""

    @property
    def facts(self) -> list[str]:
        """Sentences about what was not found as asked: telling words that no note holds, and corrected spellings."""
        named = [f'"{word}"' for word in self.unfound if english.is_telling(word, self._question)]
        words = "word" if len(named) == 1 else "words"
        return [*([f"No note has the {words} {', '.join(named)}."] if named else []), *self._corrections]

    @property
    def sentences(self) -> list[str]:
        """Sentences about all terms that no note holds."""
        named = ", ".join(f'"{word}"' for word in self.unfound)
        words = "word" if len(self.unfound) == 1 else "words"
        of_unfound = [f"No note has the {words} {named}."] if named else []
        return [*of_unfound, *self._corrections, *self._instead]

    def of(
        self, asked: Question, missing: AbstractSet[int], unread: AbstractSet[int] = frozenset()
    ) -> tuple[Sequence[QuestionTerm], int]:
        """Returns the terms of a question, with substitutes for those whose number is in `missing`, and how many of the
        first ones are its own. No note that was read holds the terms in `unread`; other notes may. Nothing is said of
        words that only another wording has."""
        resolved: dict[tuple[str, bool], QuestionTerm] = {}
        own = 0
        for number, term in enumerate(asked.terms):
            if number >= asked.own and number in missing:
                found: Sequence[QuestionTerm] = tuple(map(word, term.parts))
            else:
                found = self._found_for(term, number in missing, number in unread)
            for each in found:
                resolved[each.text, each.is_phrase] = each
            own = len(resolved) if number < asked.own else own
        if not resolved and any(term.literal for term in asked.terms[: asked.own]):
            self._instead.append("No note holds any part of it.")
        return list(resolved.values()), own

    def _found_for(self, term: QuestionTerm, is_missing: bool, is_unread: bool) -> Sequence[QuestionTerm]:
        if is_missing:
            return self._instead_of(term)
        beginning = _beginning(term)
        if is_unread and beginning is not None and self._exists(beginning):
            self._instead.append(
                f'No note that was read has the word "{term.text}"; words that start with it were searched for.'
            )
            return (beginning,)
        return (term,)

    def _instead_of(self, term: QuestionTerm) -> Sequence[QuestionTerm]:
        name = f'No note has the word "{term.text}"'  # longer words may contain it
        if term.is_phrase:
            self._instead.append(f'No note holds "{term.text}"; its words were searched for one by one.')
            return ()
        if term.literal:
            if term.is_signed:
                [part] = term.parts
                self._corrections.append(
                    f'No note that was searched has "{term.text}"; the word "{part}" was searched for instead.'
                )
                return (word(part),)
            if term.text.startswith("`"):
                self._instead.append(f"No note holds {term.text}.")
            return tuple(map(QuestionTerm, term.parts))
        if term.parts:
            self._instead.append(f"{name}; its parts were searched for: {', '.join(term.parts)}.")
            return tuple(map(word, term.parts))
        beginning = _beginning(term)
        if beginning is not None and self._exists(beginning):
            self._instead.append(f"{name}; words that start with it were searched for.")
            return (beginning,)
        if split := self._split(term.text):
            self._corrections.append(f'{name}; "{split}" was searched for instead.')
            self.corrected[term.text] = split
            return (QuestionTerm(split, (Spelling(split),)),)
        close = corrections(term.text, self._matches)
        if not close:
            self.unfound.append(term.text)
            return ()
        written = [self._as_written(stem) for stem in close]
        spelled = " or ".join(f'"{each}"' for each in written)
        self._corrections.append(f"{name}; {spelled} was searched for instead.")
        self.corrected[term.text] = written[0]
        # A stem need not be its own stem.
        spellings = tuple(Spelling(stem, is_beginning=tokens(stem)[0][2] != stem) for stem in close)
        return (QuestionTerm(" or ".join(written), spellings),)

    def _exists(self, term: QuestionTerm) -> bool:
        [count] = self._matches.hits([term], 0).counts
        return self._matches.exists(term, count)

    def _split(self, text: str) -> str:
        """Returns the two words of a compound that follow each other in some note: `gem stones`; or `""`."""
        if len(text) > _LONGEST_COMPOUND:
            return ""
        cuts = range(_SHORTEST_PART, len(text) - _SHORTEST_PART + 1)
        pairs = [f"{text[:cut]} {text[cut:]}" for cut in cuts]
        terms = list(map(word, pairs))
        counts = list(self._matches.hits(terms, 0).counts)
        finder = Finder(terms)
        for places in self._matches.places(finder):
            counts = [count + any(columns) for count, columns in zip(counts, places.found, strict=True)]
        most = max(counts, default=0)
        return pairs[counts.index(most)] if most else ""

    def _as_written(self, stem: str) -> str:
        """Returns a word with a stem as the vault writes it: the first one in the first note, if possible in scope."""
        notes = self._matches.notes_with(stem)
        for path in sorted(notes & self._matches.notes or notes, key=paths.order)[:_WRITTEN_IN]:
            note = self._matches.read(path)
            for text in () if note is None else (note.title, note.text):
                if written := first_written(stem, text):
                    return written
        return stem


def _beginning(term: QuestionTerm) -> QuestionTerm | None:
    """Returns a term for longer words that begin with a word; None for a phrase, a compound name, a piece of text, and
    a word that is much longer than its stem, with which other words begin: `elevator` and `eleven`."""
    if term.is_phrase or term.literal or term.parts or len(term.text) < _SHORTEST_BEGINNING:
        return None
    if any(len(term.text) - len(stem) > _LONGEST_ENDING for _, _, stem in tokens(term.text)):
        return None
    return QuestionTerm(term.text, (Spelling(term.text, is_beginning=True),))


_MOST_CORRECTIONS: Final = 2
"""Upper bound of the corrections of one word."""

_SHORTEST_MISSPELT: Final = 5
"""A word of at least this many letters may be misspelt; too many words are close to a shorter one."""


def corrections(text: str, matches: TermMatches) -> list[str]:
    """Returns the stems closest to that of one word that no note holds, the most frequent of equally close ones; no
    stems for an English word, which is spelt as meant: `alarm` is no misspelt `alamme`.

    An error is one letter changed, added, left out or swapped with its neighbour. The stems begin with the word's first
    letter; if no such stem is close, with its second.
    """
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    words = tokens(text)
    if len(words) != 1 or len(text) < _SHORTEST_MISSPELT or english.is_word(text):
        return []
    stem = words[0][2]
    for beginning in dict.fromkeys(stem[:2]):
        stems = matches.stems(beginning, len(stem) - 1, len(stem) + 1)
        distances = process.extract(stem, stems, scorer=OSA.distance, score_cutoff=1, limit=None)
        close = (other for other, far, _ in distances if far == 1 and _is_misspelt(stem, other))
        frequent = sorted((-count, other) for other in close if (count := len(matches.notes_with(other))))
        if frequent:
            return [other for _, other in frequent][:_MOST_CORRECTIONS]
    return []


def _is_misspelt(stem: str, other: str) -> bool:
    """Whether a stem may be the other one, misspelt: both are long enough, and they do not differ in their last letter
    alone, where words of different meaning do: `muffig` and `muffins`."""
    shorter, longer = sorted((stem, other), key=len)
    is_at_end = longer[:-1] == shorter[: len(longer) - 1]
    return len(shorter) >= _SHORTEST_MISSPELT and not is_at_end

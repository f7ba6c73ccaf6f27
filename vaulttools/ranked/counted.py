"""Chooses which notes to read without an index, by how often they hold the words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, Protocol, TypeAlias

from vaulttools.core import paths
from vaulttools.patterns.literals import fold
from vaulttools.ranked.expressions import beginnings
from vaulttools.ranked.question import QuestionTerm
from vaulttools.ranked.scoring import rarity

MANY: Final = 200
"""Notes of which nothing is known from which on words are counted to choose those that are read: reading and parsing so
many takes as long as ripgrep takes to count a word in 10,000."""

_STATED: Final = 300
"""Notes whose size is asked for to choose those that are read."""
_LONG_BYTES: Final = 20_000
"""Bytes of a note that halve what its counts weigh."""

_SATURATION: Final = 1.5
"""Times that give half of what any number gives, where notes are chosen by such counts."""

_IN_NAME: Final = 3.0
"""What a word in a name counts."""

Frequencies: TypeAlias = Mapping[str, int]
"""How often a term, or perhaps what only begins like it, stands in each note, or on how many lines."""


class Counter(Protocol):
    """Counts terms in all notes without an index."""

    def frequencies(self, terms: Sequence[QuestionTerm]) -> Sequence[Frequencies | None]:
        """Of each term; None for one that was not counted in all notes."""

    def size(self, path: str) -> int:
        """Bytes of a note."""


class TermCounts:
    """The notes that the index does not know, as terms are counted in them."""

    def __init__(self, counter: Counter, notes: Sequence[str], most: int) -> None:
        """At most so many of the notes are chosen."""
        self._counter = counter
        self._notes = notes
        self._most = most
        self._counted: dict[str, Frequencies | None] = {}
        """By term; None for one that was not counted in all notes."""

    @property
    def uncounted(self) -> Sequence[str]:
        """The terms that were asked for and not counted in all notes."""
        return sorted(text for text, counts in self._counted.items() if counts is None)

    def holders(self, term: QuestionTerm) -> int | None:
        """How many notes hold a term; None when it was not counted."""
        counted = self._counted.get(term.text)
        return None if counted is None else len(counted)

    def is_absent(self, term: QuestionTerm) -> bool:
        """Whether a term was counted, and stands in no note."""
        return self.holders(term) == 0

    def best(self, terms: Sequence[QuestionTerm]) -> Sequence[str]:
        """The notes that hold most of what is asked, and all attachments."""
        among = frozenset(self._notes)
        asked = [term for term in terms if term.text not in self._counted]
        for term, counts in zip(asked, self._counter.frequencies(asked), strict=True):
            held = None if counts is None else {path: number for path, number in counts.items() if path in among}
            self._counted[term.text] = held
        weight: dict[str, float] = defaultdict(float)
        names = {path: fold(paths.stem(path)) for path in self._notes}
        for term in terms:
            counts = self._counted[term.text] or {}
            rare = rarity(len(self._notes), len(counts))
            for path, number in counts.items():
                weight[path] += rare * number / (number + _SATURATION)
            begun = beginnings(term)
            for path, name in names.items():
                if all(each in name for each in begun):
                    weight[path] += rare * _IN_NAME

        def normed(path: str) -> float:
            """BM25 takes a long note's many words for less; the sizes of a few hundred cost a stat each."""
            return weight[path] / (1 + self._counter.size(path) / _LONG_BYTES)

        likely = sorted(weight, key=lambda path: (-weight[path], path))[: max(_STATED, self._most)]
        attachments = [path for path in self._notes if not paths.is_note(path)]  # in which nothing was counted
        notes = [path for path in likely if paths.is_note(path)]
        return [*sorted(notes, key=lambda path: (-normed(path), path))[: self._most], *attachments]

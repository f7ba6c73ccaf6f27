"""Puts the notes that answer a question into their order, looking at few passages.

What a note is worth is bounded by the words that it holds. While the bound of a note is below the worth of those that
were asked for, nobody looks at its passages. The order is that of all notes looked at in full.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice
from typing import Final, overload

from vaulttools.index.passages import Passages
from vaulttools.index.words import Places
from vaulttools.notes.quantities import Quantity
from vaulttools.ranked.evidence import Evidence, best, combined, most
from vaulttools.ranked.weights import NOTE

_TOGETHER: Final = 12
"""Notes whose passages are asked for at once: about as many as a page of ten notes needs."""


@dataclass(frozen=True, slots=True)
class RankedNote:
    """One note that answers, by its best passage."""

    path: str
    score: float
    """From 0 to 1, higher is better. Three decimals."""
    passages: Passages
    """All of them."""
    evidence: Sequence[Evidence]
    """Those that hold a word of the question, best first; empty when only the name or a property block does."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One note that may answer."""

    path: str
    score: float
    """`scoring.score` of it."""
    places: Places
    turn: int
    """Those of a later turn come behind all of an earlier one."""


class AsAsked(Sequence[RankedNote]):
    """Notes of an iterator, each taken from it when it is asked for: behind the first page hardly anybody does."""

    def __init__(self, made: Iterator[RankedNote]) -> None:
        self._left = made
        self._made: list[RankedNote] = []

    @overload
    def __getitem__(self, index: int) -> RankedNote: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RankedNote]: ...
    def __getitem__(self, index: int | slice) -> RankedNote | Sequence[RankedNote]:
        self._make(None if isinstance(index, slice) or index < 0 else index + 1)
        return self._made[index]

    def __len__(self) -> int:
        self._make(None)
        return len(self._made)

    def __bool__(self) -> bool:
        self._make(1)
        return bool(self._made)

    def _make(self, count: int | None) -> None:
        """Have so many, or all."""
        self._made += islice(self._left, None if count is None else max(0, count - len(self._made)))


class BestFirst(AsAsked):
    """The candidates whose passages are known, in their order: by turn, by what they are worth, ties as `tie` says."""

    def __init__(
        self,
        candidates: Sequence[Candidate],
        rarities: Sequence[float],
        passages: Callable[[Sequence[str]], dict[str, Passages]],
        tie: Callable[[Sequence[str]], Sequence[str]],
        languages: AbstractSet[str] = frozenset(),
        quantity: Quantity = Quantity.NONE,
    ) -> None:
        """`passages` gives those of some notes, as far as they are known; `tie` orders notes that are worth the same.
        Notes in other `languages` than these are worth less, if any are given; passages with the `quantity` that the
        question asks for are worth more."""
        super().__init__(self._in_order())
        self._rarities = rarities
        self._passages = passages
        self._tie = tie
        self._languages = languages
        self._quantity = quantity
        bounds = [
            (each.turn, -combined(each.score, most(each.places, rarities, quantity)), number)
            for number, each in enumerate(candidates)
        ]
        self._waiting = deque((turn, bound, candidates[number]) for turn, bound, number in sorted(bounds))
        """By turn and bound: those whose passages nobody has looked at."""
        self._looked_at: list[tuple[int, float, str, RankedNote]] = []
        """A heap of those that are, by turn and worth."""
        self._notes: dict[str, RankedNote | None] = {}
        """Every note that was looked at; None: its passages are not known."""

    def holding(self, is_wanted: Callable[[Places], bool]) -> Iterator[RankedNote]:
        """The notes whose places pass `is_wanted`, and all that were looked at already, in no order."""
        looked_at = dict(self._notes)
        yield from filter(None, looked_at.values())
        for _, _, each in [*self._waiting]:
            if each.path not in looked_at and is_wanted(each.places) and (note := self._note(each)) is not None:
                yield note

    def _in_order(self) -> Iterator[RankedNote]:
        while self._waiting or self._looked_at:
            # First look at every note whose upper bound reaches the best score so far.
            while self._waiting and not (self._looked_at and self._looked_at[0][:2] < self._waiting[0][:2]):
                candidate = self._waiting.popleft()[2]
                if (note := self._note(candidate)) is not None:
                    heappush(self._looked_at, (candidate.turn, -note.score, note.path, note))
            if not self._looked_at:
                return
            turn, worth, _, first = heappop(self._looked_at)
            same = {first.path: first}
            while self._looked_at and self._looked_at[0][:2] == (turn, worth):
                note = heappop(self._looked_at)[3]
                same[note.path] = note
            yield from [same[path] for path in (self._tie([*same]) if len(same) > 1 else same)]

    def _note(self, candidate: Candidate) -> RankedNote | None:
        if candidate.path not in self._notes:
            following = (each for _, _, each in islice(self._waiting, _TOGETHER) if each.path not in self._notes)
            together = {each.path: each for each in (candidate, *following)}
            known = self._passages([*together])
            for path, each in together.items():
                self._notes[path] = self._ranked(each, known[path]) if path in known else None
        return self._notes[candidate.path]

    def _ranked(self, candidate: Candidate, passages: Passages) -> RankedNote:
        evidence = best(candidate.places, passages, self._rarities, self._quantity)
        score = combined(candidate.score, evidence[0].score if evidence else 0.0)
        if self._languages and passages.language not in self._languages:
            score = max(0.001, round(score * NOTE.other_language, 3))
        return RankedNote(candidate.path, score, passages, evidence)

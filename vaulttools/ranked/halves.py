"""Finds notes for both halves of a question, by words which the notes before lack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from vaulttools.ranked.evidence import RankedNote
from vaulttools.ranked.ranking import AsAsked, Ranking
from vaulttools.ranked.weights import DIVERSITY


def for_both_halves(ranking: Ranking) -> Ranking:
    """A ranking whose first note stays; the next ones are worth more if they hold words that those before them lack."""
    return replace(ranking, notes=AsAsked(_ordered(ranking.notes, ranking.rarities)))


def _ordered(notes: Sequence[RankedNote], rarities: Sequence[float]) -> Iterator[RankedNote]:
    left = list(islice(notes, DIVERSITY.compared))
    lacking = dict(enumerate(rarities))
    total = sum(rarities) or 1.0

    def worth(note: RankedNote) -> float:
        new = sum(lacking.get(term, 0.0) for term in sorted(_held(note)))
        return round(note.score * (1 + DIVERSITY.weight * new / total), 3)

    last = 1.0
    while left:
        best = left[0] if len(lacking) == len(rarities) else max(left, key=worth)  # of equal ones the first
        last = min(last, best.score if len(lacking) == len(rarities) else worth(best))
        yield replace(best, score=last)
        left.remove(best)
        for term in _held(best):
            lacking.pop(term, None)
    yield from islice(notes, DIVERSITY.compared, None)


def _held(note: RankedNote) -> frozenset[int]:
    """The words that the best passage of a note holds."""
    return note.evidence[0].held if note.evidence else frozenset()

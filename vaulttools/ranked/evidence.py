"""Scores how well the passages of a note answer, and says when that is weak.

A word counts fully in the passage itself, and less in what a reader sees around it: the headings above it, the header
row of its table, the note's name, the passages before and after it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from vaulttools.index.passages import Passages
from vaulttools.index.words import Places
from vaulttools.ranked.scoring import ALIASES, BODY, HEADINGS, PROPERTIES, TITLE
from vaulttools.ranked.weights import NEARNESS, PASSAGE

if TYPE_CHECKING:
    from vaulttools.meaning.embedders import Choice

_DEEPEST: Final = 6
"""The lowest level of a heading that counts."""


class Evidence(NamedTuple):
    """One passage of a note."""

    number: int
    """Number of the passage in its note, from 0."""
    score: float
    """From 0; about 1 where the passage holds the whole question."""
    terms: frozenset[int]
    """Numbers of the terms in the passage, the headings above it, its header row, or the note's name."""
    found_by: tuple[str, ...] = ("words",)
    """How it was found: `words`, `meaning`."""


@dataclass(frozen=True, slots=True)
class RankedNote:
    """One note that answers the question."""

    path: str
    score: float
    """From 0 to 1, higher is better. Three decimals."""
    passages: Passages
    """All passages of the note."""
    evidence: Sequence[Evidence]
    """The passages that hold a word of the question, best first; empty if only the name or the properties hold one."""


def combined(of_note: float, of_passage: float) -> float:
    """Combine a note's own score (`scoring.score`) with that of its best passage: 0.001 to 1, three decimals."""
    passage = PASSAGE.in_note * min(1.0, of_passage / PASSAGE.full)
    return round(max(0.001, (of_note + passage) / (1 + PASSAGE.in_note)), 3)


def best(
    places: Places,
    passages: Passages,
    rarities: Sequence[float],
    *,
    asks_for_number: bool = False,
) -> list[Evidence]:
    """Returns the passages of a note that hold a word of the question, best first.

    A term counts once, in the first of these places that holds it: the passage, its header row, a heading above it, a
    name of the note, the passages beside it.
    """
    total = sum(rarities)
    if not total:
        return []
    held, again, rows = _in_passages(places.found, passages, rarities)
    in_headings = _terms_of_headings(places, passages)
    named = sum(
        1 << term
        for term, columns in enumerate(places.found)
        if columns[TITLE] or columns[ALIASES] or columns[PROPERTIES]
    )
    headings, parents, lengths = passages.headings, passages.parents, passages.lengths
    first_words, digits = passages.first_words, passages.digits
    headers = set(parents)
    last = max(map(headings.__getitem__, held), default=-1)
    above = [*terms_above(in_headings, passages.levels[: last + 1]), 0]  # -1: no heading
    weigh = _Sums(rarities)
    found: list[tuple[float, int, float, int]] = []
    for number, terms in held.items():
        heading = headings[number]
        score = weigh[terms]
        if number in again:
            score += PASSAGE.again * weigh[again[number]]
        if more := held.get(parents[number], 0) & ~terms:
            score += PASSAGE.header * weigh[more]
            terms |= more
        if more := above[heading] & ~terms:
            score += PASSAGE.heading * weigh[more]
            terms |= more
        if more := named & ~terms:
            score += PASSAGE.name * weigh[more]
            terms |= more
        beside = held.get(number - 1, 0) if number and headings[number - 1] == heading else 0
        if number + 1 in held and headings[number + 1] == heading:
            beside |= held[number + 1]
        if more := beside & ~terms:
            score += PASSAGE.beside * weigh[more]
        if number in rows:
            score += PASSAGE.row * rows[number]
        score *= 1 + PASSAGE.early * PASSAGE.early_words / (PASSAGE.early_words + first_words[number])
        score *= 1 - PASSAGE.length * lengths[number] / (PASSAGE.usual + lengths[number])
        if asks_for_number and digits[number]:
            score *= 1 + PASSAGE.digit
        if number in headers:
            score *= PASSAGE.is_header
        score /= total
        found.append((-round(score, 9), number, score, terms))
    found.sort()
    return [Evidence(number, score, _set(terms)) for _, number, score, terms in found]


# A set of terms is an int, term 0 its lowest bit: many passages share the same few sets, so sums are cached by set.


class _Sums(dict[int, float]):
    """By set of terms, the sum of their weights."""

    def __init__(self, rarities: Sequence[float]) -> None:
        super().__init__()
        self._rarities = rarities

    def __missing__(self, terms: int) -> float:
        made = self[terms] = sum([rare for term, rare in enumerate(self._rarities) if terms >> term & 1])
        return made


@lru_cache(maxsize=4096)
def _set(terms: int) -> frozenset[int]:
    """Returns the numbers of the terms in a set."""
    return frozenset(term for term in range(terms.bit_length()) if terms >> term & 1)


def _in_passages(
    found: Sequence[Sequence[Sequence[int]]], passages: Passages, rarities: Sequence[float]
) -> tuple[dict[int, int], dict[int, int], dict[int, float]]:
    """Returns by passage: the terms in it, the terms in it more than once, and the weight of the terms in a row."""
    first_words, words, size = passages.first_words, passages.words, len(passages.first_words)
    held: dict[int, int] = {}
    again: dict[int, int] = {}
    rows: dict[int, float] = {}
    for term, columns in enumerate(found):
        body = columns[BODY]
        if not body:
            continue
        bit = 1 << term
        number, end = -1, 0
        for place in body:
            if place < end:
                again[number] = again.get(number, 0) | bit
                continue
            number = bisect_right(first_words, place) - 1
            end = first_words[number] + words[number] if number >= 0 else 0
            if number + 1 < size:  # passages in scripts without blanks may overlap by one place
                end = min(end, first_words[number + 1])
            if place < end:
                held[number] = held.get(number, 0) | bit
        following = found[term + 1][BODY] if term + 1 < len(found) else ()
        if not following:
            continue
        behind = frozenset(following)
        pairs = {passages.at(place) for place in body if place + 1 in behind or place + 2 in behind}
        for number in pairs - {-1}:
            rows[number] = rows.get(number, 0.0) + min(rarities[term], rarities[term + 1])
    return held, again, rows


def _terms_of_headings(places: Places, passages: Passages) -> dict[int, int]:
    """Returns by heading the terms in it."""
    found: dict[int, int] = {}
    for term, columns in enumerate(places.found):
        for place in columns[HEADINGS]:
            heading = bisect_right(passages.heading_words, place) - 1
            found[heading] = found.get(heading, 0) | 1 << term
    return found


def terms_above(in_headings: Mapping[int, int], levels: Sequence[int]) -> list[int]:
    """Returns by heading the terms in it and in the headings above it."""
    if not in_headings:
        return [0] * len(levels)
    found: list[int] = []
    under = [0] * (_DEEPEST + 1)
    """By level: the terms of the last heading of this level or a higher one, and of the headings above that one."""
    for heading, level in enumerate(levels):
        if level <= _DEEPEST:  # Word has nine
            terms = in_headings.get(heading, 0) | under[level - 1]
            under[level:] = [terms] * (_DEEPEST + 1 - level)
        found.append(under[min(level, _DEEPEST)])
    return found


FEW_WORDS: Final = 2
"""A question of up to this many words is a name, a title or a rare word: notes that hold all of it come first."""


def nearness(choice: Choice) -> float | None:
    """Below this similarity the nearest passage is off topic; None if nobody measured it for the model."""
    return None if choice.address else NEARNESS

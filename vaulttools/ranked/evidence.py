"""Scores how well the passages of one note answer a question.

A word counts in the passage itself, and less in what a reader of the passage sees beside it: the headings it stands
under, the header row of its table, the note's name, the passages before and after it. The numbers below were chosen,
coarsely, on the tuning halves of the questions of `make ranking`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, NamedTuple

from vaulttools.index.passages import Passages
from vaulttools.index.word_hits import Places
from vaulttools.ranked.scoring import ALIASES, BODY, HEADINGS, TITLE


@dataclass(frozen=True, slots=True)
class Weights:
    """What a word counts, where one in the passage itself counts 1."""

    again: float = 0.2
    """The second time in the passage."""
    header: float = 0.7
    """In the header row of its table."""
    is_header: float = 0.6
    """A header row itself, which says less than the rows below it."""
    heading: float = 0.6
    """In a heading above it."""
    name: float = 0.5
    """In the title or an alias of the note."""
    beside: float = 0.4
    """In the passage before or after it, under the same heading."""
    row: float = 0.3
    """Two words in a row, as in the question, beside what each counts."""
    early: float = 0.1
    """Of a passage that begins the note; half of it for one that begins `EARLY` words later."""
    passage: float = 0.15
    """The best passage of a note, beside the note as a whole."""
    length: float = 0.15
    """How much of its score a passage of `USUAL` characters loses against an empty one."""


WEIGHTS: Final = Weights()
_FULL: Final = 1.3
"""The score of a passage that holds the whole question in a row."""
EARLY: Final = 100
USUAL: Final = 400


class Evidence(NamedTuple):
    """One passage of a note."""

    number: int
    """Which of the note's passages, from 0."""
    score: float
    """From 0; about 1 where the passage holds the whole question."""
    held: frozenset[int]
    """The terms of the question that it holds, or the headings above it, its header row, or the note's name."""
    found_by: tuple[str, ...] = ("words",)
    """The lists that it is in: `words`, `meaning`."""


def combined(of_note: float, of_passage: float, weights: Weights = WEIGHTS) -> float:
    """How well a note answers, by its own score (`scoring.score`) and that of its best passage: 0.001 to 1, three
    decimals."""
    passage = weights.passage * min(1.0, of_passage / _FULL)
    return round(max(0.001, (of_note + passage) / (1 + weights.passage)), 3)


def most(places: Places, rarities: Sequence[float], weights: Weights = WEIGHTS) -> float:
    """A score that no passage of a note exceeds, whatever its passages are."""
    total = sum(rarities)
    if not total:
        return 0.0
    beside = max(weights.header, weights.beside, weights.heading, weights.name)
    score = 0.0
    before: Sequence[int] = ()
    for term, (rare, columns) in enumerate(zip(rarities, places.found, strict=True)):
        body = columns[BODY]
        if body:
            score += rare * max(1 + weights.again * (len(body) > 1), beside)
            if before:
                score += weights.row * min(rarities[term - 1], rare)
        elif columns[HEADINGS]:
            score += rare * max(weights.heading, weights.name)
        elif columns[TITLE] or columns[ALIASES]:
            score += rare * weights.name
        before = body
    # Sums of the same numbers in another order differ in their last digits.
    return score * (1 + weights.early) / total + 1e-9


def best(places: Places, passages: Passages, rarities: Sequence[float], weights: Weights = WEIGHTS) -> list[Evidence]:
    """The passages of a note that hold a word of the question, best first."""
    total = sum(rarities)
    if not total:
        return []
    first_words, words, lengths = passages.first_words, passages.words, passages.lengths
    held: dict[int, dict[int, int]] = {}
    """By passage: the terms in it, and how often."""
    rows: dict[int, float] = {}
    """By passage: the weight of the words that stand in a row."""
    for term, columns in enumerate(places.found):
        body = columns[BODY]
        if not body:
            continue
        following: AbstractSet[int] = frozenset(places.found[term + 1][BODY] if term + 1 < len(rarities) else ())
        number, end = -1, 0
        pairs: set[int] = set()
        for place in body:
            if place >= end:
                number = bisect_right(first_words, place) - 1
                end = first_words[number] + words[number] if number >= 0 else 0
                if number + 1 < len(first_words):  # in scripts without blanks both may hold the same place
                    end = min(end, first_words[number + 1])
                if place >= end:
                    end = 0
                    continue
            counts = held.get(number)
            if counts is None:
                held[number] = {term: 1}
            else:
                counts[term] = counts.get(term, 0) + 1
            if following and (place + 1 in following or place + 2 in following):
                pairs.add(number)
        for number in pairs:
            rows[number] = rows.get(number, 0.0) + min(rarities[term], rarities[term + 1])
    headings = _terms_of_headings(places, passages)
    named = {term: weights.name for term, columns in enumerate(places.found) if columns[TITLE] or columns[ALIASES]}
    parents = passages.parents
    headers = set(parents)
    above: dict[int, tuple[dict[int, float], float]] = {}
    """By heading: the terms in it, in those above it and in the names, what each counts, and their sum."""
    sets: dict[tuple[int, ...], frozenset[int]] = {}
    found: list[Evidence] = []
    for number, counts in held.items():
        heading = passages.headings[number]
        if heading not in above:
            weigh = dict(named)
            for each in passages.path(heading):
                weigh |= dict.fromkeys(headings.get(each, ()), weights.heading)
            above[heading] = weigh, sum(rarities[term] * weight for term, weight in weigh.items())
        weigh, score = above[heading]
        terms = {**weigh, **counts}
        for term, count in counts.items():
            score += rarities[term] * (1 + weights.again * (count > 1) - weigh.get(term, 0.0))
        header = held.get(parents[number], _NONE) if parents[number] >= 0 else _NONE
        for term in header.keys() - counts.keys():
            score += rarities[term] * (weights.header - weigh.get(term, 0.0))
            terms[term] = 1
        beside: set[int] = set()
        for other in (number - 1, number + 1):
            if other in held and passages.headings[other] == heading:
                beside.update(held[other])
        for term in beside - terms.keys():
            score += rarities[term] * weights.beside
        score += weights.row * rows.get(number, 0.0)
        score *= 1 + weights.early * EARLY / (EARLY + first_words[number])
        score *= 1 - weights.length * lengths[number] / (USUAL + lengths[number])
        if number in headers:
            score *= weights.is_header
        key = tuple(terms)
        if key not in sets:
            sets[key] = frozenset(terms)
        found.append(Evidence(number, score / total, sets[key]))
    found.sort(key=lambda each: (-round(each.score, 9), each.number))
    return found


_NONE: Final[Mapping[int, int]] = {}


def _terms_of_headings(places: Places, passages: Passages) -> dict[int, set[int]]:
    """By heading: the terms in it."""
    found: dict[int, set[int]] = defaultdict(set)
    for term, columns in enumerate(places.found):
        for place in columns[HEADINGS]:
            found[bisect_right(passages.heading_words, place) - 1].add(term)
    return found

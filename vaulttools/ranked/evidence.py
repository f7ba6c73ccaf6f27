"""Scores how well the passages of one note answer a question.

A word counts in the passage itself, and less in what a reader of the passage sees beside it: the headings it stands
under, the header row of its table, the note's name, the passages before and after it. The numbers below were chosen,
coarsely, on the tuning halves of the questions of `make ranking`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from vaulttools.files.known import Places
from vaulttools.index.passages import Passages
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


def combined(of_note: float, evidence: Sequence[Evidence], weights: Weights = WEIGHTS) -> float:
    """How well a note answers, by its own score (`scoring.score`) and its best passage: 0.001 to 1, three decimals."""
    of_passage = min(1.0, evidence[0].score / _FULL) if evidence else 0.0
    return round(max(0.001, (of_note + weights.passage * of_passage) / (1 + weights.passage)), 3)


def best(places: Places, passages: Passages, rarities: Sequence[float], weights: Weights = WEIGHTS) -> list[Evidence]:
    """The passages of a note that hold a word of the question, best first."""
    total = sum(rarities)
    if not total:
        return []
    held: dict[int, dict[int, int]] = defaultdict(dict)
    """By passage: the terms in it, and how often."""
    first_words, words = passages.first_words, passages.words
    rows: dict[int, float] = defaultdict(float)
    """By passage: the weight of the words that stand in a row."""
    for term, columns in enumerate(places.found):
        following = set(places.found[term + 1][BODY]) if term + 1 < len(places.found) else set[int]()
        pairs: set[int] = set()
        for place in columns[BODY]:
            number = bisect_right(first_words, place) - 1
            if number < 0 or place >= first_words[number] + words[number]:
                continue
            counts = held[number]
            counts[term] = counts.get(term, 0) + 1
            if place + 1 in following or place + 2 in following:
                pairs.add(number)
        for number in pairs:
            rows[number] += min(rarities[term], rarities[term + 1])
    headings = _terms_of_headings(places, passages)
    named = {term for term, columns in enumerate(places.found) if columns[TITLE] or columns[ALIASES]}
    headers = set(passages.parents)
    paths: dict[int, frozenset[int]] = {}
    found: list[Evidence] = []
    for number, counts in held.items():
        heading = passages.headings[number]
        if heading not in paths:
            paths[heading] = frozenset().union(*(headings[each] for each in passages.path(heading)))
        above = paths[heading]
        header = held.get(passages.parents[number], {}) if passages.parents[number] >= 0 else {}
        beside: set[int] = set()
        for other in (number - 1, number + 1):
            if 0 <= other < len(words) and passages.headings[other] == heading and other in held:
                beside.update(held[other])
        score = 0.0
        for term, rare in enumerate(rarities):
            if term in counts:
                score += rare * (1 + weights.again * (counts[term] > 1))
                continue
            weight = 0.0
            if term in header:
                weight = weights.header
            elif term in above:
                weight = weights.heading
            elif term in named:
                weight = weights.name
            if term in beside:
                weight = max(weight, weights.beside)
            score += rare * weight
        score += weights.row * rows.get(number, 0.0)
        score *= 1 + weights.early * EARLY / (EARLY + first_words[number])
        score *= 1 - weights.length * passages.lengths[number] / (USUAL + passages.lengths[number])
        if number in headers:
            score *= weights.is_header
        found.append(Evidence(number, score / total, frozenset(counts) | above | named | frozenset(header)))
    found.sort(key=lambda each: (-each.score, each.number))
    return found


def _terms_of_headings(places: Places, passages: Passages) -> dict[int, set[int]]:
    """By heading: the terms in it."""
    found: dict[int, set[int]] = defaultdict(set)
    for term, columns in enumerate(places.found):
        for place in columns[HEADINGS]:
            found[bisect_right(passages.heading_words, place) - 1].add(term)
    return found

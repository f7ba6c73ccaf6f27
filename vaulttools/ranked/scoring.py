"""Scores how well a note answers a question, from where the words stand.

The numbers below were chosen, coarsely, on the tuning half of `benchmarks/questions.toml` (`docs/benchmarks.md`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from vaulttools.index.word_hits import Places

BODY, TITLE, ALIASES, HEADINGS, PROPERTIES = range(5)
"""The parts of a note, as `Places` has them."""


USUAL_LENGTH: Final = 200
"""Words of a note of usual length, where BM25 has the mean of all: so a score follows from the note alone and from how
rare the words are (on the tuning half both rank alike)."""


@dataclass(frozen=True, slots=True)
class NoteWeights:
    """What counts how much."""

    title: float = 8.0
    """One word in the title, in words of the body; likewise the next two."""
    aliases: float = 3.0
    headings: float = 2.0
    properties: float = 2.0
    saturation: float = 1.5
    """BM25's k1: so many occurrences in a text of usual length give half of what any number gives."""
    length: float = 0.75
    """BM25's b: 0 takes no note of the length of a text, 1 all."""
    passage: float = 0.8
    """That words stand in one passage. With 1.2 two more of 117 held-out questions have the note first, and with
    meaning two fewer of 38 have it among the first five."""
    row: float = 0.5
    """That words stand in a row, as in the question."""
    name: float = 2.0
    """That the title consists of the words of the question, and they of it."""
    window: int = 30
    """Words of a passage."""


WEIGHTS: Final = NoteWeights()


def rarity(notes: int, holding: int) -> float:
    """BM25's weight of a word that so many of the notes hold, above 0."""
    holding = min(holding, notes)
    return math.log(1 + (notes - holding + 0.5) / (holding + 0.5))


def score(places: Places, rarities: Sequence[float], weights: NoteWeights = WEIGHTS) -> float:
    """0 for a note that holds none of the words, and nearly 1 for one whose title and one of whose passages they are.

    `rarities` are the weights of the words, in the order of the question.
    """
    total = sum(rarities)
    if not total:
        return 0.0
    norm = 1 - weights.length + weights.length * places.lengths[BODY] / USUAL_LENGTH
    often = 0.0
    for rare, (body, title, aliases, headings, properties) in zip(rarities, places.found, strict=True):
        count = len(body) / norm
        if title or aliases or headings or properties:
            count += len(title) * weights.title + len(aliases) * weights.aliases
            count += len(headings) * weights.headings + len(properties) * weights.properties
        if count:
            often += rare * count / (count + weights.saturation)
    return (
        often
        + weights.passage * _passage(places, rarities, weights.window)
        + weights.row * _row(places, rarities)
        + weights.name * _name(places, rarities)
    ) / (total * (1 + weights.passage + weights.row + weights.name))


def _passage(places: Places, rarities: Sequence[float], window: int) -> float:
    """The weight of the words in the passage of the body, or among the headings, that holds most of it."""
    best = 0.0
    for column in (BODY, HEADINGS):
        words = [word for word, found in enumerate(places.found) if found[column]]
        whole = sum([rarities[word] for word in words])
        if whole <= best:
            continue
        if len(words) == 1:
            best = whole
            continue
        stands = sorted([(place, word) for word in words for place in places.found[word][column]])
        within = [0] * len(rarities)
        weight = 0.0
        first, missing = 0, len(words)
        for place, word in stands:
            while stands[first][0] <= place - window:
                left = stands[first][1]
                within[left] -= 1
                if not within[left]:
                    weight -= rarities[left]
                    missing += 1
                first += 1
            if not within[word]:
                weight += rarities[word]
                missing -= 1
                if weight > best:
                    best = weight
                if not missing:
                    break  # no passage holds more
            within[word] += 1
    return best


def _row(places: Places, rarities: Sequence[float]) -> float:
    """The weight of the pairs of neighbours in the question that are neighbours in the text, in the same order, in the
    part of the note with most of them."""
    weights = [0.0] * 5
    for word, (here, behind) in enumerate(pairwise(places.found)):
        for column, stands in enumerate(here):
            if not stands or not behind[column]:
                continue
            following = frozenset(behind[column])
            rare = min(rarities[word], rarities[word + 1])
            if not following.isdisjoint([place + 1 for place in stands]):
                weights[column] += rare
            elif not following.isdisjoint([place + 2 for place in stands]):
                weights[column] += rare / 2  # a stop word between them
    return max(weights)


def _name(places: Places, rarities: Sequence[float]) -> float:
    """How much of the question is the title, times how much of the title is the question."""
    best = 0.0
    for column in (TITLE, ALIASES):
        counts = [len(found[column]) for found in places.found]
        if places.lengths[column] and any(counts):
            asked = sum([rare for rare, count in zip(rarities, counts, strict=True) if count])
            best = max(best, asked * min(1.0, sum(counts) / places.lengths[column]))
    return best

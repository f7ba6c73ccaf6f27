"""Corrections: the words of a vault that one word may be a misspelling of."""

from __future__ import annotations

from typing import Final

from vaulttools.index.words import tokens
from vaulttools.ranked.vocabulary import Vocabulary

MOST: Final = 2
"""Words that one is taken for."""

_SHORTEST: Final = 4
"""Letters of a word that may be misspelt; of shorter ones everything is close."""

_LONG: Final = 6
"""Letters of a stem of which two may be wrong."""


def of(text: str, vocabulary: Vocabulary) -> list[str]:
    """The stems closest to that of one word that stands nowhere, of these the most frequent; they begin with its first
    letter, or where none does with its second."""
    words = tokens(text)
    if len(words) != 1 or len(text) < _SHORTEST:
        return []
    stem = words[0][2]
    furthest = 1 if len(stem) < _LONG else 2
    for beginning in dict.fromkeys(stem[:2]):
        distances = {
            other: distance(stem, other, furthest)
            for other in vocabulary.stems(beginning, len(stem) - furthest, len(stem) + furthest)
            if not _begins(other, text, furthest)
        }
        for wanted in range(1, furthest + 1):
            close = (other for other, far in distances.items() if far == wanted)
            frequent = sorted((-count, other) for other in close if (count := len(vocabulary.notes(other))))
            if frequent:
                return [other for _, other in frequent][:MOST]
    return []


def _begins(stem: str, text: str, furthest: int) -> bool:
    """Whether a stem is of another word that one goes beyond, as `mine` is for `mineral`, whose own stem is `miner`."""
    return text.lower().startswith(stem) and len(text) - len(stem) > furthest


def distance(one: str, other: str, most: int) -> int:
    """Letters to be changed, added, left out or exchanged with their neighbour (Damerau, optimal string alignment);
    any number above `most` when it is more than that."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    # What both begin and end with, which most of a vocabulary has no more than a letter of, costs nothing.
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    one, other = one[start:], other[start:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    if not one or not other:
        return len(one) + len(other)
    if len(set(one) - set(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        following = [i]
        for j, wanted in enumerate(other, 1):
            cost = min(row[j] + 1, following[j - 1] + 1, row[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, before[j - 2] + 1)
            following.append(cost)
        before, row = row, following
    return row[-1]

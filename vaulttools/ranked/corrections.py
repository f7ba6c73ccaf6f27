"""Corrects misspelt words to words of the vault."""

from __future__ import annotations

from typing import Final

from vaulttools.index.words import tokens
from vaulttools.ranked import english
from vaulttools.ranked.vocabulary import StemVocabulary

MOST: Final = 2
"""Words that one is taken for."""

_SHORTEST: Final = 4
"""Letters of a word that may be misspelt; of shorter ones everything is close."""

_LONG: Final = 6
"""Letters of a stem in which two may be wrong."""


def of(text: str, vocabulary: StemVocabulary) -> list[str]:
    """The stems closest to that of one word that no note holds, the most frequent of equally close ones; none for an
    English word, which is spelt as it is meant: `alarm` is no misspelt `alamme`.

    A letter is changed, added, left out or exchanged with its neighbour. The stems begin with the word's first letter,
    or with its second where no close one does.
    """
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    words = tokens(text)
    if len(words) != 1 or len(text) < _SHORTEST or english.is_word(text):
        return []
    stem = words[0][2]
    furthest = 1 if len(stem) < _LONG else 2
    for beginning in dict.fromkeys(stem[:2]):
        stems = vocabulary.stems(beginning, len(stem) - furthest, len(stem) + furthest)
        distances = process.extract(stem, stems, scorer=OSA.distance, score_cutoff=furthest, limit=None)
        for wanted in range(1, furthest + 1):
            close = (other for other, far, _ in distances if far == wanted and not _begins(other, text, furthest))
            frequent = sorted((-count, other) for other in close if (count := len(vocabulary.notes(other))))
            if frequent:
                return [other for _, other in frequent][:MOST]
    return []


def _begins(stem: str, text: str, furthest: int) -> bool:
    """Whether `text` extends `stem` too far to be a misspelling of it, as `mineral` extends `mine`."""
    return text.lower().startswith(stem) and len(text) - len(stem) > furthest

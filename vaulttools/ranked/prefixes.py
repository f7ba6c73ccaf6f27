"""Finds Arabic and Hebrew words with and without a prefix: article, preposition, conjunction."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from typing import Final

from vaulttools.core.folding.words import lowered

_SHORTEST: Final = 3
"""A word without its prefix has at least this many letters: roots have three."""
_SHORTEST_NOUN: Final = 2
"""The same behind a lone Hebrew article: a sea is `ים`."""
_ARTICLE: Final = "ה"


def _joined(*places: str) -> Sequence[str]:
    """Returns the prefixes of a word: at most one part of each place, in order. Blanks divide the parts of a place."""
    return ["".join(parts) for parts in product(*(("", *place.split()) for place in places)) if any(parts)]


_ARABIC: Final = (
    *(each.replace("لال", "لل") for each in _joined("و ف", "ب ل ك", "ال")),
    *("س", "وس", "فس"),  # the future of verbs
)
_HEBREW: Final = tuple(_joined("ו", "ש כש לכש מש", "ה ב ל כ מ מה"))
_PREFIXES: Final = ((re.compile(r"[\u0621-\u06d3]+"), _ARABIC), (re.compile(r"[\u05d0-\u05ea]+"), _HEBREW))
"""By script the letters, and what is joined to the beginning of words: conjunctions, prepositions and articles that are
written as one word with the next, in this order."""


def kin(text: str) -> Sequence[str]:
    """Returns the other words that a word may be with or without a prefix; no words in other scripts."""
    word = lowered(text)
    for letters, prefixes in _PREFIXES:
        if letters.fullmatch(word):
            bare = {
                word.removeprefix(prefix)
                for prefix in prefixes
                if word.startswith(prefix) and len(word) - len(prefix) >= _least(prefix)
            }
            found = [*sorted(bare), *(prefix + stem for stem in (word, *sorted(bare)) for prefix in prefixes)]
            return [each for each in dict.fromkeys(found) if each != word]
    return ()


def _least(prefix: str) -> int:
    return _SHORTEST_NOUN if prefix == _ARTICLE else _SHORTEST

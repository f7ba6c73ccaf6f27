"""Finds Arabic and Hebrew words with and without a prefix: article, preposition, conjunction."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from vaulttools.core.folding.words import lowered

_SHORTEST: Final = 3
"""A word without its prefix has at least this many letters: roots have three."""

_ARABIC: Final = ("وبال", "فبال", "وال", "فال", "بال", "كال", "ولل", "فلل", "لل", "ال", "و", "ف", "ب", "ل", "ك", "س")
_HEBREW: Final = (
    *("וכשה", "ושה", "שבה", "כשה", "לכש", "וה", "וב", "ול", "ומ", "וש", "שה", "של", "שב", "מה", "כש"),
    *("ה", "ו", "ב", "ל", "כ", "מ", "ש"),
)
_PREFIXES: Final = ((re.compile(r"[\u0621-\u06d3]+"), _ARABIC), (re.compile(r"[\u05d0-\u05ea]+"), _HEBREW))
"""By script the letters, and what is joined to the beginning of words, the longest first: articles, prepositions and
conjunctions that are written as one word with the next."""


def kin(text: str) -> Sequence[str]:
    """Returns the other words that a word may be with or without a prefix; no words in other scripts."""
    word = lowered(text)
    for letters, prefixes in _PREFIXES:
        if letters.fullmatch(word):
            bare = {
                word.removeprefix(prefix)
                for prefix in prefixes
                if word.startswith(prefix) and len(word) - len(prefix) >= _SHORTEST
            }
            found = [*sorted(bare), *(prefix + stem for stem in (word, *sorted(bare)) for prefix in prefixes)]
            return [each for each in dict.fromkeys(found) if each != word]
    return ()

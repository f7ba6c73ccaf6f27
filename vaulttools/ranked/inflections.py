"""Finds the stem with which the inflections of a question's word begin.

The index stems English alone. In other languages a stem is a beginning that is searched for beside the word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from vaulttools.core.folding.words import lowered
from vaulttools.core.spelling import common_start

_SHORTEST: Final = 4
"""A stem has at least this many letters: too many other words begin with a shorter one."""

_STEMMERS: Final[Mapping[str, str]] = {
    "da": "danish",
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "pl": "polish",
    "pt": "portuguese",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}
"""The Snowball stemmer of each language in which it was measured (`benchmarks/tuning.md`)."""

_CYRILLIC: Final = re.compile("[\u0400-\u052f]")


def stem(text: str, languages: AbstractSet[str]) -> str:
    """Returns the stem of a word of a question that may be in any of `languages`, folded; `""` if the question may be
    in several languages of one script, if no stemmer knows its language, and if the stem is short or the word."""
    if not text.isalpha():
        return ""
    if "ru" in languages:  # only Ukrainian may be beside it
        language = "ru" if _CYRILLIC.match(text) else ""
    else:
        [language] = languages if len(languages) == 1 else [""]
    if language not in _STEMMERS:
        return ""
    import snowballstemmer  # takes 12 ms

    # A new one each time: a stemmer holds the word that it works on, and calls run in several threads.
    made = snowballstemmer.stemmer(_STEMMERS[language]).stemWord(text.lower())
    word = lowered(text)
    # A stemmer may change the last letter.
    found = common_start(word, lowered(made))
    return found if _SHORTEST <= len(found) < len(word) else ""

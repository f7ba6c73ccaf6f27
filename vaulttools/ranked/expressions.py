"""Writes a regex that matches a question's term, to count words without an index.

It may match more than the term, words with the same beginning; which notes really hold it is seen when they are read.
"""

from __future__ import annotations

import sys
import unicodedata
from collections import defaultdict
from functools import cache
from itertools import takewhile
from typing import Final

from vaulttools.index.word_hits import Spelling
from vaulttools.index.words import tokens
from vaulttools.patterns.pattern import escaped
from vaulttools.ranked.question import Term

_BETWEEN: Final = r"[\W_]+"
_EDGE: Final = r"(?:\b|_)"
_LAST_LATIN: Final = 0x24F
"""The last letter with an accent that is a variant of an ASCII letter in a European language."""


def expression(term: Term) -> str:
    """The regex, in Rust's syntax, for case to be ignored."""
    if not term.spellings:
        return escaped(term.literal)
    return "|".join(dict.fromkeys(_EDGE + _of(spelling) for spelling in term.spellings))


def beginnings(term: Term) -> list[str]:
    """What the words of a term begin with in any inflection, without accents; of a piece of text the text."""
    return _beginnings(term.spellings[0]) if term.spellings else [term.literal]


def _of(spelling: Spelling) -> str:
    """The words of a spelling in a row."""
    return _BETWEEN.join(_letters(each) + r"\w*" for each in _beginnings(spelling))


def _beginnings(spelling: Spelling) -> list[str]:
    data = spelling.text.encode("utf-8", "replace")
    words = [(data[start:end].decode("utf-8", "replace").lower(), stem) for start, end, stem in tokens(spelling.text)]
    return [_common(word, stem) for word, stem in words]


def _common(word: str, stem: str) -> str:
    """What a word without its accents and its stem begin with: `mineralog` of `mineralogy` and `mineralogi`."""
    plain = "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))
    length = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(plain, stem, strict=False)))
    return plain[:length] or plain


def _letters(text: str) -> str:
    """A text with each letter in any accents."""
    return "".join(f"[{sign}{_accented()[sign]}]\\p{{M}}*" if sign in _accented() else escaped(sign) for sign in text)


@cache
def _accented() -> dict[str, str]:
    """By ASCII letter its variants with accents."""
    found: dict[str, str] = defaultdict(str)
    for code in range(0x80, min(_LAST_LATIN, sys.maxunicode) + 1):
        base = unicodedata.normalize("NFD", chr(code))[0]
        if base.isascii() and base.islower() and chr(code).islower():
            found[base] += chr(code)
    return dict(found)

"""Compares names by their identity: in any case and Unicode form, and nothing is dropped.

It compares names and links, tags, properties, headings, blocks, folders and filters, and the words of Obsidian's search
language: `Łódź` is not `Lodz`, and `straße` is not `strasse`. Words of ranked questions are folded by `words`; patterns
match as in ripgrep.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Final


def identity(text: str) -> str:
    """Returns a text in the form for comparisons: NFC, lower case as in JavaScript, a final sigma like any other.

    Texts that are parted by ASCII signs other than letters may be folded together: nothing composes over these.
    """
    if text.isascii():
        return text.lower()
    return _of_name(text) if len(text) <= _NAME else _identity(text)


def _identity(text: str) -> str:
    # Lower case may compose what upper case cannot: a caron on `J` is a mark, `ǰ` is one character.
    return composed(composed(text).lower()).replace("ς", "σ")


_NAME: Final = 40
"""Names and tags of so many characters come again; longer ones are texts."""
_of_name: Final = lru_cache(maxsize=1 << 14)(_identity)
"""0.1 µs, not 0.7."""


def identities(texts: Sequence[str]) -> list[str]:
    """Returns the identity of each text; none may hold a NUL. Those in ASCII are folded together, if all are."""
    together = "\0".join(texts)
    return together.lower().split("\0") if texts and together.isascii() else [*map(identity, texts)]


def is_same(one: str, other: str) -> bool:
    """Whether two texts have the same identity."""
    return one == other or identity(one) == identity(other)


def composed(text: str) -> str:
    """Returns a text in NFC, with case as it is."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def decomposed(text: str) -> str:
    """Returns a text in NFD, as macOS stores names."""
    return text if text.isascii() else unicodedata.normalize("NFD", text)


def in_each_form(text: str) -> list[str]:
    """Returns a text as it is, in NFC and in NFD, each once."""
    return [*dict.fromkeys((text, composed(text), decomposed(text)))]


def is_mixed(text: str) -> bool:
    """Whether a text is neither in NFC nor in NFD: then neither form of a word must be in it that has its identity."""
    return not (text.isascii() or unicodedata.is_normalized("NFC", text) or unicodedata.is_normalized("NFD", text))


def lasting(folded: str) -> list[str]:
    """Returns the runs of an identity that each spelling of it holds, if case is ignored: those of characters that no
    other character is composed of or equal to. A character before a mark is left out."""
    if folded.isascii():
        return [run for run in _NOT_LASTING_ASCII.split(folded) if run]
    found, run = [], ""
    for character in folded:
        if _lasts(character):
            run += character
            continue
        if follows(character):
            run = run[:-1]
        found.append(run)
        run = ""
    return [run for run in (*found, run) if run]


_EQUALLED: Final = frozenset(";`\u00b4\u00b7\u02b9\u2002\u2003\u3008\u3009")
"""Signs that another character is equal to, such as the Greek question mark; of letters, case folding knows these."""
_NOT_LASTING_ASCII: Final = re.compile("[;`]")


@cache
def _compatible() -> frozenset[str]:
    """Returns the Chinese characters that another one is equal to."""
    codes = chain(range(0xF900, 0xFB00), range(0x2F800, 0x2FA20))
    return frozenset(made for each in map(chr, codes) if (made := unicodedata.normalize("NFD", each)) != each)


@lru_cache(maxsize=1 << 12)
def _lasts(character: str) -> bool:
    is_whole = unicodedata.normalize("NFD", character) == character
    return is_whole and not (follows(character) or character in _EQUALLED or character in _compatible())


def follows(character: str) -> bool:
    """Whether a character may be composed with the one before it: a mark, a later part of a Hangul syllable, a vowel of
    Kirat Rai."""
    if "\u1160" <= character <= "\u11ff" or "\U00016d63" <= character <= "\U00016d6a":
        return True
    return unicodedata.category(character).startswith("M")

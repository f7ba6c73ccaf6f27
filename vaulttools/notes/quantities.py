"""Finds the kinds of quantities that a text names: numbers, dates, prices."""

from __future__ import annotations

import re
from enum import IntFlag
from typing import Final


class Quantity(IntFlag):
    """Kinds of quantities, as a set."""

    NONE = 0
    NUMBER = 1
    DATE = 2
    PRICE = 4


_DIGIT: Final = re.compile(r"\d")

_MARKER: Final = re.compile(r"^[ \t>]*\d{1,3}[.)][ \t]", re.MULTILINE)
"""The number of a list item, which is no quantity."""
_MARKER_END: Final = re.compile(r"\d[.)][ \t]")
"""A part of every `_MARKER` that is found in a third of the time."""

_NUMBER: Final = re.compile(r"\d(?<![\w.\[#/]\d)")
_NUMBER_WORDS: Final = frozenset(
    (
        *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty"),
        *("hundred", "thousand", "million", "half", "twice", "once", "double"),
    )
)
_YEAR: Final = re.compile(r"(?:1\d{3}|20\d{2})(?<![\w.,/]\d{4})(?:s|-\d\d)?(?!\w|[.,]\d)")
_MONTHS: Final = frozenset(
    (
        *("january", "february", "march", "april", "may", "june"),
        *("july", "august", "september", "october", "november", "december"),
    )
)
_MONTH: Final = re.compile(rf"\b(?:{'|'.join(map(str.capitalize, sorted(_MONTHS)))})\b")
_SUM: Final = re.compile(r"[$€£¥]\s?\d|\d\s?[$€£¥]")
_CURRENCIES: Final = frozenset(
    ("usd", "eur", "gbp", "chf", "dollar", "dollars", "euro", "euros", "pound", "pounds"),
)
_WORDS: Final = _NUMBER_WORDS | _MONTHS | _CURRENCIES

_WORD: Final = re.compile(r"\w+")
_APART: Final = bytes(code if chr(code).isalnum() or chr(code) == "_" else 32 for code in range(128)).lower().ljust(256)
"""By ASCII character: the same in lower case if it may be part of a word, else a blank."""
_SETS: Final = tuple(map(Quantity, range(8)))
"""All sets by number: joining two flags takes as long as searching for a digit."""


def named(text: str) -> Quantity:
    """Return the kinds of quantities that a text names; words for numbers and months are known in English only."""
    words = _WORDS.intersection(_words(text))
    # A search for a digit decides most texts; the patterns would be tried at each character.
    if (has_digit := _DIGIT.search(text) is not None) and _MARKER_END.search(text):
        text = _MARKER.sub("", text)
    is_number = (has_digit and _NUMBER.search(text)) or not words.isdisjoint(_NUMBER_WORDS)
    is_date = (has_digit and _YEAR.search(text)) or (not words.isdisjoint(_MONTHS) and _MONTH.search(text))
    has_symbol = "$" in text or "€" in text or "£" in text or "¥" in text
    is_price = (has_digit and has_symbol and _SUM.search(text)) or not words.isdisjoint(_CURRENCIES)
    return _SETS[bool(is_number) + 2 * bool(is_date) + 4 * bool(is_price)]


def _words(text: str) -> list[str]:
    """Return the runs of word characters, in lower case."""
    if text.isascii():  # takes a fifth of the time
        return text.encode().translate(_APART).decode().split()
    return _WORD.findall(text.lower())

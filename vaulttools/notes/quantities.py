"""Tells which quantities a text names: numbers, dates, prices."""

from __future__ import annotations

import re
from collections.abc import Sequence
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

_NUMBER: Final = re.compile(r"\d(?<![\w.\[#/]\d)")
_NUMBER_WORDS: Final = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty"),
    *("hundred", "thousand", "million", "half", "twice", "once", "double"),
)
_YEAR: Final = re.compile(r"(?:1\d{3}|20\d{2})(?<![\w.,/]\d{4})(?:s|-\d\d)?(?!\w|[.,]\d)")
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_SYMBOL: Final = re.compile("[$€£¥]")
_SUM: Final = re.compile(r"[$€£¥]\s?\d|\d\s?[$€£¥]")
_CURRENCIES: Final = ("usd", "eur", "gbp", "chf", "dollar", "dollars", "euro", "euros", "pound", "pounds")


def named(text: str) -> Quantity:
    """The kinds of quantities that a text names; words for numbers and months are known in English alone."""
    found = Quantity.NONE
    lowered = text.lower()
    # Most texts are told by a look for a digit and for letters: the patterns would be tried at each character.
    if has_digit := _DIGIT.search(text) is not None:
        text = _MARKER.sub("", text)
    if (has_digit and _NUMBER.search(text)) or _holds(lowered, _NUMBER_WORDS):
        found |= Quantity.NUMBER
    if (has_digit and _YEAR.search(text)) or _holds(text, _MONTHS):
        found |= Quantity.DATE
    if (has_digit and _SYMBOL.search(text) and _SUM.search(text)) or _holds(lowered, _CURRENCIES):
        found |= Quantity.PRICE
    return found


def _holds(text: str, words: Sequence[str]) -> bool:
    """Whether one of some words stands in a text."""
    return any(_WORDS[word].search(text) for word in filter(text.__contains__, words))


_WORDS: Final = {word: re.compile(rf"\b{word}\b") for word in (*_NUMBER_WORDS, *_MONTHS, *_CURRENCIES)}

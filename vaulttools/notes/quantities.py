"""Tells which quantities a text names: numbers, dates, prices."""

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


_MARKER: Final = re.compile(r"^[ \t>]*\d{1,3}[.)][ \t]", re.MULTILINE)
"""The number of a list item, which is no quantity."""

_NUMBER: Final = re.compile(
    r"(?<![\w.\[#/])[$€£]?\d"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred|thousand|million|half|twice|once|double)\b",
    re.IGNORECASE,
)
_DATE: Final = re.compile(
    r"(?<![\w.,/])(?:1\d{3}|20\d{2})(?:s|-\d\d)?(?!\w|[.,]\d)"
    r"|\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b",
)
_PRICE: Final = re.compile(r"[$€£¥]\s?\d|\d\s?[$€£¥]|\b(?:USD|EUR|GBP|CHF|dollars?|euros?|pounds?)\b", re.IGNORECASE)


def named(text: str) -> Quantity:
    """The kinds of quantities that a text names; words for numbers and months are known in English alone."""
    if _MARKER.search(text):
        text = _MARKER.sub("", text)
    found = Quantity.NONE
    if _NUMBER.search(text):
        found |= Quantity.NUMBER
    if _DATE.search(text):
        found |= Quantity.DATE
    if _PRICE.search(text):
        found |= Quantity.PRICE
    return found

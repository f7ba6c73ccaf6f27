"""Reads comparisons with a number in a question: `at least 4`, `under 3`."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_MORE: Final = "more|higher|above|better|greater|up|mehr|höher|besser|plus|mieux|más|mejor|meer|hoger|beter"
_LESS: Final = "less|lower|below|under|worse|fewer|smaller|weniger|niedriger|schlechter|moins|menos|peor|minder|lager"
_OR: Final = "or|and|oder|und|ou|et|o|y|of|en"
_THAN: Final = "than|als|de|que|à|dan"
_STARS: Final = "(?: (?:stars?|points?|sterne?n?|étoiles?|estrellas?|sterren))?"
_BEFORE: Final = (
    (rf"at least|mindestens|au moins|al menos|por lo menos|minstens|ten minste|>=|≥|(?:not|no) (?:{_LESS}) than", ">="),
    (rf"at most|höchstens|au plus|como mucho|como máximo|hoogstens|ten hoogste|<=|≤|(?:not|no) (?:{_MORE}) than", "<="),
    (rf"(?:{_MORE}) (?:{_THAN})|above|over|über|supérieure?s? à|por encima de|boven|>", ">"),
    (rf"(?:{_LESS}) (?:{_THAN})|below|under|unter|inférieure?s? à|por debajo de|onder|<", "<"),
)
_BEHIND: Final = (
    (rf"{_STARS} (?:{_OR}) (?:{_MORE})|\+", ">="),
    (rf"{_STARS} (?:{_OR}) (?:{_LESS})", "<="),
)
_ENDING: Final = [(re.compile(rf"(?:(?<=\W)|^)(?:{words})\s*(?:an? |the )?$"), sign) for words, sign in _BEFORE]
_BEGINNING: Final = [(re.compile(rf"(?:{words})(?!\w)"), sign) for words, sign in _BEHIND]
_COMPARING: Final = re.compile(
    rf"\b(?:{_MORE}|{_LESS}|over|least|most|über|unter|mindestens|höchstens|boven|onder|between|zwischen|entre|tussen)\b"
    r"|[<>≤≥±~]|(?<![\w.])[-−+]\s?\d|\d\s?[-–+]"
)


class Comparison(NamedTuple):
    """A comparison with the number of a question."""

    sign: str
    start: int
    """Where its words begin in the question, in characters."""
    end: int


def comparison(question: str, start: int, end: int) -> Comparison | None:
    """Returns how a question compares with its number at `start` to `end`; None if its words are not understood.

    >>> comparison("books rated 3 or less", 12, 13)
    Comparison(sign='<=', start=12, end=21)
    """
    text = question.lower()
    if len(text) != len(question):  # `İ` becomes two characters
        return None
    sign, first, behind = "==", start, end
    for pattern, meant in _ENDING:
        if found := pattern.search(text, 0, start):
            sign, first = meant, found.start()
            break
    for pattern, meant in _BEGINNING:
        if found := pattern.match(text, end):
            if sign != "==":
                return None
            sign, behind = meant, found.end()
            break
    rest = f"{text[:first]} {'0' if sign == '==' else ''}{text[end if sign == '==' else behind :]}"
    around = text[max(0, first - 2) : end + 2] if sign == "==" else ""
    return None if _COMPARING.search(rest) or _COMPARING.search(around) else Comparison(sign, first, behind)

"""Reads a plain word of a properties block as a value, for YAML and JSON.

Own rule, narrower than YAML 1.2's core schema (fault-Y05, fault-Y07, fault-Y11): a word becomes a number only when
writing that number gives the word back, so `1.10`, `010`, `1e3` and `+5` stay text, and nothing of what was written is
ever lost. Dates stay text, as written.
"""

from __future__ import annotations

import re
from datetime import date, time
from typing import Literal, TypeAlias

Scalar: TypeAlias = bool | int | float | str | None

_WORDS = dict.fromkeys(("", "~", "null", "Null", "NULL")) | {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_FLOAT = re.compile(r"-?[0-9]+\.[0-9]+(?:e[+-][0-9]+)?")
_NOT_A_NUMBER = re.compile(r"[+-]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_DATE = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})"
    r"(?:[Tt ](?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d+)?)?"
    r"[ ]?(?:[Zz]|[+-](?P<offset>\d{1,2})(?::?\d{2})?)?)?",
    re.ASCII,
)

NOT_JSON = "a number that JSON cannot hold became null"

# What SQLite and JSON readers in other languages hold at most; also far below the 4,300 digits that int() refuses.
_LARGEST = 2**63 - 1
_LONGEST = 20


def resolve(word: str) -> tuple[Scalar, str]:
    """The value of an unquoted word, and what is wrong with it (empty when nothing is).

    ``None``, a boolean (``true``, ``True`` or ``TRUE``), an integer of 64 bits, a finite float, else the word itself.
    """
    if word in _WORDS:
        return _WORDS[word], ""
    if not (word[0].isdigit() or word[0] in "-+."):
        return word, ""
    if _INTEGER.fullmatch(word):
        if len(word) <= _LONGEST and abs(number := int(word)) <= _LARGEST:
            return number, ""
        return word, "a number too large for 64 bits is kept as text"
    if _FLOAT.fullmatch(word):
        return (value, "") if repr(value := float(word)) == word else (word, "")
    if _NOT_A_NUMBER.fullmatch(word):
        return None, NOT_JSON
    if (match := _DATE.fullmatch(word)) and not _exists(match):
        return word, "an impossible date is kept as text"
    return word, ""


def moment(word: str) -> Literal["date", "datetime"] | None:
    """Whether a text is a day or a time that exists, as YAML writes it."""
    if not (match := _DATE.fullmatch(word)) or not _exists(match):
        return None
    return "datetime" if match["hour"] else "date"


def _exists(match: re.Match[str]) -> bool:
    try:
        date.fromisoformat(match["date"])
        if match["hour"]:
            time(int(match["hour"]), int(match["minute"]), int(match["second"] or 0))
    except ValueError:
        return False
    return int(match["offset"] or 0) < 24

"""Reads words of a properties block as values, names their types, writes them as text.

A vault declares one type for each name; here each value tells its own, for vaults that declare none (rule-P03,
rule-P04, rule-P08).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, time
from typing import Final, Literal, TypeAlias

from vaulttools.core import render

Scalar: TypeAlias = bool | int | float | str | None
Value: TypeAlias = "Scalar | list[Value] | dict[str, Value]"

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

EMPTY = "frontmatter is empty"
"""The one warning about a properties block that is no fault."""

NOT_JSON = "a number that JSON cannot hold became null"

# What SQLite and JSON readers in other languages hold at most; also far below the 4,300 digits that int() refuses.
_LARGEST = 2**63 - 1
_LONGEST = 20


def resolve(word: str) -> tuple[Scalar, str]:
    """The value of an unquoted word, for YAML and JSON, and what is wrong with it (empty when nothing is).

    An own rule, narrower than YAML 1.2's core schema (fault-Y05, fault-Y07, fault-Y11): a word becomes a number only
    when writing that number gives the word back, so `1.10`, `010`, `1e3` and `+5` stay text, and nothing of what was
    written is ever lost. Dates stay text, as written.

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


PropertyType: TypeAlias = Literal[
    "text", "list", "number", "checkbox", "date", "datetime", "tags", "mapping", "empty"
]  # fmt: skip

_LISTS = frozenset(("aliases", "cssclasses"))


def property_type(name: str, value: Value) -> PropertyType:
    """The type of one value. ``tags`` is only that of `tags` (rule-P03), ``mapping`` is none of Obsidian's (rule-P06),
    ``empty`` is null: neither `""`, a text, nor `[]`, a list. The lists of rule-P08 are lists whatever they hold."""
    folded = name.casefold()
    if folded == "tags":
        return "tags"
    if folded in _LISTS or isinstance(value, list):
        return "list"
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "checkbox"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, dict):
        return "mapping"
    return moment(value) or "text"


def in_one_line(properties: Mapping[str, Value], most: int) -> str:
    """The properties that have a value, cut at so many characters: `status: active; tags: work, home`."""
    found = ((name, text(value)) for name, value in properties.items())
    return render.line("; ".join(f"{' '.join(name.split())}: {value}" for name, value in found if value), most=most)


OF_PAGES: Final = frozenset(("cssclass", "cssclasses", "permalink", "publish"))
"""The properties of rule-P08 and rule-P09 that tell how a page looks and where it is published: nothing about what the
note says."""


def in_words(properties: Mapping[str, Value]) -> str:
    """The names and values of properties, one a line; line by line, so that no phrase goes from one to the next."""
    return "\n".join(f"{name} {text(value)}" for name, value in properties.items())


def text(value: Value) -> str:
    """One value: a list with commas, `true` or `false`, `\"\"` for none; blanks and line ends as one blank."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(text, value)))
    if isinstance(value, dict):
        return ", ".join(f"{name} {text(each)}" for name, each in value.items())
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else " ".join(str(value).split())

"""Reads words of a properties block as values, names their types, writes them as text.

A vault declares one type for each name. Here each value decides its own type, for vaults that declare no types
(rule-P03, rule-P04, rule-P08).
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from datetime import date, time
from typing import Final, Literal, TypeAlias

from vaulttools.core import render
from vaulttools.core.folding.identity import identity
from vaulttools.notes.properties import numerals

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
_DATE = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})"
    r"(?:[Tt ](?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d+)?)?"
    r"[ ]?(?:[Zz]|[+-](?P<offset>\d{1,2})(?::?\d{2})?)?)?",
    re.ASCII,
)

EMPTY = "frontmatter is empty"
"""The only warning that is not about a fault in the properties block."""

NOT_JSON = "a number that JSON cannot hold became null"


def resolve(word: str) -> tuple[Scalar, str]:
    """Returns the value of an unquoted word in YAML or JSON, and what is wrong with it (empty if nothing is).

    YAML 1.2's core schema decides what is a number (fault-Y05, fault-Y07): `1.10`, `010`, `1e3` and `+5` are, `1_000`
    and `1:30` are not. No written character is ever lost: such a number is a `Numeral`. Dates stay text as written.

    The value is ``None``, a boolean (``true``, ``True``, ``TRUE``), a number of `numerals.read`, or the word.
    """
    if word in _WORDS:
        return _WORDS[word], ""
    if not (word[0].isdigit() or word[0] in "-+."):
        return word, ""
    if (number := numerals.read(word)) is not None:
        return number, ""
    if (match := _DATE.fullmatch(word)) and not _exists(match):
        return word, "an impossible date is kept as text"
    return word, ""


def moment(word: str) -> Literal["date", "datetime"] | None:
    """Returns `date` for a valid day in YAML's format, `datetime` for a valid day and time; None for any other text."""
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
    """Returns the type of one value. Only the property `tags` has the type ``tags`` (rule-P03). Obsidian has no type
    ``mapping`` (rule-P06). ``empty`` is null: `""` is a text, `[]` a list. Those of rule-P08 are always lists."""
    folded = identity(name)
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


def in_one_line(properties: Mapping[str, Value], most: int, *, without: Container[str] = ()) -> str:
    """Returns the properties that have a value, except those in `without`: `status: active; tags: work, home`.

    The line is cut to `most` characters.
    """
    found = ((name, text(value)) for name, value in properties.items() if name not in without)
    return render.line("; ".join(f"{' '.join(name.split())}: {value}" for name, value in found if value), most=most)


def fitting(named: Mapping[str, Value], others: Mapping[str, Value], most: int) -> str:
    """Returns properties in one line of about `most` characters, the named ones first, and how many more there are:
    `status: active; 2 more`. The others are left out unless all fit: `""` without named ones. A first one that is too
    long alone is cut."""
    whole = {name: value for name, value in {**named, **others}.items() if text(value)}
    line = in_one_line(whole, most + 1)
    if len(line) <= most:
        return line
    kept = [name for name in whole if name in named]
    if not kept:
        return ""
    while len(kept) > 1 and len(in_one_line({name: whole[name] for name in kept}, most + 1)) > most:
        kept.pop()
    more = [f"{len(whole) - len(kept)} more"] if len(kept) < len(whole) else []
    return "; ".join(filter(None, [in_one_line({name: whole[name] for name in kept}, most), *more]))


OF_PAGES: Final = frozenset(("cssclass", "cssclasses", "permalink", "publish"))
"""The properties of rule-P08 and rule-P09 for the look and the publication of a page; they say nothing about the note's
subject."""


def in_words(properties: Mapping[str, Value]) -> str:
    """Returns the names and values of properties, one per line, so that no phrase spans two of them."""
    return "\n".join(f"{name} {text(value)}" for name, value in properties.items())


def text(value: Value) -> str:
    """Returns one value as text: a list with commas, `true` or `false`, `\"\"` for null; runs of blanks become one."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(text, value)))
    if isinstance(value, dict):
        return ", ".join(f"{name} {text(each)}" for name, each in value.items())
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else " ".join(str(value).split())

"""Writes the values of properties as text for one line, and names their Obsidian types.

A vault declares one type for each name; here each value tells its own, for vaults that declare none (rule-P03,
rule-P04, rule-P08).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from vaulttools.core import render
from vaulttools.notes.properties.scalars import moment

if TYPE_CHECKING:
    from vaulttools.notes.properties.safe_yaml import Value

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

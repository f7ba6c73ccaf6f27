"""Writes the values of properties as text for one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from vaulttools.core import render

if TYPE_CHECKING:
    from vaulttools.notes.properties.safe_yaml import Value


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

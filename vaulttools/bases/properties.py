"""Reads the values of a note's properties: links, dates, URLs and tags in texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from vaulttools.bases import numbers
from vaulttools.bases.times import Clock, read_date
from vaulttools.bases.values import Tags, TagValue, Url, Value, read_link, tag_of

_URL: Final = re.compile(r"(?:https?|ftp|wss?)://[^\s/]+\S*|(?!(?:https?|ftp|wss?):)[A-Za-z][A-Za-z0-9+.-]*:\S*")


def found_in(properties: Mapping[str, Any], name: str) -> tuple[str, Any]:
    """The name of a property as written, and what it holds; case matters only between names that differ in nothing
    else. Null when there is none."""
    if name in properties:
        return name, properties[name]
    lower = name.lower()
    return next(((key, held) for key, held in properties.items() if key.lower() == lower), (name, None))


def converted(name: str, held: Any, source: str, clock: Clock) -> Value:
    """The value of a property of the note at `source`."""
    if isinstance(held, str):
        if name.lower() == "tags":
            return Tags([TagValue(tag_of(held))])
        return _text(held, source, clock)
    if isinstance(held, list):
        if name.lower() == "tags" and all(element is None or isinstance(element, str) for element in held):
            return Tags(TagValue(tag_of(element)) for element in held if element is not None)
        return [converted("", element, source, clock) for element in held]
    if isinstance(held, dict):
        return {key: converted(key, element, source, clock) for key, element in held.items()}
    value: Value = numbers.bounded(held) if type(held) is int else held
    return value


def _text(text: str, source: str, clock: Clock) -> Value:
    first = text[:1]
    if first == "[" and (link := read_link(text, source)) is not None:
        return link
    if first.isdigit() and (date := read_date(text, clock)) is not None:
        return date
    return Url(text) if ":" in text and _URL.fullmatch(text) else text

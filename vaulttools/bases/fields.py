"""Looks up `value.name` and `value[key]` in files, dates, durations, texts and objects."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from vaulttools.bases.context import NOTE_DATE, Context, converted, found_in
from vaulttools.bases.functions.scalars import units
from vaulttools.bases.numbers import simplest
from vaulttools.bases.times import Date, Duration, measured
from vaulttools.bases.values import File, LinkValue, Tags, TagValue, Value, text_of
from vaulttools.core import paths


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    stem, dot, _ = name.rpartition(".")
    return stem if dot and stem else name


def _extension(path: str) -> str:
    stem, dot, extension = path.rpartition("/")[2].rpartition(".")
    return extension if dot and stem else ""


def _links(context: Context, path: str) -> list[LinkValue]:
    return context.list([LinkValue(target, path, display) for target, display in context.files.links_of(path).links])


def _embeds(context: Context, path: str) -> list[LinkValue]:
    held = context.files.links_of(path)
    return _links(context, path)[len(held.links) - held.embeds :]


def _properties(context: Context, path: str) -> Mapping[str, Any]:
    held = context.files.facts(path).properties
    made = {name: converted(name, value, path, context.setting.clock) for name, value in held.items()}
    context.charge(context.weight(made))
    return made


FILE_FIELDS: Final[Mapping[str, Callable[[Context, str], Value]]] = {
    "file": lambda _, path: File(path),
    "name": lambda _, path: paths.title(path),
    "basename": lambda _, path: _stem(path),
    "fullname": lambda _, path: path.rpartition("/")[2],
    "path": lambda _, path: path,
    "folder": lambda _, path: path.rpartition("/")[0] or "/",
    "ext": lambda _, path: _extension(path),
    "size": lambda context, path: context.files.times(path).size,
    "ctime": lambda context, path: Date(context.files.times(path).created, True),
    "mtime": lambda context, path: Date(context.files.times(path).modified, True),
    NOTE_DATE: lambda context, path: context.note_date(path),
    "properties": _properties,
    "tags": lambda context, path: Tags(map(TagValue, context.files.facts(path).tags)),
    "links": _links,
    "embeds": _embeds,
    "backlinks": lambda context, path: context.list(
        [LinkValue(source, "", paths.title(source)) for source in context.files.linking_to(path)]
    ),
}
"""The fields of a file; `docs/bases.md` explains each."""

DATE_FIELDS: Final = ("year", "month", "day", "hour", "minute", "second", "millisecond", "timestamp")


def field_of(value: Value, name: str, context: Context) -> Value:
    """Returns a field of a value, in any casing; null if there is no such field."""
    if isinstance(value, Mapping):
        found: Value = found_in(value, name)[1]
        return found
    lower = name.lower()
    if isinstance(value, File):
        known = FILE_FIELDS.get(lower)
        return known(context, value.path) if known else None
    if isinstance(value, list):
        return len(value) if lower == "length" else None
    if isinstance(value, str):
        return units(value) if lower == "length" else None
    if isinstance(value, LinkValue):
        return units(value.target) if lower == "length" else None
    if isinstance(value, Date):
        if lower not in DATE_FIELDS:
            return None
        if lower == "timestamp":
            return simplest(value.instant)
        local = context.setting.clock.local(value.instant)
        return local.microsecond // 1000 if lower == "millisecond" else int(getattr(local, lower))
    if isinstance(value, Duration):
        length = measured(value, lower, context.setting.clock)
        return None if length is None else simplest(length)
    return None


def item_of(value: Value, key: Value, context: Context) -> Value:
    """Returns an element of a list or text by its index from 0, or a field by its name; null if there is none."""
    if isinstance(key, int | float) and not isinstance(key, bool):
        if not isinstance(value, list | str):
            return field_of(value, text_of(key, context.setting), context)
        if not math.isfinite(key) or key != int(key) or not 0 <= key < len(value):
            return None
        found: Value = value[int(key)]
        return found
    name = text_of(key, context.setting)
    if isinstance(value, list) and name.isascii() and name.isdigit() and len(name) < 10:
        return item_of(value, int(name), context)
    return field_of(value, name, context)

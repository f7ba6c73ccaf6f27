"""Names what replaced the functions of the first bases, of Obsidian 1.9.0 and 1.9.1."""

from __future__ import annotations

from operator import attrgetter
from typing import Final

from vaulttools.bases.syntax import Call, walk

TODAY: Final = {
    "abs(number)": "number.abs()",
    "ceil(number)": "number.ceil()",
    "checkbox(value)": "value",
    "concat(a, b)": "a + b",
    "contains(a, b)": "a.contains(b)",
    "containsAll(a, b)": "a.containsAll(b)",
    "containsAny(a, b)": "a.containsAny(b)",
    "containsNone(a, b)": "!a.containsAny(b)",
    "dateAfter(a, b)": "a > b",
    "dateBefore(a, b)": "a < b",
    "dateDiff(a, b)": "a - b",
    "dateEquals(a, b)": "a == b",
    "dateModify(date, duration)": "date + duration",
    "dateNotEquals(a, b)": "a != b",
    "dateOnOrAfter(a, b)": "a >= b",
    "dateOnOrBefore(a, b)": "a <= b",
    "day(date)": "date.day",
    "empty(value)": "value.isEmpty()",
    "exists(name)": "file.hasProperty(name)",
    "flat(list)": "list.flat()",
    "floor(number)": "number.floor()",
    "hour(date)": "date.hour",
    "inFolder(file.file, folder)": "file.inFolder(folder)",
    "index(object, key)": "object[key]",
    "join(separator, list)": "list.join(separator)",
    "len(value)": "value.length",
    "linksTo(file.file, path)": "file.hasLink(path)",
    "minute(date)": "date.minute",
    "month(date)": "date.month",
    "not(condition)": "!condition",
    "notEmpty(value)": "!value.isEmpty()",
    "round(number)": "number.round()",
    "second(date)": "date.second",
    "slice(value, start, end)": "value.slice(start, end)",
    "split(text, separator)": "text.split(separator)",
    "taggedWith(file.file, tag)": "file.hasTag(tag)",
    "time(date)": "date.time()",
    "title(text)": "text.title()",
    "trim(text)": "text.trim()",
    "unique(list)": "list.unique()",
    "year(date)": "date.year",
}
"""By the call as it was, the expression as it is. 1.9.0 spelled the names with underscores, such as `not_empty`; 1.9.2
made functions of values of them; 1.9.4 took `checkbox` away, and 1.9.8 `exists`."""


OF_FILES: Final = {"linksTo": "file.hasLink(path)"}
"""What replaced functions of files, of 1.9.2, whose names other values have today."""


def _folded(name: str) -> str:
    return name.replace("_", "").lower()


_BY_NAME: Final = {_folded(was.partition("(")[0]): (was, now) for was, now in TODAY.items()}


def today(node: Call) -> str:
    """Returns what replaced an old function, and the others in its arguments: `empty(value) is now value.isEmpty()`; ""
    if there never was such a function."""
    if _folded(node.name) not in _BY_NAME:
        return ""
    calls = [each for each in walk(node) if isinstance(each, Call) and (each is node or each.object is None)]
    names = dict.fromkeys(_folded(each.name) for each in sorted(calls, key=attrgetter("position")))
    found = [_BY_NAME[name] for name in names if name in _BY_NAME]
    return ", ".join(f"{was} is now {now}" for was, now in found)

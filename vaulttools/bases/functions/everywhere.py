"""Defines global functions, and those of any value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from vaulttools.bases import numbers
from vaulttools.bases.context import Frame
from vaulttools.bases.faults import Failed
from vaulttools.bases.functions.registry import function
from vaulttools.bases.times import Date, Duration, read_date, read_duration
from vaulttools.bases.values import (
    File,
    Html,
    Icon,
    ImageValue,
    LinkValue,
    Url,
    Value,
    is_empty,
    is_true,
    read_link,
    text_of,
    type_of,
)


def _text(frame: Frame, value: Value) -> str:
    return text_of(value, frame.context.setting)


@function(
    "global",
    "escapeHTML(html)",
    "The text with `&`, `<`, `>`, quotation marks escaped.",
    'escapeHTML("<b>")',
    '"&lt;b&gt;"',
    least=1,
)
def _escape_html(frame: Frame, _: Any, given: Sequence[Any]) -> Value:
    text = _text(frame, given[0])
    for sign, escaped in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        text = text.replace(sign, escaped)
    return frame.context.text(text)


@function(
    "global",
    "date(text)",
    "The date that a text says, `YYYY-MM-DD` or with a time; an error when it says none.",
    'date("2026-06-10").toString()',
    '"2026-06-10"',
    least=1,
)
def _date(frame: Frame, _: Any, given: Sequence[Any]) -> Value:
    value = given[0]
    if isinstance(value, Date):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        frame.context.setting.clock.local(value)
        return Date(value, True)
    read = read_date(value.strip(), frame.context.setting.clock) if isinstance(value, str) else None
    if read is None and isinstance(value, LinkValue):  # a daily note's name
        read = read_date(value.target, frame.context.setting.clock)
    if read is None:
        raise Failed(f'Unable to parse "{_text(frame, value)}" as a date.')
    return read


@function(
    "global",
    "duration(text)",
    "The duration that a text says: `1d`, `2 weeks`, `1M` (month), `1m` (minute).",
    'duration("2w").toString()',
    '"14 days"',
    least=1,
)
def _duration(frame: Frame, _: Any, given: Sequence[Any]) -> Value:
    value = given[0]
    if isinstance(value, Duration):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return Duration(milliseconds=value)
    read = read_duration(value.strip()) if isinstance(value, str) else None
    if read is None:
        raise Failed(f'Unable to parse "{_text(frame, value)}" as a duration.')
    return read


@function(
    "global",
    "file(path)",
    "The file that a path, a link or a file means; null when there is none.",
    'file("Other").path',
    '"Oracle/Other.md"',
    least=1,
)
def _file(frame: Frame, _: Any, given: Sequence[Any]) -> Value:
    value = given[0]
    if isinstance(value, File):
        return value
    setting = frame.context.setting
    if isinstance(value, str):
        value = read_link(value, frame.row.path) or LinkValue(str(value), frame.row.path)
    path = setting.file_of(value) if isinstance(value, LinkValue) and value.target else None
    return None if path is None else File(path)


@function(
    "global", "html(html)", "A text that the app shows as HTML.", 'html("<b>x</b>").toString()', '"<b>x</b>"', least=1
)
def _html(frame: Frame, _: Any, given: Sequence[Any]) -> Value:
    return Html(_text(frame, given[0]))


@function(
    "global",
    "if(condition, then, otherwise?)",
    "One of the two, which alone is computed; null without `otherwise`.",
    'if(status == "Todo", "open", "done")',
    '"open"',
    least=2,
    lazy=True,
)
def _if(frame: Frame, _: Any, given: Sequence[Any]) -> Value:
    value: Value
    if is_true(given[0](frame)):
        value = given[1](frame)
        return value
    value = given[2](frame) if len(given) > 2 else None
    return value


@function(
    "global",
    "image(path)",
    "What the app shows as an image; a path, a URL, a link or a file.",
    'image("Asset.png").toString()',
    '"Asset.png"',
    least=1,
)
def _image(frame: Frame, _: Any, given: Sequence[Any]) -> Value:
    value = given[0]
    if value is None:
        return None
    return ImageValue(value.target if isinstance(value, LinkValue) else _text(frame, value))


@function(
    "global", "icon(name)", "What the app shows as an icon.", 'icon("arrow-right").toString()', '"arrow-right"', least=1
)
def _icon(frame: Frame, _: Any, given: Sequence[Any]) -> Value:
    return Icon(_text(frame, given[0]))


@function(
    "global",
    "link(path, display?)",
    "A link to a path, a URL or a file, shown as `display`.",
    'link("Some Note", "Shown").toString()',
    '"[[Some Note|Shown]]"',
    least=1,
)
def _link(frame: Frame, _: Any, given: Sequence[Any]) -> Value:
    value = given[0]
    display = _text(frame, given[1]) if len(given) > 1 and given[1] is not None else None
    if value is None:
        return None
    if isinstance(value, File):
        return LinkValue(value.path, frame.row.path, display)
    if isinstance(value, LinkValue):
        return LinkValue(value.target, value.source, value.display if display is None else display)
    text = _text(frame, value)
    if read := read_link(text, frame.row.path):
        return LinkValue(read.target, read.source, read.display if display is None else display)
    if "://" in text or text.startswith("mailto:"):
        return Url(text)
    return LinkValue(text, frame.row.path, display)


@function(
    "global",
    "list(value)",
    "The value itself when it is a list, else a list of it alone.",
    'list("value")',
    '["value"]',
    least=1,
)
def _list(_: Frame, __: Any, given: Sequence[Any]) -> Value:
    value: Value = given[0]
    return value if isinstance(value, list) else [value]


def _numbers(frame: Frame, name: str, given: Sequence[Any]) -> list[float]:
    flat = [element for value in given for element in (value if isinstance(value, list) else (value,))]
    found = []
    for value in flat:
        if isinstance(value, int | float):
            found.append(value)
        elif value is not None:
            raise Failed(f'{name}() takes numbers, not "{_text(frame, value)}".')
    return found


@function("global", "max(number, …)", "The largest of the numbers; null without any.", "max(1, 3, 2)", "3")
def _max(frame: Frame, _: Any, given: Sequence[Any]) -> Value:
    return max(_numbers(frame, "max", given), default=None)


@function("global", "min(number, …)", "The smallest of the numbers; null without any.", "min(3, 1, 2)", "1")
def _min(frame: Frame, _: Any, given: Sequence[Any]) -> Value:
    return min(_numbers(frame, "min", given), default=None)


@function("global", "now()", "This moment.", "now().toString()", '"2026-06-10T17:17:08"')
def _now(frame: Frame, _: Any, __: Sequence[Any]) -> Value:
    return Date(frame.context.setting.clock.now, True)


@function("global", "today()", "This day, without a time.", "today().toString()", '"2026-06-10"')
def _today(frame: Frame, _: Any, __: Sequence[Any]) -> Value:
    clock = frame.context.setting.clock
    return Date(clock.now, True).day(clock)


@function(
    "global",
    "number(value)",
    "The number that a text says, milliseconds since 1970 of a date, 1 or 0 of a boolean; else an error.",
    'number("3.4")',
    "3.4",
    least=1,
)
def _number(frame: Frame, _: Any, given: Sequence[Any]) -> Value:
    value = given[0]
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float):
        return value
    if isinstance(value, Date):
        return numbers.simplest(value.instant)
    text = _text(frame, value)
    read = numbers.read(text)
    if math.isnan(read):
        raise Failed(f'Unable to parse "{text}" as a number.')
    return numbers.simplest(read)


@function("global", "random()", "A number from 0 to 1, another one for each call.", "random() < 1", "true")
def _random(frame: Frame, _: Any, __: Sequence[Any]) -> Value:
    return frame.context.random()


@function(
    "any",
    "isTruthy()",
    "The value as a boolean: false of null, 0, and empty texts, lists and objects.",
    "(1).isTruthy()",
    "true",
)
def _is_truthy(_: Frame, value: Any, __: Sequence[Any]) -> Value:
    return is_true(value)


@function(
    "any",
    "isType(name)",
    "Whether the value is a `string`, `number`, `boolean`, `date`, `duration`, `list`, `link`, `file`, `object`, …",
    '"example".isType("string")',
    "true",
    least=1,
)
def _is_type(frame: Frame, value: Any, given: Sequence[Any]) -> Value:
    return type_of(value) == _text(frame, given[0]).lower()


@function("any", "toString()", "The value as text.", "(123).toString()", '"123"')
def _to_string(frame: Frame, value: Any, _: Sequence[Any]) -> Value:
    return frame.context.text(_text(frame, value))


@function(
    "any", "isEmpty()", "Whether there is nothing: null, an empty text, list or object.", "missing.isEmpty()", "true"
)
def _is_empty(_: Frame, value: Any, __: Sequence[Any]) -> Value:
    return is_empty(value)

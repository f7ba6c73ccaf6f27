"""Defines global functions, and those of any value."""

from __future__ import annotations

import html
import math
from typing import Any

from vaulttools.bases import numbers
from vaulttools.bases.context import Frame
from vaulttools.bases.faults import Failed
from vaulttools.bases.functions import Lazy, function
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


def _is_finite(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


@function("global", "escapeHTML(html)")
def _escape_html(frame: Frame, text: Value) -> Value:
    return frame.context.text(html.escape(_text(frame, text)).replace("&#x27;", "&#39;"))


@function("global", "date(text)")
def _date(frame: Frame, value: Any) -> Value:
    clock = frame.context.setting.clock
    if isinstance(value, Date):
        return value
    if _is_finite(value):
        clock.local(value)  # refused when no calendar holds it
        return Date(value, True)
    read = read_date(value.strip(), clock) if isinstance(value, str) else None
    if isinstance(value, LinkValue):  # a daily note's name
        read = read_date(value.target, clock)
    if read is None:
        raise Failed(f'Unable to parse "{_text(frame, value)}" as a date.')
    return read


@function("global", "duration(text)")
def _duration(frame: Frame, value: Any) -> Value:
    if isinstance(value, Duration):
        return value
    if _is_finite(value):
        return Duration(milliseconds=value)
    read = read_duration(value.strip()) if isinstance(value, str) else None
    if read is None:
        raise Failed(f'Unable to parse "{_text(frame, value)}" as a duration.')
    return read


@function("global", "file(path)")
def _file(frame: Frame, value: Value) -> Value:
    if isinstance(value, File):
        return value
    if isinstance(value, str):
        value = read_link(value, frame.row.path) or LinkValue(str(value), frame.row.path)
    if not isinstance(value, LinkValue) or not value.target:
        return None
    path = frame.context.setting.file_of(value)
    return None if path is None else File(path)


@function("global", "html(html)")
def _html(frame: Frame, value: Value) -> Value:
    return Html(_text(frame, value))


@function("global", "if(condition, then, otherwise?)", lazy=True)
def _if(frame: Frame, condition: Lazy, then: Lazy, otherwise: Lazy | None = None) -> Value:
    if is_true(condition(frame)):
        return then(frame)
    return None if otherwise is None else otherwise(frame)


@function("global", "image(path)")
def _image(frame: Frame, value: Value) -> Value:
    if value is None:
        return None
    return ImageValue(value.target if isinstance(value, LinkValue) else _text(frame, value))


@function("global", "icon(name)")
def _icon(frame: Frame, name: Value) -> Value:
    return Icon(_text(frame, name))


@function("global", "link(path, display?)")
def _link(frame: Frame, value: Value, display: Value = None) -> Value:
    shown = None if display is None else _text(frame, display)
    if value is None:
        return None
    if isinstance(value, File):
        return LinkValue(value.path, frame.row.path, shown)
    link = value if isinstance(value, LinkValue) else read_link(_text(frame, value), frame.row.path)
    if link is not None:
        return LinkValue(link.target, link.source, link.display if shown is None else shown)
    text = _text(frame, value)
    if "://" in text or text.startswith("mailto:"):
        return Url(text)
    return LinkValue(text, frame.row.path, shown)


@function("global", "list(value)")
def _list(_: Frame, value: Value) -> Value:
    return value if isinstance(value, list) else [value]


def _numbers(frame: Frame, name: str, given: tuple[Any, ...]) -> list[float]:
    found = []
    for value in [element for each in given for element in (each if isinstance(each, list) else (each,))]:
        if isinstance(value, int | float):
            found.append(value)
        elif value is not None:
            raise Failed(f'{name}() takes numbers, not "{_text(frame, value)}".')
    return found


@function("global", "max(number, …)")
def _max(frame: Frame, *given: Value) -> Value:
    return max(_numbers(frame, "max", given), default=None)


@function("global", "min(number, …)")
def _min(frame: Frame, *given: Value) -> Value:
    return min(_numbers(frame, "min", given), default=None)


@function("global", "now()")
def _now(frame: Frame) -> Value:
    return Date(frame.context.setting.clock.now, True)


@function("global", "today()")
def _today(frame: Frame) -> Value:
    clock = frame.context.setting.clock
    return Date(clock.now, True).day(clock)


@function("global", "number(value)")
def _number(frame: Frame, value: Value) -> Value:
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


@function("global", "random()")
def _random(frame: Frame) -> Value:
    return frame.context.random()


@function("any", "isTruthy()")
def _is_truthy(_: Frame, value: Value) -> Value:
    return is_true(value)


@function("any", "isType(name)")
def _is_type(frame: Frame, value: Value, name: Value) -> Value:
    return type_of(value) == _text(frame, name).lower()


@function("any", "toString()")
def _to_string(frame: Frame, value: Value) -> Value:
    return frame.context.text(_text(frame, value))


@function("any", "isEmpty()")
def _is_empty(_: Frame, value: Value) -> Value:
    return is_empty(value)

"""Defines global functions, and functions of any type."""

from __future__ import annotations

import html
import math
from typing import Any

from vaulttools.bases import numbers
from vaulttools.bases.context import Frame
from vaulttools.bases.functions import Lazy, register, text
from vaulttools.bases.syntax import Failed
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
    type_of,
)


def _is_finite(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _date(frame: Frame, value: Any) -> Value:
    clock = frame.context.setting.clock
    if isinstance(value, Date):
        return value
    if _is_finite(value):
        clock.local(value)  # fails if no calendar holds it
        return Date(value, True)
    read = read_date(value.strip(), clock) if isinstance(value, str) else None
    if isinstance(value, LinkValue):  # the name of a daily note
        read = read_date(value.target, clock)
    if read is None:
        raise Failed(f'Unable to parse "{text(frame, value)}" as a date.')
    return read


def _duration(frame: Frame, value: Any) -> Value:
    if isinstance(value, Duration):
        return value
    if _is_finite(value):
        return Duration(milliseconds=value)
    read = read_duration(value.strip()) if isinstance(value, str) else None
    if read is None:
        raise Failed(f'Unable to parse "{text(frame, value)}" as a duration.')
    return read


def _file(frame: Frame, value: Value) -> Value:
    if isinstance(value, File):
        return value
    if isinstance(value, str):
        value = read_link(value, frame.row.path) or LinkValue(str(value), frame.row.path)
    if not isinstance(value, LinkValue) or not value.target:
        return None
    path = frame.context.setting.file_of(value)
    return None if path is None else File(path)


def _if(frame: Frame, condition: Lazy, then: Lazy, otherwise: Lazy | None = None) -> Value:
    if is_true(condition(frame)):
        return then(frame)
    return None if otherwise is None else otherwise(frame)


def _image(frame: Frame, value: Value) -> Value:
    if value is None:
        return None
    return ImageValue(value.target if isinstance(value, LinkValue) else text(frame, value))


def _link(frame: Frame, value: Value, display: Value = None) -> Value:
    shown = None if display is None else text(frame, display)
    if value is None:
        return None
    if isinstance(value, File):
        return LinkValue(value.path, frame.row.path, shown)
    link = value if isinstance(value, LinkValue) else read_link(text(frame, value), frame.row.path)
    if link is not None:
        return LinkValue(link.target, link.source, link.display if shown is None else shown)
    target = text(frame, value)
    if "://" in target or target.startswith("mailto:"):
        return Url(target)
    return LinkValue(target, frame.row.path, shown)


def _numbers(frame: Frame, name: str, given: tuple[Any, ...]) -> list[float]:
    found = []
    for value in [element for each in given for element in (each if isinstance(each, list) else (each,))]:
        if isinstance(value, int | float):
            found.append(numbers.simplest(value))
        elif value is not None:
            raise Failed(f'{name}() takes numbers, not "{text(frame, value)}".')
    return found


def _number(frame: Frame, value: Value) -> Value:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float):
        return value
    if isinstance(value, Date):
        return numbers.simplest(value.instant)
    written = text(frame, value)
    read = numbers.read(written)
    if math.isnan(read):
        raise Failed(f'Unable to parse "{written}" as a number.')
    return numbers.simplest(read)


def _now(frame: Frame) -> Date:
    return Date(frame.context.setting.clock.now, True)


register(
    "global",
    {
        "escapeHTML(html)": lambda frame, value: frame.context.text(
            html.escape(text(frame, value)).replace("&#x27;", "&#39;")
        ),
        "date(text)": _date,
        "duration(text)": _duration,
        "file(path)": _file,
        "html(html)": lambda frame, value: Html(text(frame, value)),
        "image(path)": _image,
        "icon(name)": lambda frame, name: Icon(text(frame, name)),
        "link(path, display?)": _link,
        "list(value)": lambda _, value: value if isinstance(value, list) else [value],
        "max(number, …)": lambda frame, *given: max(_numbers(frame, "max", given), default=None),
        "min(number, …)": lambda frame, *given: min(_numbers(frame, "min", given), default=None),
        "now()": _now,
        "today()": lambda frame: _now(frame).day(frame.context.setting.clock),
        "number(value)": _number,
        "random()": lambda frame: frame.context.random(),
    },
)
register("global", {"if(condition, then, otherwise?)": _if}, lazy=True)
register(
    "any",
    {
        "isTruthy()": lambda _, value: is_true(value),
        "isType(name)": lambda frame, value, name: type_of(value) == text(frame, name).lower(),
        "toString()": text,
        "isEmpty()": lambda _, value: is_empty(value),
    },
)

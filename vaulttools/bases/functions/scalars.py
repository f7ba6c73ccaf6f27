"""Defines the functions of numbers, dates, durations, regular expressions and objects."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from vaulttools.bases import numbers
from vaulttools.bases.context import Frame
from vaulttools.bases.faults import Failed
from vaulttools.bases.functions.registry import function, whole
from vaulttools.bases.regexes import CompiledRegex
from vaulttools.bases.times import Date
from vaulttools.bases.values import Value, text_of
from vaulttools.core import moment


@function("number", "abs()", "Without its sign.", "(-5).abs()", "5")
def _abs(_: Frame, value: float, __: Sequence[Any]) -> Value:
    return abs(value)


@function("number", "ceil()", "The next whole number above.", "(2.1).ceil()", "3")
def _ceil(_: Frame, value: float, __: Sequence[Any]) -> Value:
    return math.ceil(value) if math.isfinite(value) else value


@function("number", "floor()", "The next whole number below.", "(2.9).floor()", "2")
def _floor(_: Frame, value: float, __: Sequence[Any]) -> Value:
    return math.floor(value) if math.isfinite(value) else value


@function("number", "round(digits?)", "Rounded to so many decimals, halves upward.", "(2.3333).round(2)", "2.33")
def _round(_: Frame, value: float, given: Sequence[Any]) -> Value:
    digits = whole(given[0], "The digits of round()") if given and given[0] is not None else 0
    return numbers.rounded(value, max(-20, min(20, digits)))


@function("number", "toFixed(digits)", "A text with so many decimals.", "(3.14159).toFixed(2)", '"3.14"')
def _to_fixed(_: Frame, value: float, given: Sequence[Any]) -> Value:
    digits = whole(given[0], "The digits of toFixed()") if given and given[0] is not None else 0
    if not 0 <= digits <= 100:
        raise Failed("The digits of toFixed() must be from 0 to 100.")
    return numbers.fixed(value, digits)


@function(
    "date", "date()", "The day alone, without a time.", 'date("2026-06-10 12:34:56").date().toString()', '"2026-06-10"'
)
def _date(frame: Frame, value: Date, _: Sequence[Any]) -> Value:
    return value.day(frame.context.setting.clock)


@function(
    "date",
    "format(tokens)",
    "In a moment.js format.",
    'date("2026-06-10").format("dddd, D MMMM YYYY")',
    '"Wednesday, 10 June 2026"',
    least=1,
)
def _format(frame: Frame, value: Date, given: Sequence[Any]) -> Value:
    setting = frame.context.setting
    tokens = text_of(given[0], setting)
    if len(tokens) > 1000:
        raise Failed("The format of a date must not be longer than 1,000 characters.")
    return moment.formatted(setting.clock.aware(value.instant), tokens, setting.clock.weeks)


@function("date", "time()", "The time as text.", 'date("2026-06-10 12:34:56").time()', '"12:34:56"')
def _time(frame: Frame, value: Date, _: Sequence[Any]) -> Value:
    return frame.context.setting.clock.local(value.instant).strftime("%H:%M:%S")


@function(
    "date", "relative()", "How long ago or ahead, in words.", 'date("2026-06-07 12:00:00").relative()', '"3 days ago"'
)
def _relative(frame: Frame, value: Date, _: Sequence[Any]) -> Value:
    clock = frame.context.setting.clock
    return moment.relative(clock.local(value.instant), clock.local(clock.now))


@function("object", "keys()", "The keys.", '{"a": 1, "b": 2}.keys()', '["a", "b"]')
def _keys(_: Frame, value: Mapping[str, Any], __: Sequence[Any]) -> Value:
    return list(value)


@function("object", "values()", "The values.", '{"a": 1, "b": 2}.values()', "[1, 2]")
def _values(_: Frame, value: Mapping[str, Any], __: Sequence[Any]) -> Value:
    return list(value.values())


@function(
    "regexp", "matches(text)", "Whether it matches anywhere in the text.", '/abc/.matches("abcde")', "true", least=1
)
def _matches(frame: Frame, value: CompiledRegex, given: Sequence[Any]) -> Value:
    frame.context.tick()
    return value.matches(text_of(given[0], frame.context.setting))

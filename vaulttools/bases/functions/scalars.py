"""Defines the functions of numbers, dates, regular expressions and objects."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from vaulttools.bases import numbers
from vaulttools.bases.context import Frame
from vaulttools.bases.faults import Failed
from vaulttools.bases.functions import function, whole
from vaulttools.bases.regexes import CompiledRegex
from vaulttools.bases.times import Date
from vaulttools.bases.values import Value, text_of
from vaulttools.core import moment


@function("number", "abs()")
def _abs(_: Frame, number: float) -> Value:
    return abs(number)


@function("number", "ceil()")
def _ceil(_: Frame, number: float) -> Value:
    return math.ceil(number) if math.isfinite(number) else number


@function("number", "floor()")
def _floor(_: Frame, number: float) -> Value:
    return math.floor(number) if math.isfinite(number) else number


@function("number", "round(digits?)")
def _round(_: Frame, number: float, digits: Value = None) -> Value:
    places = 0 if digits is None else whole(digits, "The digits of round()")
    return numbers.rounded(number, max(-20, min(20, places)))


@function("number", "toFixed(digits)")
def _to_fixed(_: Frame, number: float, digits: Value = None) -> Value:
    places = 0 if digits is None else whole(digits, "The digits of toFixed()")
    if not 0 <= places <= 100:
        raise Failed("The digits of toFixed() must be from 0 to 100.")
    return numbers.fixed(number, places)


@function("date", "date()")
def _date(frame: Frame, date: Date) -> Value:
    return date.day(frame.context.setting.clock)


@function("date", "format(tokens)")
def _format(frame: Frame, date: Date, tokens: Value) -> Value:
    setting = frame.context.setting
    text = text_of(tokens, setting)
    if len(text) > 1000:
        raise Failed("The format of a date must not be longer than 1,000 characters.")
    return moment.formatted(setting.clock.aware(date.instant), text, setting.clock.weeks)


@function("date", "time()")
def _time(frame: Frame, date: Date) -> Value:
    return frame.context.setting.clock.local(date.instant).strftime("%H:%M:%S")


@function("date", "relative()")
def _relative(frame: Frame, date: Date) -> Value:
    clock = frame.context.setting.clock
    return moment.relative(clock.local(date.instant), clock.local(clock.now))


@function("object", "keys()")
def _keys(_: Frame, held: Mapping[str, Any]) -> Value:
    return list(held)


@function("object", "values()")
def _values(_: Frame, held: Mapping[str, Any]) -> Value:
    return list(held.values())


@function("regexp", "matches(text)")
def _matches(frame: Frame, regex: CompiledRegex, text: Value) -> Value:
    frame.context.tick()
    return regex.matches(text_of(text, frame.context.setting))

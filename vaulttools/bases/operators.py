"""Computes operators on two values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from vaulttools.bases import numbers
from vaulttools.bases.context import Context
from vaulttools.bases.syntax import Failed
from vaulttools.bases.times import Date, Duration, added, read_date, read_duration
from vaulttools.bases.values import Value, equal, less, number_of, text_of, type_of

Operator = Callable[[Any, Any, Context], Value]


def _plus(left: Any, right: Any, context: Context) -> Value:
    if type(left) in _NUMBERS and type(right) in _NUMBERS:
        return _bounded(left + right)
    clock = context.setting.clock
    if isinstance(left, Date) and (duration := _duration(right)) is not None:
        return added(left, duration, clock)
    if isinstance(right, Date) and isinstance(left, Duration):
        return added(right, left, clock)
    if isinstance(left, Duration) and (duration := _duration(right)) is not None:
        return left.plus(duration)
    if isinstance(left, list) and isinstance(right, list):
        return context.list([*left, *right])
    if isinstance(left, str) or isinstance(right, str) or not (_is_plain(left) and _is_plain(right)):
        return context.text(text_of(left, context.setting) + text_of(right, context.setting))
    return _calculated("+", left, right, lambda a, b: a + b)


def _minus(left: Any, right: Any, context: Context) -> Value:
    if type(left) in _NUMBERS and type(right) in _NUMBERS:
        return _bounded(left - right)
    clock = context.setting.clock
    if isinstance(left, Date):
        other = read_date(right, clock) if isinstance(right, str) else right
        if isinstance(other, Date):
            return Duration(milliseconds=left.instant - other.instant)
        if (duration := _duration(right)) is not None:
            return added(left, duration, clock, -1)
    if isinstance(left, str) and isinstance(right, Date) and (date := read_date(left, clock)) is not None:
        return Duration(milliseconds=date.instant - right.instant)
    if isinstance(left, Duration) and (duration := _duration(right)) is not None:
        return left.plus(duration.times(-1))
    return _calculated("-", left, right, lambda a, b: a - b)


def _times(left: Any, right: Any, context: Context) -> Value:
    if type(left) in _NUMBERS and type(right) in _NUMBERS:
        return _bounded(left * right)
    if isinstance(left, Duration) and isinstance(right, int | float):
        return left.times(right)
    if isinstance(right, Duration) and isinstance(left, int | float):
        return right.times(left)
    return _calculated("*", left, right, lambda a, b: a * b)


def _divided(left: Any, right: Any, context: Context) -> Value:
    if isinstance(left, Duration):
        if isinstance(right, Duration):
            return quotient(left.length(context.setting.clock), right.length(context.setting.clock))
        if isinstance(right, int | float) and right:
            return left.divided(right)
    return _calculated("/", left, right, quotient)


def quotient(left: float, right: float) -> float:
    """Returns what JavaScript divides to: infinity or NaN where Python raises."""
    if right:
        return left / right
    if not left or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1, right)


def _remainder(left: Any, right: Any, context: Context) -> Value:
    return _calculated("%", left, right, lambda a, b: math.fmod(a, b) if b and math.isfinite(a) else math.nan)


def _calculated(sign: str, left: Value, right: Value, compute: Callable[[float, float], float]) -> Value:
    """Compute a number from two values; null if one of them is null, such as a missing property.

    Raises:
        Failed: one of them is not a number.
    """
    if left is None or right is None:
        return None
    first, second = number_of(left), number_of(right)
    for value, number in ((left, first), (right, second)):
        if math.isnan(number) and not isinstance(value, float):
            raise Failed(f'"{sign}" does not work on a value of type {type_of(value)}.')
    try:
        return _bounded(compute(first, second))
    except OverflowError:
        return math.inf


def _bounded(number: float) -> float | int:
    """Returns a number as JavaScript holds it."""
    return numbers.bounded(number) if type(number) is int else numbers.simplest(number)


def _duration(value: Value) -> Duration | None:
    """Returns the duration to add to a date; a number counts milliseconds."""
    if isinstance(value, Duration):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return Duration(milliseconds=value)
    return read_duration(value) if isinstance(value, str) else None


def _is_plain(value: Value) -> bool:
    return value is None or isinstance(value, int | float)


_NUMBERS: Final = (int, float)

OPERATORS: Final[Mapping[str, Operator]] = {
    "+": _plus,
    "-": _minus,
    "*": _times,
    "/": _divided,
    "%": _remainder,
    "==": lambda left, right, context: equal(left, right, context.setting),
    "!=": lambda left, right, context: not equal(left, right, context.setting),
    "<": lambda left, right, context: less(left, right, context.setting) is True,
    ">": lambda left, right, context: less(right, left, context.setting) is True,
    "<=": lambda left, right, context: less(right, left, context.setting) is False,
    ">=": lambda left, right, context: less(left, right, context.setting) is False,
}
"""Operators that compute both sides; `&&` and `||` compute the second side only if it decides."""


def negated(value: Value, context: Context) -> Value:
    """Returns `-value`."""
    if isinstance(value, Duration):
        return value.times(-1)
    return _calculated("-", 0, value, lambda _, b: -b)

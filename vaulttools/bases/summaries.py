"""Summarises a column: one value of all its values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from vaulttools.bases.context import BaseRow, Context, Frame
from vaulttools.bases.evaluation import Expression
from vaulttools.bases.faults import Failed
from vaulttools.bases.functions.lists import median, numbers_in, stddev, total, unique
from vaulttools.bases.numbers import simplest
from vaulttools.bases.times import Date, Duration
from vaulttools.bases.values import Value, is_empty


def _of_numbers(compute: Callable[[list[float]], float]) -> Callable[[list[Any]], Value]:
    def computed(values: list[Any]) -> Value:
        found = numbers_in(values)
        return simplest(compute(found)) if found else None

    return computed


def _dates(values: list[Any]) -> list[Date]:
    return [value for value in values if isinstance(value, Date)]


def _range(values: list[Any]) -> Value:
    found = numbers_in(values)
    if found:
        return simplest(max(found) - min(found))
    instants = [date.instant for date in _dates(values)]
    return Duration(milliseconds=max(instants) - min(instants)) if instants else None


def _earliest(values: list[Any]) -> Value:
    return min(_dates(values), key=lambda date: date.instant, default=None)


def _latest(values: list[Any]) -> Value:
    return max(_dates(values), key=lambda date: date.instant, default=None)


DEFAULT: Final[Mapping[str, Callable[[list[Any]], Value]]] = {
    "Average": _of_numbers(lambda found: total(found) / len(found)),
    "Min": _of_numbers(min),
    "Max": _of_numbers(max),
    "Sum": _of_numbers(total),
    "Range": _range,
    "Median": _of_numbers(median),
    "Stddev": _of_numbers(stddev),
    "Earliest": _earliest,
    "Latest": _latest,
    "Checked": lambda values: sum(value is True for value in values),
    "Unchecked": lambda values: sum(value is False for value in values),
    "Empty": lambda values: sum(map(is_empty, values)),
    "Filled": lambda values: sum(not is_empty(value) for value in values),
}
"""The summaries that need no definition, by name, and `Unique`; `docs/bases.md` says what each is."""

NAMES: Final = (*DEFAULT, "Unique")


def known(name: str) -> str | None:
    """The default summary of that name, in any casing."""
    return next((each for each in NAMES if each.lower() == name.lower()), None)


def summed(name: str | Expression, values: list[Any], context: Context) -> Value:
    """The summary of some values: a default one by name, or an expression over `values`.

    Raises:
        Failed: the expression has no value.
    """
    frame = Frame(BaseRow(context, "", context.files.facts("")), values)
    if isinstance(name, Expression):
        return name.compute(frame)
    if name == "Unique":
        return len(unique(frame, [value for value in values if not is_empty(value)]))
    try:
        return DEFAULT[name](values)
    except (OverflowError, ValueError) as error:
        raise Failed("The numbers are too large.") from error

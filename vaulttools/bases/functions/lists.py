"""Defines the functions of lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from vaulttools.bases import collation, numbers
from vaulttools.bases.context import Frame
from vaulttools.bases.faults import Failed
from vaulttools.bases.functions import Lazy, function, whole
from vaulttools.bases.times import Date, read_date
from vaulttools.bases.values import MAX_TEXT, Value, contains, identical, is_true, text_of


@function("list", "contains(value)")
def _contains(frame: Frame, held: list[Any], value: Value) -> Value:
    return contains(held, value, frame.context.setting)


@function("list", "containsAll(value, …)")
def _contains_all(frame: Frame, held: list[Any], *values: Value) -> Value:
    return all(contains(held, each, frame.context.setting) for each in values)


@function("list", "containsAny(value, …)")
def _contains_any(frame: Frame, held: list[Any], *values: Value) -> Value:
    return any(contains(held, each, frame.context.setting) for each in values)


def _each(frame: Frame, held: list[Any]) -> Iterator[Frame]:
    inner = frame.inner()
    for index, element in enumerate(held):
        frame.context.tick()
        inner.value = element
        inner.index = index
        yield inner


@function("list", "filter(condition)", lazy=True)
def _filter(frame: Frame, held: list[Any], condition: Lazy) -> Value:
    return [inner.value for inner in _each(frame, held) if is_true(condition(inner))]


@function("list", "map(expression)", lazy=True)
def _map(frame: Frame, held: list[Any], expression: Lazy) -> Value:
    return [expression(inner) for inner in _each(frame, held)]


@function("list", "reduce(expression, start)", lazy=True)
def _reduce(frame: Frame, held: list[Any], expression: Lazy, start: Lazy | None = None) -> Value:
    acc = None if start is None else start(frame)
    for inner in _each(frame, held):
        inner.acc = acc
        acc = expression(inner)
    return acc


@function("list", "flat()")
def _flat(frame: Frame, held: list[Any]) -> Value:
    found: list[Any] = []
    waiting = [iter(held)]
    while waiting:
        element = next(waiting[-1], waiting)
        frame.context.tick()
        if element is waiting:
            waiting.pop()
        elif isinstance(element, list):
            waiting.append(iter(element))
        else:
            found.append(element)
    return frame.context.list(found)


@function("list", "join(separator)")
def _join(frame: Frame, held: list[Any], separator: Value = None) -> Value:
    setting = frame.context.setting
    between = ", " if separator is None else text_of(separator, setting)
    room = MAX_TEXT + len(between)
    texts = []
    for element in held:
        texts.append(text_of(element, setting))
        room -= len(texts[-1]) + len(between)
        if room < 0:
            raise Failed(f"The text is longer than {MAX_TEXT:,} characters.")
    return frame.context.text(between.join(texts))


@function("list", "reverse()")
def _reverse(_: Frame, held: list[Any]) -> Value:
    return held[::-1]


@function("list", "slice(start, end?)")
def _slice(_: Frame, held: list[Any], start: Value = None, end: Value = None) -> Value:
    first = 0 if start is None else whole(start, "The start of slice()")
    return held[first : None if end is None else whole(end, "The end of slice()")]


@function("list", "sort()")
def _sort(frame: Frame, held: list[Any]) -> Value:
    frame.context.stop()
    if all(isinstance(element, int | float) and not isinstance(element, bool) for element in held):
        return sorted(held)

    def key(element: Any) -> Any:
        text = text_of(element, frame.context.setting)
        frame.context.tick(text)
        return collation.key(text)

    return sorted(held, key=key)


@function("list", "unique()")
def unique(frame: Frame, held: list[Any]) -> list[Any]:
    """The elements, each once.

    The app keeps them by their texts in a JavaScript object, in which whole numbers come first, by size.
    """
    found: dict[str, list[Any]] = {}
    for element in held:
        text = text_of(element, frame.context.setting)
        frame.context.tick(text)
        same = found.setdefault(text, [])
        if not any(identical(element, other, frame.context.tick) for other in same):
            same.append(element)
    order = sorted(found, key=lambda text: (0, int(text)) if _is_index(text) else (1, 0))
    return [element for text in order for element in found[text]]


def _is_index(text: str) -> bool:
    is_whole = text.isascii() and text.isdigit() and len(text) < 11
    return is_whole and str(int(text)) == text and int(text) < 2**32 - 1


def numbers_in(held: list[Any]) -> list[float]:
    """The numbers of a list; booleans, texts and NaN are none."""
    return [each for each in held if isinstance(each, int | float) and not isinstance(each, bool) and each == each]


def median(found: Sequence[float]) -> float:
    """The middle of some numbers, of an even count the mean of the two in the middle."""
    ordered = sorted(found)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def stddev(found: Sequence[float]) -> float:
    """The standard deviation of some numbers, as of a whole population."""
    mean = math.fsum(found) / len(found)
    return math.sqrt(math.fsum((each - mean) ** 2 for each in found) / len(found))


def total(found: Sequence[float]) -> float:
    """The sum, added up from the first on as JavaScript does."""
    result: float = 0
    for each in found:
        result += each
    return result


def _of_numbers(compute: Callable[[list[float]], float]) -> Callable[[Frame, list[Any]], Value]:
    """What is computed of the numbers in a list; null without any."""

    def body(_: Frame, held: list[Any]) -> Value:
        found = numbers_in(held)
        try:
            return numbers.simplest(compute(found)) if found else None
        except OverflowError:
            return math.inf
        except ValueError:  # of infinities of both signs
            return math.nan

    return body


@function("list", "mean()")
def _mean(frame: Frame, held: list[Any]) -> Value:
    """The sum of the numbers by the count of all elements but nulls, as the app has it."""
    return _of_numbers(lambda found: total(found) / sum(each is not None for each in held))(frame, held)


function("list", "sum()")(_of_numbers(total))
function("list", "min()")(_of_numbers(min))
function("list", "max()")(_of_numbers(max))
function("list", "median()")(_of_numbers(median))
function("list", "stddev()")(_of_numbers(stddev))


def _dates(frame: Frame, held: list[Any]) -> list[Date]:
    clock = frame.context.setting.clock
    read = (read_date(each, clock) if isinstance(each, str) else each for each in held)
    return [each for each in read if isinstance(each, Date)]


@function("list", "earliest()")
def _earliest(frame: Frame, held: list[Any]) -> Value:
    return min(_dates(frame, held), key=lambda each: each.instant, default=None)


@function("list", "latest()")
def _latest(frame: Frame, held: list[Any]) -> Value:
    return max(_dates(frame, held), key=lambda each: each.instant, default=None)

"""Defines the functions of lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from vaulttools.bases import collation, numbers
from vaulttools.bases.context import Frame
from vaulttools.bases.faults import Failed
from vaulttools.bases.functions.registry import Lazy, function, whole
from vaulttools.bases.times import Date, read_date
from vaulttools.bases.values import MAX_TEXT, Value, contains, identical, is_true, text_of


@function(
    "list",
    "contains(value)",
    "Whether it holds the value; of tags, also one nested in it.",
    "[1, 2, 3].contains(2)",
    "true",
    least=1,
)
def _contains(frame: Frame, value: list[Any], given: Sequence[Any]) -> Value:
    return contains(value, given[0], frame.context.setting)


@function("list", "containsAll(value, …)", "Whether it holds all of the values.", "[1, 2, 3].containsAll(2, 3)", "true")
def _contains_all(frame: Frame, value: list[Any], given: Sequence[Any]) -> Value:
    return all(contains(value, each, frame.context.setting) for each in given)


@function("list", "containsAny(value, …)", "Whether it holds one of the values.", "[1, 2, 3].containsAny(3, 4)", "true")
def _contains_any(frame: Frame, value: list[Any], given: Sequence[Any]) -> Value:
    return any(contains(value, each, frame.context.setting) for each in given)


def _each(frame: Frame, value: list[Any]) -> Iterator[Frame]:
    inner = frame.inner()
    for index, element in enumerate(value):
        frame.context.tick()
        inner.value = element
        inner.index = index
        yield inner


@function(
    "list",
    "filter(condition)",
    "The elements for which the condition holds; `value` is the element, `index` its place from 0.",
    "[1, 2, 3, 4].filter(value > 2)",
    "[3, 4]",
    least=1,
    lazy=True,
)
def _filter(frame: Frame, value: list[Any], given: Sequence[Lazy]) -> Value:
    return [inner.value for inner in _each(frame, value) if is_true(given[0](inner))]


@function(
    "list",
    "map(expression)",
    "The expression for each element; `value` is the element, `index` its place from 0.",
    "[1, 2, 3, 4].map(value + 1)",
    "[2, 3, 4, 5]",
    least=1,
    lazy=True,
)
def _map(frame: Frame, value: list[Any], given: Sequence[Lazy]) -> Value:
    return [given[0](inner) for inner in _each(frame, value)]


@function(
    "list",
    "reduce(expression, start)",
    "One value of all: the expression gives the next `acc` from `acc`, `value` and `index`.",
    "[1, 2, 3].reduce(acc + value, 0)",
    "6",
    least=1,
    lazy=True,
)
def _reduce(frame: Frame, value: list[Any], given: Sequence[Lazy]) -> Value:
    acc = given[1](frame) if len(given) > 1 else None
    for inner in _each(frame, value):
        inner.acc = acc
        acc = given[0](inner)
    return acc


@function("list", "flat()", "Without lists in it: their elements instead.", "[1, [2, 3]].flat()", "[1, 2, 3]")
def _flat(frame: Frame, value: list[Any], _: Sequence[Any]) -> Value:
    found: list[Any] = []
    waiting = [iter(value)]
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


@function("list", "join(separator)", "The elements as one text.", '[1, 2, 3].join(",")', '"1,2,3"')
def _join(frame: Frame, value: list[Any], given: Sequence[Any]) -> Value:
    setting = frame.context.setting
    separator = text_of(given[0], setting) if given and given[0] is not None else ", "
    length = len(separator)
    room = MAX_TEXT
    texts = []
    for element in value:
        texts.append(text_of(element, setting))
        room -= len(texts[-1]) + length
        if room < -length:
            raise Failed(f"The text is longer than {MAX_TEXT:,} characters.")
    return frame.context.text(separator.join(texts))


@function("list", "reverse()", "The elements in reverse order.", "[1, 2, 3].reverse()", "[3, 2, 1]")
def _reverse(_: Frame, value: list[Any], __: Sequence[Any]) -> Value:
    return value[::-1]


@function(
    "list",
    "slice(start, end?)",
    "The elements from `start` to before `end`, from 0; negative from the end.",
    "[1, 2, 3, 4].slice(1, 3)",
    "[2, 3]",
)
def _slice(_: Frame, value: list[Any], given: Sequence[Any]) -> Value:
    start = whole(given[0], "The start of slice()") if given and given[0] is not None else 0
    end = whole(given[1], "The end of slice()") if len(given) > 1 and given[1] is not None else None
    return value[start:end]


@function(
    "list",
    "sort()",
    "From the smallest to the largest; texts without regard to case and accents, `item 9` before `item 10`.",
    '["c", "a", "b"].sort()',
    '["a", "b", "c"]',
)
def _sort(frame: Frame, value: list[Any], _: Sequence[Any]) -> Value:
    frame.context.stop()
    if all(isinstance(element, int | float) and not isinstance(element, bool) for element in value):
        return sorted(value)

    def key(element: Any) -> Any:
        text = text_of(element, frame.context.setting)
        frame.context.tick(text)
        return collation.key(text)

    return sorted(value, key=key)


@function("list", "unique()", "Each element once.", "[1, 2, 2, 3].unique()", "[1, 2, 3]")
def _unique(frame: Frame, value: list[Any], _: Sequence[Any]) -> Value:
    found: dict[str, list[Any]] = {}
    for element in value:
        text = text_of(element, frame.context.setting)
        frame.context.tick(text)
        same = found.setdefault(text, [])
        if not any(identical(element, other, frame.context.tick) for other in same):
            same.append(element)
    # The app keeps them by their texts in a JavaScript object, in which whole numbers come first, by size.
    order = sorted(found, key=lambda text: (0, int(text)) if _is_index(text) else (1, 0))
    return [element for text in order for element in found[text]]


def _is_index(text: str) -> bool:
    return (
        text.isascii()
        and text.isdigit()
        and (text == "0" or text[0] != "0")
        and len(text) < 11
        and int(text) < 2**32 - 1
    )


def numbers_in(value: list[Any]) -> list[float]:
    """The numbers of a list; booleans and texts are none."""
    return [
        each for each in value if isinstance(each, int | float) and not isinstance(each, bool) and each == each
    ]  # not NaN


def _dates(frame: Frame, value: list[Any]) -> list[Date]:
    clock = frame.context.setting.clock
    read = (read_date(each, clock) if isinstance(each, str) else each for each in value)
    return [each for each in read if isinstance(each, Date)]


def median(found: Sequence[float]) -> float:
    """The middle of some numbers, of an even count the mean of the two in the middle."""
    ordered = sorted(found)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def stddev(found: Sequence[float]) -> float:
    """The standard deviation of some numbers, as of a whole population."""
    mean = math.fsum(found) / len(found)
    return math.sqrt(math.fsum((each - mean) ** 2 for each in found) / len(found))


def _of_numbers(
    compute: Callable[[list[float], list[Any]], float],
) -> Callable[[Frame, list[Any], Sequence[Any]], Value]:
    def body(_: Frame, value: list[Any], __: Sequence[Any]) -> Value:
        found = numbers_in(value)
        try:
            return numbers.simplest(compute(found, value)) if found else None
        except OverflowError:
            return math.inf
        except ValueError:  # of infinities of both signs
            return math.nan

    return body


def total(found: Sequence[float]) -> float:
    """The sum, added up from the first on as JavaScript does."""
    result: float = 0
    for each in found:
        result += each
    return result


_KEPT = "; null without any number."
function("list", "sum()", f"The sum of the numbers{_KEPT}", "[1, 2, 3].sum()", "6")(
    _of_numbers(lambda found, _: total(found))
)
function(
    "list", "mean()", f"The sum of the numbers by the count of elements, nulls left out{_KEPT}", "[1, 2, 3].mean()", "2"
)(_of_numbers(lambda found, value: total(found) / sum(each is not None for each in value)))
function("list", "min()", f"The smallest number{_KEPT}", "[3, 1, 2].min()", "1")(
    _of_numbers(lambda found, _: min(found))
)
function("list", "max()", f"The largest number{_KEPT}", "[3, 1, 2].max()", "3")(
    _of_numbers(lambda found, _: max(found))
)
function("list", "median()", f"The middle number{_KEPT}", "[3, 1, 2].median()", "2")(
    _of_numbers(lambda found, _: median(found))
)
function("list", "stddev()", f"The standard deviation of the numbers{_KEPT}", "[1, 3].stddev()", "1")(
    _of_numbers(lambda found, _: stddev(found))
)


@function(
    "list",
    "earliest()",
    "The earliest date; null without any.",
    '[date("2026-06-10"), date("2026-06-09")].earliest().date().toString()',
    '"2026-06-09"',
)
def _earliest(frame: Frame, value: list[Any], _: Sequence[Any]) -> Value:
    return min(_dates(frame, value), key=lambda each: each.instant, default=None)


@function(
    "list",
    "latest()",
    "The latest date; null without any.",
    '[date("2026-06-10"), date("2026-06-09")].latest().date().toString()',
    '"2026-06-10"',
)
def _latest(frame: Frame, value: list[Any], _: Sequence[Any]) -> Value:
    return max(_dates(frame, value), key=lambda each: each.instant, default=None)

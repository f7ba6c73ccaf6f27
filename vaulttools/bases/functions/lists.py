"""Defines the functions of lists, and the summaries of columns."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

from vaulttools.bases import numbers
from vaulttools.bases.context import MAX_LIST, UNSETTLED, BaseRow, Context, Frame
from vaulttools.bases.functions import Lazy, register, text, whole
from vaulttools.bases.syntax import Failed
from vaulttools.bases.times import Date, Duration, read_date
from vaulttools.bases.values import Value, contains, identical, is_empty, is_true, joined

_SIGNS: Final = {sign: place for place, sign in enumerate("_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$")}
"""ASCII signs in the order of Unicode's collation."""
_PIECE: Final = re.compile(r"[0-9]+|[\s\S]")


def _each(frame: Frame, held: list[Any], result: list[Any]) -> Iterator[Frame]:
    """Yields a frame for each element of a list; what the elements make and `result` does not hold is not counted."""
    inner = frame.inner()
    before = frame.context.made
    settled = before + UNSETTLED
    for index, element in enumerate(held):
        frame.context.tick()
        inner.value = element
        inner.index = index
        yield inner
        if frame.context.made > settled:
            settled = frame.context.settle(before, result)


def _filter(frame: Frame, held: list[Any], condition: Lazy) -> Value:
    return frame.context.list([inner.value for inner in _each(frame, held, []) if is_true(condition(inner))])


def _map(frame: Frame, held: list[Any], expression: Lazy) -> Value:
    found: list[Any] = []
    found.extend(expression(inner) for inner in _each(frame, held, found))
    return frame.context.list(found)


def _reduce(frame: Frame, held: list[Any], expression: Lazy, start: Lazy | None = None) -> Value:
    result = [None if start is None else start(frame)]
    for inner in _each(frame, held, result):
        inner.acc = result[0]
        result[0] = expression(inner)
    return result[0]


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
            if len(found) > MAX_LIST:
                break
    return frame.context.list(found)


def _join(frame: Frame, held: list[Any], separator: Value = None) -> Value:
    between = ", " if separator is None else text(frame, separator)
    return frame.context.text(joined(held, between, frame.context.setting))


def _slice(frame: Frame, held: list[Any], start: Value = None, end: Value = None) -> Value:
    first = 0 if start is None else whole(start, "The start of slice()")
    return frame.context.list(held[first : None if end is None else whole(end, "The end of slice()")])


_SORTED_BY: Final = 1_000
"""Characters of a text that decide its place; a call may sort 10,000 texts of a million characters."""
_SHORT: Final = 100
"""Characters of a text whose sort key is kept."""


def collation(given: str) -> tuple[Any, ...]:
    """Returns the sort key of a text: the app ignores case and accents, and compares numbers by value.

    It approximates `Intl.Collator` with base sensitivity and numeric order: blanks, punctuation, signs, digits,
    letters. Texts that begin with the same 1,000 characters sort alike.
    """
    return _kept_collation(given) if len(given) <= _SHORT else _collation(given[:_SORTED_BY])


@lru_cache(maxsize=20_000)
def _kept_collation(given: str) -> tuple[Any, ...]:
    return _collation(given)


def _collation(given: str) -> tuple[Any, ...]:
    plain = given if given.isascii() else unicodedata.normalize("NFKD", given)
    return tuple(filter(None, map(_weight, _PIECE.findall(plain.casefold()))))


@lru_cache(maxsize=4_096)
def _weight(piece: str) -> tuple[int, int | str] | None:
    if piece[0].isalpha():
        return 4, piece
    if "0" <= piece[0] <= "9":
        return 3, int(piece) if len(piece) < 1000 else 10**1000
    if piece.isspace():
        return 0, 0
    if piece in _SIGNS:
        return 1, _SIGNS[piece]
    category = unicodedata.category(piece)
    if category[0] == "M" or category in ("Cc", "Cf"):
        return None  # an accent or an invisible character
    return 2, ord(piece)


def _sort(frame: Frame, held: list[Any]) -> Value:
    frame.context.stop()
    if all(isinstance(element, int | float) and not isinstance(element, bool) for element in held):
        return frame.context.list(sorted(held))

    def key(element: Any) -> Any:
        shown = text(frame, element)
        frame.context.tick(shown)
        return collation(shown)

    return frame.context.list(sorted(held, key=key))


def _unique(frame: Frame, held: list[Any]) -> list[Any]:
    """Returns the elements, each once.

    The app keys them by their texts in a JavaScript object, where whole numbers come first, in ascending order.
    """
    found: dict[str, list[Any]] = {}
    for element in held:
        shown = text(frame, element)
        frame.context.tick(shown)
        same = found.setdefault(shown, [])
        if not any(identical(element, other, frame.context.tick) for other in same):
            same.append(element)
    order = sorted(found, key=lambda shown: (0, int(shown)) if _is_index(shown) else (1, 0))
    return frame.context.list([element for shown in order for element in found[shown]])


def _is_index(shown: str) -> bool:
    is_whole = shown.isascii() and shown.isdigit() and len(shown) < 11
    return is_whole and str(int(shown)) == shown and int(shown) < 2**32 - 1


register(
    "list",
    {
        "contains(value)": lambda frame, held, value: contains(held, value, frame.context.setting),
        "containsAll(value, …)": lambda frame, held, *values: all(
            contains(held, each, frame.context.setting) for each in values
        ),
        "containsAny(value, …)": lambda frame, held, *values: any(
            contains(held, each, frame.context.setting) for each in values
        ),
        "flat()": _flat,
        "join(separator)": _join,
        "reverse()": lambda frame, held: frame.context.list(held[::-1]),
        "slice(start, end?)": _slice,
        "sort()": _sort,
        "unique()": _unique,
    },
)
register(
    "list",
    {
        "filter(condition)": _filter,
        "map(expression)": _map,
        "reduce(expression, start)": _reduce,
    },
    lazy=True,
)


def _numbers_in(held: list[Any]) -> list[float]:
    """Returns the numbers of a list, without booleans, texts and NaN."""
    return [each for each in held if isinstance(each, int | float) and not isinstance(each, bool) and each == each]


def _median(found: Sequence[float]) -> float:
    """Returns the median; for an even count, the mean of the two in the middle."""
    ordered = sorted(found)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _stddev(found: Sequence[float]) -> float:
    """Returns the standard deviation of a whole population."""
    mean = math.fsum(found) / len(found)
    return math.sqrt(math.fsum((each - mean) ** 2 for each in found) / len(found))


def _total(found: Sequence[float]) -> float:
    """Returns the sum, added from the first to the last as in JavaScript."""
    result: float = 0
    for each in found:
        result += each
    return result


def _of_numbers(compute: Callable[[list[float]], float]) -> Callable[[list[Any]], Value]:
    """Returns a function that computes a value from the numbers in a list; null if the list has no numbers."""

    def computed(held: list[Any]) -> Value:
        found = _numbers_in(held)
        return numbers.simplest(compute(found)) if found else None

    return computed


def _bounded(compute: Callable[[list[Any]], Value]) -> Callable[[Frame, list[Any]], Value]:
    """Returns a function that gives infinity or NaN where `compute` fails on numbers that are too large."""

    def body(_: Frame, held: list[Any]) -> Value:
        try:
            return compute(held)
        except OverflowError:
            return math.inf
        except ValueError:  # infinities of both signs
            return math.nan

    return body


def _average(found: Sequence[float]) -> float:
    return _total(found) / len(found)


_INSTANT: Final = attrgetter("instant")


def _dates(held: list[Any]) -> list[Date]:
    return [each for each in held if isinstance(each, Date)]


def _read_dates(frame: Frame, held: list[Any]) -> list[Date]:
    """Returns the dates of a list, including those in texts."""
    clock = frame.context.setting.clock
    return _dates([read_date(each, clock) if isinstance(each, str) else each for each in held])


register(
    "list",
    {
        "mean()": _bounded(_of_numbers(_average)),
        "sum()": _bounded(_of_numbers(_total)),
        "min()": _bounded(_of_numbers(min)),
        "max()": _bounded(_of_numbers(max)),
        "median()": _bounded(_of_numbers(_median)),
        "stddev()": _bounded(_of_numbers(_stddev)),
        "earliest()": lambda frame, held: min(_read_dates(frame, held), key=_INSTANT, default=None),
        "latest()": lambda frame, held: max(_read_dates(frame, held), key=_INSTANT, default=None),
    },
)


def _range(values: list[Any]) -> Value:
    found = _numbers_in(values)
    if found:
        return numbers.simplest(max(found) - min(found))
    instants = [date.instant for date in _dates(values)]
    return Duration(milliseconds=max(instants) - min(instants)) if instants else None


_SUMMARIES: Final[Mapping[str, Callable[[list[Any]], Value]]] = {
    "Average": _of_numbers(_average),
    "Min": _of_numbers(min),
    "Max": _of_numbers(max),
    "Sum": _of_numbers(_total),
    "Range": _range,
    "Median": _of_numbers(_median),
    "Stddev": _of_numbers(_stddev),
    "Earliest": lambda values: min(_dates(values), key=_INSTANT, default=None),
    "Latest": lambda values: max(_dates(values), key=_INSTANT, default=None),
    "Checked": lambda values: sum(value is True for value in values),
    "Unchecked": lambda values: sum(value is False for value in values),
    "Empty": lambda values: sum(map(is_empty, values)),
    "Filled": lambda values: sum(not is_empty(value) for value in values),
}
"""The default summaries by name, except `Unique`; `docs/bases.md` explains each."""

SUMMARIES: Final = (*_SUMMARIES, "Unique")


def summary_named(name: str) -> str | None:
    """Returns the default summary with that name in any casing; None if there is none."""
    return next((each for each in SUMMARIES if each.lower() == name.lower()), None)


def of_column(values: list[Any], context: Context) -> Frame:
    """Returns the frame for a summary of `values`."""
    return Frame(BaseRow(context, "", context.files.facts("")), values)


def summed(name: str, values: list[Any], context: Context) -> Value:
    """Compute a default summary by name.

    Raises:
        Failed: the numbers are too large.
    """
    if name == "Unique":
        return len(_unique(of_column(values, context), [value for value in values if not is_empty(value)]))
    try:
        return _SUMMARIES[name](values)
    except (OverflowError, ValueError) as error:
        raise Failed("The numbers are too large.") from error

"""Makes the rows of a view: selects, orders and groups files, and computes columns."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate, groupby
from typing import Any, Final, NamedTuple, TypeAlias

from vaulttools.bases import formulas
from vaulttools.bases.context import MAX_LIST, BaseRow, Context
from vaulttools.bases.definition import Base, Column, Filter, Sorting
from vaulttools.bases.evaluation import Expression
from vaulttools.bases.filters import Failures, ViewFilter
from vaulttools.bases.functions import lists
from vaulttools.bases.syntax import Failed, OutOfTime
from vaulttools.bases.times import Date, Duration
from vaulttools.bases.values import LinkValue, Value, is_empty, text_of
from vaulttools.bases.vault_files import NoteTable

Rows: TypeAlias = Callable[[str], BaseRow]
"""Returns the row of a file, made once."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The rows that a call asks for."""

    filters: tuple[Filter | None, ...]
    columns: tuple[Column, ...]
    sort: tuple[Sorting, ...]
    group_by: Sorting | None
    summaries: Mapping[str, tuple[str, str | Expression]]
    """By id of the column: the summary's name, and what computes it."""
    limit: int
    page: int


class GroupRows(NamedTuple):
    """Rows with the same value in the column that groups them."""

    value: Value
    total: int
    """Number of its rows, shown or not."""
    summaries: Mapping[str, Value | Failed]


@dataclass(slots=True)
class ViewResult:
    """The rows of one page, and counts and summaries of all rows."""

    rows: list[tuple[str, list[Value | Failed]]] = field(default_factory=list)
    """Rows of the page: the path, and a value for each column."""
    total: int = 0
    groups: list[GroupRows] = field(default_factory=list)
    """In order; empty if rows are not grouped."""
    shown_groups: list[int] = field(default_factory=list)
    """Index of the group (from 0) of each row of the page."""
    summaries: Mapping[str, Value | Failed] = field(default_factory=dict)
    failures: list[Failures] = field(default_factory=list)
    is_whole: bool = True
    """False when time ran out."""


def find(asked: Asked, paths: Sequence[str], table: NoteTable, context: Context) -> ViewResult:
    """Make the rows of `paths`, given in path order; if time runs out, return what was found so far."""
    found = ViewResult()
    rows = cache(lambda path: BaseRow(context, path, context.files.facts(path)))
    selection = ViewFilter(context, table, rows)
    try:
        kept = frozenset(paths)
        for filter_ in asked.filters:
            kept = frozenset(selection.kept(filter_, kept))
        ordered = [path for path in paths if path in kept]
        found.total = len(ordered)
        ordered, groups = _ordered(ordered, asked, rows)
        if groups:
            found.groups = [
                # Not named `value`: CPython 3.12.1 would confuse the function `value` below with it.
                GroupRows(of, len(members), _summed(asked, members, rows, context))
                for of, members in groups
            ]
        found.summaries = _summed(asked, ordered, rows, context)
        start = (asked.page - 1) * asked.limit
        ends = list(accumulate(len(members) for _, members in groups))
        for place, path in enumerate(ordered[start : start + asked.limit], start):
            context.stop()
            found.rows.append((path, [_kept(value(column, rows(path)), context) for column in asked.columns]))
            found.shown_groups.append(bisect_right(ends, place))
    except OutOfTime:
        found.is_whole = False
    found.failures = selection.failures
    return found


def value(column: Column, row: BaseRow) -> Value | Failed:
    """Returns the value of a column for a row, or the reason why it has none."""
    try:
        return row.computed_by(column.compute)
    except Failed as error:
        return error.alone()


def shown(held: Value | Failed, context: Context) -> Value | Failed:
    """Returns a value, or the reason why it cannot be shown."""
    try:
        if not isinstance(held, Failed | str | int | float | None):
            _bound(held)
            context.text(text_of(held, context.setting))
    except Failed as error:
        return error.alone()
    except RecursionError:
        return Failed("The value is nested too deeply.")
    return held


def _kept(held: Value | Failed, context: Context) -> Value | Failed:
    """Returns a value that stays until the call ends, or the reason why it cannot be shown or kept."""
    held = shown(held, context)
    if isinstance(held, Failed):
        return held
    try:
        context.keep(held)
    except Failed as error:
        return error.alone()
    return held


def _bound(held: Value) -> None:
    """Refuse nested lists with more elements than one list may have: a few doublings make millions."""
    waiting, size = [held], 0
    while waiting:
        each = waiting.pop()
        if isinstance(each, list | Mapping):
            size += len(each)
            if size > MAX_LIST:
                raise Failed(f"The lists have more than {MAX_LIST:,} elements.")
            waiting += each.values() if isinstance(each, Mapping) else each


def _ordered(paths: list[str], asked: Asked, rows: Rows) -> tuple[list[str], list[tuple[Value, list[str]]]]:
    """Returns the files in order, and their groups; rows that compare equal stay in path order."""
    for sorting in reversed(asked.sort):
        paths = _sorted(paths, sorting, rows)
    if asked.group_by is None:
        return paths, []
    paths = _sorted(paths, asked.group_by, rows)
    column = asked.group_by.column

    def key(path: str) -> tuple[Any, ...]:
        return order_of(value(column, rows(path)), rows(path).context)

    # Texts that differ only in case or accents sort alike, but form separate groups.
    groups: list[tuple[Value, list[str]]] = []
    for _, members in groupby(paths, key):
        by_text: dict[str, tuple[Value, list[str]]] = {}
        for path in members:
            held = _kept(value(column, rows(path)), rows(path).context)
            of = None if isinstance(held, Failed) or is_empty(held) else held
            text = "" if of is None else text_of(of, rows(path).context.setting)
            by_text.setdefault(text, (of, []))[1].append(path)
        groups += by_text.values()
    return [path for _, members in groups for path in members], groups


def _sorted(paths: list[str], sorting: Sorting, rows: Rows) -> list[str]:
    keyed = []
    for path in paths:
        row = rows(path)
        row.context.tick()
        keyed.append((order_of(value(sorting.column, row), row.context), path))
    filled = [each for each in keyed if each[0] != EMPTY]
    filled.sort(key=lambda each: each[0], reverse=sorting.is_reversed)
    return [path for _, path in filled] + [path for key, path in keyed if key == EMPTY]


EMPTY: Final = (9,)
"""Sort key of empty values: last, in either direction."""


def order_of(held: Value | Failed, context: Context) -> tuple[Any, ...]:
    """Returns the sort key of a value: booleans, numbers, dates, durations, then texts in the app's order."""
    held = shown(held, context)
    if isinstance(held, Failed) or is_empty(held):
        return EMPTY
    if isinstance(held, bool):
        return 0, held
    if isinstance(held, int | float):
        return (1, held) if held == held else EMPTY  # NaN
    if isinstance(held, Date):
        return 2, held.instant
    if isinstance(held, Duration):
        try:
            return 3, held.length(context.setting.clock)
        except Failed:  # no calendar holds it
            return EMPTY
    if isinstance(held, LinkValue):
        return 4, lists.collation(held.display or held.target)
    text = text_of(held, context.setting)
    context.tick(text)
    return 4, lists.collation(text)


def _summed(asked: Asked, paths: Sequence[str], rows: Rows, context: Context) -> dict[str, Value | Failed]:
    found: dict[str, Value | Failed] = {}
    columns = {column.id: column for column in asked.columns}
    for id_, (_, summary) in asked.summaries.items():
        values = []
        for path in paths:
            context.tick()
            held = value(columns[id_], rows(path))
            values.append(None if isinstance(held, Failed) else held)
        try:
            context.made = 0
            if isinstance(summary, Expression):
                made = summary.compute(lists.of_column(values, context))
            else:
                made = lists.summed(summary, values, context)
            found[id_] = _kept(made, context)
        except Failed as error:
            found[id_] = error.alone()
        except RecursionError:
            found[id_] = Failed("The value is nested too deeply.")
    return found


def summaries_of(base: Base, named: Mapping[str, str], place: str) -> dict[str, tuple[str, str | Expression]]:
    """Find how to compute each named summary: a summary of the base, a default one, or an expression.

    Raises:
        InvalidBase: a name is none of these.
    """
    found: dict[str, tuple[str, str | Expression]] = {}
    for column, name in named.items():
        if name in base.summaries:
            found[column] = (name, base.summaries[name])
        elif default := lists.summary_named(name):
            found[column] = (default, default)
        else:
            found[column] = (name, formulas.within(name, base.formulas, place, is_summary=True))
    return found

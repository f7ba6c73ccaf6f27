"""Selects, orders and groups the tasks of many notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from vaulttools.core import paths
from vaulttools.core.folding.identity import identity
from vaulttools.notes.tags import covers
from vaulttools.notes.tasks import PRIORITIES, TaskDetails

Sort: TypeAlias = Literal["due", "-due", "priority", "-priority", "path", "-path"]
GroupBy: TypeAlias = Literal["note", "heading", "due", "tag", "priority"]

OPEN: Final = " "
"""The character in the box of a task that is not done; any other means done (rule-D01)."""

_RANKS: Final = {priority: rank for rank, priority in enumerate(PRIORITIES)}
_NO_DAY: Final = "9999-99-99"
"""A text that sorts after every day."""


class NoteTask(NamedTuple):
    """A task and its note."""

    path: str
    task: TaskDetails


class TaskRow(NamedTuple):
    """A task in a list of tasks."""

    listed: NoteTask
    depth: int
    """Number of listed tasks that it is nested in."""


class Group(NamedTuple):
    """Tasks with a common name, such as their note or tag."""

    name: str
    rows: Sequence[TaskRow]


@dataclass(frozen=True, slots=True)
class TaskFilter:
    """Conditions that a task must meet."""

    status: str | None = OPEN
    """The character in the box; `done` for any but a blank; None for any."""
    text: str = ""
    """The `identity` of a part of the text."""
    days: Mapping[str, tuple[str | None, str | None]] = field(default_factory=dict)
    """By field, the first day allowed and the first day that is too late; either may be None."""
    no_due: bool = False
    overdue_on: str | None = None
    """The day on which the task must be overdue."""
    priority: str | None = None
    tags: Sequence[str] = ()
    """Tags that it must all have, or tags nested in them."""

    def selects(self, task: TaskDetails) -> bool:
        """Whether a task meets all conditions."""
        return self.selects_but_for_dates(task) and self._in_time(task)

    def selects_but_for_dates(self, task: TaskDetails) -> bool:
        """Whether a task meets the conditions for status, text, priority and tags."""
        return (
            (self.status is None or (task.status != OPEN if self.status == "done" else task.status == self.status))
            and (self.priority is None or task.priority == self.priority)
            and (not self.text or self.text in identity(task.text))
            and all(any(covers(tag, name) for name in task.tags) for tag in self.tags)
        )

    def _in_time(self, task: TaskDetails) -> bool:
        if self.no_due and task.due is not None:
            return False
        if self.overdue_on is not None and not is_overdue(task.status, task.due, self.overdue_on):
            return False
        return all(_lies(getattr(task, name), after, before) for name, (after, before) in self.days.items())


def is_overdue(status: str, due: str | None, today: str) -> bool:
    """Whether a task is not done and was due before `today`; days are ISO texts."""
    return status == OPEN and due is not None and due < today


def ordered(found: Sequence[NoteTask], parents: Callable[[NoteTask], Iterator[int]], sort: Sort) -> list[TaskRow]:
    """Sort tasks, given in order of path and line; each is followed by those nested in it. `parents` returns the lines
    of the tasks that one is nested in, the nearest first.

    A task comes as early as the first task nested in it would, so an overdue task is never hidden below one that is not
    overdue. Tasks without a day, or without a priority, keep their place when the order is reversed.
    """
    nested = any(each.task.parent for each in found)
    places = {_place(each) for each in found} if nested else set()
    below: dict[tuple[str, int], list[NoteTask]] = {}
    roots: list[NoteTask] = []
    for each in found:
        above = next((line for line in parents(each) if (each.path, line) in places), 0) if each.task.parent else 0
        if above:
            below.setdefault((each.path, above), []).append(each)
        else:
            roots.append(each)
    trees = {place: list(_tree(root, below)) for root in roots if (place := _place(root)) in below} if nested else {}
    if sort == "-path":
        roots.sort(key=lambda root: paths.order(root.path), reverse=True)
    elif sort != "path":
        key = _keys(sort)
        earliest = {place: min(key(row.listed.task) for row in rows) for place, rows in trees.items()}
        roots.sort(key=lambda root: earliest.get(_place(root)) or key(root.task))
    return [row for root in roots for row in trees.get(_place(root)) or (TaskRow(root, 0),)]


def _place(each: NoteTask) -> tuple[str, int]:
    return each.path, each.task.line


def grouped(
    found: Sequence[NoteTask], parents: Callable[[NoteTask], Iterator[int]], sort: Sort, by: GroupBy
) -> list[Group]:
    """Returns the tasks in groups, in the order of the groups; a task with several tags is in the group of each."""
    groups: dict[Any, tuple[str, list[NoteTask]]] = {}
    for each in found:
        for key, name in _groups(each, by):
            groups.setdefault(key, (name, []))[1].append(each)
    return [
        Group(name, ordered(members, parents, sort)) for _, (name, members) in sorted(groups.items(), key=itemgetter(0))
    ]


def _groups(each: NoteTask, by: GroupBy) -> Iterable[tuple[Any, str]]:
    """Returns the groups of a task: the sort key and the name of each."""
    task = each.task
    if by == "note":
        return [(paths.order(each.path), each.path)]
    if by == "heading":
        name = " > ".join((each.path, *task.heading))
        return [((paths.order(each.path), task.heading), name)]
    if by == "due":
        return [(task.due or _NO_DAY, task.due or "no due date")]
    if by == "priority":
        return [(_RANKS[task.priority], task.priority or "no priority")]
    named = [((0, identity(tag)), f"#{tag}") for tag in dict.fromkeys(task.tags)]
    return dict(reversed(named)).items() or [((1, ""), "no tag")]


def _tree(root: NoteTask, below: Mapping[tuple[str, int], list[NoteTask]]) -> Iterator[TaskRow]:
    """Yields a task and all tasks nested in it, in the order of their lines."""
    waiting = [TaskRow(root, 0)]
    while waiting:
        row = waiting.pop()
        yield row
        nested = below.get(_place(row.listed), ())
        waiting += [TaskRow(each, row.depth + 1) for each in reversed(nested)]


def _keys(sort: Sort) -> Callable[[TaskDetails], tuple[int, ...]]:
    by, sign = sort.removeprefix("-"), -1 if sort.startswith("-") else 1

    def key(task: TaskDetails) -> tuple[int, ...]:
        rank, day = _RANKS[task.priority], int((task.due or "0").replace("-", ""))
        if by == "due":
            return task.due is None, sign * day, rank
        return sign * rank, task.due is None, day

    return key


def _lies(day: str | None, after: str | None, before: str | None) -> bool:
    return day is not None and (after is None or day >= after) and (before is None or day < before)

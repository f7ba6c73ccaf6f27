"""Selects the files that a filter keeps, for all of them at once.

A statement about tags asks the table of tags; one about a single property is computed once a value, not once a note.
What needs the file itself is computed for the files that are left. The answer is that of computing every statement for
every file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from vaulttools.bases.context import BaseRow, Context, FileFacts, Frame
from vaulttools.bases.definition import Filter, Statement
from vaulttools.bases.evaluation import Compiled, rests_on
from vaulttools.bases.syntax import Call, Failed, Literal, Name, Node
from vaulttools.bases.values import is_true, tag_of
from vaulttools.bases.vault_files import NoteTable

Paths: TypeAlias = AbstractSet[str]


class Failures(NamedTuple):
    """The files for which a statement has no value."""

    place: str
    """Which filter it is of."""
    paths: Paths
    reason: str
    """Why, for the first of them."""


@dataclass(slots=True)
class ViewFilter:
    """Selects files by the filters of one view."""

    context: Context
    table: NoteTable
    rows: Callable[[str], BaseRow]
    """The row of a file, made once."""
    failures: list[Failures] = field(default_factory=list)

    def kept(self, filter_: Filter | None, paths: Paths) -> Paths:
        """The files, of those given, that a filter keeps."""
        if filter_ is None or not paths:
            return paths
        if isinstance(filter_, Statement):
            return self._statement(filter_, paths)
        if filter_.kind == "and":
            for part in sorted(filter_.parts, key=_cost):
                paths = self.kept(part, paths)
            return paths
        found: set[str] = set()
        for part in filter_.parts:
            found |= self.kept(part, paths - found)
        return found if filter_.kind == "or" else paths - found

    def _statement(self, statement: Statement, paths: Paths) -> Paths:
        node, compute = statement.expression.node, statement.expression.compute
        tags = _tags(node)
        if tags is not None:
            return paths & set().union(*(self.table.tagged(tag) for tag in tags))
        names = rests_on(node)
        failed: dict[str, str] = {}
        if names is not None and len(names) == 1:
            found = self._by_value(compute, next(iter(names)), paths, failed)
        else:
            found = self._each(compute, paths, failed)
        if failed:
            first = min(failed)
            self.failures.append(Failures(statement.place, failed.keys(), failed[first]))
        return found

    def _by_value(self, compute: Compiled, name: str, paths: Paths, failed: dict[str, str]) -> Paths:
        """Computes a statement about one property once for each value that it has."""
        held = self.table.by_value(name)
        if len(held.groups) > len(paths):
            return self._each(compute, paths, failed)
        found: set[str] = set()
        groups = ((FileFacts({name: value}), having & paths) for value, having in held.groups)
        for facts, having in (*groups, (FileFacts(), paths - held.having)):
            if not having:
                continue
            self.context.tick()
            try:
                if is_true(compute(Frame(BaseRow(self.context, "", facts)))):
                    found |= having
            except Failed as error:
                failed.update(dict.fromkeys(having, str(error)))
        return found | self._each(compute, held.others & paths, failed)

    def _each(self, compute: Compiled, paths: Iterable[str], failed: dict[str, str]) -> Paths:
        found = set()
        for path in paths:
            self.context.tick()
            try:
                if is_true(compute(Frame(self.rows(path)))):
                    found.add(path)
            except Failed as error:
                failed[path] = str(error)
        return found


def _cost(filter_: Filter) -> int:
    """How dear a filter is for each file: the tables first, then single properties, then the rest."""
    if not isinstance(filter_, Statement):
        return 3
    if _tags(filter_.expression.node) is not None:
        return 0
    names = rests_on(filter_.expression.node)
    return 1 if names is not None and len(names) == 1 else 2


def _tags(node: Node) -> list[str] | None:
    """The tags of `file.hasTag("a", "b")`; None: it is something else."""
    match node:
        case Call(object=Name(name="file"), name="hasTag", arguments=arguments):
            tags = [each.value for each in arguments if isinstance(each, Literal) and isinstance(each.value, str)]
            return [tag_of(tag) for tag in tags] if len(tags) == len(arguments) else None
        case _:
            return None

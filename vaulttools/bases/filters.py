"""Selects the files that pass a filter, all of them at once.

A statement about tags uses the table of tags. A statement about one property is computed once for each value, not for
each note. All other statements are computed only for the files that are left. The result equals computing every
statement for every file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from vaulttools.bases.context import BaseRow, Context, FileFacts
from vaulttools.bases.definition import Filter, Statement
from vaulttools.bases.evaluation import Compiled, property_dependencies
from vaulttools.bases.syntax import Call, Failed, Literal, Name, Node
from vaulttools.bases.values import is_true, tag_of
from vaulttools.bases.vault_files import NoteTable

Paths: TypeAlias = AbstractSet[str]


class Failures(NamedTuple):
    """The files for which a statement has no value."""

    place: str
    """Names the filter in messages."""
    paths: Paths
    reason: str
    """The reason for the first path."""


@dataclass(slots=True)
class ViewFilter:
    """Selects files by the filters of one view."""

    context: Context
    table: NoteTable
    rows: Callable[[str], BaseRow]
    """Returns the row of a file, made once."""
    failures: list[Failures] = field(default_factory=list)

    def kept(self, filter_: Filter | None, paths: Paths) -> Paths:
        """Returns those of `paths` that pass a filter."""
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
        name = _property(node)
        failed: dict[str, str] = {}
        found = self._each(compute, paths, failed) if name is None else self._by_value(compute, name, paths, failed)
        if failed:
            first = min(failed)
            self.failures.append(Failures(statement.place, failed.keys(), failed[first]))
        return found

    def _by_value(self, compute: Compiled, name: str, paths: Paths, failed: dict[str, str]) -> Paths:
        """Compute a statement about one property once for each value of the property."""
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
                if is_true(BaseRow(self.context, "", facts).computed_by(compute)):
                    found |= having
            except Failed as error:
                failed.update(dict.fromkeys(having, str(error)))
        return found | self._each(compute, held.others & paths, failed)

    def _each(self, compute: Compiled, paths: Iterable[str], failed: dict[str, str]) -> Paths:
        found = set()
        for path in paths:
            self.context.tick()
            try:
                if is_true(self.rows(path).computed_by(compute)):
                    found.add(path)
            except Failed as error:
                failed[path] = str(error)
        return found


def _cost(filter_: Filter) -> int:
    """Returns the cost class of a filter for each file: 0 for tables, 1 for single properties, 2 and 3 for the rest."""
    if not isinstance(filter_, Statement):
        return 3
    if _tags(filter_.expression.node) is not None:
        return 0
    return 2 if _property(filter_.expression.node) is None else 1


def _property(node: Node) -> str | None:
    """Returns the only thing that an expression depends on, a property; None for any other expression."""
    names = property_dependencies(node) or ()
    return next(iter(names)) if len(names) == 1 else None


def _tags(node: Node) -> list[str] | None:
    """Returns the tags of `file.hasTag("a", "b")`; None for any other node."""
    match node:
        case Call(object=Name(name="file"), name="hasTag", arguments=arguments):
            tags = [each.value for each in arguments if isinstance(each, Literal) and isinstance(each.value, str)]
            is_in_table = len(tags) == len(arguments) and not any(tag.endswith("/") for tag in tags)
            return [tag_of(tag) for tag in tags] if is_in_table else None
        case _:
            return None

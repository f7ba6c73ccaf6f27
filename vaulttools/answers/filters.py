"""Reads the arguments that limit which notes a tool looks at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from vaulttools.answers import date_arguments
from vaulttools.query import tree
from vaulttools.query.tree import Node, Phrase, Term


class Filters(Protocol):
    """A request with these arguments."""

    @property
    def folder(self) -> str | None:
        """Only files in this folder, at any depth."""

    @property
    def glob(self) -> str | None:
        """Only files that this glob selects."""

    @property
    def tags(self) -> Sequence[str] | None:
        """Only notes with all of these tags, nested ones included."""

    @property
    def properties(self) -> Mapping[str, str | None] | None:
        """Only notes whose properties match; None means present and empty."""

    @property
    def modified_after(self) -> str | None:
        """As the caller wrote it; likewise the others."""

    @property
    def modified_before(self) -> str | None:
        """Exclusive."""

    @property
    def created_after(self) -> str | None:
        """Inclusive, as is `modified_after`."""

    @property
    def created_before(self) -> str | None:
        """Exclusive."""

    @property
    def include_excluded(self) -> bool:
        """Whether to search the vault's excluded files too."""


def nodes(filters: Filters) -> list[Node]:
    """Returns `tags` and `properties` as parts of a query."""
    asked: list[Node] = [tree.TagNode(tag.lstrip("#")) for tag in filters.tags or ()]
    for name, value in (filters.properties or {}).items():
        wanted = tree.Is("null") if value is None else Term(value) if value else None
        asked.append(tree.PropertyNode(Phrase(name), wanted))
    return asked


def unselected(filters: Filters, notes: int, operators: str = "") -> list[str]:
    """Says so if the filters, and operators of a question, leave no notes to search."""
    given = [*names(filters), *([operators] if operators else [])]
    return [_none(given)] if given and not notes else []


def none_selected(filters: Filters) -> str:
    """Says that no note passes the filters."""
    return _none(names(filters))


def names(filters: Filters) -> list[str]:
    """Returns the names of the filters that are given; `dates` for any of the four."""
    given = [name for name in ("folder", "glob", "tags", "properties") if getattr(filters, name)]
    return [*given, *(["dates"] if any(getattr(filters, name) is not None for name in date_arguments.NAMES) else [])]


def _none(given: Sequence[str]) -> str:
    return f"{' and '.join(given)} selected no note to search."

"""Reads the arguments that limit which notes a tool looks at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from vaulttools.answers import dated
from vaulttools.answers.followed import Corpus
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
        """Whether the vault's excluded files are searched too."""


NAMES: Final = ("folder", "glob", "tags", "properties", *dated.NAMES, "include_excluded")


def nodes(filters: Filters) -> list[Node]:
    """What `tags` and `properties` ask for, as parts of a query."""
    asked: list[Node] = [tree.Tag(tag.lstrip("#")) for tag in filters.tags or ()]
    for name, value in (filters.properties or {}).items():
        wanted = tree.Is("null") if value is None else Term(value) if value else None
        asked.append(tree.Property(Phrase(name), wanted))
    return asked


def kept(filters: Filters) -> dict[str, Any]:
    """The filters that are given, for the next call that is suggested."""
    return {name: value for name in NAMES if (value := getattr(filters, name))}


def unselected(filters: Filters, asked: Corpus[Any]) -> list[str]:
    """Whether the glob or the dates are why there is nothing to search."""
    given = ["glob"] if filters.glob else []
    given += ["dates"] if any(getattr(filters, name) is not None for name in dated.NAMES) else []
    if not given or asked.notes or asked.waiting:
        return []
    return [f"{' and '.join(given)} selected no note to search."]

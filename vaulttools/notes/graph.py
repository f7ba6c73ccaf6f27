"""Resolves which notes link where, as Obsidian (rule-B01, rule-P05, rule-L12 to rule-L17)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from vaulttools.notes.contents import Contents
from vaulttools.notes.links import LinkIndex, name_key

Written: TypeAlias = tuple[tuple[int, str], ...]
"""The links and embeds of a note that stay in the vault, by line: where each begins, and its target as written."""


class Edge(NamedTuple):
    """One link or embed."""

    source: str
    line: int
    written: str
    """The target as written; `""` is the source itself."""
    target: str | None
    """The file it leads to; None: there is no such file."""


def written(note: Contents) -> Written:
    """The links and embeds of a note, those in its properties too."""
    found = ((each.line, each.target) for each in note.references if each.kind != "external")
    return tuple(sorted(found, key=lambda each: each[0]))


def resolved(source: str, found: Written, links: LinkIndex) -> list[Edge]:
    """The links of one note."""
    return [Edge(source, line, target, links.resolve(target, source)) for line, target in found]


class Graph:
    """All links of some notes. Never changed once made, but for what is kept of the last question."""

    def __init__(self, notes: Sequence[tuple[str, Written]]) -> None:
        self._notes = notes
        self._places = {source: place for place, (source, _) in enumerate(notes)}
        self._by_name: dict[str | None, list[tuple[str, int, str]]] = {}
        self._resolved: _Resolved | None = None
        for source, found in notes:
            for line, target in found:
                self._by_name.setdefault(name_key(target or source), []).append((source, line, target))

    def to(self, path: str, links: LinkIndex) -> list[Edge]:
        """The links that lead to a file, by source in path order; only those that can are resolved."""
        able = (*self._by_name.get(name_key(path), ()), *self._by_name.get(None, ()))
        leads: dict[tuple[str, str], bool] = {}  # by what is written and from where: thousands may be the same
        edges = []
        for source, line, target in able:
            key = (target, source.rpartition("/")[0] if target else source)
            if key not in leads:
                leads[key] = links.resolve(target, source) == path
            if leads[key]:
                edges.append(Edge(source, line, target, path))
        return sorted(edges, key=lambda edge: (self._places[edge.source], edge.line))

    def targets(self, path: str, links: LinkIndex) -> set[str]:
        """The files that a note links to; none of one that is not known."""
        place = self._places.get(path)
        found = () if place is None else self._notes[place][1]
        return {target for _, written in found if (target := links.resolve(written, path)) is not None}

    def unresolved(self, links: LinkIndex, stop: Callable[[], bool]) -> Sequence[Edge] | None:
        """Every link to a file that is not there, by source in path order; None when `stop` said so first."""
        known = self._all(links, stop)
        return known and known.unresolved

    def orphans(self, links: LinkIndex, stop: Callable[[], bool]) -> Sequence[str] | None:
        """The notes that no other note links to, in path order; as `unresolved`."""
        known = self._all(links, stop)
        return known and known.orphans

    def _all(self, links: LinkIndex, stop: Callable[[], bool]) -> _Resolved | None:
        if self._resolved is None or self._resolved.links is not links:
            unresolved: list[Edge] = []
            linked: set[str | None] = set()
            for source, found in self._notes:
                if stop():
                    return None
                for edge in resolved(source, found, links):
                    if edge.target is None:
                        unresolved.append(edge)
                    elif edge.target != source:
                        linked.add(edge.target)
            orphans = [path for path, _ in self._notes if path not in linked]
            self._resolved = _Resolved(links, unresolved, orphans)
        return self._resolved


class _Resolved(NamedTuple):
    """What following every link tells."""

    links: LinkIndex
    unresolved: Sequence[Edge]
    orphans: Sequence[str]

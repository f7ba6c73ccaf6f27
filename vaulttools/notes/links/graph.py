"""Resolves which notes link where, as Obsidian (rule-B01, rule-P05, rule-L12 to rule-L17)."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from vaulttools.core import paths
from vaulttools.notes.contents import Contents
from vaulttools.notes.difference import Change, Draft
from vaulttools.notes.links.targets import LinkIndex, name_key

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


_PlainFollowed: TypeAlias = tuple[list[str], Mapping[str, list[tuple[int, str]]], dict[str, int]]
_Notes: TypeAlias = Mapping[str, Written]
_ByName: TypeAlias = Mapping[str | None, Sequence[tuple[str, Written]]]


class Graph:
    """All links of some notes. Never changed once made, but for what is kept of the last question."""

    def __init__(
        self, notes: _Notes | None = None, by_name: _ByName | None = None, followed: _Followed | None = None
    ) -> None:
        self._made: Any = (notes or {}, by_name or {})
        self._packed = b""
        """The same as marshal has it, until it is asked for: what does not resolve can be told without."""
        self._followed = followed
        self.is_grown = False
        """Whether all links were followed since this was made or kept."""

    @property
    def _notes(self) -> _Notes:
        notes: _Notes = self._parts[0]
        return notes

    @property
    def _by_name(self) -> _ByName:
        """By the name that all files have to which a link can lead: the notes with such links, each with these."""
        by_name: _ByName = self._parts[1]
        return by_name

    @property
    def _parts(self) -> Any:
        if packed := self._packed:
            self._made = marshal.loads(packed)  # noqa: S302
            self._packed = b""
        return self._made

    def plain(self, _: Mapping[str, int]) -> object:
        """The same as plain values."""
        self.is_grown = False
        followed = None
        if self._followed is not None:
            links, unresolved, linked = self._followed
            gone = {source: [(line, target) for _, line, target, _ in edges] for source, edges in unresolved.items()}
            followed = list(links.files), gone, linked
        return self._packed or marshal.dumps(self._made), followed

    @classmethod
    def of_plain(cls, plain: tuple[bytes, _PlainFollowed | None], _: Sequence[str]) -> Graph:
        """What `plain` was given."""
        packed, kept = plain
        followed = None
        if kept is not None:
            files, gone, linked = kept
            unresolved: dict[str, Sequence[Edge]] = {
                source: tuple([Edge(source, line, target, None) for line, target in held])
                for source, held in gone.items()
            }
            followed = _Followed(LinkIndex(files), unresolved, linked)
        graph = cls(followed=followed)
        graph._packed = packed
        return graph

    def changed(self, changes: Sequence[Change[Written]]) -> Graph:
        """The graph after some notes changed."""
        notes = dict(self._notes)
        names: Draft[str | None, Sequence[tuple[str, Written]], dict[str, Written]] = Draft(self._by_name, dict, dict)
        for source, before, after in changes:
            for name in _by_name(source, before or ()):
                names[name].pop(source, None)
            for name, found in _by_name(source, after or ()).items():
                names[name][source] = tuple(found)
            if after is None:
                notes.pop(source, None)
            else:
                notes[source] = after
        followed = self._followed and self._followed.changed((path, old or (), new or ()) for path, old, new in changes)
        # A dict of one or two is three times as large as a tuple of pairs.
        return Graph(notes, names.merged(lambda sources: tuple(sources.items())), followed)

    def to(self, path: str, links: LinkIndex) -> list[Edge]:
        """The links that lead to a file, by source in path order; only those that can are resolved."""
        leads: dict[tuple[str, str], bool] = {}  # by what is written and from where: thousands may be the same
        edges = []
        for source, found in (*self._by_name.get(name_key(path), ()), *self._by_name.get(None, ())):
            for line, target in found:
                key = (target, source.rpartition("/")[0] if target else source)
                if key not in leads:
                    leads[key] = links.resolve(target, source) == path
                if leads[key]:
                    edges.append(Edge(source, line, target, path))
        orders = {source: paths.order(source) for source in {edge.source for edge in edges}}
        return sorted(edges, key=lambda edge: (orders[edge.source], edge.line))

    def targets(self, path: str, links: LinkIndex) -> set[str]:
        """The files that a note links to; none of one that is not known."""
        found = self._notes.get(path, ())
        return {target for _, written in found if (target := links.resolve(written, path)) is not None}

    def unresolved(self, links: LinkIndex, stop: Callable[[], bool], among: Iterable[str]) -> Sequence[Edge] | None:
        """Every link to a file that is not there, of the notes `among`, in their order; None when `stop` said so
        first."""
        known = self._all(links, stop)
        return known and [edge for source in among for edge in known.unresolved.get(source, ())]

    def orphans(self, links: LinkIndex, stop: Callable[[], bool], among: Iterable[str]) -> Sequence[str] | None:
        """The notes that no other note links to, of those `among`, in their order; as `unresolved`."""
        known = self._all(links, stop)
        return known and [path for path in among if path in self._notes and path not in known.linked]

    def _all(self, links: LinkIndex, stop: Callable[[], bool]) -> _Followed | None:
        known = self._followed
        if known is None:
            every = ((source, (), found) for source, found in self._notes.items())
            known = _Followed(links, {}, {}).changed(every, stop)
            self.is_grown = known is not None
        elif known.links is not links and known.links.files == links.files:
            known = known._replace(links=links)
        elif known.links is not links:
            names = {None, *links.names_apart(known.links)}
            sources = {source for name in names for source, _ in self._by_name.get(name, ())}
            known = known.renamed(links, ((source, self._notes[source]) for source in sources))
        if known is not None:
            self._followed = known
        return known


def _by_name(source: str, found: Written) -> dict[str | None, list[tuple[int, str]]]:
    """The links of a note by the name of the files that each can lead to."""
    names: dict[str | None, list[tuple[int, str]]] = {}
    for each in found:
        names.setdefault(name_key(each[1] or source), []).append(each)
    return names


class _Followed(NamedTuple):
    """What following every link tells."""

    links: LinkIndex
    unresolved: dict[str, Sequence[Edge]]
    """By note, its links to files that are not there, by line."""
    linked: dict[str, int]
    """How many links of other notes lead to each file."""

    def changed(
        self, changes: Iterable[tuple[str, Written, Written]], stop: Callable[[], bool] = lambda: False
    ) -> _Followed | None:
        """The same after notes changed their links; None when `stop` said so first."""
        draft = _Followed(self.links, dict(self.unresolved), dict(self.linked))
        for source, before, after in changes:
            if stop():
                return None
            draft._replace_links(source, resolved(source, before, self.links), resolved(source, after, self.links))
        return draft

    def renamed(self, links: LinkIndex, notes: Iterable[tuple[str, Written]]) -> _Followed:
        """The same after files came and went, given the notes whose links may lead elsewhere now."""
        draft = _Followed(links, dict(self.unresolved), dict(self.linked))
        for source, found in notes:
            draft._replace_links(source, resolved(source, found, self.links), resolved(source, found, links))
        return draft

    def _replace_links(self, source: str, before: Sequence[Edge], after: Sequence[Edge]) -> None:
        for edges, number in ((before, -1), (after, 1)):
            for edge in edges:
                if edge.target is not None and edge.target != source:
                    self.linked[edge.target] = self.linked.get(edge.target, 0) + number
                    if not self.linked[edge.target]:
                        del self.linked[edge.target]
        self.unresolved.pop(source, None)
        if gone := tuple(edge for edge in after if edge.target is None):
            self.unresolved[source] = gone

"""Resolves the links between notes as Obsidian does (rule-B01, rule-P05, rule-L12 to rule-L17)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import filterfalse
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias, TypeVar

from vaulttools.core import paths
from vaulttools.core.folding.identity import identity
from vaulttools.notes.contents import Contents
from vaulttools.notes.difference import Change, Draft
from vaulttools.notes.links.resolution import LinkIndex, name_key

K = TypeVar("K")
V = TypeVar("V")

Written: TypeAlias = tuple[tuple[int, str], ...]
"""The links and embeds of a note that stay in the vault, by line: the line of each, and its target as written."""


class Edge(NamedTuple):
    """One link or embed."""

    source: str
    line: int
    written: str
    """The target as written; `""` for the source itself."""
    target: str | None
    """The file it leads to; None if there is no such file."""


class Unresolved(NamedTuple):
    """Links to missing files. They are stored as written, since most are only counted and few are shown."""

    number: int
    """Number of links."""
    by_note: Mapping[str, Written]
    """By note, its links to missing files, by line."""
    files: Mapping[str, int]
    """By the identity of a missing file, the number of links to it."""

    def of(self, notes: Iterable[str]) -> Unresolved:
        """Returns the unresolved links of some notes."""
        by_note = {source: self.by_note[source] for source in filter(self.by_note.__contains__, notes)}
        files = Counter(identity(target) for found in by_note.values() for _, target in found)
        return Unresolved(files.total(), by_note, files)

    def edges(self, notes: Iterable[str]) -> Iterator[Edge]:
        """Returns the links of some notes, in the order of the notes, then by line."""
        found = ((source, self.by_note[source]) for source in filter(self.by_note.__contains__, notes))
        return (Edge(source, line, target, None) for source, links in found for line, target in links)


def written(note: Contents) -> Written:
    """Returns the links and embeds of a note, including those in its properties."""
    return tuple(sorted(note.links, key=itemgetter(0)))


def resolved(source: str, found: Written, links: LinkIndex) -> list[Edge]:
    """Returns the links of one note with their files."""
    return [Edge(source, line, target, links.resolve(target, source)) for line, target in found]


_ByName: TypeAlias = Mapping[str | None, Sequence[tuple[str, Written]]]


class Graph:
    """All links of some notes. It never changes once made, except for the cached answer to the last question."""

    def __init__(
        self,
        notes: Mapping[str, Written] | None = None,
        by_name: _ByName | None = None,
        followed: _Followed | None = None,
    ) -> None:
        self._notes = notes or {}
        self._by_name = by_name or {}
        """By `name_key` of a link's target, the notes with such links, each with these links."""
        self._followed = followed
        self.is_grown = False
        """Whether all links were followed since this was made or stored."""

    def plain(self) -> object:
        """Returns the graph as plain values."""
        self.is_grown = False
        followed = self._followed and (self._followed.links.files, self._followed.links.is_logseq, *self._followed[1:])
        return self._notes, self._by_name, followed

    @classmethod
    def of_plain(cls, plain: Any) -> Graph:
        """Restore what `plain` returned."""
        notes, by_name, followed = plain
        if followed is not None:
            files, is_logseq, *counts = followed
            followed = _Followed(LinkIndex(files, is_logseq=is_logseq), *counts)
        return cls(notes, by_name, followed)

    def changed(self, changes: Sequence[Change[Written]]) -> Graph:
        """Returns the graph after some notes changed."""
        names: Draft[str | None, Sequence[tuple[str, Written]], dict[str, Written]] = Draft(self._by_name, dict, dict)
        keys = _Made(name_key)
        for source, before, after in changes:
            for name in _by_name(source, before or (), keys):
                names[name].pop(source, None)
            for name, found in _by_name(source, after or (), keys).items():
                names[name][source] = tuple(found)
        followed = self._followed
        if followed is not None:
            replaced = ((path, old or (), new or ()) for path, old, new in changes)
            followed = followed.replaced(followed.links, replaced)
        notes = dict(self._notes)
        for path, _, after in changes:
            if after is None:
                notes.pop(path, None)
            else:
                notes[path] = after
        # A dict with one or two items takes three times the memory of a tuple of pairs.
        return Graph(notes, names.merged(lambda sources: tuple(sources.items())), followed)

    def to(self, path: str, links: LinkIndex) -> list[Edge]:
        """Returns the links that lead to a file, by source in path order; resolves only links that can."""
        leads = _Leads(links)
        edges = [
            Edge(source, line, target, path)
            for name in (*links.name_keys(path), None)
            for source, found in self._by_name.get(name, ())
            for line, target in found
            if leads.to(target, source) == path
        ]
        orders = {source: paths.order(source) for source in {edge.source for edge in edges}}
        return sorted(edges, key=lambda edge: (orders[edge.source], edge.line))

    def targets(self, path: str, links: LinkIndex) -> set[str]:
        """Returns the files that a note links to; empty for an unknown note."""
        found = self._notes.get(path, ())
        return {target for _, written in found if (target := links.resolve(written, path)) is not None}

    def unresolved(self, links: LinkIndex, stop: Callable[[], bool]) -> Unresolved | None:
        """Returns every link to a missing file; None if `stop` returned true before the end."""
        known = self._all(links, stop)
        return known and Unresolved(known.number, known.unresolved, known.gone)

    def orphans(self, links: LinkIndex, stop: Callable[[], bool], among: Iterable[str]) -> Sequence[str] | None:
        """Returns the notes in `among` that no other note links to, in their order; None as for `unresolved`."""
        known = self._all(links, stop)
        if known is None:
            return None
        return [*filterfalse(known.linked.__contains__, filter(self._notes.__contains__, among))]

    def _all(self, links: LinkIndex, stop: Callable[[], bool]) -> _Followed | None:
        known = self._followed
        if known is None:
            every = ((source, (), found) for source, found in self._notes.items())
            known = _Followed(links, 0, {}, {}, {}).replaced(links, every, stop)
            self.is_grown = known is not None
        elif known.links is not links and known.links.files == links.files:
            known = known._replace(links=links)
        elif known.links is not links:
            names = {None, *links.names_apart(known.links)}
            sources = {source for name in names for source, _ in self._by_name.get(name, ())}
            known = known.replaced(links, [(source, self._notes[source], self._notes[source]) for source in sources])
        if known is not None:
            self._followed = known
        return known


class _Made(dict[K, V]):
    """Values that are made from their keys, each once: thousands of links may be equal."""

    def __init__(self, make: Callable[[K], V]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: K) -> V:
        value = self[key] = self._make(key)
        return value


class _Leads:
    """The files that links lead to. Each target is looked up once, and once in each folder if several files have its
    name: of 61,000 links between 6,300 notes, 5,500 targets differ, and 23,000 pairs of folder and target."""

    def __init__(self, links: LinkIndex) -> None:
        self._links = links
        self._having = _Made(links.having)
        self._of_folder: _Made[str, dict[str, str | None]] = _Made(lambda _: {})

    def to(self, target: str, source: str) -> str | None:
        """Like `LinkIndex.resolve`."""
        having = self._having[target]
        if having is None:
            return self._links.resolve(target, source)
        if len(having.files) < 2:
            return having.files[0] if having.files else None
        folder = source.rpartition("/")[0]
        known = self._of_folder[folder]
        if target not in known:
            known[target] = self._links.nearest(having, folder)
        return known[target]


def _by_name(source: str, found: Written, keys: Mapping[str, str | None]) -> dict[str | None, list[tuple[int, str]]]:
    """Returns the links of a note by `name_key` of their targets."""
    names: dict[str | None, list[tuple[int, str]]] = {}
    for each in found:
        names.setdefault(keys[each[1] or source], []).append(each)
    return names


class _Followed(NamedTuple):
    """The result of following every link."""

    links: LinkIndex
    number: int
    """Number of links to missing files."""
    unresolved: Mapping[str, Written]
    """By note, these links by line."""
    gone: Mapping[str, int]
    """By the identity of a missing file, the number of links to it."""
    linked: Mapping[str, int]
    """By file, the number of links to it from other notes."""

    def replaced(
        self,
        links: LinkIndex,
        changes: Iterable[tuple[str, Written, Written]],
        stop: Callable[[], bool] = lambda: False,
    ) -> _Followed | None:
        """Returns the result for the names in `links` after changes: a note, its links before, its links after. Notes
        whose links may now lead elsewhere count as changed. None if `stop` returned true before the end."""
        number = self.number
        unresolved: Draft[str, Written, Written] = Draft(self.unresolved, tuple, tuple)
        gone: Draft[str, int, int] = Draft(self.gone, int, int)
        linked: Draft[str, int, int] = Draft(self.linked, int, int)
        steps = ((-1, _Leads(self.links)), (1, _Leads(links)))
        for source, before, after in changes:
            if stop():
                return None
            left: list[tuple[int, str]] = []
            for found, (step, leads) in zip((before, after), steps, strict=True):
                for line, written in found:
                    target = leads.to(written, source)
                    if target is None:
                        number += step
                        gone[identity(written)] += step
                        if step > 0:
                            left.append((line, written))
                    elif target != source:
                        linked[target] += step
            unresolved[source] = tuple(left)
        counts = gone.merged(int), linked.merged(int)
        return _Followed(links, number, unresolved.merged(tuple), *counts)


class Reached(NamedTuple):
    """A note, with the way to it."""

    path: str
    distance: int
    """Number of links from the first note to it, at least 1."""
    via: tuple[str, ...]
    """The notes on the way, in order, without the two ends."""


def reach(
    start: str, depth: int, next_to: Callable[[str], Iterable[str]], stop: Callable[[], bool]
) -> tuple[list[Reached], bool]:
    """Returns the notes within `depth` links of one, nearest first, then by path, and whether `stop` ended the search.

    If several ways to a note have the same length, the first by path counts.
    """
    seen = {start}
    found: list[Reached] = []
    frontier = [Reached(start, 0, ())]
    for distance in range(1, depth + 1):
        beyond: dict[str, Reached] = {}
        is_stopped = False
        for each in frontier:
            if is_stopped := stop():
                break
            via = (*each.via, each.path) if distance > 1 else ()
            for path in next_to(each.path):
                if path not in seen and path not in beyond:
                    beyond[path] = Reached(path, distance, via)
        frontier = sorted(beyond.values(), key=lambda each: paths.order(each.path))
        seen.update(beyond)
        found += frontier
        if is_stopped:
            return found, True
    return found, False

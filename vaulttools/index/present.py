"""What is known of a vault at present: its names, which files the store answers for, and which it does not any more.

A file is *stale* from the moment it may hold something else than the store has of it. Stale files are candidates of
every search, so that a search never waits until they are indexed again.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import count
from pathlib import Path
from threading import RLock
from typing import Any, Final, NamedTuple, TypeVar

from vaulttools.core import ignores, paths
from vaulttools.core.catalogue import Listed
from vaulttools.core.known import Trait
from vaulttools.core.literals import Requirement
from vaulttools.core.root import Root
from vaulttools.index import build, narrow
from vaulttools.index.content import HAS_CR, HAS_LONE_CR, digest
from vaulttools.index.key import is_racy
from vaulttools.index.store import Row, Store
from vaulttools.index.tree import Changes, Tree
from vaulttools.index.watch import Lost, Watch

T = TypeVar("T")

_KEPT: Final = 32
"""Listings and what is made of them: two or three for each way in which a session asks."""

_FEW: Final = 1_000
_MOST: Final = 3
"""A query that nominates more than so many files, and more than one in so many, narrows nothing that is worth its
time: a page of 100 files is filled from the first few hundred as soon."""


class Pending(NamedTuple):
    """What the store lacks."""

    stale: Mapping[str, int]
    """Files to be read, each with the number of the change that made it stale."""
    gone: Sequence[str]
    """Files to be forgotten."""
    taken: int
    """When this was so, in nanoseconds since 1970: what was read later is as new."""


class Present:
    """One vault in one process; every method takes the lock it needs."""

    def __init__(self, root: Root, store: Store, watch: Watch | None, max_bytes: int) -> None:
        self.lock: Final = RLock()
        self.tree: Final = Tree(root, watch, max_bytes)
        self.root: Final = root
        self.store: Final = store
        self.watch: Final = watch
        self._stood = _identity(root.folder)
        self._rows: dict[str, Row] = {}
        self._paths: dict[int, str] = {}
        self._traits: dict[Trait, set[str]] = {"nul": set(), "lone return": set(), "return": set()}
        self._unread: set[str] = set()
        self._changes = count(1)
        self._stale: dict[str, int] = {}
        self._stale_as_set: frozenset[str] | None = None
        self._kept: OrderedDict[tuple[bool, Hashable], Any] = OrderedDict()
        self._add(store.rows())
        stale, gone = build.differences(store, self.tree.files(), time.time_ns(), self.tree.unlisted)
        self._mark(stale)
        self._gone: set[str] = set(gone)

    def catch_up(self) -> None:
        """Take note of every change that was finished before this call.

        Raises:
            Lost: changes may have been missed; this object is of no more use.
        """
        with self.lock:
            if _identity(self.root.folder) != self._stood:
                raise Lost("another folder stands where the vault stood")
            changes = self.tree.compare() if self.watch is None else self.tree.apply(self.watch.drain())
            self._take(changes)

    def pending(self) -> Pending:
        """What the store lacks now."""
        with self.lock:
            return Pending(dict(self._stale), list(self._gone), time.time_ns())

    def settle(self, done: Pending) -> bool:
        """Take note of what the store holds now of all that was pending; False when it is still the same.

        A file that changed meanwhile stays stale; so does one that may change again within the tick of its clock,
        where no watch would tell of it.
        """
        rows = {row.path: row for row in self.store.rows({*done.stale, *done.gone})}
        with self.lock:
            before = len(self._stale), len(self._gone)
            self._drop([path for path in done.gone if path not in rows])
            self._add(rows.values())
            for path, change in done.stale.items():
                row, node = rows.get(path), self.tree.node(path)
                if self._stale.get(path) != change or row is None or node is None:
                    continue
                is_read = row.checked >= done.taken and row.key == node.key
                if is_read and (self.watch is not None or not is_racy(row.key, row.checked)):
                    del self._stale[path]
            self._stale_as_set = None
            return before != (len(self._stale), len(self._gone))

    def progress(self) -> tuple[int, int]:
        """How many of how many files the store answers for."""
        with self.lock:
            total = self._total()
            return total - len(self._stale), total

    def _total(self) -> int:
        return len(self._rows) + sum(path not in self._rows for path in self._stale)

    def stale(self) -> frozenset[str]:
        """The stale files."""
        with self.lock:
            if self._stale_as_set is None:
                self._stale_as_set = frozenset(self._stale)
            return self._stale_as_set

    def nominated(self, requirement: Requirement, stale: frozenset[str]) -> AbstractSet[str] | None:
        """As `Known.nominated`; `stale` was taken before, so that what is indexed meanwhile is seen by one of the two."""
        match = narrow.query(requirement)
        if match is None or len(stale) * _MOST > len(self._rows):
            return None
        ids = self.store.ids(match)
        if len(ids) > max(_FEW, len(self._rows) // _MOST):
            return None
        found = self._named(ids)
        if binary := self._traits["nul"]:
            of_binaries = narrow.binary_query(requirement)
            found |= binary if of_binaries is None else self._named(self.store.ids(of_binaries)) & binary
        return found | stale | self._unread

    def large(self) -> frozenset[str]:
        """The files beyond the bytes given."""
        with self.lock:
            return frozenset(self.tree.large)

    def row(self, path: str) -> Row | None:
        """What the store has of a file; only to be relied on for what is not stale."""
        return self._rows.get(path)

    def structure(self, path: str, text: str) -> bytes | None:
        """As `Known.structure`; the text decides, so that it is right whatever happened to the file."""
        row = self._rows.get(path)
        if row is None or row.digest != digest(text):
            return None
        return self.store.structure(row.id, row.digest)

    def holding(self, trait: Trait) -> AbstractSet[str]:
        """The files of which the store says that they have a trait, stale ones too."""
        with self.lock:
            return frozenset(self._traits[trait])

    def kept(self, key: Hashable, make: Callable[[], T], *, times: bool) -> T:
        """As `Known.kept`."""
        with self.lock:
            known = (times, key)
            if known in self._kept:
                self._kept.move_to_end(known)
                made: T = self._kept[known]
                return made
            made = self._kept[known] = make()
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return made

    def _take(self, changes: Changes) -> None:
        self._mark(changes.files)
        self._gone -= changes.files
        for path in changes.gone:
            if self._stale.pop(path, None) is not None:
                self._stale_as_set = None
            # What cannot be listed is not gone: it may come back as it was (I14).
            if path in self._rows and not any(paths.is_below(folder, path) for folder in self.tree.unlisted):
                self._gone.add(path)
        if changes.names:
            self._kept.clear()
        elif changes.times:
            for key in [key for key in self._kept if key[0]]:
                del self._kept[key]

    def _mark(self, files: Iterable[str]) -> None:
        for path in files:
            self._stale[path] = next(self._changes)
            self._stale_as_set = None

    def _add(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self._rows[row.path] = row
            self._paths[row.id] = row.path
            for trait, has in (
                ("nul", row.state == "binary"),
                ("lone return", row.flags & HAS_LONE_CR),
                ("return", row.flags & HAS_CR),
            ):
                (self._traits[trait].add if has else self._traits[trait].discard)(row.path)  # type: ignore[index]
            (self._unread.add if row.state == "unread" else self._unread.discard)(row.path)

    def _drop(self, gone: Collection[str]) -> None:
        for path in gone:
            row = self._rows.pop(path, None)
            if row is not None:
                self._paths.pop(row.id, None)
            for held in (*self._traits.values(), self._unread, self._gone):
                held.discard(path)

    def _named(self, ids: Sequence[int]) -> set[str]:
        """The paths of rows; of those that another process wrote, from the store."""
        names = self._paths
        found = {names[id_] for id_ in ids if id_ in names}
        if len(found) < len(ids):
            found.update(self.store.paths([id_ for id_ in ids if id_ not in names]))
        return found


class AsOf:
    """The vault as of the beginning of one call: `core.known.Known`."""

    def __init__(self, present: Present) -> None:
        self._present = present
        self._stale = present.stale()
        self.large: AbstractSet[str] = present.large()

    def holds(self, folder: str) -> bool:
        """As `Known` has it, and so below."""
        return self._present.tree.holds(folder)

    def names_in(self, folder: str) -> Sequence[Listed]:
        """The names of a folder."""
        return self._present.tree.names_in(folder)

    def kept(self, key: Hashable, make: Callable[[], T], *, times: bool = False) -> T:
        """What was made before, or is made now."""
        return self._present.kept(key, make, times=times)

    def outside(self) -> Hashable:
        """The rules above the root, and of each repository in the vault."""
        folder = Path(self._present.root.folder)
        sources = (folder / where / ".git/info/exclude" for where in self._present.tree.repositories)
        return ignores.rules_above(folder), tuple(map(ignores.read_ignore_file, sources))

    def nominated(self, requirement: Requirement) -> AbstractSet[str] | None:
        """Candidates by their trigrams."""
        return self._present.nominated(requirement, self._stale)

    def unknown(self, files: Sequence[str]) -> list[str]:
        """Stale, unread, or not in the store."""
        stale, row = self._stale, self._present.row
        return [path for path in files if path in stale or (known := row(path)) is None or known.state == "unread"]

    def holding(self, trait: Trait) -> AbstractSet[str]:
        """Of what is not stale."""
        return self._present.holding(trait) - self._stale

    def size(self, path: str) -> int:
        """From the last look at its status."""
        node = self._present.tree.node(path)
        return node.key.size if node is not None else 0

    def modified(self, path: str) -> int | None:
        """From the last look at its status."""
        node = self._present.tree.node(path)
        return node.key.modified if node is not None else None

    def structure(self, path: str, text: str) -> bytes | None:
        """Of exactly this text."""
        return self._present.structure(path, text)


def _identity(folder: str) -> tuple[int, int]:
    """Which folder stands at a path."""
    try:
        status = os.stat(folder)
    except OSError as error:
        raise Lost(f"the vault's folder cannot be stated: {error.strerror}") from error
    return status.st_dev, status.st_ino

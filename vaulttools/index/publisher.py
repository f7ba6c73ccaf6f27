"""Follows a vault and its index, and publishes snapshots, which never change.

A file is *stale* from the moment it may differ from its row in the store. Stale files are candidates of every search,
so that no search waits until they are indexed again.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Collection, Mapping
from threading import RLock
from typing import TYPE_CHECKING, Final

from vaulttools.core import paths
from vaulttools.files import disk
from vaulttools.files.disk import is_racy
from vaulttools.files.root import Root
from vaulttools.index.caches import Caches
from vaulttools.index.content import HAS_CR, HAS_FAILED, HAS_LONE_CR, LACKS_WORDS
from vaulttools.index.folder import Folder
from vaulttools.index.freshness import UNSEEN, Freshness, Pending
from vaulttools.index.layered import DraftSet
from vaulttools.index.lost import Lost
from vaulttools.index.memo import Memos
from vaulttools.index.progress import Progress
from vaulttools.index.rows import Rows, is_current
from vaulttools.index.snapshot import Snapshot
from vaulttools.index.store import FileRow, IndexStore
from vaulttools.index.tree import Changes, Tree

if TYPE_CHECKING:
    from vaulttools.files.providers import Trait
    from vaulttools.index.inotify import InotifyWatch

_log = logging.getLogger("vaulttools")

_MOST_TRIES: Final = 3
"""Most tries to begin a reading of the tables while nothing changes."""

_MOST_LOOKS: Final = 20
"""Most looks at changed names in one call: each takes some 0.1 ms, so that only a storm of renames needs more."""


class Publisher:
    """What one process knows of one vault; every method takes the lock that it needs."""

    def __init__(
        self,
        root: Root,
        store: IndexStore,
        watch: InotifyWatch | None,
        max_bytes: int,
        listed: Callable[[], Mapping[str, Folder]] | None = None,
    ) -> None:
        """`listed` returns the folders as of one moment; the state then keeps to it until `look_again`, and there is no
        watch."""
        self.lock: Final = RLock()
        self._caught_up = time.monotonic() if listed is None else math.inf
        self.rows: Final = Rows()
        self.rows.load(store.columns(), time.time_ns())
        self.tree: Final = Tree(root, watch, max_bytes, self.rows, {} if listed is None else listed())
        self.root: Final = root
        self.store: Final = store
        self.watch: Final = watch
        self._root_identity = _identity(root.folder)
        self.traits: Final[dict[Trait, DraftSet[str]]] = {
            "nul": DraftSet(),
            "lone return": DraftSet(),
            "return": DraftSet(),
        }
        """Files with each trait, stale ones included."""
        self.unread: Final[DraftSet[str]] = DraftSet()
        """Files whose text is not known."""
        self.wordless: Final[DraftSet[str]] = DraftSet()
        """Notes with only their structure in the store."""
        self.freshness: Final = Freshness()
        self.is_failing = False
        """Whether the store was removed, replaced or damaged: what is asked of it since then is empty."""
        self.unlisted = self.tree.now.unlisted
        """Folders that could not be listed: files below them are unknown, but their rows stay (fault-I14)."""
        self._are_names_sure = True
        """Whether no name changed while changed names were looked at, with a watch."""
        self._latest: Snapshot | None = None
        """The last published snapshot; None: something has changed since."""
        self._memos = Memos.empty()
        self._caches = Caches(store.database.path)
        first = self.tree.first
        self.freshness.mark_lacking(sorted(first.files, key=paths.order))
        self.freshness.gone.update(first.gone)
        unusual = self.rows.unusual
        for row in unusual:
            self._mark(row)
        self.wordless.update(row.path for row in unusual if row.flags & LACKS_WORDS)
        # Another process may have removed rows since they were compared with the files.
        if self.rows.ids_in_sum() != store.ids_in_sum():
            ids = store.all_ids()
            gone_since = [path for path in self.rows.now if self.rows.now.id(path) not in ids]
            self.freshness.mark_stale(path for path in gone_since if path in self.rows.files)

    def current(self, since: float = math.inf) -> Snapshot:
        """Returns a snapshot with every change that was finished before `since` (monotonic clock); default: before this
        call. It is the same object until something changes.

        Raises:
            Lost: changes may have been missed, or the store is unusable; this object must not be used any more.
            OSError: likewise.
        """
        with self.lock:
            self.catch_up(since)
            return self.latest

    def pinned(self, since: float = math.inf) -> Snapshot:
        """Returns `current` for one call, with the tables as of the same moment; as they are at each reading if names
        change at every try.

        Raises:
            Lost: as for `current`.
            OSError: likewise.
        """
        for _ in range(_MOST_TRIES):
            snapshot = self.current(since)
            pinned = snapshot.pinned()
            try:
                # Else another process may have removed the row of a file that the snapshot has.
                if self.current(since) is snapshot:
                    return pinned
            except (Lost, OSError):
                pinned.release()
                raise
            pinned.release()
        return self.current(since)

    @property
    def latest(self) -> Snapshot:
        """What is known now, without a look at the disk."""
        with self.lock:
            if self._latest is None:
                records = self.rows.published()
                below: tuple[str, ...] = ()
                if self.unlisted:
                    below = tuple(path for path in self.rows.aside if not self.is_listed(path))
                self._latest = Snapshot(
                    root=self.root,
                    store=self.store,
                    records=records,
                    names=self.tree.published(records),
                    stale=self.freshness.stale,
                    failed=frozenset(self.freshness.failed),
                    gone=self.freshness.gone.published(),
                    unread=self.unread.published(),
                    wordless=self.wordless.published(),
                    traits={trait: held.published() for trait, held in self.traits.items()},
                    are_names_of_one_moment=self.watch is not None and self._are_names_sure,
                    is_listed=not self.unlisted,
                    below_unlisted=frozenset(below),
                    memos=self._memos,
                    caches=self._caches,
                    fail=self.fail,
                )
            return self._latest

    def catch_up(self, since: float = math.inf) -> None:
        """Apply every change that was finished before `since` (monotonic clock); default: before this call.

        Raises:
            Lost: changes may have been missed, or the store is unusable; this object must not be used any more.
            OSError: likewise.
        """
        with self.lock:
            if self.is_failing:
                raise Lost("the index could not be read")
            if self.watch is not None:
                self._follow(self.watch)
                return
            # Not at an equal moment: some clocks tick every 16 ms.
            if self._caught_up > since or self._caught_up == math.inf:
                return
            if _identity(self.root.folder) != self._root_identity:
                raise Lost("another folder is in the vault's place")
            now = time.monotonic()
            self._take(self.tree.compare())
            self._caught_up = now

    def _follow(self, watch: InotifyWatch) -> None:
        """Apply what a watch has reported, until no name has changed meanwhile: a file that was renamed again before
        its new name was looked at would be known under none."""
        for _ in range(_MOST_LOOKS):
            touched = watch.drain()
            changes = Changes()
            if touched or self.tree.is_doubtful:
                changes = self.tree.apply(touched)
                self._take(changes)
            are_sure = not (changes.names or changes.gone)
            if are_sure:
                break
        are_sure &= watch.is_settled
        if are_sure != self._are_names_sure:
            self._are_names_sure, self._latest = are_sure, None

    def look_again(self) -> None:
        """Let the next `catch_up` look at the disk, also if the folders were listed for good."""
        with self.lock:
            self._caught_up = min(self._caught_up, time.monotonic())

    def close(self) -> None:
        """End the watch; running calls may still ask the store."""
        with self.lock:
            if self.watch is not None:
                self.watch.close()

    def pending(self) -> Pending:
        """Returns the files to read or forget now, without those too young to be read reliably and those that recently
        could not be read."""
        with self.lock:
            pending = self.freshness.pending()
            return pending._replace(wordless=frozenset(filter(self.freshness.is_known, self.wordless)))

    def is_behind(self) -> bool:
        """Whether files are still to be read or forgotten, or notes lack their words."""
        with self.lock:
            return self.freshness.is_behind() or bool(self.wordless)

    def retry(self) -> None:
        """Make files due now that recently could not be read."""
        with self.lock:
            self.freshness.retry()
            self._latest = None

    def settle(self, done: Pending) -> bool:
        """Update the state from the rows of pending files; False if nothing changed.

        A file that changed meanwhile stays stale; so does, without a watch, one that may change again within the same
        tick of its disk's clock.
        """
        rows = {row.path: row for row in self.store.rows({*done.stale, *done.gone, *done.wordless})}
        with self.lock:
            fresh = self.freshness
            before = fresh.sizes(), len(self.wordless)
            self._drop([path for path in done.gone if path not in rows])
            self._add(rows.values())
            self._change()
            for path in done.wordless:
                if (row := rows.get(path)) is not None and row.flags & HAS_FAILED:
                    fresh.mark_stale([path])
                    fresh.mark_failed(path)
            for path in rows:
                # A file that vanished before its first row was known here: nobody marked its row yet.
                if path not in self.rows.files and self.is_listed(path):
                    fresh.gone.add(path)
            for path, change in done.stale.items():
                row, key = rows.get(path), self.tree.now.key(path)
                if fresh.change_of(path) != change or row is None or key is None:
                    continue
                if row.flags & HAS_FAILED:
                    fresh.mark_failed(path)
                    continue
                if change == UNSEEN and is_current(row, key, time.time_ns()):
                    fresh.mark_known(path)  # perhaps another process wrote it before this one looked
                    continue
                if row.checked < done.taken or row.key != key:
                    continue
                if self.watch is None and is_racy(row.key, row.checked):
                    fresh.mark_young(path, row.key)
                else:
                    fresh.mark_known(path)
            return before != (fresh.sizes(), len(self.wordless))

    def progress(self) -> Progress:
        """Returns how much the store holds; counting a million files takes a second after a change."""
        with self.lock:
            latest, young = self.latest, self.freshness.young
        return latest.progress(young)

    def fail(self, error: Exception) -> None:
        """Stop using the store, which was removed, replaced or damaged."""
        _log.info("the index cannot be read: %s", error)
        self.is_failing = True

    def is_listed(self, path: str) -> bool:
        """Whether all folders above a file could be listed, so that its changes are noticed."""
        return not any(paths.is_below(folder, path) for folder in self.unlisted)

    def _take(self, changes: Changes) -> None:
        self.freshness.mark_stale(changes.files)
        self.freshness.mark_stale(path for path in changes.met if not self._is_unchanged(path))
        # A file that came back with its old key: its row may be removed at this moment.
        back = [path for path in self.freshness.gone if path in self.rows.files]
        self.freshness.mark_stale(path for path in back if self.freshness.change_of(path) is None)
        self.freshness.gone.difference_update(back)
        gone = changes.gone
        if changes.names:
            before, self.unlisted = self.unlisted, self.tree.now.unlisted
            listed = before - self.unlisted
            if listed:  # or removed with the folder above
                aside = self.rows.aside
                gone = gone.union(path for path in aside if any(paths.is_below(folder, path) for folder in listed))
        for path in gone:
            self.freshness.mark_known(path)
            if path in self.rows.aside and self.is_listed(path):
                self.freshness.gone.add(path)
        if changes.files or changes.met or gone or changes.names or changes.times:
            self._change(names=changes.names, times=changes.times)

    def _change(self, *, names: bool = False, times: bool = False, rows: bool = False) -> None:
        """Let the next call get a new snapshot, with new memos for what has changed."""
        self._latest = None
        self._memos = self._memos.after(names=names, times=times, rows=rows)

    def _is_unchanged(self, path: str) -> bool:
        """Whether a file's row is current, given that its key has not changed."""
        row = self.rows.now.get(path)
        return row is not None and self.freshness.is_known(path) and is_current(row, row.key, time.time_ns())

    def _add(self, rows: Collection[FileRow]) -> None:
        for row in rows:
            if self.rows.now.id(row.path) != row.id:
                self._change(rows=True)
            self.rows.put(row)
            self._mark(row)
            (self.wordless.add if row.flags & LACKS_WORDS else self.wordless.discard)(row.path)

    def _mark(self, row: FileRow) -> None:
        """Update the sets of unusual files from a row."""
        for trait, has in (
            ("nul", row.state == "binary"),
            ("lone return", row.flags & HAS_LONE_CR),
            ("return", row.flags & HAS_CR),
        ):
            (self.traits[trait].add if has else self.traits[trait].discard)(row.path)  # type: ignore[index]
        (self.unread.add if row.state == "unread" else self.unread.discard)(row.path)

    def _drop(self, gone: Collection[str]) -> None:
        for path in gone:
            if self.rows.now.id(path) is not None:
                self._change(rows=True)
            self.rows.drop(path)
            for held in (*self.traits.values(), self.unread, self.freshness.gone, self.wordless):
                held.discard(path)


def _identity(folder: str) -> tuple[int, int]:
    """Returns device and inode of the folder at a path."""
    try:
        status = disk.stat(folder)
    except OSError as error:
        raise Lost(f"the vault's folder cannot be stated: {error.strerror}") from error
    return status.st_dev, status.st_ino

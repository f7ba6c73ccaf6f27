"""Keeps the bytes of files, by path and stat key, in bounded memory.

Only files that were old when they were read are kept: their next change must change the key.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import compress
from threading import Lock
from typing import Final

from vaulttools.core import forks
from vaulttools.files import disk
from vaulttools.files import document as documents
from vaulttools.files.key import Key, is_racy
from vaulttools.files.names import FileNames
from vaulttools.files.root import Root

KEPT_BYTES: Final = 64 * 1024 * 1024
"""Bytes that are kept, what an entry costs besides its text counted."""

LARGEST: Final = 1024 * 1024
"""Bytes of the largest file that is kept: one that is searched in this process cannot be stopped meanwhile."""

_ENTRY_BYTES: Final = 480
"""Bytes that an entry counts besides its text: path, key, place in the order and among the settled ones (measured, a
path of 30 letters)."""


class ContentCache:
    """The bytes of one vault's files, for any number of threads; what was used longest ago goes first."""

    def __init__(self, most_bytes: int = KEPT_BYTES) -> None:
        self._most_bytes = most_bytes
        self.reset_after_fork()
        forks.renew(self)

    def reset_after_fork(self) -> None:
        """Be as one that keeps nothing."""
        self._lock = Lock()
        self._entries: OrderedDict[str, tuple[Key, bytes]] = OrderedDict()
        self._settled: dict[str, bytes] = {}
        """Of entries whose key was that of the file at `_moment`."""
        self._moment = -1
        self.size = 0
        """Bytes that all entries count."""

    def kept(self, path: str, key: Key) -> bytes | None:
        """The bytes of a file that has this key; None when they are not kept."""
        with self._lock:
            entry = self._entries.get(path)
            if entry is None or entry[0] != key:
                return None
            self._entries.move_to_end(path)
            return entry[1]

    def kept_of(self, files: Sequence[str], keys: Sequence[Key | None]) -> list[bytes | None]:
        """As `kept` for many files; nothing is kept of one without a key."""
        found: list[bytes | None] = []
        entries = self._entries
        with self._lock:
            for path, key in zip(files, keys, strict=True):
                entry = entries.get(path)
                if entry is None or key is None or entry[0] != key:
                    found.append(None)
                else:
                    entries.move_to_end(path)
                    found.append(entry[1])
        return found

    def settled_of(self, files: Sequence[str], names: FileNames) -> list[bytes | None]:
        """As `kept_of`, of files that were settled and did not change since then. No key is looked up and compared:
        0.2 µs a file instead of 2.5."""
        since, now = self._moment, -1 if names.moment is None else names.moment
        changed = names.changed_since(since) if now > since else ()  # outside the lock: it takes another one
        with self._lock:
            if self._moment == since and now > since:
                self._settled = {} if changed is None else self._settled
                for path in changed or ():
                    self._settled.pop(path, None)
                self._moment = now
            if not 0 <= now <= self._moment:
                return [None] * len(files)
            found = [*map(self._settled.get, files)]
            for path in compress(files, found):
                self._entries.move_to_end(path)
        return found

    def settle(self, found: Iterable[tuple[str, bytes]], names: FileNames) -> None:
        """Take these bytes for those of the files until something is known to have changed; they are what was given for
        the keys that an index had, after the moment of `names`."""
        with self._lock:
            if self._moment != names.moment:
                return
            for path, data in found:
                entry = self._entries.get(path)
                if entry is not None and entry[1] is data:
                    self._settled[path] = data

    def current(self, root: Root, path: str, max_bytes: int, *, evicts: bool = True) -> bytes:
        """The bytes of a file after a look at its status; see `read`.

        Raises:
            NotRead: as `document.read`.
        """
        data = None
        with suppress(OSError, ValueError):  # reading tells why
            data = self.kept(path, Key.of(disk.lstat(root.absolute(path))))
        return self.read(root, path, max_bytes, evicts=evicts) if data is None else data

    def read(self, root: Root, path: str, max_bytes: int, *, evicts: bool = True) -> bytes:
        """The bytes of a file, read now; unless it `evicts`, they are kept only where there is room. Otherwise whoever
        reads a whole vault again and again, one larger than what is kept, would never find anything.

        Raises:
            NotRead: as `document.read`.
        """
        checked = time.time_ns()
        data, status = documents.read_bytes(root, path, max_bytes)
        key = Key.of(status)
        if len(data) <= LARGEST and not is_racy(key, checked):
            self._keep(path, key, data, evicts=evicts)
        return data

    def _keep(self, path: str, key: Key, data: bytes, *, evicts: bool) -> None:
        with self._lock:
            self._drop(path)
            if not evicts and self.size + len(data) + _ENTRY_BYTES > self._most_bytes:
                return
            self._entries[path] = key, data
            self.size += len(data) + _ENTRY_BYTES
            while self.size > self._most_bytes:
                self._drop(next(iter(self._entries)))

    def _drop(self, path: str) -> None:
        self._settled.pop(path, None)
        entry = self._entries.pop(path, None)
        if entry is not None:
            self.size -= len(entry[1]) + _ENTRY_BYTES

"""Keeps the bytes of files, by path and stat key, in bounded memory.

Only files that were old when they were read are kept: their next change must change the key.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock
from typing import Final

from vaulttools.core import forks
from vaulttools.files import disk
from vaulttools.files import document as documents
from vaulttools.files.key import Key, is_racy
from vaulttools.files.root import Root

KEPT_BYTES: Final = 64 * 1024 * 1024
"""Bytes that are kept, what an entry costs besides its text counted."""

LARGEST: Final = 1024 * 1024
"""Bytes of the largest file that is kept: one that is searched in this process cannot be stopped meanwhile."""

_ENTRY_BYTES: Final = 400
"""Bytes that an entry counts besides its text: path, key and place in the order."""


class ContentCache:
    """The bytes of one vault's files, for any number of threads; what was used longest ago goes first."""

    def __init__(self, most_bytes: int = KEPT_BYTES) -> None:
        self._most_bytes = most_bytes
        self.reset_after_fork()
        forks.renew(self)

    def reset_after_fork(self) -> None:
        """Forget everything."""
        self._lock = Lock()
        self._entries: OrderedDict[str, tuple[Key, bytes]] = OrderedDict()
        self.size = 0
        """Bytes that all entries count."""

    def kept(self, files: Sequence[str], keys: Sequence[Key | None]) -> list[bytes | None]:
        """The bytes of the files that have these keys, None where they are not kept; nothing is kept of one without."""
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

    def current(self, root: Root, path: str, max_bytes: int) -> bytes:
        """The bytes of a file after a look at its status; see `read`.

        Raises:
            NotRead: as `document.read`.
        """
        with suppress(OSError, ValueError):  # reading tells why
            [data] = self.kept([path], [Key.of(disk.lstat(root.absolute(path)))])
            if data is not None:
                return data
        return self.read(root, path, max_bytes)

    def read(self, root: Root, path: str, max_bytes: int) -> bytes:
        """The bytes of a file, read now.

        Raises:
            NotRead: as `document.read`.
        """
        checked = time.time_ns()
        data, status = documents.read_bytes(root, path, max_bytes)
        key = Key.of(status)
        if len(data) <= LARGEST and not is_racy(key, checked):
            with self._lock:
                self._drop(path)
                self._entries[path] = key, data
                self.size += len(data) + _ENTRY_BYTES
                while self.size > self._most_bytes:
                    self._drop(next(iter(self._entries)))
        return data

    def _drop(self, path: str) -> None:
        entry = self._entries.pop(path, None)
        if entry is not None:
            self.size -= len(entry[1]) + _ENTRY_BYTES

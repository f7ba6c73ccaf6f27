"""Keeps the bytes of files, by path and stat key, in bounded memory.

Only files that were old when they were read are kept: their next change must change the key.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from vaulttools.core.recent import Recent
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
        self._entries: Recent[str, tuple[Key, bytes]] = Recent(most_bytes)

    @property
    def size(self) -> int:
        """Bytes that all entries count."""
        return self._entries.weight

    def kept(self, files: Sequence[str], keys: Sequence[Key | None]) -> list[bytes | None]:
        """The bytes of the files that have these keys, None where they are not kept; nothing is kept of one without."""
        entries = zip(self._entries.several(files), keys, strict=True)
        return [entry[1] if entry is not None and entry[0] == key else None for entry, key in entries]

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
            self._entries.put(path, (key, data), len(data) + _ENTRY_BYTES)
        return data

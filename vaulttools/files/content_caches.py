"""Caches what calls have read from files, in bounded memory.

The least recently used entries are dropped first. Bytes and counts are cached by path and stat key, only for files that
were old when they were read: their next change must change the key. An answer's next page, the hint beside it, and the
same question after an edit count the same files again. The texts that `search` showed are cached by tags of four hex
digits: a file has changed if its current tag differs.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from typing import Final

import xxhash

from vaulttools.core.recent import Recent
from vaulttools.files import disk
from vaulttools.files import document as documents
from vaulttools.files.disk import Key, is_racy
from vaulttools.files.root import Root

KEPT_BYTES: Final = 64 * 1024 * 1024
"""Most bytes of a store of bytes or texts, with the overhead of the entries."""

LARGEST: Final = 1024 * 1024
"""Larger files (bytes) are not cached: a search of cached bytes in this process cannot be interrupted."""

_ENTRY_BYTES: Final = 400
"""Overhead of an entry in bytes: path, key and place in the order (measured, with a path of 30 letters)."""

_MOST_COUNTS: Final = 50_000
"""Most cached counts, over all patterns: 8 MB (measured). A survey of twelve words counts many files."""


class ContentCache:
    """The bytes of one vault's files, for any number of threads."""

    def __init__(self, most_bytes: int = KEPT_BYTES) -> None:
        self._entries: Recent[str, tuple[Key, bytes]] = Recent(most_bytes)

    @property
    def size(self) -> int:
        """Bytes of all entries, with their overhead."""
        return self._entries.weight

    def kept(self, files: Sequence[str], keys: Sequence[Key | None]) -> list[bytes | None]:
        """Returns the cached bytes of the files with these keys; None for files not cached or without a key."""
        entries = zip(self._entries.several(files), keys, strict=True)
        return [entry[1] if entry is not None and entry[0] == key else None for entry, key in entries]

    def current(self, root: Root, path: str, max_bytes: int) -> bytes:
        """Returns the bytes of a file, from the cache if its key is unchanged; see `read`.

        Raises:
            NotRead: as for `document.read`.
        """
        with suppress(OSError, ValueError):  # `read` raises the reason
            [data] = self.kept([path], [Key.of(disk.lstat(root.absolute(path)))])
            if data is not None:
                return data
        return self.read(root, path, max_bytes)

    def read(self, root: Root, path: str, max_bytes: int) -> bytes:
        """Read and cache the bytes of a file.

        Raises:
            NotRead: as for `document.read`.
        """
        checked = time.time_ns()
        data, status = documents.read_bytes(root, path, max_bytes)
        key = Key.of(status)
        if len(data) <= LARGEST and not is_racy(key, checked):
            self._entries.put(path, (key, data), len(data) + _ENTRY_BYTES)
        return data


class KeptCounts:
    """Numbers of matching lines in one vault's files, by pattern, for any number of threads."""

    def __init__(self, most: int = _MOST_COUNTS) -> None:
        self._most = most
        self._patterns: Recent[Hashable, dict[str, tuple[Key, int]]] = Recent(most)

    @property
    def size(self) -> int:
        """The number of cached counts; a file counts once per pattern."""
        return self._patterns.weight

    def of(self, pattern: Hashable, files: Sequence[str], keys: Sequence[Key | None]) -> list[int | None]:
        """Returns the cached counts of the files with these keys; None for files not cached or without a key."""
        kept = self._patterns.get(pattern) or {}
        entries = zip(map(kept.get, files), keys, strict=True)
        return [None if entry is None or entry[0] != key else entry[1] for entry, key in entries]

    def keep(self, pattern: Hashable, checked: int, found: Iterable[tuple[str, Key, int]]) -> None:
        """Cache counts of files that had these keys before `checked` (nanoseconds since 1970) and were read afterwards.
        Skips files whose next change may not change the key, and all if they are too many."""
        fresh = {path: (key, number) for path, key, number in found if not is_racy(key, checked)}
        if not 0 < len(fresh) <= self._most:
            return
        kept = {**(self._patterns.get(pattern) or {}), **fresh}  # a copy: other threads may be reading the old one
        kept = kept if len(kept) <= self._most else fresh
        self._patterns.put(pattern, kept, len(kept))


class SnapshotStore:
    """The newest texts by path and tag, for any number of threads; stored as UTF-8, so that the limit is in bytes."""

    def __init__(self, most_bytes: int = KEPT_BYTES) -> None:
        self._texts: Recent[tuple[str, str], bytes] = Recent(most_bytes)

    def add(self, path: str, text: str) -> str:
        """Cache the newest text of a file and return its tag.

        With the same path and tag, the later text replaces the earlier one (they differ in trailing blanks, or in one
        case of 65,536 otherwise). A text larger than the limit is not cached.
        """
        data = text.encode("utf-8", "surrogatepass")
        tag = _tag(data)
        self._texts.put((path, tag), data, len(data) + _ENTRY_BYTES)
        return tag

    def get(self, path: str, tag: str) -> str | None:
        """Returns the text with a tag; None if it is not cached."""
        data = self._texts.get((path, tag))
        return None if data is None else data.decode("utf-8", "surrogatepass")


def tag(text: str) -> str:
    r"""Returns the tag of a text: the low 16 bits of xxHash32 with seed 0, as four upper-case hex digits.

    Blanks, tabs and `\r` at the end of a line are ignored, so `\r\n` equals `\n`; every `\n` counts, also the last one.

    >>> tag(""), tag("a  \n"), tag("a\r\n"), tag("a")
    ('5D05', '9585', '9585', '7456')
    """
    return _tag(text.encode("utf-8", "surrogatepass"))


def _tag(data: bytes) -> str:
    lines = b"\n".join([line.rstrip(b" \t\r") for line in data.split(b"\n")])
    return f"{xxhash.xxh32_intdigest(lines, seed=0) & 0xFFFF:04X}"

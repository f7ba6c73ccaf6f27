"""Keeps what calls have read of files, in bounded memory.

What was used longest ago goes first. Bytes and counts are kept by path and stat key, and only of files that were old
when they were read: their next change must change the key. An answer's next page, the hint beside it, and the same
question after an edit count the same files again. The texts that `search` showed are kept by tags of four hex digits:
comparing the tag of what a file holds now with an old one tells whether it has changed.
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
"""Bytes that a store of bytes or of texts keeps, what an entry costs besides its text counted."""

LARGEST: Final = 1024 * 1024
"""Bytes of the largest file that is kept: one that is searched in this process cannot be stopped meanwhile."""

_ENTRY_BYTES: Final = 400
"""Bytes that an entry counts besides its text: path, key and place in the order (measured, a path of 30 letters)."""

_MOST_COUNTS: Final = 50_000
"""Files whose numbers are kept, over all patterns: 8 MB (measured). A survey of twelve words counts many files."""


class ContentCache:
    """The bytes of one vault's files, for any number of threads."""

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


class KeptCounts:
    """How many lines of one vault's files match, by pattern, for any number of threads."""

    def __init__(self, most: int = _MOST_COUNTS) -> None:
        self._most = most
        self._patterns: Recent[Hashable, dict[str, tuple[Key, int]]] = Recent(most)

    @property
    def size(self) -> int:
        """Files whose numbers are kept; one counts once for each pattern."""
        return self._patterns.weight

    def of(self, pattern: Hashable, files: Sequence[str], keys: Sequence[Key | None]) -> list[int | None]:
        """The numbers of files that have these keys, None where they are not kept; nothing is kept of one without."""
        kept = self._patterns.get(pattern) or {}
        entries = zip(map(kept.get, files), keys, strict=True)
        return [None if entry is None or entry[0] != key else entry[1] for entry, key in entries]

    def keep(self, pattern: Hashable, checked: int, found: Iterable[tuple[str, Key, int]]) -> None:
        """Keep the numbers of files that had these keys before `checked` (nanoseconds since 1970), and were read
        afterwards; not those of a file whose next change may leave its key as it is, nor more than fit."""
        fresh = {path: (key, number) for path, key, number in found if not is_racy(key, checked)}
        if not 0 < len(fresh) <= self._most:
            return
        kept = {**(self._patterns.get(pattern) or {}), **fresh}  # a new one: others may be looking into the old
        kept = kept if len(kept) <= self._most else fresh
        self._patterns.put(pattern, kept, len(kept))


class SnapshotStore:
    """The newest texts by path and tag, for any number of threads; held as UTF-8, so that the bound is one of bytes."""

    def __init__(self, most_bytes: int = KEPT_BYTES) -> None:
        self._texts: Recent[tuple[str, str], bytes] = Recent(most_bytes)

    def add(self, path: str, text: str) -> str:
        """Keep the text of a file as its newest and return its tag.

        Under the same path and tag the later text stays (they differ in trailing blanks, or one time in 65,536). A text
        larger than the whole bound is not kept.
        """
        data = text.encode("utf-8", "surrogatepass")
        tag = _tag(data)
        self._texts.put((path, tag), data, len(data) + _ENTRY_BYTES)
        return tag

    def get(self, path: str, tag: str) -> str | None:
        """The text with a tag, or None when there was none or it is no longer kept."""
        data = self._texts.get((path, tag))
        return None if data is None else data.decode("utf-8", "surrogatepass")


def tag(text: str) -> str:
    r"""The tag of a text: the low 16 bits of xxHash32, seeded with 0, as four upper-case hex digits.

    Blanks, tabs and `\r` at the end of a line do not count, so `\r\n` is `\n`; every `\n` counts, the last one too.

    >>> tag(""), tag("a  \n"), tag("a\r\n"), tag("a")
    ('5D05', '9585', '9585', '7456')
    """
    return _tag(text.encode("utf-8", "surrogatepass"))


def _tag(data: bytes) -> str:
    lines = b"\n".join([line.rstrip(b" \t\r") for line in data.split(b"\n")])
    return f"{xxhash.xxh32_intdigest(lines, seed=0) & 0xFFFF:04X}"

"""Holds the last stat key of every file and its row in the index.

One *record* (bytes) holds both.
"""

from __future__ import annotations

import os
import sys
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress, count, filterfalse
from operator import add, itemgetter, sub
from struct import Struct
from typing import Any, Final

from vaulttools.files.disk import GRANULARITY, Key, is_racy
from vaulttools.index.content import HAS_FAILED, STATES
from vaulttools.index.folder import STAMP
from vaulttools.index.layered import Draft, Layered, are_many
from vaulttools.index.store import FileRow

SIZE: Final = STAMP.size
"""Bytes of a stamp. A record is the stamp, then the row's id, check time, state, flags and digest."""

NEW: Final = b"\xff" * SIZE + bytes(8)
"""The record of an unknown file: a stamp that no file has, and the id 0. The record of a file without a row ends after
the id."""

_RECORD: Final = Struct(f"={SIZE}sqqBH")
_FULL: Final = Struct("=4qqqBH")
_ID: Final = itemgetter(slice(SIZE, len(NEW)))
_STATE: Final = slice(SIZE + 16, SIZE + 17)
_DIGEST: Final = slice(_RECORD.size, None)
_TEXT: Final = b"\0"
assert STATES[0] == "text"


def is_current(row: FileRow, key: Key, now: int) -> bool:
    """Whether a row is up to date, as far as the file's key shows.

    Unread files are candidates anyway; they are read again when they change, or when the reason may have passed.
    """
    if key != row.key or row.flags & HAS_FAILED:
        return False
    return row.state == "unread" or not (row.checked > now or is_racy(row.key, row.checked))


class Records:
    """The files of one vault and the rows of its index, as of one moment."""

    def __init__(
        self,
        files: Layered[str, bytes],
        aside: Layered[str, bytes],
        names: list[str | None],
        later: Mapping[int, str | None],
        number: int,
    ) -> None:
        """`names`: paths by id; `later` has the ids that differ from it, None for a dropped row; `number`: of rows."""
        self.files: Final = files
        """Records of the existing files, by path."""
        self.aside: Final = aside
        """Records of rows whose file is gone, or whose folder cannot be listed."""
        self._names = names
        self._later = later
        self._number = number

    def __len__(self) -> int:
        """Returns the number of rows."""
        return self._number

    def __iter__(self) -> Iterator[str]:
        """Yields the files with a row."""
        names, later = self._names, self._later
        yield from filter(None, [path for id_, path in enumerate(names) if id_ not in later] if later else names)
        yield from filter(None, later.values())

    @property
    def newest(self) -> int:
        """The largest id ever known; 0 if there is none."""
        return max(len(self._names) - 1, max(self._later, default=0))

    def record(self, path: str) -> bytes:
        """Returns the record of a file; `NEW` if unknown."""
        return self.files.get(path) or self.aside.get(path) or NEW

    def get(self, path: str) -> FileRow | None:
        """Returns the row, but with the file's present key, as of the last look: another than the row's own if the file
        is stale. None without a row."""
        record = self.record(path)
        return _row(path, record) if len(record) > len(NEW) else None

    def id(self, path: str) -> int | None:
        """Returns the id of a file's row; None without one."""
        return int.from_bytes(_ID(self.record(path)), sys.byteorder) or None

    def path(self, id_: int) -> str | None:
        """Returns the file with this id; None without one."""
        if id_ in self._later:
            return self._later[id_]
        return self._names[id_] if id_ < len(self._names) else None

    def named(self, ids: Iterable[int]) -> set[str]:
        """Returns the files with these ids."""
        names, end = self._names, len(self._names)
        if self._later:
            return {path for path in map(self.path, ids) if path is not None}
        return {path for id_ in ids if id_ < end and (path := names[id_]) is not None}

    def lacking(self, files: Collection[str]) -> list[str]:
        """Returns the files that do not exist or have no row."""
        return [*compress(files, map(len(NEW).__ge__, map(len, self.files.several(files, NEW))))]

    def texts(self, files: Collection[str]) -> dict[str, bytes]:
        """Returns text digests by file, for the files that exist and have the state text."""
        records = self.files.several(files, NEW)
        return {path: record[_DIGEST] for path, record in zip(files, records, strict=True) if record[_STATE] == _TEXT}

    def digests(self, files: Iterable[str]) -> dict[str, bytes]:
        """Returns the digests of the files with a row."""
        records = ((path, self.record(path)) for path in files)
        return {path: record[_DIGEST] for path, record in records if len(record) > len(NEW)}


class Rows:
    """The records as their only writer sees them."""

    def __init__(self) -> None:
        self.files: Final[Draft[str, bytes]] = Draft()
        self.aside: Final[Draft[str, bytes]] = Draft()
        self.unusual: list[FileRow] = []
        """Loaded rows with a state other than text, or with flags."""
        self.doubtful: list[str] = []
        """Files whose loaded rows are not current by `is_current`, even with equal keys."""
        self.now = Records(self.files, self.aside, [None], {}, 0)
        """The records as they are now; only their writer reads them."""
        self._later: dict[int, str | None] = {}
        self._published: Records | None = None

    def load(self, chunks: Iterable[Sequence[Sequence[Any]]], now: int) -> None:
        """Load the chunks of `IndexStore.columns`. `now`: nanoseconds since 1970; rows checked later than this are not
        trusted."""
        for encoded, ids, sizes, modified, changed, inodes, checked, states, flags, digests in chunks:
            names = os.fsdecode(b"\0".join(encoded)).split("\0")  # all at once takes a fifth of the time
            packed = map(_FULL.pack, sizes, modified, changed, inodes, ids, checked, states, flags)
            self.aside.update(zip(names, map(add, packed, digests), strict=True))
            # Built from C functions, for speed.
            is_young = map(GRANULARITY.__ge__, map(sub, checked, map(max, modified, changed)))
            is_later = map(now.__lt__, checked)
            odd = {path for marks in (is_young, is_later, states, flags) for path in compress(names, marks)}
            for path in odd:
                row = _row(path, self.aside.get(path) or NEW)
                if row.state != "text" or row.flags:
                    self.unusual.append(row)
                if not is_current(row, row.key, now):
                    self.doubtful.append(path)

    def number(self) -> None:
        """Index the loaded rows by id, after the existing files are known."""
        # What is published is a base without differences, which is read without a look at each entry.
        entries = [*self.files.published().items(), *self.aside.published().items()]
        ids = _ids(map(itemgetter(1), entries))
        names: list[str | None] = [None] * (max(ids, default=0) + 1)
        for id_, (path, _) in zip(ids, entries, strict=True):
            names[id_] = path
        names[0] = None
        self._set(names, {}, len(ids) - ids.count(0))

    def ids_in_sum(self) -> tuple[int, int]:
        """Like `IndexStore.ids_in_sum`."""
        later = self._later
        ids = filterfalse(later.__contains__, compress(count(), self.now._names))
        return len(self.now), sum(ids) + sum(id_ for id_, path in later.items() if path is not None)

    def see(self, path: str, stamp: bytes) -> None:
        """Record that a file exists, with a stamp; what is known of its row stays."""
        self.files[path] = stamp + (self.files.get(path) or self.aside.pop(path, NEW))[SIZE:]
        self._published = None

    def leave(self, path: str) -> None:
        """Record that a file is gone, or that its folder cannot be listed."""
        record = self.files.pop(path, NEW)
        if len(record) > len(NEW):
            self.aside[path] = record
        self._published = None

    def put(self, row: FileRow) -> None:
        """Add or replace a row."""
        is_new = self.now.id(row.path) != row.id
        if is_new:
            self.drop(row.path)
        held = self.files.get(row.path)
        stamp = STAMP.pack(*row.key) if held is None else held[:SIZE]
        state = STATES.index(row.state)
        record = _RECORD.pack(stamp, row.id, row.checked, state, row.flags) + row.digest
        (self.aside if held is None else self.files)[row.path] = record
        if is_new:
            self._name(row.id, row.path, 1)
        self._published = None

    def drop(self, path: str) -> None:
        """Remove the row of a file."""
        id_ = self.now.id(path)
        if id_ is not None:
            self.aside.pop(path, NEW)
            if (held := self.files.get(path)) is not None:
                self.files[path] = held[:SIZE] + NEW[SIZE:]
            self._name(id_, None, -1)

    def _name(self, id_: int, path: str | None, more: int) -> None:
        self._later[id_] = path
        self._set(self.now._names, self._later, len(self.now) + more)

    def _set(self, names: list[str | None], later: dict[int, str | None], number: int) -> None:
        self._later = later
        self.now = Records(self.files, self.aside, names, later, number)
        self._published = None

    def published(self) -> Records:
        """Returns the records as they are now; the same object until they change."""
        files, aside = self.files.published(), self.aside.published()
        held = self._published
        if held is None or held.files is not files or held.aside is not aside:
            now, later = self.now, self._later
            if are_many(len(later), len(now._names)):
                names = now._names + [None] * (now.newest + 1 - len(now._names))
                for id_, path in later.items():
                    names[id_] = path
                self._set(names, {}, len(now))
            self._published = held = Records(files, aside, self.now._names, dict(self._later), len(self.now))
        return held


def key_of(record: bytes) -> Key:
    """Returns the key in a stamp or record."""
    return Key._make(STAMP.unpack_from(record))


def _ids(records: Iterable[bytes]) -> array[int]:
    """Returns the id in each record; 0 without a row."""
    return array("q", b"".join(map(_ID, records)))


def _row(path: str, record: bytes) -> FileRow:
    stamp, id_, checked, state, flags = _RECORD.unpack_from(record)
    return FileRow(path, id_, key_of(stamp), checked, STATES[state], flags, record[_DIGEST])

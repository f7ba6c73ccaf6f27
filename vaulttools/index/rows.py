"""Holds the last stat key of every file and its row in the index.

One *record* (bytes) holds both. It is replaced, never changed: readers in other threads need no lock.
"""

from __future__ import annotations

import os
import sys
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, compress, count, filterfalse, repeat
from operator import add, itemgetter, sub
from struct import Struct
from typing import Any, Final

from vaulttools.files.disk import GRANULARITY, Key, is_racy
from vaulttools.index.content import HAS_FAILED, STATES
from vaulttools.index.folder import STAMP
from vaulttools.index.store import Row

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


def is_current(row: Row, key: Key, now: int) -> bool:
    """Whether a row is up to date, as far as the file's key shows.

    Unread files are candidates anyway; they are read again when they change, or when the reason may have passed.
    """
    if key != row.key or row.flags & HAS_FAILED:
        return False
    return row.state == "unread" or not (row.checked > now or is_racy(row.key, row.checked))


class Rows:
    """The files of one vault and the rows of its store; one thread at a time changes it, any may read."""

    def __init__(self) -> None:
        self.files: Final[dict[str, bytes]] = {}
        """Records of the existing files, by path."""
        self.aside: Final[dict[str, bytes]] = {}
        """Records of rows whose file is gone, or whose folder cannot be listed."""
        self.unusual: list[Row] = []
        """Loaded rows with a state other than text, or with flags."""
        self.doubtful: list[str] = []
        """Files whose loaded rows are not current by `is_current`, even with equal keys."""
        self._paths: list[str | None] = [None]
        """Paths by id, from 0."""
        self._number = 0

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
                row = _row(path, self.aside[path])
                if row.state != "text" or row.flags:
                    self.unusual.append(row)
                if not is_current(row, row.key, now):
                    self.doubtful.append(path)

    def number(self) -> None:
        """Index the loaded rows by id, after the existing files are known."""
        ids = _ids(chain(self.files.values(), self.aside.values()))
        self._paths = [None] * (max(ids, default=0) + 1)
        for id_, path in zip(ids, chain(self.files, self.aside), strict=True):
            self._paths[id_] = path
        self._paths[0] = None
        self._number = len(ids) - ids.count(0)

    def __len__(self) -> int:
        """Returns the number of rows."""
        return self._number

    def __iter__(self) -> Iterator[str]:
        """Yields the files with a row."""
        return (path for path in self._paths if path is not None)

    def ids_in_sum(self) -> tuple[int, int]:
        """Like `IndexStore.ids_in_sum`."""
        return self._number, sum(compress(count(), self._paths))

    @property
    def newest(self) -> int:
        """The largest id ever known; 0 if there is none."""
        return len(self._paths) - 1

    def record(self, path: str) -> bytes:
        """Returns the record of a file; `NEW` if unknown."""
        return self.files.get(path) or self.aside.get(path, NEW)

    def get(self, path: str) -> Row | None:
        """Returns the row of a file, with the key of the last look: that of the row itself unless the file is stale."""
        record = self.record(path)
        return _row(path, record) if len(record) > len(NEW) else None

    def id(self, path: str) -> int | None:
        """Returns the id of a file's row; None without one."""
        return int.from_bytes(_ID(self.record(path)), sys.byteorder) or None

    def path(self, id_: int) -> str | None:
        """Returns the file with this id; None without one."""
        return self._paths[id_] if id_ < len(self._paths) else None

    def named(self, ids: Iterable[int]) -> set[str]:
        """Returns the files with these ids."""
        names, end = self._paths, len(self._paths)
        return {path for id_ in ids if id_ < end and (path := names[id_]) is not None}

    def absent(self, files: Iterable[str]) -> Iterator[str]:
        """Yields the files that do not exist."""
        return filterfalse(self.files.__contains__, files)

    def lacking(self, files: Collection[str]) -> list[str]:
        """Returns the files that do not exist or have no row."""
        return [*compress(files, map(len(NEW).__ge__, map(len, map(self.files.get, files, repeat(NEW)))))]

    def texts(self, files: Collection[str]) -> dict[str, bytes]:
        """Returns text digests by file, for the files that exist and have the state text."""
        records = map(self.files.get, files, repeat(NEW))
        return {path: record[_DIGEST] for path, record in zip(files, records, strict=True) if record[_STATE] == _TEXT}

    def digests(self, files: Iterable[str]) -> dict[str, bytes]:
        """Returns the digests of the files with a row."""
        records = ((path, self.record(path)) for path in files)
        return {path: record[_DIGEST] for path, record in records if len(record) > len(NEW)}

    def see(self, path: str, stamp: bytes) -> None:
        """Record that a file exists, with a stamp."""
        self.files[path] = stamp + (self.files.get(path) or self.aside.pop(path, NEW))[SIZE:]

    def leave(self, path: str) -> None:
        """Record that a file is gone, or that its folder cannot be listed."""
        record = self.files.pop(path)
        if len(record) > len(NEW):
            self.aside[path] = record

    def put(self, row: Row) -> None:
        """Add or replace a row."""
        if self.id(row.path) != row.id:
            self.drop(row.path)
            self._paths += [None] * (row.id + 1 - len(self._paths))
            self._paths[row.id] = row.path
            self._number += 1
        stamp = self.files[row.path][:SIZE] if row.path in self.files else STAMP.pack(*row.key)
        state = STATES.index(row.state)
        record = _RECORD.pack(stamp, row.id, row.checked, state, row.flags) + row.digest
        (self.files if row.path in self.files else self.aside)[row.path] = record

    def drop(self, path: str) -> None:
        """Remove the row of a file."""
        id_ = self.id(path)
        if id_ is not None:
            self._paths[id_] = None
            self._number -= 1
            self.aside.pop(path, None)
            if path in self.files:
                self.files[path] = self.files[path][:SIZE] + NEW[SIZE:]


def key_of(record: bytes) -> Key:
    """Returns the key in a stamp or record."""
    return Key._make(STAMP.unpack_from(record))


def _ids(records: Iterable[bytes]) -> array[int]:
    """Returns the id in each record; 0 without a row."""
    return array("q", b"".join(map(_ID, records)))


def _row(path: str, record: bytes) -> Row:
    stamp, id_, checked, state, flags = _RECORD.unpack_from(record)
    return Row(path, id_, key_of(stamp), checked, STATES[state], flags, record[_DIGEST])

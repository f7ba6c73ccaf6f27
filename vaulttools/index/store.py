"""Reads and writes an index: its files, and the rest by `tables` and `writer`.

It holds the files as of their last reading; `freshness` says whether they have changed since.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import apsw

from vaulttools.files.disk import Key
from vaulttools.index.content import STATES, State
from vaulttools.index.database import Database, ReadTransaction
from vaulttools.index.file import SCHEMA
from vaulttools.index.tables import Tables
from vaulttools.index.tokenizer import Vocabulary, quoted

if TYPE_CHECKING:
    from vaulttools.index.writer import Writer

_ROWS: Final = "SELECT path, id, size, modified, changed, inode, checked, state, flags, digest FROM files"

_READ_AT_ONCE: Final = 5_000
"""Rows per chunk when all are read: as objects they take 2 MB."""


class FileRow(NamedTuple):
    """The row of one file."""

    path: str
    id: int
    """Never reused for another path; a path that is removed and comes back gets a new one."""
    key: Key
    checked: int
    state: State
    flags: int
    digest: bytes


@dataclass(frozen=True, slots=True)
class Status:
    """The index in numbers."""

    files: int
    notes: int
    """Files with words and structure."""
    binary: int
    unread: int
    """Files that could not be indexed: candidates of every search."""
    file_bytes: int
    """Bytes of all files."""
    index_bytes: int
    """Bytes of the index, its log included."""
    schema: int
    sqlite: str
    log: str
    """SQLite's journal mode: `wal`, or `delete` where the file system cannot hold a write-ahead log."""


class IndexStore(Tables):
    """One vault's index with its database, for any number of threads."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, Vocabulary())
        self.database: Final = database

    def at_one_moment(self) -> tuple[Tables, ReadTransaction]:
        """Returns the tables for one call, and the moment that they are of; it has not begun."""
        moment = ReadTransaction(self.database)
        return Tables(moment, self._vocabulary), moment

    @classmethod
    def open(cls, path: Path, options: str = "", *, wal: bool = True) -> IndexStore:
        """Open the index at a path with these options; create it empty if it is missing or unusable.

        Raises:
            Unavailable: the folder cannot be written, and every other reason.
        """
        return cls(Database.open(path, options, wal=wal))

    def close(self) -> None:
        """Close idle connections; running calls in other threads complete."""
        self.database.close()

    def rows(self, some: Collection[str] | None = None) -> list[FileRow]:
        """Returns the rows of all files, or of those among `some` that are known, unordered."""
        with self.reading() as connection:
            found: list[Any] = []
            if some is None:
                found += connection.execute(_ROWS)
            for path in some or ():
                found += connection.execute(f"{_ROWS} WHERE path = ?", (os.fsencode(path),))
        return [
            FileRow(os.fsdecode(encoded), id_, Key(*key), checked, STATES[state], flags, digest)
            for encoded, id_, *key, checked, state, flags, digest in found
        ]

    def columns(self) -> Iterator[Sequence[Sequence[Any]]]:
        """Yields all rows by ascending id in chunks of columns: paths as bytes, ids, sizes, modification and change
        times, inodes, check times, state numbers, flags, digests."""
        with self.reading() as connection:
            rows = connection.execute(f"{_ROWS} ORDER BY id")
            while some := list(islice(rows, _READ_AT_ONCE)):
                yield list(zip(*some, strict=True))

    def all_ids(self) -> set[int]:
        """Returns the ids of all files."""
        [(found,)] = self._read("SELECT json_group_array(id) FROM files")
        return set(json.loads(found))

    def newest(self) -> int:
        """Returns the largest id, an upper bound of the number of files; 0 if there are none."""
        [(newest,)] = self._read("SELECT ifnull(max(id), 0) FROM files")
        return int(newest)

    def ids_in_sum(self) -> tuple[int, int]:
        """Returns the number of files and the sum of their ids; ids only grow, so every added or removed file shows."""
        [(number, total)] = self._read("SELECT count(*), ifnull(sum(id), 0) FROM files")
        return number, total

    def status(self) -> Status:
        """Returns the index in numbers."""
        [(files, notes, binary, unread, size, log)] = self._read(
            "SELECT count(*), (SELECT count(*) FROM notes), ifnull(sum(state = ?), 0), ifnull(sum(state = ?), 0),"
            " ifnull(sum(size), 0), (SELECT journal_mode FROM pragma_journal_mode) FROM files",
            STATES.index("binary"),
            STATES.index("unread"),
        )
        return Status(
            files=files,
            notes=notes,
            binary=binary,
            unread=unread,
            file_bytes=size,
            index_bytes=self.database.bytes(),
            schema=SCHEMA,
            sqlite=apsw.sqlite_lib_version(),
            log=log,
        )

    def lacks(self, id_: int, tokens: Sequence[str]) -> bool:
        """Whether one of the tokens does not find the file, or the vocabulary lacks a word among them."""
        with self.reading() as connection:
            if self._vocabulary.lacks(connection, tokens):
                return True
        query = " AND ".join(map(quoted, tokens))
        return not self._read("SELECT 1 FROM tokens WHERE tokens MATCH ? AND rowid = ?", query, id_)

    def faults(self) -> list[str]:
        """Returns what SQLite and FTS5 find wrong with their tables; at most five sentences."""
        with self.database.checking() as connection:
            found = connection.execute("PRAGMA quick_check(5)").fetchall()
        return [str(line) for (line,) in found if line != "ok"]

    # Writing.

    @contextmanager
    def writing(self, *, wait: bool = True, stop: Event | None = None) -> Iterator[Writer]:
        """Yields the only writer of all processes, for the block; uncommitted changes are rolled back.

        Raises:
            IndexBusy: another process or thread writes, and `wait` is false or `stop` was set while waiting.
            Unavailable: the disk is full, and every other reason.
        """
        from vaulttools.index.writer import Writer

        with self.database.writing(wait=wait, stop=stop) as connection:
            yield Writer(connection, self.database.path)

"""Reads an index's tables: files, tokens and the structure of notes.

It holds the files as of their last reading; `freshness` says whether they have changed since.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import apsw

from vaulttools.files.disk import Key
from vaulttools.index import vocabulary
from vaulttools.index import words as table
from vaulttools.index.content import STATES, State
from vaulttools.index.database import Database
from vaulttools.index.file import SCHEMA
from vaulttools.index.vocabulary import Vocabulary, quoted

if TYPE_CHECKING:
    from vaulttools.index.writer import Writer
    from vaulttools.patterns.literals import Requirement

_ROWS: Final = "SELECT path, id, size, modified, changed, inode, checked, state, flags, digest FROM files"

_READ_AT_ONCE: Final = 5_000
"""Rows per chunk when all are read: as objects they take 2 MB."""

_ALL: Final = 2**62
"""More than the rows of any table."""


class Row(NamedTuple):
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


class IndexStore:
    """Reads one vault's index, from any number of threads."""

    def __init__(self, database: Database) -> None:
        self.database: Final = database
        self._vocabulary = Vocabulary()

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

    # Reading. Each raises `Unavailable`, and `Replaced` if this store can no longer be used. `words` has its own
    # queries.

    def rows(self, some: Collection[str] | None = None) -> list[Row]:
        """Returns the rows of all files, or of those among `some` that are known, unordered."""
        with self.database.reading() as connection:
            found: list[Any] = []
            if some is None:
                found += connection.execute(_ROWS)
            for path in some or ():
                found += connection.execute(f"{_ROWS} WHERE path = ?", (os.fsencode(path),))
        return [
            Row(os.fsdecode(encoded), id_, Key(*key), checked, STATES[state], flags, digest)
            for encoded, id_, *key, checked, state, flags, digest in found
        ]

    def columns(self) -> Iterator[Sequence[Sequence[Any]]]:
        """Yields all rows by ascending id in chunks of columns: paths as bytes, ids, sizes, modification and change
        times, inodes, check times, state numbers, flags, digests."""
        with self.database.reading() as connection:
            rows = connection.execute(f"{_ROWS} ORDER BY id")
            while some := list(islice(rows, _READ_AT_ONCE)):
                yield list(zip(*some, strict=True))

    def ids(self, match: str, *, since: int = 0) -> list[int]:
        """Returns the ids of files whose tokens fulfil an FTS5 query, ascending from `since`.

        Raises:
            apsw.SQLError: the query is invalid.
        """
        with self.database.reading() as connection:
            return _ids(connection, match, since=since)

    def narrowed(self, requirement: Requirement, most: int = _ALL) -> list[int] | None:
        """Returns the ids of text files that may fulfil a requirement, ascending, perhaps with binary ones; None if
        there are more than `most`, or the requirement excludes no file."""
        with self.database.reading() as connection, connection:  # the tables as of one moment
            match = vocabulary.query(requirement, partial(self._vocabulary.holding, connection))
            ids = None if match is None else _ids(connection, match, most + 1)
        return None if ids is None or len(ids) > most else ids

    def known_words(self, words: Set[str]) -> set[str]:
        """Returns those of the words, folded, that any file holds or held."""
        with self.database.reading() as connection:
            return self._vocabulary.known(connection, words)

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

    def paths(self, ids: Iterable[int]) -> list[str]:
        """Returns the paths of files, unordered; unknown ids are skipped."""
        found = self._read("SELECT path FROM files WHERE id IN (SELECT value FROM json_each(?))", json.dumps([*ids]))
        return [os.fsdecode(path) for (path,) in found]

    def structures(self, ids: Iterable[int]) -> list[tuple[int, bytes, bytes]]:
        """Returns id, text digest and stored structure of notes, unordered; skips files that are no notes or were not
        read."""
        with self.database.reading() as connection:
            found: list[Any] = connection.execute(
                "SELECT id, digest, structure FROM notes JOIN files USING (id)"
                " WHERE id IN (SELECT value FROM json_each(?))",
                (json.dumps([*ids]),),
            ).fetchall()
            try:
                return [(id_, digest, zlib.decompress(structure)) for id_, digest, structure in found]
            except zlib.error as error:
                raise apsw.CorruptError("a structure is damaged") from error

    def passages(self, ids: Iterable[int]) -> list[tuple[int, bytes, bytes]]:
        """Returns id, text digest and stored passages of notes, unordered."""
        return self._read(
            "SELECT id, digest, columns FROM passages JOIN files USING (id)"
            " WHERE id IN (SELECT value FROM json_each(?))",
            json.dumps([*ids]),
        )

    def copies(self, digests: Iterable[int]) -> list[tuple[int, int]]:
        """Returns pairs of a passage digest and the id of a note that holds the passage."""
        found = self._read(
            "SELECT digest, id FROM copies WHERE digest IN (SELECT value FROM json_each(?))", json.dumps([*digests])
        )
        return [(digest, id_) for digest, id_ in found]

    def stems(self, beginning: str) -> list[str]:
        """Returns the stems with this beginning, in any note."""
        with self.database.reading() as connection:
            return table.stems(connection, beginning)

    def holding_stem(self, stem: str) -> list[int]:
        """Returns the ids of files that hold a word with exactly this stem."""
        with self.database.reading() as connection:
            return table.holding(connection, stem)

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
        with self.database.reading() as connection:
            if self._vocabulary.lacks(connection, tokens):
                return True
        query = " AND ".join(map(quoted, tokens))
        return not self._read("SELECT 1 FROM tokens WHERE tokens MATCH ? AND rowid = ?", query, id_)

    def faults(self) -> list[str]:
        """Returns what SQLite and FTS5 find wrong with their tables; at most five sentences."""
        with self.database.checking() as connection:
            found = connection.execute("PRAGMA quick_check(5)").fetchall()
        return [str(line) for (line,) in found if line != "ok"]

    def _read(self, statement: str, *values: str | int | bytes) -> list[tuple[Any, ...]]:
        with self.database.reading() as connection:
            return connection.execute(statement, values).fetchall()

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
            yield Writer(connection)


def _ids(connection: apsw.Connection, match: str, most: int = _ALL, *, since: int = 0) -> list[int]:
    # One value: Python reads it in half the time of the rows (measured).
    found: Any = connection.execute(
        "SELECT json_group_array(rowid) FROM (SELECT rowid FROM tokens WHERE tokens MATCH ? AND rowid >= ? LIMIT ?)",
        (match, since, most),
    ).get
    ids: list[int] = json.loads(found)
    return ids

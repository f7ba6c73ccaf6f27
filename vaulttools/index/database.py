"""The SQLite file of an index: made, opened, locked for writing, and moved aside when it is of no use.

Everything that can go wrong with it leaves here as one `Unavailable`: a search then does without the index.
"""

from __future__ import annotations

import os
import secrets
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Final

import apsw
import filelock

from vaulttools.errors import VaultToolsError

SCHEMA: Final = 1
"""Raised with every change of a table, of a tokenizer or of what `content` makes of a file (I13)."""

BUSY_MILLISECONDS: Final = 5_000
"""How long a statement waits for a lock of SQLite's own. The write lock keeps writers apart, so that only another
process's recovery and, without a write-ahead log, its commit are ever waited for."""

_LEFTOVERS: Final = ("-wal", "-shm", "-journal")

# The body is the first column of the words: FTS5 spends two bytes more on every word of another one (a fifth of all).
_TABLES: Final = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path BLOB NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    checked INTEGER NOT NULL,
    state INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    digest BLOB NOT NULL
);
CREATE TABLE notes (id INTEGER PRIMARY KEY, structure BLOB NOT NULL);
CREATE VIRTUAL TABLE trigrams USING fts5 (
    text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1'
);
CREATE VIRTUAL TABLE words USING fts5 (
    body, title, aliases, headings,
    content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);
"""


class Unavailable(VaultToolsError):
    """The index cannot be used now; the sentence says why. Searches go on by scanning."""


class Busy(Unavailable):
    """Another process writes the index."""

    def __init__(self) -> None:
        super().__init__("The index is being written by another process")


class Replaced(Unavailable):
    """The file was moved aside, by this process or by another one: open the store again, its ids begin anew."""


@dataclass(slots=True)
class Database:
    """One usable file. A file that takes its place under the same name is another database, with another token."""

    path: Path
    token: bytes
    warning: str | None = None
    """One sentence when a file was found that was of no use, and was moved aside."""
    _idle: deque[apsw.Connection] = field(default_factory=deque)
    _process: int = field(default_factory=os.getpid)
    _closed: bool = False

    @classmethod
    def open(cls, path: Path, options: str, *, wal: bool) -> Database:
        """The database at a path, made when there is none or none of use.

        Raises:
            Unavailable: neither is possible.
        """
        with _told(path):
            token, fault = _examined(path, options)
            if token:
                return cls(path, token)
            with write_lock(path, wait=True):
                token, fault = _examined(path, options)  # another process may have made it meanwhile
                warning = None
                if not token:
                    if fault:
                        _move_aside(path)
                        warning = f"The index {fault} and is built anew"
                    token = _make(path, options, wal=wal)
                return cls(path, token, warning)

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """A connection that no other thread has at the same time.

        Raises:
            Unavailable: it cannot be read; `Replaced` when it never will be again.
        """
        with self._used():
            if self._process != os.getpid():
                # A child must not use what its parent opened, and closing it would drop the parent's locks (I21).
                _inherited.append(self._idle)
                self._idle = deque()
                self._process = os.getpid()
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._connected()
                connection.register_fts5_tokenizer("trigram", _query_tokenizer)
            try:
                yield connection
            except BaseException:
                connection.close()
                raise
            if self._closed:
                connection.close()
            else:
                self._idle.append(connection)

    @contextmanager
    def checking(self) -> Iterator[apsw.Connection]:
        """A new connection that reads: FTS5 checks its tables by what a connection remembers of them, and takes
        another process's writing for damage (measured, 3.54.1).

        Raises:
            Unavailable: as `reading`.
        """
        with self._used():
            connection = self._connected()
            try:
                yield connection
            finally:
                connection.close()

    @contextmanager
    def writing(self, *, wait: bool, stop: Event | None = None) -> Iterator[apsw.Connection]:
        """A connection under the write lock of all processes; what is not committed at the end is rolled back.

        Raises:
            Busy: it is held, and `wait` is false or `stop` was set while waiting.
            Unavailable: it cannot be written; `Replaced` when it never will be again.
        """
        with self._used(), write_lock(self.path, wait=wait, stop=stop):
            connection = self._connected()
            try:
                yield connection
                _shorten_log(connection, self.path)
            finally:
                connection.close()

    def bytes(self) -> int:
        """Bytes on disk, the write-ahead log included."""
        total = 0
        for name in (self.path, *_with_leftovers(self.path)):
            with suppress(OSError):
                total += os.stat(name).st_size
        return total

    def discard(self) -> None:
        """Delete the file; whoever has it open finds it replaced.

        Raises:
            Unavailable: it cannot be deleted.
        """
        self.close()
        with _told(self.path), write_lock(self.path, wait=True):
            if _token_of(self.path) == self.token:
                for name in (*_with_leftovers(self.path), self.path):
                    name.unlink(missing_ok=True)

    def close(self) -> None:
        """Close what is idle; a call that still runs in another thread closes its own connection."""
        self._closed = True
        while self._idle and self._process == os.getpid():
            self._idle.pop().close()

    def _connected(self) -> apsw.Connection:
        connection = _connect(self.path)
        try:
            if _meta(connection).get("token") == self.token:
                return connection
        except apsw.Error:
            connection.close()
            raise
        connection.close()
        raise Replaced("The index was built anew by another process")

    @contextmanager
    def _used(self) -> Iterator[None]:
        """As `_told`; a damaged file is moved aside."""
        try:
            with _told(self.path):
                yield
        except _Damaged as error:
            with _told(self.path), write_lock(self.path, wait=True):
                if _token_of(self.path) in (self.token, None):
                    _move_aside(self.path)
            raise Replaced("The index was damaged and is built anew") from error


class _Damaged(Unavailable):
    """SQLite cannot make sense of the file."""


_LONG_LOG: Final = 4 * 1024 * 1024
"""Bytes of a write-ahead log that is worth the two flushes of emptying it."""

_inherited: list[deque[apsw.Connection]] = []
"""Connections of a parent process, kept so that nothing closes them."""


@contextmanager
def write_lock(path: Path, *, wait: bool, stop: Event | None = None) -> Iterator[None]:
    """The lock of all writers of one index, in this process and in others.

    Raises:
        Busy: it is held, and `wait` is false or `stop` was set while waiting.
        OSError: it cannot be made.
    """
    # A soft lock would outlive a killed process.
    lock = filelock.FileLock(f"{path}.lock", fallback_to_soft=False)
    try:
        lock.acquire(blocking=wait, cancel_check=stop.is_set if stop else None)
    except filelock.Timeout:
        raise Busy from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Errors of the file system and of SQLite as one of ours."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise _Damaged("The index is damaged") from error
    except (
        apsw.FullError,
        apsw.CantOpenError,
        apsw.ReadOnlyError,
        apsw.IOError,
        apsw.PermissionsError,
        apsw.BusyError,
        apsw.ProtocolError,
        apsw.NoLFSError,
    ) as error:
        raise Unavailable(f"The index at {path.parent} cannot be used: {error}") from error
    except OSError as error:
        raise Unavailable(f"The index at {path.parent} cannot be used: {error.strerror or error}") from error


def _connect(path: Path, flags: int = apsw.SQLITE_OPEN_READWRITE) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=flags)
    connection.set_busy_timeout(BUSY_MILLISECONDS)
    # The last reader to close would otherwise write the log back, without the write lock (I10), and delete it by name.
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def _meta(connection: apsw.Connection) -> dict[str, object]:
    return {str(name): value for name, value in connection.execute("SELECT name, value FROM meta").fetchall()}


def _examined(path: Path, options: str) -> tuple[bytes, str]:
    """The token of a usable file, or else what is wrong with the file, `""` when there is none."""
    if not os.path.lexists(path):
        return b"", ""
    if not os.path.getsize(path):
        return b"", "was damaged"
    connection = None
    try:
        connection = _connect(path)
        meta = _meta(connection)
    except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError):
        return b"", "was damaged"
    except apsw.CantOpenError:
        if path.is_file() and os.access(path, os.R_OK | os.W_OK):
            raise
        return b"", "could not be read"
    finally:
        if connection is not None:
            connection.close()
    if meta.get("schema") != SCHEMA:
        return b"", "was made by another version"
    if meta.get("options") != options:
        return b"", "was made with other options"
    token = meta.get("token")
    return (token, "") if isinstance(token, bytes) else (b"", "was damaged")


def _token_of(path: Path) -> bytes | None:
    """The token of whatever lies there; None when it cannot be read."""
    try:
        connection = _connect(path)
    except apsw.Error:
        return None
    try:
        token = _meta(connection).get("token")
    except apsw.Error:
        return None
    finally:
        connection.close()
    return token if isinstance(token, bytes) else None


def _with_leftovers(path: Path) -> list[Path]:
    return [path.with_name(path.name + ending) for ending in _LEFTOVERS]


def _move_aside(path: Path) -> None:
    """Rename the file and what belongs to it, so that the newest unusable one can be looked at; older ones go."""
    for older in path.parent.glob(f"{path.name}.corrupt-*"):
        older.unlink(missing_ok=True)
    aside = path.with_name(f"{path.name}.corrupt-{time.time_ns()}")
    # The log first: beside a new database it would be taken for that one's.
    for ending in (*_LEFTOVERS, ""):
        with suppress(FileNotFoundError):
            path.with_name(path.name + ending).replace(aside.with_name(aside.name + ending))


def _make(path: Path, options: str, *, wal: bool) -> bytes:
    """A new database under its name, whole or not at all; its token."""
    new = path.with_name(f"{path.name}.new")
    for leftover in (new, *_with_leftovers(new)):
        leftover.unlink(missing_ok=True)
    token = secrets.token_bytes(16)
    connection = apsw.Connection(str(new))
    try:
        with connection:
            connection.execute(_TABLES)
            connection.executemany(
                "INSERT INTO meta VALUES (?, ?)",
                [("schema", SCHEMA), ("options", options), ("token", token), ("generation", time.time_ns())],
            )
        if wal:
            connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()
    new.replace(path)
    return token


def _shorten_log(connection: apsw.Connection, path: Path) -> None:
    """Write a long log back and empty it, unless a reader still needs it; the next writer tries again."""
    with suppress(OSError, apsw.BusyError):
        if os.path.getsize(f"{path}-wal") > _LONG_LOG:
            connection.set_busy_timeout(0)
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


def _query_tokenizer(connection: apsw.Connection, arguments: list[str]) -> apsw.Tokenizer:
    """SQLite's own trigram tokenizer makes nothing of one or two characters; as tokens of a query they are prefixes.

    Only for connections that read: `"ab"*` finds every trigram that begins so.
    """

    def tokens(utf8: bytes, flags: int, locale: str | None) -> apsw.TokenizerResult:
        # FTS5 stores the two noncharacters as U+FFFD.
        text = utf8.decode("utf-8", "replace").replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")
        return [(0, 0, text[start : start + 3]) for start in range(max(1, len(text) - 2))]

    return tokens

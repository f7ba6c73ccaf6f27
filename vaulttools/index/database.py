"""Opens an index's database: its connections, its write lock, and repair.

Every error of the database is raised as `Unavailable`: a search then does without the index.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, RLock
from typing import Final

import apsw

from vaulttools.core import forks
from vaulttools.core.cached import cached_property
from vaulttools.errors import VaultToolsError
from vaulttools.index import file, words


class Unavailable(VaultToolsError):
    """The index cannot be used now; the message says why. Searches scan instead."""


class IndexBusy(Unavailable):
    """Another process is writing the index."""

    def __init__(self) -> None:
        super().__init__("The index is being written by another process")


class Replaced(Unavailable):
    """This or another process moved the file aside: open the store again; its ids start again."""


@dataclass
class Database:
    """One usable file. A file that replaces it under the same name is another database, with another token."""

    path: Path
    token: bytes
    warning: str | None = None
    """One sentence if an unusable file was found and moved aside."""
    _idle: deque[apsw.Connection] = field(default_factory=deque)
    _process: int = field(default_factory=os.getpid)
    _closed: bool = False

    @classmethod
    def open(cls, path: Path, options: str, *, wal: bool) -> Database:
        """Open the database at a path; create it if it is missing or unusable.

        Raises:
            Unavailable: it cannot be opened or created.
        """
        with _as_our_errors(path):
            token, _ = file.examined(path, options)
            if token:
                return cls(path, token)
            with write_lock(path, wait=True):
                token, fault = file.examined(path, options)  # another process may have made it meanwhile
                if token:
                    return cls(path, token)
                if fault:
                    file.move_aside(path)
                token = file.make(path, options, wal=wal)
                return cls(path, token, f"The index {fault} and is built anew" if fault else None)

    @classmethod
    def existing(cls, path: Path, options: str) -> Database:
        """Open the database at a path, without any change to it.

        Raises:
            Unavailable: it is missing or unusable.
        """
        with _as_our_errors(path):
            token, fault = file.examined(path, options)
        if not token:
            raise Unavailable(f"The index {fault or 'is missing'}")
        return cls(path, token)

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """Yields a connection that no other thread uses at the same time.

        Raises:
            Unavailable: the database cannot be read; `Replaced` if it was replaced or damaged.
        """
        with self._in_use():
            connection = self._taken()
            try:
                yield connection
            except BaseException:
                connection.close()
                raise
            self._put_back(connection)

    def _taken(self) -> apsw.Connection:
        """Returns a connection that nobody uses."""
        if self._process != os.getpid():
            forks.keep(self._idle)  # a child must not use what its parent opened
            self._idle = deque()
            self._process = os.getpid()
        try:
            return self._idle.pop()
        except IndexError:
            return self._connected()

    def _put_back(self, connection: apsw.Connection) -> None:
        """Keep a connection for the next reader."""
        if self._closed:
            connection.close()
        else:
            self._idle.append(connection)

    @contextmanager
    def checking(self) -> Iterator[apsw.Connection]:
        """Yields a new connection for reading: FTS5 checks tables by what a connection remembers of them, and mistakes
        another process's writes for damage (measured, 3.54.1).

        Raises:
            Unavailable: as for `reading`.
        """
        with self._in_use(), closing(self._connected()) as connection:
            yield connection

    @contextmanager
    def writing(self, *, wait: bool, stop: Event | None = None) -> Iterator[apsw.Connection]:
        """Yields a connection under the write lock of all processes; uncommitted changes are rolled back at the end.

        Raises:
            IndexBusy: the lock is held, and `wait` is false or `stop` was set while waiting.
            Unavailable: the database cannot be written; `Replaced` if it was replaced or damaged.
        """
        with self._in_use(), write_lock(self.path, wait=wait, stop=stop), closing(self._connected()) as connection:
            connection.execute(f"PRAGMA cache_size = -{_WRITERS_PAGES_KIB}")
            yield connection

    def bytes(self) -> int:
        """Bytes on disk, the write-ahead log included."""
        total = 0
        for name in (self.path, *file.leftovers(self.path)):
            with suppress(OSError):
                total += os.stat(name).st_size
        return total

    def close(self) -> None:
        """Close idle connections; a call that still runs in another thread closes its own."""
        self._closed = True
        while self._idle and self._process == os.getpid():
            self._idle.pop().close()

    def log_bytes(self) -> int:
        """Bytes of the write-ahead log."""
        try:
            return os.stat(f"{self.path}-wal").st_size
        except OSError:
            return 0

    @cached_property
    def has_log(self) -> bool:
        """Whether the database has a write-ahead log, so that readers and the writer do not wait for each other."""
        with self.reading() as connection:
            return bool(connection.execute("PRAGMA journal_mode").get == "wal")

    def _connected(self) -> apsw.Connection:
        connection = file.connect(self.path)
        try:
            if file.meta_of(connection).get("token") == self.token:
                words.prepare(connection)
                return connection
        except apsw.Error:
            connection.close()
            raise
        connection.close()
        raise Replaced("The index was built anew by another process")

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        """Raise errors of SQLite as ours, and move a damaged file aside."""
        try:
            yield
        except apsw.Error as error:
            our_error = _our_error(error, self.path)
            if not isinstance(our_error, _Damaged):
                raise our_error from error
            self.close()  # Windows moves no file that is open
            with _as_our_errors(self.path), write_lock(self.path, wait=True):
                if file.token_of(self.path) in (self.token, None):
                    file.move_aside(self.path)
            raise Replaced("The index was damaged and is built anew") from error


class ReadTransaction:
    """A database as it is at one moment, for one call.

    It is as it is at each reading where there is no write-ahead log, since a reader would hold up the writer, and while
    the log is long, since a reader keeps it from being emptied.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = RLock()
        self._connection: apsw.Connection | None = None
        self._is_over = True
        self.is_pinned = False
        """Whether all that was read is of this moment."""

    def begin(self) -> None:
        """Let the moment be now.

        Raises:
            Unavailable: as for `reading`.
        """
        if self._database.has_log and self._database.log_bytes() <= _LONGEST_LOG:
            self._is_over = False
            with self.reading() as connection:
                connection.execute("SELECT 1 FROM meta").get  # noqa: B018 - the first reading begins it
            self.is_pinned = True

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """Yields a connection that no other thread uses at the same time.

        Raises:
            Unavailable: the database cannot be read; `Replaced` if it was replaced or damaged.
        """
        with self._lock:
            if not self._is_over:
                with self._database._in_use():
                    if self._connection is None:
                        self._connection = self._database._taken()
                        self._connection.execute("BEGIN")
                    try:
                        yield self._connection
                    except BaseException:
                        self._connection.close()
                        self._connection, self.is_pinned = None, False
                        raise
                return
        with self._database.reading() as connection:
            yield connection

    def end(self) -> None:
        """End the moment: what is read later is as it is then."""
        with self._lock:
            self._is_over = True
            connection, self._connection = self._connection, None
            if connection is not None:
                try:
                    connection.execute("COMMIT")
                except apsw.Error:
                    connection.close()
                else:
                    self._database._put_back(connection)


class _Damaged(Unavailable):
    """SQLite found the file damaged."""


_WRITERS_PAGES_KIB: Final = 32 * 1024
"""KiB of pages that a writer caches, until it releases the lock (SQLite's default: 2,000). Digests of passages go all
over their table: with a smaller cache, pages are written to the log and read again before the transaction ends (a
twentieth of the CPU of a build of 10,000 notes, measured)."""

_LONG_LOG: Final = 4 * 1024 * 1024
"""A write-ahead log of more bytes is worth the two flushes of emptying it."""

_LONGEST_LOG: Final = 16 * 1024 * 1024
"""While the log has more bytes, calls read without a moment. Calls of ten seconds that overlapped kept a build of
30,000 notes from emptying it: it grew to 692 MB, with this limit to 94 (measured)."""


@contextmanager
def write_lock(path: Path, *, wait: bool, stop: Event | None = None) -> Iterator[None]:
    """Hold the lock of all writers of one index, in this process and in others.

    Raises:
        IndexBusy: another writer holds it, and `wait` is false or `stop` was set while waiting.
        Unavailable: the lock file cannot be made.
    """
    import filelock

    # A soft lock would outlive a killed process.
    lock = filelock.FileLock(f"{path}.lock", fallback_to_soft=False)
    with _as_our_errors(path):
        try:
            lock.acquire(blocking=wait, cancel_check=stop.is_set if stop else None)
        except filelock.Timeout:  # a subclass of OSError
            raise IndexBusy from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _as_our_errors(path: Path) -> Iterator[None]:
    """Raise errors of the file system and of SQLite as ours."""
    try:
        yield
    except apsw.Error as error:
        raise _our_error(error, path) from error
    except OSError as error:
        raise Unavailable(f"The index at {path.parent} cannot be used: {error.strerror or error}") from error


_UNUSABLE: Final = (
    apsw.FullError,
    apsw.CantOpenError,
    apsw.ReadOnlyError,
    apsw.IOError,
    apsw.PermissionsError,
    apsw.BusyError,
    apsw.ProtocolError,
    apsw.NoLFSError,
)


def _our_error(error: apsw.Error, path: Path) -> Exception:
    """Returns our error for an error of SQLite; the same error if it is a fault of this code."""
    # An I/O error ends the transaction, and leaving the block then fails, too.
    errors = [error, *_outer_errors(error)]
    if any(map(file.is_damage, errors)):
        return _Damaged("The index is damaged")
    if not any(isinstance(each, _UNUSABLE) for each in errors):
        return error
    return Unavailable(f"The index at {path.parent} cannot be used: {error}")


def _outer_errors(error: BaseException) -> Iterator[apsw.Error]:
    """Yields the errors of SQLite that were being handled when an error was raised."""
    while isinstance(error := error.__context__ or Exception(), apsw.Error):
        yield error


def shorten_log(connection: apsw.Connection, path: Path) -> None:
    """Write a long log back and empty it, unless a reader still needs it; the next commit tries again."""
    with suppress(OSError, apsw.BusyError):
        if os.path.getsize(f"{path}-wal") > _LONG_LOG:
            connection.set_busy_timeout(0)
            try:
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            finally:
                connection.set_busy_timeout(file.BUSY_MILLISECONDS)

"""Opens an index's database: its connections, its write lock, and repair.

Everything that can go wrong with it leaves here as one `Unavailable`: a search then does without the index.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Final

import apsw

from vaulttools.core import forks
from vaulttools.errors import VaultToolsError
from vaulttools.index import file, words


class Unavailable(VaultToolsError):
    """The index cannot be used now; the sentence says why. Searches go on by scanning."""


class IndexBusy(Unavailable):
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
        """The database at a path, which is left as it is.

        Raises:
            Unavailable: there is none, or none of use.
        """
        with _told(path):
            token, fault = file.examined(path, options)
        if not token:
            raise Unavailable(f"The index {fault or 'is missing'}")
        return cls(path, token)

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """A connection that no other thread has at the same time.

        Raises:
            Unavailable: it cannot be read; `Replaced` when it never will be again.
        """
        with self._used():
            if self._process != os.getpid():
                forks.keep(self._idle)  # a child must not use what its parent opened
                self._idle = deque()
                self._process = os.getpid()
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._connected()
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
            IndexBusy: it is held, and `wait` is false or `stop` was set while waiting.
            Unavailable: it cannot be written; `Replaced` when it never will be again.
        """
        with self._used(), write_lock(self.path, wait=wait, stop=stop):
            connection = self._connected()
            connection.execute(f"PRAGMA cache_size = -{_WRITERS_PAGES_KIB}")
            try:
                yield connection
                _shorten_log(connection, self.path)
            finally:
                connection.close()

    def bytes(self) -> int:
        """Bytes on disk, the write-ahead log included."""
        total = 0
        for name in (self.path, *file.leftovers(self.path)):
            with suppress(OSError):
                total += os.stat(name).st_size
        return total

    def close(self) -> None:
        """Close what is idle; a call that still runs in another thread closes its own connection."""
        self._closed = True
        while self._idle and self._process == os.getpid():
            self._idle.pop().close()

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
    def _used(self) -> Iterator[None]:
        """Errors of SQLite as ours; other code that runs here may have its own with files. Damage is moved aside."""
        try:
            yield
        except apsw.Error as error:
            ours = _ours(error, self.path)
            if not isinstance(ours, _Damaged):
                raise ours from error
            with _told(self.path), write_lock(self.path, wait=True):
                if file.token_of(self.path) in (self.token, None):
                    file.move_aside(self.path)
            raise Replaced("The index was damaged and is built anew") from error


class _Damaged(Unavailable):
    """SQLite cannot make sense of the file."""


_WRITERS_PAGES_KIB: Final = 32 * 1024
"""KiB of pages that a writer keeps at most, and gives back with the lock (SQLite: 2,000). The digests of passages go to
pages all over their table: with fewer, pages are written to the log and read again, checksum and all, before a
transaction ends (a twentieth of the CPU of a build of 10,000 notes, half of that in the system, measured)."""

_LONG_LOG: Final = 4 * 1024 * 1024
"""Bytes of a write-ahead log that is worth the two flushes of emptying it."""


@contextmanager
def write_lock(path: Path, *, wait: bool, stop: Event | None = None) -> Iterator[None]:
    """The lock of all writers of one index, in this process and in others.

    Raises:
        IndexBusy: it is held, and `wait` is false or `stop` was set while waiting.
        Unavailable: it cannot be made.
    """
    import filelock

    # A soft lock would outlive a killed process.
    lock = filelock.FileLock(f"{path}.lock", fallback_to_soft=False)
    with _told(path):
        try:
            lock.acquire(blocking=wait, cancel_check=stop.is_set if stop else None)
        except filelock.Timeout:  # an OSError, too
            raise IndexBusy from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Errors of the file system and of SQLite as one of ours."""
    try:
        yield
    except apsw.Error as error:
        raise _ours(error, path) from error
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


def _ours(error: apsw.Error, path: Path) -> Exception:
    """What an error of SQLite is told as; itself where it is a fault of this code."""
    # An error of input ends the transaction, and leaving it then fails, too.
    told = [error, *_before(error)]
    if any(map(file.is_damage, told)):
        return _Damaged("The index is damaged")
    if not any(isinstance(each, _UNUSABLE) for each in told):
        return error
    return Unavailable(f"The index at {path.parent} cannot be used: {error}")


def _before(error: BaseException) -> Iterator[apsw.Error]:
    """The errors of SQLite within which an error came."""
    while isinstance(error := error.__context__ or Exception(), apsw.Error):
        yield error


def _shorten_log(connection: apsw.Connection, path: Path) -> None:
    """Write a long log back and empty it, unless a reader still needs it; the next writer tries again."""
    with suppress(OSError, apsw.BusyError):
        if os.path.getsize(f"{path}-wal") > _LONG_LOG:
            connection.set_busy_timeout(0)
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

"""Keeps files of the server that only their owner can read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final, Generic, TypeVar

from filelock import FileLock

from vaulttools.core.windows import replace
from vaulttools.errors import BadArgument
from vaulttools.files import small

T = TypeVar("T")


class PrivateFile(Generic[T]):
    """A file that other processes change, too. A change takes effect with the next `read`, also that of another
    process.

    Args:
        path: The file, which need not exist.
        what: What it is called in errors, such as `token file`.
        holds: What it should hold, such as `tokens`.
        parse: Returns the content of the file's bytes; raises ValueError or RecursionError for another format.
        empty: The content of a file that does not exist.
        largest: Most bytes.
    """

    def __init__(self, path: Path, what: str, holds: str, parse: Callable[[bytes], T], empty: T, largest: int) -> None:
        self.path: Final = path
        self._what, self._holds = what, holds
        self._parse, self._empty, self._largest = parse, empty, largest
        self._read: tuple[object, T] = None, empty

    def read(self) -> T:
        """Returns the content, which nobody may change.

        Raises:
            BadArgument: the file has another format, or cannot be read.
        """
        try:
            status = self.path.stat()
            key = status.st_mtime_ns, status.st_size, status.st_ino
            held = self._read  # of one moment: another thread may put back what it read before a change
            if held[0] != key:
                self._read = held = key, self._parse(small.read(self.path, self._largest))
        except FileNotFoundError:
            return self._empty
        except OSError as error:
            raise BadArgument(f"The {self._what} {self.path} cannot be read: {error.strerror}") from error
        except (ValueError, RecursionError) as error:  # the text of an error may quote the file
            reason = f"it does not hold {self._holds}"
            raise BadArgument(f"The {self._what} {self.path} cannot be read: {reason}") from error
        return held[1]

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from a change meanwhile.

        Raises:
            BadArgument: its lock, or the folder for it, cannot be made.
        """
        try:
            lock = lock_of(self.path)
            lock.acquire()
        except OSError as error:
            raise BadArgument(f"The {self._what} {self.path} cannot be kept: {error.strerror}") from error
        try:
            yield
        finally:
            lock.release()

    def write(self, content: bytes) -> None:
        """Replace the file as `write_private` does."""
        write_private(self.path, content)


def lock_of(file: Path) -> FileLock:
    """Returns the lock for a change of a file, which no other process makes meanwhile. Makes the file's folder.

    Raises:
        OSError: the folder cannot be made; also of `acquire`, where the disk has no locks.
    """
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # A soft lock would outlive a killed process.
    return FileLock(f"{file}.lock", fallback_to_soft=False)


def write_private(file: Path, content: bytes) -> None:
    """Replace a file as a whole by one that only its owner can read.

    Raises:
        OSError: it cannot be written.
    """
    # Written by its descriptor: who may write into the folder could put a link in the place of a name.
    opened = NamedTemporaryFile(prefix=f".{file.name}.", dir=file.parent, delete=False)  # noqa: SIM115
    try:
        with opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())  # else a power cut leaves an empty file, which lets nobody in
        replace(opened.name, file)
    except OSError:
        with suppress(OSError):
            os.unlink(opened.name)
        raise

"""A disk whose calls fail: the Nth call of our own code raises, or every call of one kind on one file.

The seam is `vaulttools.files.disk`; ripgrep and SQLite have their own ways to the disk.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

import pytest

from vaulttools.files import disk

CALLS: Final = ("open_file", "read", "fstat", "stat", "lstat", "listdir", "fdopen")
"""Functions whose calls are counted; listings count too, and each status that a listing gives."""

ERRORS: Final = (errno.EACCES, errno.EIO, errno.ENOENT, errno.ENOSPC, errno.EMFILE)


@dataclass
class Fault:
    """Counts the calls, and lets one of them fail."""

    at: int | None = None
    """The number of the call that fails, from 0; None: no call fails."""
    number: int = errno.EIO
    lasts: int = 1
    """How many calls fail, from that one on."""
    change: Callable[[], None] | None = None
    """A change to make right before that call, which then succeeds."""
    calls: int = 0
    where: list[str] = field(default_factory=list)
    """The calls that failed."""
    _lock: Lock = field(default_factory=Lock)

    def met(self, name: str) -> None:
        """Count a call.

        Raises:
            OSError: this call is the one that fails.
        """
        with self._lock:
            mine = self.calls
            self.calls += 1
            if self.at is None or not self.at <= mine < self.at + self.lasts:
                return
            self.where.append(name)
            if self.change is not None:
                self.change()
                return
        raise OSError(self.number, os.strerror(self.number))

    def end(self) -> bool:
        """Whether the change happened, after any other thread has finished it. From now on it does not happen."""
        with self._lock:
            self.at = None
            return bool(self.where)


class _Entry:
    """An entry of a listing whose status may fail."""

    def __init__(self, entry: os.DirEntry[str], fault: Fault) -> None:
        self._entry, self._fault = entry, fault

    def __getattr__(self, name: str) -> Any:
        return getattr(self._entry, name)

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        self._fault.met("entry.stat")
        return self._entry.stat(follow_symlinks=follow_symlinks)


@contextmanager
def _listing(path: Any, fault: Fault) -> Iterator[Iterator[_Entry]]:
    with os.scandir(path) as scanned:
        yield (_Entry(entry, fault) for entry in scanned)


class _Scanned:
    """The result of `scandir`: tests close it, or use it in a `with`."""

    def __init__(self, path: Any, fault: Fault) -> None:
        fault.met("scandir")
        self._entries = _listing(path, fault)
        self._opened = self._entries.__enter__()
        self._fault = fault

    def __enter__(self) -> Iterator[_Entry]:
        return self

    def __iter__(self) -> Iterator[_Entry]:
        return self

    def __next__(self) -> _Entry:
        entry = next(self._opened)
        self._fault.met("scandir.next")
        return entry

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._entries.__exit__(None, None, None)


@contextmanager
def faulty(fault: Fault) -> Iterator[Fault]:
    """Inside this context, the disk fails as the fault says."""
    with pytest.MonkeyPatch.context() as patched:
        for name in CALLS:
            patched.setattr(disk, name, _counted(name, getattr(disk, name), fault))
        patched.setattr(disk, "scandir", lambda path: _Scanned(path, fault))
        yield fault


def _counted(name: str, call: Callable[..., Any], fault: Fault) -> Callable[..., Any]:
    def counted(*arguments: Any, **options: Any) -> Any:
        fault.met(name)
        return call(*arguments, **options)

    return counted

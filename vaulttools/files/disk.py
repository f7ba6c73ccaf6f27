"""Makes every call to a vault's disk, and tells whether a file may have changed.

Each name of `os` is the call of `os` itself, so that it costs nothing. Tests put others in their place, which fail or
change files in between. What ripgrep and SQLite do with the disk is theirs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from os import fdopen, fstat, listdir, lstat, read, scandir, stat
from threading import Event, Thread
from typing import Final, NamedTuple, TypeVar

__all__ = ["fdopen", "fstat", "listdir", "lstat", "read", "scandir", "stat"]  # what is exported as it is

T = TypeVar("T")

open_file: Final = os.open

MAY_BE_ELSEWHERE: Final = sys.platform in ("darwin", "win32")
"""Whether files may be listed here whose bytes are in iCloud or OneDrive. Linux has none; holes in files look so."""

_RECALLED: Final = 0x00400000
"""FILE_ATTRIBUTE_RECALL_ON_DATA_ACCESS of Windows."""

_MOUNT_POINT: Final = 0xA0000003
"""IO_REPARSE_TAG_MOUNT_POINT of Windows, which a junction has."""


GRANULARITY: Final = 2_000_000_000
"""Nanoseconds of the coarsest clock that stamps files: FAT counts in steps of two seconds."""

_MOST: Final = (1 << 63) - 1
"""The largest integer that SQLite holds. A time beyond it (year 2262) stays in the future, which is never trusted."""


def close(descriptor: int) -> None:
    """Give a descriptor back; what was read is whole, whatever the system says to it."""
    with suppress(OSError):
        os.close(descriptor)


def status(path: str | os.PathLike[str]) -> os.stat_result | None:
    """The status of what is at a path, links not followed; None when nothing is.

    No error is believed that does not come twice: one may pass (fault-T03, fault-S05).

    Raises:
        OSError: it cannot be looked at.
    """
    with suppress(OSError):
        return lstat(path)
    try:
        return lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def is_elsewhere(status: os.stat_result) -> bool:
    """Whether the bytes of a file are still in the cloud: reading would download them, or hang (fault-S01)."""
    if not MAY_BE_ELSEWHERE or status.st_size == 0:
        return False
    return getattr(status, "st_blocks", 1) == 0 or bool(getattr(status, "st_file_attributes", 0) & _RECALLED)


def is_junction(status: os.stat_result) -> bool:
    """Whether a folder of Windows leads elsewhere, as a link does."""
    return getattr(status, "st_reparse_tag", 0) == _MOUNT_POINT


def is_gone(path: str | os.PathLike[str]) -> bool:
    """Whether nothing is at a path any more; what cannot be looked at is not gone."""
    try:
        return status(path) is None
    except (OSError, ValueError):
        return False


def within(seconds: float, call: Callable[[], T]) -> T:
    """What a call gives, made in a thread of its own; one that hangs is left behind there, for nothing can end it.

    Raises:
        TimeoutError: it has not come to its end in time; and whatever the call raises.
    """
    given: list[T] = []
    raised: list[BaseException] = []
    ended = Event()

    def run() -> None:
        try:
            given.append(call())
        except BaseException as error:
            raised.append(error)
        finally:
            ended.set()

    Thread(target=run, name="vaulttools read", daemon=True).start()
    if not ended.wait(seconds):
        raise TimeoutError(f"not done after {seconds:g} s")
    if raised:
        raise raised[0]
    return given[0]


class Key(NamedTuple):
    """Compared with `!=` only: a clock that was set back and a restored backup change it as well (fault-I02, fault-I03,
    fault-I22)."""

    size: int
    """Bytes."""
    modified: int
    """Nanoseconds since 1970, as the other time."""
    changed: int
    """When the inode last changed, which no tool can set; 0 on Windows, where the field is the time of creation."""
    inode: int
    """0 where the status was taken from a listing on Windows, which has none: take it with `os.stat` there."""

    @classmethod
    def of(cls, status: os.stat_result) -> Key:
        """The key of a status. The device is left out: it changes between two mounts of one disk."""
        changed = 0 if sys.platform == "win32" else status.st_ctime_ns
        return cls.within(status.st_size, status.st_mtime_ns, changed, status.st_ino)

    @classmethod
    def within(cls, size: int, modified: int, changed: int, inode: int) -> Key:
        """The key of these, each within what SQLite holds."""
        return cls(size, min(modified, _MOST), min(changed, _MOST), inode & _MOST)


def is_racy(key: Key, checked: int) -> bool:
    """Whether a file may have changed after it was read at time `checked` without its key telling so.

    git's rule with a margin: what was stamped in the tick in which it was read may have been written again in it
    (fault-I01).
    """
    return max(key.modified, key.changed) >= checked - GRANULARITY

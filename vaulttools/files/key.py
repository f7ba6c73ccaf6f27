"""Computes a file's stat key, which tells without reading whether it may have changed."""

from __future__ import annotations

import os
import sys
from typing import Final, NamedTuple

GRANULARITY: Final = 2_000_000_000
"""Nanoseconds of the coarsest clock that stamps files: FAT counts in steps of two seconds."""

_MOST: Final = (1 << 63) - 1
"""The largest integer that SQLite holds. A time beyond it (year 2262) stays in the future, which is never trusted."""


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

"""Makes every call to a vault's disk, and detects whether a file may have changed.

Names from `os` are the functions of `os` themselves, at no cost; on Windows `open_file` waits for other programs. Tests
replace them with functions that fail or change files in between. ripgrep and SQLite access the disk on their own.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from os import fdopen, fstat, listdir, lstat, read, scandir, stat
from stat import S_ISLNK
from threading import Event, Thread
from typing import Final, NamedTuple, TypeVar

from vaulttools.core import windows
from vaulttools.errors import VaultToolsError

__all__ = ["fdopen", "fstat", "listdir", "lstat", "read", "scandir", "stat"]  # re-exported unchanged

T = TypeVar("T")

if sys.platform == "win32":
    open_file: Final = windows.open_shared
else:
    open_file: Final = os.open

MAY_BE_ELSEWHERE: Final = sys.platform in ("darwin", "win32")
"""Whether listed files may have their bytes in iCloud or OneDrive. Not on Linux, where sparse files look the same."""

_DATALESS: Final = 0x40000000
"""macOS: SF_DATALESS, of a file whose bytes its provider has. Such a file is often called compressed, too."""

_COMPRESSED: Final = 0x20
"""macOS: UF_COMPRESSED, of a file that needs no blocks, since its bytes are among its attributes."""

_RECALLED: Final = 0x00400000
"""Windows: FILE_ATTRIBUTE_RECALL_ON_DATA_ACCESS."""

_MOUNT_POINT: Final = 0xA0000003
"""Windows: IO_REPARSE_TAG_MOUNT_POINT, the tag of a junction."""


GRANULARITY: Final = 2_000_000_000
"""Resolution of the coarsest file clock in nanoseconds: FAT counts in steps of two seconds."""

_MOST: Final = (1 << 63) - 1
"""The largest integer of SQLite. A later time (after year 2262) stays in the future, and is never trusted."""


def close(descriptor: int) -> None:
    """Close a descriptor and ignore errors: the data is read already."""
    with suppress(OSError):
        os.close(descriptor)


def status(path: str | os.PathLike[str]) -> os.stat_result | None:
    """Returns the status of a path, links not followed; None if nothing is there.

    An error counts only if it comes twice: one may be temporary (fault-T03, fault-S05).

    Raises:
        OSError: `lstat` failed for another reason.
    """
    with suppress(OSError):
        return lstat(path)
    try:
        return lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


_ALLOW: Final = (
    "; macOS asks before a program may enter Documents, Desktop, iCloud Drive and other disks: allow the one that "
    "started this under System Settings > Privacy & Security > Files and Folders"
)
"""What to do on macOS, which refuses to list such a folder although its modes allow it."""


def unlistable(error: OSError) -> VaultToolsError:
    """Returns the error for a vault whose folder cannot be listed."""
    what_to_do = _ALLOW if sys.platform == "darwin" and error.errno == errno.EPERM else ""
    return VaultToolsError(f"The vault's folder cannot be read: {error.strerror}{what_to_do}")


def is_elsewhere(status: os.stat_result) -> bool:
    """Whether the bytes of a file are still in the cloud: reading would download them, or hang (fault-S01)."""
    if not MAY_BE_ELSEWHERE or status.st_size == 0:
        return False
    flags = getattr(status, "st_flags", 0)
    if flags & _DATALESS or getattr(status, "st_file_attributes", 0) & _RECALLED:
        return True
    return getattr(status, "st_blocks", 1) == 0 and not flags & _COMPRESSED


def is_junction(status: os.stat_result) -> bool:
    """Whether a folder of Windows leads elsewhere, like a link."""
    return getattr(status, "st_reparse_tag", 0) == _MOUNT_POINT


def real(path: str) -> str:
    """Returns a path with every link resolved, and each name as spelled on disk, like `os.path.realpath`.

    Where the system does not tell the path of an open file (Wine beyond 260 characters), each name is looked up.

    Raises:
        OSError: a link or a folder on the way cannot be read.
    """
    try:
        return os.path.realpath(path)
    except OSError:
        folder, name = os.path.split(path)
        if not name:
            raise
        folder = real(folder)
        path = os.path.join(folder, name)
        try:
            status = lstat(path)
        except FileNotFoundError:
            return path
        if S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", False):  # it may lead anywhere
            raise
        names = listdir(folder)
        same = (each for each in names if os.path.samestat(lstat(os.path.join(folder, each)), status))
        spelled = name if name in names else next(same, None)
        if spelled is None:
            raise
        return os.path.join(folder, spelled)


def is_gone(path: str | os.PathLike[str]) -> bool:
    """Whether nothing is at a path any more; False if that cannot be determined."""
    try:
        return status(path) is None
    except (OSError, ValueError):
        return False


def within(seconds: float, call: Callable[[], T]) -> T:
    """Run a call in its own thread and return its result. A call that hangs stays behind there: nothing can end it.

    Raises:
        TimeoutError: the call has not ended in time; and whatever the call raises.
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
    until = time.monotonic() + seconds
    # On macOS a wait ends by the clock on the wall, which goes on while the machine sleeps; the other one stops.
    while not ended.wait(until - time.monotonic()):
        if time.monotonic() >= until:
            raise TimeoutError(f"not done after {seconds:g} s")
    if raised:
        raise raised[0]
    return given[0]


class Key(NamedTuple):
    """Identifies a file's state. Compare with `!=` only: a clock set back or a restored backup must also count as a
    change (fault-I02, fault-I03, fault-I22)."""

    size: int
    """Bytes."""
    modified: int
    """Nanoseconds since 1970, like `changed`."""
    changed: int
    """When the inode last changed, which no tool can set; 0 on Windows, where the field is the creation time."""
    inode: int
    """0 for a status from a listing on Windows, which has no inodes: use `os.stat` there."""

    @classmethod
    def of(cls, status: os.stat_result) -> Key:
        """Returns the key of a status, without the device, which can change when a disk is mounted again."""
        changed = 0 if sys.platform == "win32" else status.st_ctime_ns
        return cls.within(status.st_size, status.st_mtime_ns, changed, status.st_ino)

    @classmethod
    def within(cls, size: int, modified: int, changed: int, inode: int) -> Key:
        """Returns a key with each number limited to SQLite's range."""
        return cls(size, min(modified, _MOST), min(changed, _MOST), inode & _MOST)


def is_racy(key: Key, checked: int) -> bool:
    """Whether a file may have changed after it was read at time `checked` (ns since 1970) without a new key.

    git's rule with a margin: a file can be written again in the tick of the clock in which it was read (fault-I01).
    """
    return max(key.modified, key.changed) >= checked - GRANULARITY

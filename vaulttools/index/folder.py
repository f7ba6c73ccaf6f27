"""Lists one folder: its names with their stat keys."""

from __future__ import annotations

import os
import stat
import sys
from array import array
from collections.abc import Iterator
from struct import Struct
from typing import Final, NamedTuple

from vaulttools.files import catalogue, disk
from vaulttools.files.disk import Key
from vaulttools.files.folder_names import Kind

NO_KEY: Final = Key(0, 0, 0, 0)
"""Key of a name whose `stat` fails: its folder can be listed, but not entered."""

STAMP: Final = Struct("=4q")
"""Packs a `Key` into bytes, its *stamp*; equal keys have equal stamps."""

_STAMPS: Final = Struct(f"{STAMP.size}s")

_IS_PLAIN: Final = sys.platform == "linux"
"""Whether the status in a listing is sufficient: not for stubs of iCloud, nor on Windows."""


class Inode(NamedTuple):
    """What one name leads to, links not followed."""

    kind: Kind
    key: Key
    dataless: bool = False
    names: int = 1
    """Number of names (hard links) of a file."""


class Folder(NamedTuple):
    """One listed folder. Plain files (stored locally, with one name), nearly all, share one string and one bytes
    object: a ninth of the memory of one object each (measured)."""

    names: str
    """Names of the plain files, separated by NUL."""
    stamps: bytes
    """Stamps of the plain files, concatenated."""
    others: dict[str, Inode]
    """Everything else, by name."""


def split(stamps: bytes) -> Iterator[bytes]:
    """Yields each of the concatenated stamps."""
    return (stamp for (stamp,) in _STAMPS.iter_unpack(stamps))


def names_at(folder: str) -> Folder:
    """List the folder at an absolute path.

    Raises:
        OSError: it cannot be listed.
    """
    names: list[str] = []
    stamps: list[int] = []
    others: dict[str, Inode] = {}
    is_file = stat.S_ISREG
    with disk.scandir(folder) as entries:
        for entry in entries:
            if _IS_PLAIN:
                try:  # `suppress` would be a sixth of the time
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    pass
                else:
                    if is_file(status.st_mode) and status.st_nlink == 1:
                        names.append(entry.name)
                        stamps += (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
                        continue
            node = _node(entry)
            if node is not None:
                others[entry.name] = node
    try:
        packed = array("q", stamps).tobytes()
    except OverflowError:
        keys = map(Key.within, stamps[0::4], stamps[1::4], stamps[2::4], stamps[3::4])
        packed = b"".join(STAMP.pack(*key) for key in keys)
    return Folder("\0".join(names), packed, others)


def _node(entry: os.DirEntry[str]) -> Inode | None:
    """Returns what one listed name leads to; None if it is gone."""
    _, kind, dataless = catalogue.listed_as(entry)
    try:
        # On Windows a listing has no inode, nor the current size of an open file.
        known = disk.lstat(entry.path) if sys.platform == "win32" else entry.stat(follow_symlinks=False)
        status: os.stat_result | None = known
    except OSError:
        try:
            status = disk.status(entry.path)
        except OSError:
            return Inode(kind, NO_KEY, dataless)
    if status is None:
        return None
    return Inode(kind, Key.of(status), dataless, status.st_nlink if kind == "file" else 1)

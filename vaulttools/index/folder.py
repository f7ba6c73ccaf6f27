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
"""Of what has a name and cannot be stated: its folder may be listed and not entered."""

STAMP: Final = Struct("=4q")
"""The form of a `Key` in bytes, its *stamp*; equal keys have equal stamps."""

_STAMPS: Final = Struct(f"{STAMP.size}s")

_IS_PLAIN: Final = sys.platform == "linux"
"""Whether the status of a name in a listing says all that is asked for: not so of stubs of iCloud, nor on Windows."""

PIPE_BYTES: Final = 1024 * 1024
"""Names and keys of 15,000 files, so that a child that lists need not wait until they are taken; Linux allows it to
all."""


class Inode(NamedTuple):
    """What stands behind one name, links not followed."""

    kind: Kind
    key: Key
    dataless: bool = False
    names: int = 1
    """How many names a file has."""


class Folder(NamedTuple):
    """One folder as it was listed. Files that are here and have one name, nearly all there is, are one text and one
    piece of bytes: a ninth of the memory of an object each (measured)."""

    names: str
    """Of such files, separated by NUL."""
    stamps: bytes
    """Theirs, one behind the other."""
    others: dict[str, Inode]
    """All else."""


def split(stamps: bytes) -> Iterator[bytes]:
    """Each of many stamps."""
    return (stamp for (stamp,) in _STAMPS.iter_unpack(stamps))


def names_at(folder: str) -> Folder:
    """The names in the folder at an absolute path.

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
    """What stands behind one name of a listing, looked at by itself; None when it is no longer there."""
    _, kind, dataless = catalogue.listed_as(entry)
    try:
        # On Windows a listing knows neither the inode nor, of an open file, its last size.
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

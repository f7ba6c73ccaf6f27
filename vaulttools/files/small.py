"""Reads small files that a person or another program wrote: settings, tokens, keys.

Such a file may be replaced by anything at any time: a pipe that nobody writes to, a link to an endless device, a
folder, gigabytes. Reading one never blocks, and takes bounded memory.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from typing import BinaryIO, Final

from vaulttools.files import disk

LARGEST: Final = 1 << 20
"""Most bytes of such a file, unless its reader knows larger ones: Obsidian and people write a few KiB."""

_OPEN_FLAGS: Final = os.O_RDONLY | sum(getattr(os, f"O_{name}", 0) for name in ("NONBLOCK", "CLOEXEC", "BINARY"))


class Unsuitable(OSError):
    """What is there is no file, or is larger than the bound; `strerror` says which."""


def read(file: str | os.PathLike[str], most: int = LARGEST) -> bytes:
    """Returns the content of a regular file of at most `most` bytes.

    Raises:
        Unsuitable: it is something else, or larger.
        OSError: it does not exist, or cannot be read.
    """
    try:
        _ensure_regular(disk.stat(file))  # before it is opened: to open a device may have an effect
        with disk.fdopen(disk.open_file(file, _OPEN_FLAGS), "rb") as opened:
            _ensure_regular(disk.fstat(opened.fileno()))
            content = b"".join(_pieces(opened, most))
    except ValueError as error:  # a NUL in the path
        raise Unsuitable(errno.EINVAL, "its path cannot be that of a file") from error
    if len(content) > most:
        raise Unsuitable(errno.EFBIG, f"it is larger than {most >> 20} MiB")
    return content


def _pieces(opened: BinaryIO, most: int) -> Iterator[bytes]:
    """Yields the content, with one byte more than `most` if it is larger. One `read` would reserve room for all."""
    left = most + 1
    while left and (piece := opened.read(min(left, LARGEST))):
        left -= len(piece)
        yield piece


def _ensure_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise Unsuitable(errno.EINVAL, "it is not a file")


def seen_by_others(file: str | os.PathLike[str]) -> str:
    """Returns a sentence if other users can read a file that holds a secret; "" if not, or if that is unknown."""
    if sys.platform == "win32":  # its modes say nothing about other users
        return ""
    try:
        mode = stat.S_IMODE(disk.stat(file).st_mode)
    except OSError:
        return ""
    if not mode & (stat.S_IRGRP | stat.S_IROTH):
        return ""
    who = "every user of this machine" if mode & stat.S_IROTH else "the users of its group"
    return f"{os.fspath(file)} holds a secret, and {who} can read it: chmod 600 {os.fspath(file)}"

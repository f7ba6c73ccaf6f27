"""Does on Windows what other systems do by themselves."""

from __future__ import annotations

import errno
import os
import sys
import time

TYPE_CHECKING = False  # as in `vaulttools`
if TYPE_CHECKING:
    from typing import Final

_WAITS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Seconds between two attempts, about one in all: readers of such a file have it open for some milliseconds."""


def replace(new: str | os.PathLike[str], file: str | os.PathLike[str]) -> None:
    """Rename a file to the name of another, which it replaces.

    Windows refuses that while any program has the other one open; most have it open for a moment.

    Raises:
        OSError: it cannot be replaced.
    """
    for seconds in _WAITS if sys.platform == "win32" else ():
        try:
            os.replace(new, file)
        except PermissionError:
            time.sleep(seconds)
        else:
            return
    os.replace(new, file)


def is_unread(error: OSError) -> bool:
    """Whether a pipe could not be written to since its reader has gone; Windows calls that an invalid argument."""
    return isinstance(error, BrokenPipeError) or (sys.platform == "win32" and error.errno == errno.EINVAL)

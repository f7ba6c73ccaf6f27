"""Works around differences of Windows."""

from __future__ import annotations

import errno
import os
import sys
import time

TYPE_CHECKING = False  # as in `vaulttools`
if TYPE_CHECKING:
    from typing import Final

_WAITS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Seconds between attempts, about one in total: readers keep such a file open for some milliseconds."""


def replace(new: str | os.PathLike[str], file: str | os.PathLike[str]) -> None:
    """Rename a file to the name of another file and replace that file.

    Windows refuses this while any program has the other file open, usually for a moment.

    Raises:
        OSError: the file cannot be replaced.
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
    """Whether writing to a pipe failed because its reader is gone; Windows reports an invalid argument."""
    return isinstance(error, BrokenPipeError) or (sys.platform == "win32" and error.errno == errno.EINVAL)

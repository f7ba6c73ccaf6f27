"""Works around differences of Windows."""

from __future__ import annotations

import errno
import os
import sys
import time

TYPE_CHECKING = False  # as in `vaulttools`
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

_VERBATIM: Final = "\\\\?\\"

_WAITS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Seconds between attempts, about one in total: readers keep such a file open for some milliseconds."""

_READ_WAITS: Final = 3
"""How many of these are for reading: a vault may have many files that another program keeps."""

_SHARING_VIOLATION: Final = 32
"""winerror.h: another program has opened the file and lets nobody else."""


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


def patiently(opened: Callable[[], int]) -> int:
    """Returns the descriptor of a file from a function. Calls it again, for 0.08 s, while another program locks the
    file: most let go in a moment.

    Raises:
        OSError: the file cannot be opened.
    """
    for seconds in _WAITS[:_READ_WAITS]:
        try:
            return opened()
        except OSError as error:
            if getattr(error, "winerror", None) != _SHARING_VIOLATION:
                raise
            time.sleep(seconds)
    return opened()


if sys.platform == "win32":
    import _winapi
    import msvcrt

    _SHARED: Final = 0x1 | 0x2 | 0x4
    """winnt.h: FILE_SHARE_READ, FILE_SHARE_WRITE, FILE_SHARE_DELETE."""

    def open_shared(path: str | os.PathLike[str], flags: int) -> int:
        """Like `os.open`, for reading only, and so that other programs may rename or remove the file meanwhile."""

        def opened() -> int:
            handle = _winapi.CreateFile(os.fspath(path), _winapi.GENERIC_READ, _SHARED, 0, _winapi.OPEN_EXISTING, 0, 0)
            try:
                return msvcrt.open_osfhandle(handle, flags | os.O_NOINHERIT)
            except OSError:
                _winapi.CloseHandle(handle)
                raise

        return patiently(opened)


def verbatim(path: str) -> str:
    r"""Returns an absolute path of Windows with the beginning that turns its rules for names off: `\\?\C:\vault\a.md`.

    No name is then a device (`aux.md`) or loses dots at its end, and the path may have 32,767 characters, not 260.
    """
    path = path.replace("/", "\\")
    if path.startswith(_VERBATIM):
        return path
    return f"{_VERBATIM}UNC{path[1:]}" if path.startswith("\\\\") else f"{_VERBATIM}{path}"


def plain(path: str) -> str:
    """Reverses `verbatim`; other paths are unchanged."""
    rest = path.removeprefix(_VERBATIM)
    if rest.startswith("UNC\\"):
        return f"\\{rest[3:]}"
    return rest if rest[1:2] == ":" else path


def is_unread(error: OSError) -> bool:
    """Whether writing to a pipe failed because its reader is gone; Windows reports an invalid argument."""
    return isinstance(error, BrokenPipeError) or (sys.platform == "win32" and error.errno == errno.EINVAL)

"""Writes to stdout and stderr, and reports a write that failed."""

from __future__ import annotations

import io
import os
import sys

from vaulttools.core.windows import is_unread

TYPE_CHECKING = False  # as in `vaulttools`
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final, TextIO

_STDIN: Final = 0
_NAMES: Final = {1: "stdout", 2: "stderr"}


class OutputFailed(OSError):
    """What was to be said could not be written, for another reason than that the reader of a pipe has gone.

    An `OSError`, since `logging` goes on after one.
    """


def open_streams() -> None:
    """Let `sys.stdout` and `sys.stderr` write UTF-8 and raise `OutputFailed`, those that are closed as well.

    A closed descriptor is taken first, so that no file that is opened later gets its number and with it our output.
    """
    for descriptor in (_STDIN, *_NAMES):
        try:
            os.fstat(descriptor)
        except OSError:
            # Opened the wrong way round: whoever uses it is told that it is no good. The lowest free number is taken.
            os.set_inheritable(os.open(os.devnull, os.O_RDONLY if descriptor else os.O_WRONLY), True)
    for descriptor, name in _NAMES.items():
        setattr(sys, name, _stream(descriptor, getattr(sys, name)))


WIDE: Final = 100
"""Columns of a text that goes to no terminal; lines of prose that are longer are hard to read."""


def columns(stream: TextIO, environ: Mapping[str, str]) -> int:
    """How wide a text may be, 40 at least: `COLUMNS`, else the width of the terminal."""
    given = environ.get("COLUMNS", "")
    try:
        width = int(given) if given.isdecimal() else os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, io.UnsupportedOperation):
        width = WIDE
    return max(40, width or WIDE)


def give_up() -> None:
    """Write what still can be, and drop the rest: the interpreter would try again at its end, and fail again."""
    from contextlib import suppress  # longer to import than all of this package that hands a command over

    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in _NAMES:
        os.dup2(nowhere, descriptor)


def tell(failure: OutputFailed) -> None:
    """Say on stderr that output failed, if stderr takes it."""
    from contextlib import suppress

    with suppress(OSError):
        print(f"error: {failure}", file=sys.stderr, flush=True)


def _stream(descriptor: int, given: Any) -> io.TextIOWrapper:
    if given is None:  # it was closed when the interpreter started
        raw: io.RawIOBase = io.FileIO(descriptor, "w", closefd=False)
    else:
        raw = getattr(given.buffer, "raw", given.buffer)  # unbuffered (`python -u`), the buffer is the raw stream
    buffer = io.BufferedWriter(_Checked(raw, _NAMES[descriptor]))
    # A terminal or pipe of another encoding must not end a search with a traceback.
    is_by_line = descriptor == 2 or raw.isatty()
    return io.TextIOWrapper(buffer, encoding="utf-8", errors="backslashreplace", line_buffering=is_by_line)


class _Checked(io.RawIOBase):
    """A raw stream whose failures to write tell that they are."""

    def __init__(self, raw: io.RawIOBase, name: str) -> None:
        self._raw = raw
        self._name = name

    def write(self, data: Any) -> int | None:
        try:
            return self._raw.write(data)
        except OSError as error:
            if is_unread(error):
                raise BrokenPipeError(*error.args) from error
            raise OutputFailed(f"{self._name} cannot be written to: {error.strerror}") from error

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._raw.fileno()

    def isatty(self) -> bool:
        return self._raw.isatty()

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
    """Output could not be written, and not because the reader of a pipe has gone.

    It is an `OSError` because `logging` continues after one.
    """


def open_streams() -> None:
    """Let `sys.stdout` and `sys.stderr` write UTF-8 and raise `OutputFailed`, even if they are closed.

    Closed descriptors are opened first, so that no file opened later gets their number and with it our output.
    """
    for descriptor in (_STDIN, *_NAMES):
        try:
            os.fstat(descriptor)
        except OSError:
            # Opened in the wrong direction, so that its use fails. The system takes the lowest free number.
            os.set_inheritable(os.open(os.devnull, os.O_RDONLY if descriptor else os.O_WRONLY), True)
    for descriptor, name in _NAMES.items():
        setattr(sys, name, _stream(descriptor, getattr(sys, name)))


WIDE: Final = 100
"""Columns of a text that does not go to a terminal; longer lines of prose are hard to read."""


def columns(stream: TextIO, environ: Mapping[str, str]) -> int:
    """Returns the width of a text, at least 40: `COLUMNS`, or else the width of the terminal."""
    given = environ.get("COLUMNS", "")
    try:
        width = int(given) if given.isdecimal() else os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, io.UnsupportedOperation):
        width = WIDE
    return max(40, width or WIDE)


def give_up() -> None:
    """Flush what can be written, and drop the rest: the interpreter would fail on it again at its end."""
    from contextlib import suppress  # this import takes longer than the whole handover of a command

    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in _NAMES:
        os.dup2(nowhere, descriptor)


def tell(failure: OutputFailed) -> None:
    """Report on stderr that output failed, if stderr can be written."""
    from contextlib import suppress

    with suppress(OSError):
        print(f"error: {failure}", file=sys.stderr, flush=True)


def _stream(descriptor: int, given: Any) -> io.TextIOWrapper:
    if given is None:  # it was closed when the interpreter started
        raw: io.RawIOBase = io.FileIO(descriptor, "w", closefd=False)
    else:
        raw = getattr(given.buffer, "raw", given.buffer)  # unbuffered (`python -u`), it is the raw stream
    buffer = io.BufferedWriter(_Checked(raw, _NAMES[descriptor]))
    # A terminal or a pipe with another encoding must not end a search with a traceback.
    is_by_line = descriptor == 2 or raw.isatty()
    return io.TextIOWrapper(buffer, encoding="utf-8", errors="backslashreplace", line_buffering=is_by_line)


class _Checked(io.RawIOBase):
    """A raw stream that names itself in its write errors."""

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

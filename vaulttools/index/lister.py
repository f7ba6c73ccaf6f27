"""Has a child process list folders of a large vault, while this one lists others.

To state a file takes 3 to 5 µs, nearly all of it in the kernel: of a million files half the time of opening. The child
runs this module. Messages are those of `core.child`: each absolute path is answered by its names with their stat keys,
in the order asked, or by None when they cannot be read there.
"""

from __future__ import annotations

import gc
import select
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from vaulttools.core import child
from vaulttools.core.child import Child, ChildGone
from vaulttools.index.folder import PIPE_BYTES, Folder, names_at

_ASKED: Final = 8
"""Folders that wait in the process: the work of some milliseconds. Their paths, of 4 KiB at most, fit into a pipe, so
that asking never blocks."""


class Lister:
    """The process, as its parent sees it; not thread-safe."""

    def __init__(self, process: Child) -> None:
        """The pipes of the process keep nothing back."""
        self._child = process
        self._ready = select.poll()
        self._ready.register(process.answers.fileno(), select.POLLIN)
        self._asked: deque[str] = deque()
        self._is_lost = False

    @property
    def is_asked(self) -> bool:
        """Whether answers are to come."""
        return bool(self._asked)

    @property
    def has_room(self) -> bool:
        """Whether it takes another folder now."""
        return len(self._asked) < _ASKED and not self._is_lost

    def ask(self, folder: str, absolute: str) -> None:
        """Have a vault-relative folder listed, which lies at an absolute path."""
        self._asked.append(folder)
        try:
            self._child.send(absolute)
        except ChildGone:
            self._is_lost = True

    def answers(self, *, wait: bool) -> Iterator[tuple[str, Folder | None]]:
        """The folders that were listed since, each with its names; with `wait` at least one. None: it could not be
        listed there, or the process is lost, and it is to be listed here."""
        while self._asked and (self._is_lost or wait or self._ready.poll(0)):
            wait = False
            yield self._asked.popleft(), self._received()

    def _received(self) -> Folder | None:
        if self._is_lost:
            return None
        try:
            names = self._child.receive()
        except ChildGone:
            self._is_lost = True
            return None
        assert names is None or isinstance(names, Folder)
        return names

    def end(self) -> None:
        """Kill the process: it only reads."""
        self._child.end()


def started() -> Lister | None:
    """A process; None where none can be started."""
    process = child.started("vaulttools.index.lister", bufsize=0, pipesize=PIPE_BYTES)
    return None if process is None else Lister(process)


def run() -> None:
    """Answer, as the process, until there is nobody to answer."""
    child.begin()
    gc.disable()  # nothing that is made here refers to itself
    with suppress(EOFError, OSError):
        while True:
            path = child.receive(sys.stdin.buffer)
            assert isinstance(path, str)
            try:
                names = names_at(path)
            except OSError:
                names = None
            child.send(sys.stdout.buffer, names)


if __name__ == "__main__":
    run()

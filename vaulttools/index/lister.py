"""Lists folders of a large vault in a child process, while this process lists others.

One `stat` takes 3 to 5 µs, nearly all in the kernel: half the time of opening a million files. The child runs this
module. Messages have the format of `core.child`: the answer to each absolute path, in the order asked, is its names
with their stat keys, or None if they cannot be read.
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
"""Most folders that wait in the child: some milliseconds of work. Their paths (at most 4 KiB each) fit into a pipe, so
that asking never blocks."""


class Lister:
    """The parent's side of the child process; not thread-safe."""

    def __init__(self, process: Child) -> None:
        """`process` has unbuffered pipes."""
        self._child = process
        self._ready = select.poll()
        self._ready.register(process.answers.fileno(), select.POLLIN)
        self._asked: deque[str] = deque()
        self._is_lost = False

    @property
    def is_asked(self) -> bool:
        """Whether answers are outstanding."""
        return bool(self._asked)

    @property
    def has_room(self) -> bool:
        """Whether the child takes another folder now."""
        return len(self._asked) < _ASKED and not self._is_lost

    def ask(self, folder: str, absolute: str) -> None:
        """Ask for a vault-relative folder, which lies at an absolute path."""
        self._asked.append(folder)
        try:
            self._child.send(absolute)
        except ChildGone:
            self._is_lost = True

    def answers(self, *, wait: bool) -> Iterator[tuple[str, Folder | None]]:
        """Yields each folder listed since, with its names; with `wait`, at least one. None: the child could not list it
        or is lost, and the caller must list it."""
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
        """Kill the child: it only reads."""
        self._child.end()


def started() -> Lister | None:
    """Start a child; None if that fails."""
    process = child.started("vaulttools.index.lister", bufsize=0, pipesize=PIPE_BYTES)
    return None if process is None else Lister(process)


def run() -> None:
    """Answer requests in the child until the parent is gone."""
    child.begin()
    gc.disable()  # nothing here makes reference cycles
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

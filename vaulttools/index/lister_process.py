"""Asks a process to list folders, and takes its answers."""

from __future__ import annotations

import pickle
import select
import subprocess
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from vaulttools.core import own_python
from vaulttools.index.folder import PIPE_BYTES, Folder
from vaulttools.index.worker import receive, send

_ASKED: Final = 8
"""Folders that wait in the process: the work of some milliseconds. Their paths, of 4 KiB at most, fit into a pipe, so
that asking never blocks."""

_END_SECONDS: Final = 5.0
"""Seconds to wait for a killed process."""


class Lister:
    """The process; not thread-safe."""

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        """`popen` has pipes that keep nothing back."""
        assert popen.stdin is not None
        assert popen.stdout is not None
        self._popen = popen
        self._requests = popen.stdin
        self._answers = popen.stdout
        self._ready = select.poll()
        self._ready.register(popen.stdout.fileno(), select.POLLIN)
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
            send(self._requests, absolute)
        except (OSError, ValueError):
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
            names = receive(self._answers)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            self._is_lost = True
            return None
        assert names is None or isinstance(names, Folder)
        return names

    def end(self) -> None:
        """Kill the process: it only reads."""
        self._popen.kill()
        with suppress(subprocess.TimeoutExpired):  # one that hangs in the kernel ends when that lets it
            self._popen.wait(_END_SECONDS)
        self._requests.close()
        self._answers.close()


def started() -> Lister | None:
    """A process; None where none can be started."""
    pipe = subprocess.PIPE
    command = own_python.command("vaulttools.index.lister")
    try:
        popen = subprocess.Popen(
            command, bufsize=0, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, pipesize=PIPE_BYTES
        )
    except OSError:
        return None
    return Lister(popen)

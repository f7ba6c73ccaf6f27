"""Runs extractions in a child process, within a time limit."""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import sys
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Final

import vaulttools
from vaulttools.attachments.extracted import Extracted, Picture, load, load_picture
from vaulttools.attachments.kinds import IMAGE, NOTHING, PACKAGES
from vaulttools.core import child
from vaulttools.core.child import Child, ChildGone
from vaulttools.core.work import Work

SECONDS: Final = 10.0
"""Time limit of an extraction in seconds. PDFium reads about 500 pages a second (measured)."""

AT_ONCE: Final = 2
"""Most children of one process: the second serves another call while the first works on a costly file."""

_ANSWER_BYTES: Final = 128 * 1024 * 1024
"""Most bytes of an accepted answer: `extracted.CHARACTERS` in UTF-8, with the parts."""


class CannotExtract(Exception):
    """No process works; nothing is known about the file. Never leaves the package."""


def extract(kind: str, descriptor: int, seconds: float = SECONDS) -> Extracted:
    """Extracts the text of an opened file in a child process; `kind` is a kind's name. Returns in time, whatever the
    file does.

    Raises:
        CannotExtract: no child can be started, or no child works.
    """
    with _turns:
        try:
            return load(_answer(kind, descriptor, seconds))
        except TimeoutError:
            return Extracted(failure="extraction too costly")
        except (ChildGone, ValueError):
            # The failure of a child that cannot work would be cached for ever as that of the file.
            with suppress(ChildGone, TimeoutError):
                if _answer(NOTHING, descriptor, seconds):
                    return Extracted(failure="damaged")
            raise CannotExtract from None


def draw(descriptor: int, seconds: float = SECONDS) -> Picture | None:
    """Returns the picture of an opened image, from a child process; None if it is no image, or too costly.

    Raises:
        CannotExtract: no child can be started.
    """
    with _turns, suppress(ChildGone, TimeoutError, ValueError):
        return load_picture(_answer(IMAGE, descriptor, seconds))
    return None


def _answer(kind: str, descriptor: int, seconds: float) -> bytes:
    """Returns a child's answer.

    Raises:
        CannotExtract: no child can be started.
        ChildGone: the child ended without an answer.
        TimeoutError: the time is over.
    """
    if not child.can_start():
        raise CannotExtract
    if not _can_send():
        return _answer_once(kind, descriptor, seconds)
    if idle := _idle_one():
        with suppress(ChildGone):  # it may have ended already: only a new child shows that the file is the cause
            return idle.answer(kind, descriptor, seconds)
    return _Extractor().answer(kind, descriptor, seconds)


class _Extractor:
    """A running child and the socket to it."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            try:
                self.child: Final = Child(
                    _command(),
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    env=_environment(),
                    cwd="/",
                    start_new_session=True,
                )
            except OSError as error:
                self._socket.close()
                raise CannotExtract from error

    def answer(self, kind: str, descriptor: int, seconds: float) -> bytes:
        """Returns the child's answer; ends the child if none comes in time.

        Raises:
            ChildGone: the child ended without an answer.
            TimeoutError: the time is over.
        """
        until = time.monotonic() + seconds

        def read(size: int) -> bytes:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._socket.settimeout(left)
            return self._socket.recv(min(size, 1 << 20))

        try:
            socket.send_fds(self._socket, [kind.encode()], [descriptor])
            data = child.frame(read, _ANSWER_BYTES)
        except TimeoutError:
            self.end()
            raise
        except (OSError, EOFError, ValueError) as error:
            self.end()
            raise ChildGone from error
        with _guard:
            _idle.append(self)
        return data

    def end(self) -> None:
        """Kill the child and its own children."""
        self.child.end()
        self._socket.close()


_turns: Final = BoundedSemaphore(AT_ONCE)
_guard: Final = Lock()
_idle: Final[list[_Extractor]] = []


def _idle_one() -> _Extractor | None:
    with _guard:
        return _idle.pop() if _idle else None


@atexit.register
def end_all() -> None:
    """End the idle children."""
    while idle := _idle_one():
        idle.end()


def _answer_once(kind: str, descriptor: int, seconds: float) -> bytes:
    """Like `_answer`, with a process for this file only."""
    try:
        started = Child([*_command(), kind], stdin=descriptor, env=_environment())
    except OSError as error:
        raise CannotExtract from error
    output = started.output(Work(seconds))
    if output.is_out_of_time:
        raise TimeoutError
    return output.stdout


def _can_send() -> bool:
    return hasattr(os, "fork") and hasattr(socket, "send_fds")


def _command() -> list[str]:
    # -P: the working folder may be a vault, from which nothing must be imported. -S: import only from the folders in
    # the environment below.
    return [sys.executable, "-P", "-S", "-m", "vaulttools.attachments.worker"]


def _environment() -> dict[str, str]:
    """Returns a child's environment: only the folders of its modules, and variables that Windows needs."""
    found = [spec.origin for name in PACKAGES if (spec := find_spec(name)) and spec.origin]
    places = [vaulttools.__file__, *found]
    kept = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join(dict.fromkeys(str(Path(place).parent.parent) for place in places))}


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # children belong to the parent

"""Has a child process extract, within a time limit."""

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
"""Seconds after which an extraction is ended. PDFium reads about 500 pages a second (measured)."""

AT_ONCE: Final = 2
"""Children of one process: a second one serves another call while the first is at a costly file."""

_ANSWER_BYTES: Final = 128 * 1024 * 1024
"""Bytes of the largest answer that is taken: `extracted.CHARACTERS` in UTF-8, with the parts."""


class CannotExtract(Exception):
    """No process can be started; nothing is known of the file. Never leaves the package."""


def extract(kind: str, descriptor: int, seconds: float = SECONDS) -> Extracted:
    """The text of an opened file of a kind, by its name, from a child process. Whatever the file does, there is an
    answer in time.

    Raises:
        CannotExtract: no child can be started, or none works.
    """
    with _turns:
        try:
            return load(_answer(kind, descriptor, seconds))
        except TimeoutError:
            return Extracted(failure="extraction too costly")
        except (ChildGone, ValueError):
            # What a child that cannot work says of a file would be kept for good.
            with suppress(ChildGone, TimeoutError):
                if _answer(NOTHING, descriptor, seconds):
                    return Extracted(failure="damaged")
            raise CannotExtract from None


def draw(descriptor: int, seconds: float = SECONDS) -> Picture | None:
    """The picture of an opened image, from a child process; None when it is none, or costs too much.

    Raises:
        CannotExtract: no child can be started.
    """
    with _turns, suppress(ChildGone, TimeoutError, ValueError):
        return load_picture(_answer(IMAGE, descriptor, seconds))
    return None


def _answer(kind: str, descriptor: int, seconds: float) -> bytes:
    """A child's answer.

    Raises:
        CannotExtract: no child can be started.
        ChildGone: it ended instead.
        TimeoutError: the time was over.
    """
    if not child.can_start():
        raise CannotExtract
    if not _can_send():
        return _answer_once(kind, descriptor, seconds)
    if idle := _idle_one():
        with suppress(ChildGone):  # it may have ended before it was asked: only a new one shows that the file did it
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
        """What the child answers; without an answer in time it is ended.

        Raises:
            ChildGone: it ended before.
            TimeoutError: the time was over.
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
        """Kill the child and what it has forked."""
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
    """End the children that nobody uses at present."""
    while idle := _idle_one():
        idle.end()


def _answer_once(kind: str, descriptor: int, seconds: float) -> bytes:
    """As `_answer`, of a process for this one file."""
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
    # -P: the working folder may be a vault, and what lies there must not be imported. -S: nothing but what is named in
    # the environment below.
    return [sys.executable, "-P", "-S", "-m", "vaulttools.attachments.worker"]


def _environment() -> dict[str, str]:
    """All that a child gets of this process's environment: where its modules lie, and what Windows itself needs."""
    found = [spec.origin for name in PACKAGES if (spec := find_spec(name)) and spec.origin]
    places = [vaulttools.__file__, *found]
    kept = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join(dict.fromkeys(str(Path(place).parent.parent) for place in places))}


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # children of the parent alone

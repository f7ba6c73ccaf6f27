"""Starts the child process that extracts, asks it, and ends it at the time limit."""

from __future__ import annotations

import atexit
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Final, TypeVar

import vaulttools
from vaulttools.attachments import picture
from vaulttools.attachments.extracted import Extracted, load
from vaulttools.attachments.kinds import Kind
from vaulttools.attachments.limits import ANSWER_BYTES, LENGTH, NOTHING, SECONDS
from vaulttools.attachments.picture import Picture
from vaulttools.core import own_python

AT_ONCE: Final = 2
"""Children of one process: a second one serves another call while the first is at a costly file."""

_END_SECONDS: Final = 5.0
"""Seconds to wait for a killed process."""

T = TypeVar("T")


class CannotExtract(Exception):
    """No process can be started; nothing is known of the file. Never leaves the package."""


def extract(kind: Kind, descriptor: int, seconds: float = SECONDS) -> Extracted:
    """The text of an opened file, from a child process. Whatever the file does, there is an answer in time.

    Raises:
        CannotExtract: no child can be started, or none works.
    """
    with _turns:
        answer, is_out_of_time = _asked(kind, descriptor, seconds, load)
        # What a child that cannot work says of a file would be kept for good.
        if answer is None and not is_out_of_time and not _asked(NOTHING, descriptor, seconds, bytes)[0]:
            raise CannotExtract
    return answer or Extracted(failure="extraction too costly" if is_out_of_time else "damaged")


def draw(descriptor: int, seconds: float = SECONDS) -> Picture | None:
    """The picture of an opened image, from a child process; None when it is none, or costs too much.

    Raises:
        CannotExtract: no child can be started.
    """
    with _turns:
        return _asked("image", descriptor, seconds, picture.load)[0]


def _asked(kind: str, descriptor: int, seconds: float, read: Callable[[bytes], T | None]) -> tuple[T | None, bool]:
    """What is read of a child's answer, None without a good one; and whether that is since the time was over.

    Raises:
        CannotExtract: no child can be started.
    """
    if not own_python.can_start():
        raise CannotExtract
    if not _can_send():
        return _asked_once(kind, descriptor, seconds, read)
    child = _idle_one() or _Child()
    data = child.ask(kind, descriptor, seconds)
    if data is None and child.has_served and not child.is_out_of_time:
        # It may have ended before it was asked, having been idle: only a new one shows that the file is the reason.
        child.end()
        child = _Child()
        data = child.ask(kind, descriptor, seconds)
    if data is None:
        child.end()
        return None, child.is_out_of_time
    child.has_served = True
    with _guard:
        _idle.append(child)
    try:
        return read(data), False
    except ValueError:
        return None, False


class _Child:
    """A running child and the socket to it."""

    def __init__(self) -> None:
        self.has_served = False
        self.is_out_of_time = False
        """Whether the time limit ended the last extraction."""
        self._socket, theirs = socket.socketpair()
        with theirs:
            try:
                self._popen = subprocess.Popen(
                    _command(),
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env=_environment(),
                    cwd="/",
                    start_new_session=True,
                )
            except OSError as error:
                self._socket.close()
                raise CannotExtract from error

    def ask(self, kind: str, descriptor: int, seconds: float) -> bytes | None:
        """What the child answers; None when it ends instead, or the time does."""
        until = time.monotonic() + seconds
        self.is_out_of_time = False
        try:
            socket.send_fds(self._socket, [kind.encode()], [descriptor])
            size = int.from_bytes(self._receive(LENGTH, until), "big")
            return self._receive(min(size, ANSWER_BYTES), until)
        except TimeoutError:
            self.is_out_of_time = True
            return None
        except (OSError, EOFError):
            return None

    def _receive(self, size: int, until: float) -> bytes:
        received = bytearray()
        while len(received) < size:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._socket.settimeout(left)
            some = self._socket.recv(min(size - len(received), 1 << 20))
            if not some:
                raise EOFError
            received += some
        return bytes(received)

    def end(self) -> None:
        """Kill the child and what it has forked."""
        with suppress(OSError):
            os.killpg(self._popen.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(_END_SECONDS)
        self._socket.close()


_turns: Final = BoundedSemaphore(AT_ONCE)
_guard: Final = Lock()
_idle: Final[list[_Child]] = []


def _idle_one() -> _Child | None:
    with _guard:
        return _idle.pop() if _idle else None


@atexit.register
def end_all() -> None:
    """End the children that nobody uses at present."""
    while child := _idle_one():
        child.end()


def _asked_once(kind: str, descriptor: int, seconds: float, read: Callable[[bytes], T | None]) -> tuple[T | None, bool]:
    """As `_asked`, of a process for this one file."""
    try:
        popen = subprocess.Popen(
            [*_command(), kind],
            stdin=descriptor,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError as error:
        raise CannotExtract from error
    with popen:
        try:
            answered, _ = popen.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            popen.kill()
            return None, True
    try:
        return read(answered[LENGTH:]), False
    except ValueError:
        return None, False


def _can_send() -> bool:
    return hasattr(os, "fork") and hasattr(socket, "send_fds")


def _command() -> list[str]:
    # -P: the working folder may be a vault, and what lies there must not be imported. -S: nothing but what is named in
    # the environment below.
    return [sys.executable, "-P", "-S", "-m", "vaulttools.attachments.child"]


def _environment() -> dict[str, str]:
    """All that a child gets of this process's environment: where its modules lie, and what Windows itself needs."""
    found = [spec.origin for name in ("pypdfium2", "pypdfium2_raw", "PIL") if (spec := find_spec(name)) and spec.origin]
    places = [vaulttools.__file__, *found]
    kept = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join(dict.fromkeys(str(Path(place).parent.parent) for place in places))}


def _forget() -> None:
    """In a process that was forked from one with children: they are not its own."""
    _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)

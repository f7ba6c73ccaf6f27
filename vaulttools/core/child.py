"""Starts child processes, exchanges messages with them, limits their time, and ends them.

A child that runs a module of this package (`started`) reads messages from standard input, answers on standard output,
and ends when its input ends. A message is a frame with a pickle; a frame is a length in four bytes (big-endian) and
that many bytes. Data that a hostile file can influence is sent in frames without pickle.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Any, Final, NamedTuple

from vaulttools.core.work import Work

LENGTH: Final = 4
"""Bytes of a frame's length field."""

_KILLED_SECONDS: Final = 5.0
"""Seconds to wait for a killed process, which may hang in the kernel."""

_POLL: Final = 0.05
"""Seconds between two checks of the cancel event, so that a cancelled call ends well within 0.5 s (fault-M05)."""

_ROOT: Final = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The folder that contains this package."""

_FROM_ROOT: Final = """\
import runpy, sys
sys.path.append(sys.argv.pop(1))
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""

_detached: Final[list[Child]] = []
"""Children that nobody waits for; without a reference, Python would warn about a running one."""


class ChildGone(Exception):
    """The child ended before it answered. Never leaves the package."""


class Output(NamedTuple):
    """Output of a program until it ended or was killed."""

    stdout: bytes
    stderr: bytes
    status: int
    is_out_of_time: bool


class Child:
    """A running child process; `end` ends it."""

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        """Start the process. Options of `subprocess.Popen` override the defaults: pipes for input and output, errors
        dropped.

        Raises:
            OSError: the process cannot be started.
            ValueError: the command contains a NUL or a lone surrogate.
        """
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        # No console, and so no window: CREATE_NO_WINDOW makes one, whose process outlives the child in the same folder.
        flags = {"creationflags": getattr(subprocess, "DETACHED_PROCESS", 0)}
        self._popen: subprocess.Popen[bytes] = subprocess.Popen(command, **{**pipes, **flags, **options})
        self._leads_session = bool(options.get("start_new_session")) and hasattr(os, "killpg")
        self._waiting_since: float | None = None

    @property
    def pid(self) -> int:
        """The process id."""
        return self._popen.pid

    @property
    def input(self) -> IO[bytes]:
        """The pipe to the child's standard input."""
        assert self._popen.stdin is not None
        return self._popen.stdin

    @property
    def answers(self) -> IO[bytes]:
        """The pipe from the child's standard output."""
        assert self._popen.stdout is not None
        return self._popen.stdout

    def send(self, message: object) -> None:
        """Send a message.

        Raises:
            ChildGone: it has ended.
        """
        try:
            send(self.input, message)
        except (OSError, ValueError) as error:
            raise ChildGone from error

    def receive(self) -> Any:
        """Wait for the next message of a child that runs one of our modules.

        Raises:
            ChildGone: it has ended.
        """
        self._waiting_since = time.monotonic()
        try:
            return receive(self.answers)
        except (OSError, ValueError, EOFError, pickle.UnpicklingError) as error:
            raise ChildGone from error
        finally:
            self._waiting_since = None

    def kill_if_late(self, seconds: float) -> None:
        """Kill the child if another thread has waited longer for its answer; that thread gets `ChildGone`."""
        since = self._waiting_since
        if since is not None and time.monotonic() - since > seconds:
            self.kill()

    def output(self, work: Work) -> Output:
        """Returns the output until the process ends, or is killed when the call's time is over.

        Raises:
            Cancelled: the caller has stopped the call; the process was killed.
        """
        try:
            while True:
                left = work.remaining()
                try:
                    printed = self._popen.communicate(timeout=min(left, _POLL) if work.cancel else left)
                    return Output(*printed, self._popen.returncode, is_out_of_time=False)
                except subprocess.TimeoutExpired:
                    if work.remaining() > 0:
                        continue
                    self.kill()
                    return Output(*self._popen.communicate(), self._popen.returncode, is_out_of_time=True)
        finally:
            self.end()

    def wait(self, seconds: float | None = None) -> int | None:
        """Wait for the end and return the exit status, or minus the signal that killed it; None after `seconds`."""
        try:
            return self._popen.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """Kill the process, and its own children if it leads a session. Any thread may call this."""
        if self._leads_session:
            with suppress(OSError):
                os.killpg(self._popen.pid, signal.SIGKILL)
        else:
            self._popen.kill()

    def end(self) -> None:
        """Kill the process and close its pipes, which no thread may be using."""
        self.kill()
        self.wait(_KILLED_SECONDS)
        for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def can_start() -> bool:
    """Whether `sys.executable` is a Python; in a frozen program it is the program itself."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def command(module: str, *arguments: str) -> list[str]:
    """Returns the command that runs a module of this package."""
    # -P: the working folder may be a vault, from which nothing must be imported. -I includes -P.
    safe = "-I" if sys.flags.isolated else "-P"
    if sys.flags.safe_path or sys.path[:1] != [_ROOT]:
        return [sys.executable, safe, "-m", module, *arguments]
    # `python -m vaulttools` in a checkout: without an installation, only this process finds the package.
    return [sys.executable, safe, "-c", _FROM_ROOT, _ROOT, module, *arguments]


def started(module: str, *arguments: str, **options: Any) -> Child | None:
    """Start a child that runs a module of this package, with the options of `Child`; None if that fails."""
    if not can_start():
        return None
    try:
        return Child(command(module, *arguments), **options)
    except OSError:
        return None


def detached(module: str, *arguments: str, **options: Any) -> Child | None:
    """Like `started`, for a child that outlives this process: neither Ctrl-C nor closing the terminal ends it, and it
    keeps no folder in use."""
    nothing = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    windows = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    apart = {"start_new_session": True, "creationflags": windows, "cwd": os.path.abspath(os.sep)}
    child = started(module, *arguments, **{**nothing, **apart, **options})
    if child is not None:
        _detached.append(child)
    return child


def begin(nicer: int = 0) -> None:
    """Set up a child: leave Ctrl-C to the parent, which closes the input, and raise the niceness by `nicer` (0 to 19;
    not on Windows)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if nicer and hasattr(os, "nice"):
        os.nice(nicer)


def requests() -> SimpleQueue[Any]:
    """In a child, returns a queue of the parent's messages, read at once, so that the parent never blocks.

    The process ends when its input ends.
    """
    taken: SimpleQueue[Any] = SimpleQueue()

    def listen() -> None:
        try:
            while True:
                taken.put(receive(sys.stdin.buffer))
        finally:
            os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    return taken


def send(stream: IO[bytes], message: object) -> None:
    """Write a message.

    Raises:
        OSError, ValueError: the other side has gone.
    """
    stream.write(framed(pickle.dumps(message, pickle.HIGHEST_PROTOCOL)))
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read a message; from an unbuffered stream, reads no byte after it.

    Raises:
        EOFError, OSError, ValueError: the other side has gone.
    """
    return pickle.loads(frame(stream.read))  # noqa: S301 - from the process that started this one, or from its child


def framed(data: bytes) -> bytes:
    """Returns data as a frame."""
    return len(data).to_bytes(LENGTH, "big") + data


def frame(read: Callable[[int], bytes], most: int | None = None) -> bytes:
    """Read the data of the next frame. `read` returns at most the given number of bytes, and none at the end.

    Raises:
        EOFError: the other side has gone.
        ValueError: the frame holds more than `most` bytes.
    """
    size = int.from_bytes(_exactly(read, LENGTH), "big")
    if most is not None and size > most:
        raise ValueError("the frame is too long")
    return _exactly(read, size)


def _exactly(read: Callable[[int], bytes], size: int) -> bytes:
    data = bytearray()
    while len(data) < size:  # an unbuffered pipe returns the bytes it has
        more = read(size - len(data))
        if not more:
            raise EOFError
        data += more
    return bytes(data)

"""Asks a process that has the vaults open, while this one speaks the protocol.

They start at once, on two cores: to import the SDK takes as long as to open a vault and answer a first call.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import contextmanager, suppress
from itertools import count
from threading import Lock, Thread
from typing import Any, Final, Literal

from vaulttools.core import child
from vaulttools.core.child import Child, ChildGone
from vaulttools.errors import VaultToolsError
from vaulttools.server.calls import ended
from vaulttools.server.mcp.backend import Backend, Report

FAILED: Final = 2
"""The exit status of a failure, as for every command."""

_END_SECONDS: Final = 10.0
"""Seconds for the process to end by itself: it stops the calls, and ends what the index writes."""

LOST: Final = "the process that reads the vault has ended"


class VaultClient(Backend):
    """A backend, and the process that answers for it."""

    def __init__(self, process: Child, vaults: Sequence[str], tools: Sequence[str]) -> None:
        super().__init__(vaults, tools)
        self._child = process
        self._sending = Lock()
        self._numbers = count(1)
        self._waiting: dict[int, Future[Any]] = {}
        self._taking = Thread(target=self._take, name="vaulttools answers", daemon=True)
        self._is_ending = False

    def ensure_opened(self) -> None:
        """Wait until the vaults are open, and take answers from then on.

        Raises:
            VaultToolsError: one cannot be opened.
        """
        try:
            failure = self._child.receive()
        except ChildGone as error:
            raise VaultToolsError(LOST) from error
        if failure is not None:
            assert isinstance(failure, VaultToolsError)
            raise failure
        self._taking.start()

    def stop(self) -> None:
        """Have the process stop its calls and end, and wait for that."""
        self._is_ending = True
        if self._sending.acquire(timeout=_END_SECONDS):
            with suppress(OSError):
                self._child.input.close()
            self._sending.release()
        if self._child.wait(_END_SECONDS) is None:
            self._child.kill()
        if self._taking.is_alive():
            self._taking.join(_END_SECONDS)
        if not self._taking.is_alive():
            self._child.end()

    async def _ask(self, method: str, *arguments: Any, report: Report | None = None) -> Any:
        """What the process says; when the waiting task is cancelled, it is told so."""
        number = next(self._numbers)
        future = self._waiting[number] = Future[Any]()
        try:
            self.send(number, method, *arguments)
            return await ended(future, report)
        finally:
            if self._waiting.pop(number, None) is not None:
                self.send(number)

    def send(self, *message: object) -> None:
        """Write a message to the process. That never takes long: it takes all requests at once."""
        with self._sending, suppress(ChildGone):  # when it has gone, `_take` ends this process
            self._child.send(message)

    def _take(self) -> None:
        """Hand on the answers as they come. Without that process there is nothing left to serve."""
        with suppress(ChildGone):
            while True:
                answer = self._child.receive()
                assert isinstance(answer, tuple)
                number, result, error = answer
                future = self._waiting.pop(number, None)
                with suppress(InvalidStateError):  # it was cancelled at this moment
                    if future is not None and error is not None:
                        future.set_exception(error)
                    elif future is not None:
                        future.set_result(result)
        if not self._is_ending:
            with suppress(OSError):
                print(f"error: {LOST}", file=sys.stderr, flush=True)
            os._exit(FAILED)  # the main thread is blocked in reading stdin


def started(
    by_name: Mapping[str, str], tools: Sequence[str], *, index: Literal["off"] | None, is_structured: bool
) -> VaultClient | None:
    """A process that opens the vaults at these folders and offers these tools; None: it cannot be started.

    `index` and `is_structured` are those of `server.vaults.opened` and of `Jobs`.
    """
    with _interrupts_held_back():
        process = child.started("vaulttools.server.mcp.vault_process", stderr=None, creationflags=0)
    if process is None:
        return None
    client = VaultClient(process, tuple(by_name), tools)
    client.send(dict(by_name), tuple(tools), index, is_structured)
    return client


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Ctrl-C reaches both processes. This one gets it afterwards; the other, which inherits this, ends when its pipe is
    closed. To ignore it here would lose it, and the server would go on."""
    if sys.platform == "win32":  # where nothing of this is inherited
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

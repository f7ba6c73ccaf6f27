"""Opens vaults, and answers for them until the process that started it goes.

Run as `python -m vaulttools.server.mcp.vault_process`. Messages are those of `core.child`. First comes what
`vault_client.started` was given, answered by None once the vaults are open, else by the error. A request is its number,
a method of `Jobs` and arguments; it is answered by its number, and the result or the error. The number alone: nobody
waits for it any more.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from threading import Event, Lock
from typing import IO, TYPE_CHECKING, Any

from vaulttools.core import child
from vaulttools.core.child import receive, send
from vaulttools.errors import VaultToolsError

if TYPE_CHECKING:
    from vaulttools.server.calls import Calls
    from vaulttools.server.mcp.jobs import Jobs

_log = logging.getLogger("vaulttools")


def run() -> None:
    """Answer until there is nobody to answer."""
    child.begin()
    signal.signal(signal.SIGTERM, lambda number, frame: None)  # as SIGINT; children do not inherit this
    # Nothing but answers may reach the parent, whatever a library prints.
    wire = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    gc.disable()  # what imports make stays: to look for garbage in it takes an eighth of the start
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    from vaulttools.server.calls import Calls
    from vaulttools.server.mcp.jobs import Jobs
    from vaulttools.server.vaults import opened

    with suppress(EOFError, BrokenPipeError):  # the parent has gone already
        begun = receive(sys.stdin.buffer)
        assert isinstance(begun, tuple)
        by_name, tools, index, is_structured = begun
        try:
            with opened(by_name, index=index) as vaults:
                send(wire, None)
                gc.freeze()
                gc.enable()
                Requests(Jobs(vaults, tools, is_structured=is_structured), Calls(), wire).serve(sys.stdin.buffer)
        except VaultToolsError as error:
            send(wire, error)


class Requests:
    """Those that are under way."""

    def __init__(self, jobs: Jobs, calls: Calls, wire: IO[bytes]) -> None:
        self._jobs = jobs
        self._calls = calls
        self._wire = wire
        self._sending = Lock()
        self._begun: dict[int, tuple[Future[Any], Event]] = {}

    def serve(self, stream: IO[bytes]) -> None:
        """Answer the requests of a stream until it ends; then the calls are stopped."""
        try:
            with suppress(EOFError, OSError):
                while True:
                    request = receive(stream)
                    assert isinstance(request, tuple)
                    number, *asked = request
                    if asked:
                        self._begin(number, *asked)
                    else:
                        self._cancel(number)
        finally:
            self._calls.close()

    def _begin(self, number: int, method: str, *arguments: Any) -> None:
        try:
            job = getattr(self._jobs, method)(*arguments)
            future, cancel = self._calls.begin(job.run, lane=job.lane)
        except Exception as error:  # also a lack of threads, which ends this request and no other
            self._refuse(number, error)
            return
        self._begun[number] = future, cancel
        future.add_done_callback(partial(self._answer, number))

    def _cancel(self, number: int) -> None:
        begun = self._begun.get(number)
        if begun is not None:
            future, cancel = begun
            cancel.set()
            future.cancel()

    def _answer(self, number: int, future: Future[Any]) -> None:
        del self._begun[number]
        if future.cancelled():
            return
        error = future.exception()
        if error is None:
            self._send(number, future.result(), None)
        else:
            self._refuse(number, error)

    def _refuse(self, number: int, error: BaseException) -> None:
        if isinstance(error, VaultToolsError):
            self._send(number, None, error)
        else:
            _log.error("a request failed", exc_info=error)
            self._send(number, None, RuntimeError(type(error).__name__))

    def _send(self, *answer: object) -> None:
        with self._sending, suppress(OSError):  # when nobody is there any more, the stream of requests ends
            send(self._wire, answer)


if __name__ == "__main__":
    run()

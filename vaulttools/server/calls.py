"""Runs blocking calls for an event loop: some at once, others in order of arrival."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Final, TypeVar

from vaulttools.errors import VaultToolsError

T = TypeVar("T")

AT_ONCE: Final = max(8, min(2 * (os.cpu_count() or 1), 16))
"""Calls that run at once. More than there are cores: some only wait, for the index to be built or for ripgrep."""

WAITING: Final = 200
"""Calls that may wait for their turn; beyond, one is refused at once rather than answered when nobody wants it."""

REPORT_SECONDS: Final = 0.2
"""Seconds between two reports of a running call (fault-M06)."""


class Busy(VaultToolsError):
    """Too many calls are waiting."""

    def __init__(self) -> None:
        super().__init__(f"The server is busy: {WAITING:,} calls are waiting; call again later")


class Calls:
    """A pool of threads for the calls of all clients. A call has the whole of its time limit from when it starts."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="vaulttools-call")
        self._cancels: set[Event] = set()

    async def run(self, call: Callable[[Event], T], report: Callable[[float], Awaitable[None]] | None = None) -> T:
        """What the call returns; when the waiting task is cancelled, the event that the call was given is set.

        `report` is told the seconds since the call was made, every 200 ms until it ends.

        Raises:
            Busy: too many calls are waiting.
            Exception: what the call raises.
        """
        if len(self._cancels) >= AT_ONCE + WAITING:
            raise Busy
        start = time.monotonic()
        cancel = Event()
        self._cancels.add(cancel)
        running = asyncio.wrap_future(self._pool.submit(call, cancel))
        running.add_done_callback(lambda _: self._cancels.discard(cancel))
        try:
            while not (await asyncio.wait((running,), timeout=REPORT_SECONDS if report else None))[0]:
                if report is not None:
                    await report(time.monotonic() - start)
            return running.result()
        finally:
            cancel.set()
            running.cancel()  # where it has not started yet

    def close(self) -> None:
        """Stop the calls that run, drop those that wait, and wait for the threads."""
        for cancel in tuple(self._cancels):
            cancel.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

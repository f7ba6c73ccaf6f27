"""Runs blocking calls for an event loop, fairly between callers."""

from __future__ import annotations

import asyncio
import os
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event, Lock
from typing import Any, Final, Literal, TypeAlias, TypeVar

from vaulttools.errors import VaultToolsError

T = TypeVar("T")

AT_ONCE: Final = max(8, min(2 * (os.cpu_count() or 1), 16))
"""Calls that run at once. More than there are cores: some only wait, for the index to be built or for ripgrep."""

QUICK_AT_ONCE: Final = 4
"""Threads for calls of tools that take a few milliseconds, so that none waits behind a search."""

OPENING_AT_ONCE: Final = 32
"""Threads for calls of vaults that are indexed for the first time: most of them wait for that, and none in the way of
calls of other vaults."""

Lane: TypeAlias = Literal["usual", "quick", "opening"]

QUICK: Final = frozenset({"read", "outline", "find"})
"""These tools."""

WAITING: Final = 200
"""Calls of one caller that may wait; beyond, one is refused at once rather than answered when nobody wants it."""

REPORT_SECONDS: Final = 0.2
"""Seconds between two reports of a running call (fault-M06)."""


class Busy(VaultToolsError):
    """The server cannot answer now, and can later."""


class TooManyCalls(Busy):
    """Of one caller."""

    def __init__(self) -> None:
        super().__init__(f"The server is busy: {WAITING:,} calls are waiting; call again later")


class Calls:
    """Threads for the calls of all clients. A call has the whole of its time limit from when it starts."""

    def __init__(self) -> None:
        self._lanes: dict[Lane, _Lane] = {
            "usual": _Lane(AT_ONCE, "call"),
            "quick": _Lane(QUICK_AT_ONCE, "quick"),
            "opening": _Lane(OPENING_AT_ONCE, "opening"),
        }
        self._cancels: set[Event] = set()

    async def run(
        self,
        call: Callable[[Event], T],
        report: Callable[[float], Awaitable[None]] | None = None,
        *,
        caller: str = "",
        lane: Lane = "usual",
    ) -> T:
        """What the call returns; when the waiting task is cancelled, the event that the call was given is set.

        `report` is told the seconds since the call was made, every 200 ms until it ends. Callers who wait are served
        in turn, a call each, whoever has how many.

        Raises:
            Busy: too many calls of this caller are waiting.
            Exception: what the call raises.
        """
        future, cancel = self.begin(call, caller=caller, lane=lane)
        try:
            return await ended(future, report)
        finally:
            cancel.set()

    def begin(self, call: Callable[[Event], T], *, caller: str = "", lane: Lane = "usual") -> tuple[Future[T], Event]:
        """What the call will return, and the event that it was given; to be set when nobody waits any more.

        Raises:
            Busy: as `run`.
        """
        cancel = Event()
        future = self._lanes[lane].submit(caller, call, cancel)
        self._cancels.add(cancel)
        future.add_done_callback(lambda _: self._cancels.discard(cancel))
        return future, cancel

    def close(self) -> None:
        """Stop the calls that run, drop those that wait, and wait for the threads."""
        for cancel in tuple(self._cancels):
            cancel.set()
        for lane in self._lanes.values():
            lane.close()


async def ended(future: Future[T], report: Callable[[float], Awaitable[None]] | None = None) -> T:
    """What a call comes to, which is cancelled with the task that waits; `report` is that of `Calls.run`."""
    start = time.monotonic()
    running = asyncio.wrap_future(future)
    try:
        while not (await asyncio.wait((running,), timeout=REPORT_SECONDS if report else None))[0]:
            if report is not None:
                await report(time.monotonic() - start)
        return running.result()
    finally:
        running.cancel()  # where it has not started yet


class _Lane:
    """Some threads, and the calls that wait for one, by caller."""

    def __init__(self, threads: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"vaulttools-{name}")
        self._free = threads
        self._lock = Lock()
        self._waiting: OrderedDict[str, deque[tuple[Future[Any], Callable[[Event], Any], Event]]] = OrderedDict()
        """Callers in the order in which they are served next."""

    def submit(self, caller: str, call: Callable[[Event], T], cancel: Event) -> Future[T]:
        """Have a call run when it is its turn.

        Raises:
            Busy: too many calls of this caller are waiting.
        """
        item = (Future[Any](), call, cancel)
        with self._lock:
            if self._free:
                self._free -= 1
                self._pool.submit(self._work, item)
            else:
                queue = self._waiting.setdefault(caller, deque())
                while queue and queue[0][0].cancelled():
                    queue.popleft()
                if len(queue) >= WAITING:
                    raise TooManyCalls
                queue.append(item)
        return item[0]

    def close(self) -> None:
        """Drop what waits, and wait for the threads."""
        with self._lock:
            dropped = [item for queue in self._waiting.values() for item in queue]
            self._waiting.clear()
        for future, _, _ in dropped:
            future.cancel()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _work(self, item: tuple[Future[Any], Callable[[Event], Any], Event]) -> None:
        """Run a call, and those that wait after it."""
        following: tuple[Future[Any], Callable[[Event], Any], Event] | None = item
        while following is not None:
            future, call, cancel = following
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call(cancel))
                except BaseException as error:  # the waiting task is told, whatever it is
                    future.set_exception(error)
            following = self._next()

    def _next(self) -> tuple[Future[Any], Callable[[Event], Any], Event] | None:
        with self._lock:
            if not self._waiting:
                self._free += 1
                return None
            caller, queue = self._waiting.popitem(last=False)
            item = queue.popleft()
            if queue:
                self._waiting[caller] = queue  # behind the others
            return item

"""Runs blocking calls for an event loop, fairly between callers."""

from __future__ import annotations

import asyncio
import os
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Condition, Event
from typing import Any, Final, Literal, TypeAlias, TypeVar

from vaulttools.errors import Cancelled, VaultToolsError

T = TypeVar("T")

AT_ONCE: Final = 2
"""Calls that run at once. Python computes in one thread at a time, and in another one while that waits for a file or
for ripgrep; more threads wait for each other: 20 clients on two cores get 35 calls a second by 2, 24 by 4, 20 by 8."""

MOST: Final = max(8, min(2 * (os.cpu_count() or 1), 16))
"""Calls that run at once when some of them take long: those wait, for ripgrep or for the index, or must not be waited
for."""

LONG_SECONDS: Final = 2.0
"""After which a running call has another one run beside it, when one waits."""

QUICK_AT_ONCE: Final = 4
"""Threads for calls of tools that take a few milliseconds, so that none waits behind a search."""

OPENING_AT_ONCE: Final = 64
"""Threads for calls of vaults that are indexed for the first time: most of them wait for that, and none in the way of
calls of other vaults."""

Lane: TypeAlias = Literal["usual", "quick", "opening"]

WAITING: Final = 200
"""Calls of one caller that may wait; beyond, one is refused at once rather than answered when nobody wants it."""

WAITING_SECONDS: Final = 20.0
"""That a call may wait for its turn. One that came later and then works for its whole time limit would be answered when
most clients have given it up, after 60 s."""

REPORT_SECONDS: Final = 0.2
"""Seconds between two reports of a running call (fault-M06)."""


class Busy(VaultToolsError):
    """The server cannot answer now, and can later."""


class Calls:
    """Threads for the calls of all clients. A call has the whole of its time limit from when it starts."""

    def __init__(self) -> None:
        self._lanes: dict[Lane, _Lane] = {
            "usual": _Lane(AT_ONCE, MOST, "call"),
            "quick": _Lane(QUICK_AT_ONCE, QUICK_AT_ONCE, "quick"),
            "opening": _Lane(OPENING_AT_ONCE, OPENING_AT_ONCE, "opening"),
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
            Busy: too many calls of this caller are waiting, or this one waited too long.
            Exception: what the call raises.
        """
        future, cancel = self.begin(call, caller=caller, lane=lane)
        start = time.monotonic()
        running = asyncio.wrap_future(future)
        try:
            while not (await asyncio.wait((running,), timeout=REPORT_SECONDS if report else None))[0]:
                if report is not None:
                    await report(time.monotonic() - start)
            return running.result()
        finally:
            cancel.set()
            running.cancel()  # where it has not started yet

    def begin(self, call: Callable[[Event], T], *, caller: str = "", lane: Lane = "usual") -> tuple[Future[T], Event]:
        """What the call will return, and the event that it was given; to be set when nobody waits any more.

        Raises:
            Busy: as `run`.
            Cancelled: the server ends, or no thread can be started.
        """
        cancel, asked = Event(), time.monotonic()

        def in_time(cancel: Event) -> T:
            if time.monotonic() - asked > WAITING_SECONDS:
                raise Busy(f"The server is busy: other calls took {WAITING_SECONDS:.0f} s; call again later")
            return call(cancel)

        future = self._lanes[lane].submit(caller, in_time, cancel)
        self._cancels.add(cancel)
        future.add_done_callback(lambda _: self._cancels.discard(cancel))
        return future, cancel

    def close(self) -> None:
        """Stop the calls that run, drop those that wait, and wait for the threads."""
        for cancel in tuple(self._cancels):
            cancel.set()
        for lane in self._lanes.values():
            lane.close()


@dataclass(slots=True, eq=False)
class _Call:
    """One call."""

    future: Future[Any]
    function: Callable[[Event], Any]
    cancel: Event


class _Lane:
    """Some threads, and the calls that wait for one, by caller."""

    def __init__(self, at_once: int, most: int, name: str) -> None:
        """`at_once` calls run at once, and up to `most` when some of them take long."""
        self._pool = ThreadPoolExecutor(most, thread_name_prefix=f"vaulttools-{name}")
        """Each call has one of its threads run one, whichever is next when there is room."""
        self._at_once = at_once
        self._changed = Condition()
        self._running: dict[_Call, float] = {}
        """When each began, by the monotonic clock; in that order."""
        self._waiting: OrderedDict[str, deque[_Call]] = OrderedDict()
        """Callers in the order in which they are served next."""

    def submit(self, caller: str, function: Callable[[Event], T], cancel: Event) -> Future[T]:
        """Have a call run when it is its turn.

        Raises:
            Busy: too many calls of this caller are waiting.
            Cancelled: the server ends, or no thread can be started.
        """
        call = _Call(Future[Any](), function, cancel)
        with self._changed:
            queue = self._waiting.setdefault(caller, deque())
            if len(queue) >= WAITING:
                live = [each for each in queue if not each.future.cancelled()]
                queue.clear()
                queue.extend(live)
            if len(queue) >= WAITING:
                raise Busy(f"The server is busy: {WAITING:,} calls are waiting; call again later")
            queue.append(call)
            try:
                self._pool.submit(self._run_next)
            except RuntimeError as error:
                call.future.cancel()
                raise Cancelled from error
        return call.future

    def close(self) -> None:
        """Drop what waits, and wait for the threads."""
        with self._changed:
            dropped = [call for queue in self._waiting.values() for call in queue]
            self._waiting.clear()
            self._changed.notify_all()
        for call in dropped:
            call.future.cancel()
        self._pool.shutdown(wait=True)

    def _run_next(self) -> None:
        with self._changed:
            while self._waiting and (seconds := self._until_room()) > 0:
                self._changed.wait(seconds)
            if not self._waiting:  # they were dropped
                return
            caller, queue = self._waiting.popitem(last=False)
            call = queue.popleft()
            if queue:
                self._waiting[caller] = queue  # behind the others
            self._running[call] = time.monotonic()
        if call.future.set_running_or_notify_cancel():
            try:
                call.future.set_result(call.function(call.cancel))
            except BaseException as error:  # the waiting task is told, whatever it is
                call.future.set_exception(error)
        with self._changed:
            del self._running[call]
            self._changed.notify()

    def _until_room(self) -> float:
        """The seconds until another call may run beside those that do not take long; 0: it may now."""
        now = time.monotonic()
        lasting = [LONG_SECONDS - (now - began) for began in self._running.values()]
        short = [left for left in lasting if left > 0]
        return 0.0 if len(short) < self._at_once else min(short)

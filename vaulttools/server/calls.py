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
"""Calls that run at once. Python computes in one thread at a time; a second thread can work while the first waits for a
file or for ripgrep. More threads slow each other down."""

MOST: Final = max(8, min(2 * (os.cpu_count() or 1), 16))
"""Calls that run at once while some of them take long: those wait for ripgrep or the index, or must not delay
others."""

LONG_SECONDS: Final = 2.0
"""Seconds after which a running call no longer counts, so that a waiting call may start beside it."""

QUICK_AT_ONCE: Final = 4
"""Threads for calls that take a few milliseconds, so that they never wait behind a search."""

OPENING_AT_ONCE: Final = 64
"""Threads for calls of vaults that are being indexed for the first time: most of them only wait for the index, and must
not delay calls of other vaults."""

Lane: TypeAlias = Literal["usual", "quick", "opening"]

Report: TypeAlias = Callable[[float], Awaitable[None]]
"""Gets the seconds since a call was made, every 200 ms until it ends."""

WAITING: Final = 200
"""Waiting calls of one caller; a further call is refused at once, because its answer would come too late."""

WAITING_SECONDS: Final = 20.0
"""Seconds that a call may wait to start. After a longer wait and its full time limit, most clients would have given up,
which they do after 60 s."""

REPORT_SECONDS: Final = 0.2
"""Seconds between two progress reports of a running call (fault-M06)."""


class Busy(VaultToolsError):
    """The server cannot answer now, but can later."""


class Calls:
    """Threads for the calls of all clients. The time limit of a call begins when it starts to run."""

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
        report: Report | None = None,
        *,
        caller: str = "",
        lane: Lane = "usual",
    ) -> T:
        """Run a call in a thread and return its result; if the waiting task is cancelled, the call's event is set.

        Waiting callers take turns, one call each, no matter how many calls they have.

        Raises:
            Busy: too many calls of this caller are waiting, or this one waited too long.
            Cancelled: the server ends.
            Exception: what the call raises.
        """
        future, cancel = self.begin(call, caller=caller, lane=lane)
        start = time.monotonic()
        running = asyncio.wrap_future(future)
        try:
            while not (await asyncio.wait((running,), timeout=REPORT_SECONDS if report else None))[0]:
                if report is not None:
                    await report(time.monotonic() - start)
            if running.cancelled():  # by `close`; the error of asyncio would end the request without an answer
                raise Cancelled
            return running.result()
        finally:
            cancel.set()
            running.cancel()  # if it has not started yet

    def begin(self, call: Callable[[Event], T], *, caller: str = "", lane: Lane = "usual") -> tuple[Future[T], Event]:
        """Queue a call; return its future and its event, which the caller sets when nobody waits any more.

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
        """Stop the running calls, drop the waiting ones, and wait for the threads."""
        for cancel in tuple(self._cancels):
            cancel.set()
        for lane in self._lanes.values():
            lane.close()


@dataclass(slots=True, eq=False)
class _Call:
    """A call that runs or waits."""

    future: Future[Any]
    function: Callable[[Event], Any]
    cancel: Event


class _Lane:
    """A group of threads, and the calls that wait for one, by caller."""

    def __init__(self, at_once: int, most: int, name: str) -> None:
        """Run `at_once` calls at once, and up to `most` while some of them take long."""
        self._pool = ThreadPoolExecutor(most, thread_name_prefix=f"vaulttools-{name}")
        """For each submitted call, one thread runs the call whose turn it is as soon as there is room."""
        self._at_once = at_once
        self._changed = Condition()
        self._running: dict[_Call, float] = {}
        """Start of each running call by the monotonic clock, oldest first."""
        self._waiting: OrderedDict[str, deque[_Call]] = OrderedDict()
        """Waiting calls by caller; the first caller is served next."""

    def submit(self, caller: str, function: Callable[[Event], T], cancel: Event) -> Future[T]:
        """Queue a call until it is its turn.

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
        """Drop the waiting calls, and wait for the threads."""
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
            if not self._waiting:  # `close` dropped them
                return
            caller, queue = self._waiting.popitem(last=False)
            call = queue.popleft()
            if queue:
                self._waiting[caller] = queue  # behind the other callers
            self._running[call] = time.monotonic()
        if call.future.set_running_or_notify_cancel():
            try:
                call.future.set_result(call.function(call.cancel))
            except BaseException as error:  # the waiting task gets it, whatever it is
                call.future.set_exception(error)
        with self._changed:
            del self._running[call]
            self._changed.notify()

    def _until_room(self) -> float:
        """Returns the seconds until another call may start beside the short ones; 0 if it may start now."""
        now = time.monotonic()
        lasting = [LONG_SECONDS - (now - began) for began in self._running.values()]
        short = [left for left in lasting if left > 0]
        return 0.0 if len(short) < self._at_once else min(short)

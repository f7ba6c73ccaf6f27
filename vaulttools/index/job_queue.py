"""Lets only a few vaults of a process index or embed at once, in turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Event
from typing import Final

AT_ONCE: Final = 2
"""Vaults that work at once: two, so that a small vault need not wait for a large one. Each starts its own processes, so
more would only slow each other down."""

_LOOK_SECONDS: Final = 0.2
"""Seconds between two checks of the event that ends the waiting."""


class JobQueue:
    """A queue of working and waiting threads, first come, first served."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._at_once = at_once
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        """Reset to an empty queue, as in a child after a fork."""
        self._waiting: deque[object] = deque()
        self._working = 0
        self._changed = Condition()

    @contextmanager
    def taken(self, end: Event) -> Iterator[bool]:
        """Wait for a turn and hold it inside the block; yields False if `end` was set before the turn came."""
        is_mine = self._take(end)
        try:
            yield is_mine
        finally:
            if is_mine:
                self._give_back()

    @contextmanager
    def taken_at_once(self) -> Iterator[bool]:
        """Like `taken`, without waiting: yields False if the places are taken or others wait."""
        with self._changed:
            is_mine = not self._waiting and self._working < self._at_once
            self._working += is_mine
        try:
            yield is_mine
        finally:
            if is_mine:
                self._give_back()

    @property
    def is_wanted(self) -> bool:
        """Whether a thread waits."""
        return bool(self._waiting)

    def _give_back(self) -> None:
        with self._changed:
            self._working -= 1
            self._changed.notify_all()

    def _take(self, end: Event) -> bool:
        me = object()
        with self._changed:
            self._waiting.append(me)
            while not end.is_set() and (self._working >= self._at_once or self._waiting[0] is not me):
                self._changed.wait(_LOOK_SECONDS)
            self._waiting.remove(me)
            self._changed.notify_all()
            if end.is_set():
                return False
            self._working += 1
            return True

"""Keeps what was derived from a snapshot, for all calls that see it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import RLock
from typing import Any, Final, NamedTuple, TypeVar

from vaulttools.core import garbage

T = TypeVar("T")

_KEPT: Final = 32
"""Most kept values: two or three for each kind of question in a session."""


class Memo:
    """Values by key; the least recently used are dropped first. One thread makes a value for all."""

    def __init__(self, lock: RLock) -> None:
        self._lock = lock
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    def made(self, key: Hashable, make: Callable[[], T]) -> T:
        """Returns the value of a key; makes it if it is not kept."""
        with self._lock:
            if key not in self._kept:
                with garbage.paused():
                    made = make()
                self._kept[key] = made
            self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            value: T = self._kept[key]
            return value


class Memos(NamedTuple):
    """What was derived from the parts of one snapshot. A snapshot shares the memos of the parts that it has in common
    with the one before."""

    lock: RLock
    """One for all: what makes a value may ask for values of other parts."""
    names: Memo
    """Rests on the names of files and the ignore rules."""
    times: Memo
    """Rests on names and on modification times."""
    rows: Memo
    """Rests on names and on which files have a row."""
    texts: Memo
    """Rests on all that is known."""

    @classmethod
    def empty(cls, lock: RLock | None = None) -> Memos:
        """Returns memos without values."""
        lock = RLock() if lock is None else lock
        return cls(lock, Memo(lock), Memo(lock), Memo(lock), Memo(lock))

    def after(self, *, names: bool = False, times: bool = False, rows: bool = False) -> Memos:
        """Returns the memos after something changed: names, times, or which files have a row; texts did in any case."""
        new = Memos.empty(self.lock)
        return new._replace(
            names=new.names if names else self.names,
            times=new.times if names or times else self.times,
            rows=new.rows if names or rows else self.rows,
        )

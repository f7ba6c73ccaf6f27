"""Keeps recently used values, up to a total weight."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from threading import Lock
from typing import Generic, TypeVar

from vaulttools.core import forks

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Values by key, for any number of threads; drops the least recently used first."""

    def __init__(self, most: int) -> None:
        """`most` limits the sum of the weights, in the caller's unit."""
        self._most = most
        self.reset_after_fork()
        forks.renew(self)

    def reset_after_fork(self) -> None:
        """Forget everything."""
        self._lock = Lock()
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self.weight = 0

    def get(self, key: K) -> V | None:
        """Returns the value of a key; None if it is not kept."""
        return self.several((key,))[0]

    def several(self, keys: Iterable[K]) -> list[V | None]:
        """Returns the values of some keys; None for those not kept."""
        found: list[V | None] = []
        entries = self._entries
        with self._lock:
            for key in keys:
                entry = entries.get(key)
                if entry is None:
                    found.append(None)
                else:
                    entries.move_to_end(key)
                    found.append(entry[0])
        return found

    def put(self, key: K, value: V, weight: int) -> None:
        """Add or replace the value of a key; a value heavier than the limit is not kept."""
        with self._lock:
            self._drop(key)
            if weight <= self._most:
                self._entries[key] = value, weight
                self.weight += weight
            while self.weight > self._most:
                self._drop(next(iter(self._entries)))

    def made(self, key: K, make: Callable[[], V]) -> V:
        """Returns the value of a key (weight 1); if it is not kept, one thread makes it for all."""
        with self._lock:
            if key not in self._entries:
                self._entries[key] = make(), 1
                self.weight += 1
            self._entries.move_to_end(key)
            value = self._entries[key][0]
            while self.weight > self._most:
                self._drop(next(iter(self._entries)))
        return value

    def _drop(self, key: K) -> None:
        _, weight = self._entries.pop(key, (None, 0))
        self.weight -= weight

"""Keeps what was asked for last, and forgets what was not asked for longest."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Final, TypeVar

T = TypeVar("T")

_MOST: Final = 16
"""A session asks a few questions about one or two scopes."""


class Lasting:
    """What was made for the last keys, for any number of threads."""

    def __init__(self) -> None:
        self._lock: Final = Lock()
        self._made: Final[OrderedDict[Hashable, Any]] = OrderedDict()

    def __call__(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was made before, or is made now."""
        with self._lock:
            if key not in self._made:
                self._made[key] = make()
            self._made.move_to_end(key)
            while len(self._made) > _MOST:
                self._made.popitem(last=False)
            made: T = self._made[key]
            return made

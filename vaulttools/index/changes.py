"""Remembers which files changed last, for answers that are brought up to date by them."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Final

MOST: Final = 2_000
"""Files remembered: more than a synchronisation brings at once; after more an answer is made anew."""


class ChangeLog:
    """The files that changed, the last ones last; not thread-safe, its owner holds a lock."""

    def __init__(self) -> None:
        self.moment = time.monotonic_ns()
        """Counts the times at which something changed, from a number that is larger than all of earlier logs."""
        self._changed: dict[str, int] = {}
        """By file the moment of its last change, in the order of these."""
        self._forgotten = self.moment
        """The last moment whose changes are no longer remembered."""

    def add(self, files: Iterable[str]) -> None:
        """Note that some files changed, at a moment of its own."""
        self.moment += 1
        for path in files:
            self._changed.pop(path, None)
            self._changed[path] = self.moment
        for path in list(self._changed)[: max(0, len(self._changed) - MOST)]:
            self._forgotten = self._changed.pop(path)

    def since(self, moment: int) -> set[str] | None:
        """The files that changed after a moment; None when not all of them are remembered."""
        if moment < self._forgotten:
            return None
        found = set()
        for path, last in reversed(self._changed.items()):
            if last <= moment:
                break
            found.add(path)
        return found

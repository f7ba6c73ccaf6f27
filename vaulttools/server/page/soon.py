"""Cancels a call that would keep a page waiting."""

from __future__ import annotations

import time
from threading import Event


class Soon(Event):
    """Set when another event is, or after so many seconds."""

    def __init__(self, cancel: Event, seconds: float) -> None:
        super().__init__()
        self._cancel = cancel
        self._end = time.monotonic() + seconds

    def is_set(self) -> bool:
        """Whether it is time to stop."""
        return super().is_set() or self._cancel.is_set() or time.monotonic() >= self._end

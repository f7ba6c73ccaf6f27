"""A time limit that is reached when something has happened, however fast or busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from vaulttools.core import work

LIMIT = 60.0
"""Seconds that a call of such a test may take: more than all that comes before the event needs on any machine."""


def time_runs_out_when(monkeypatch: pytest.MonkeyPatch, happened: Callable[[], object]) -> None:
    """After the event, no call that has begun has any time left. A waiting call notices it if it has a `cancel`."""
    monkeypatch.setattr(work, "time", _Clock(happened))


class StandingClock:
    """A clock that moves only when a test moves it."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


class _Clock:
    """Stands in for the module `time`."""

    def __init__(self, happened: Callable[[], object]) -> None:
        self._happened = happened
        self._ahead = 0.0

    def monotonic(self) -> float:
        if not self._ahead and self._happened():
            self._ahead = 10 * LIMIT
        return time.monotonic() + self._ahead

"""Keeps a log from saying the same thing more than once a minute."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

SECONDS: Final = 60.0

_KEPT: Final = 100
"""Different messages that are remembered."""


class Seldom(logging.Filter):
    """Passes on the first record of a kind in a minute; the next one says how many were left out. Whoever can make a
    server log something can make it do so ten thousand times a second."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._told: dict[tuple[object, ...], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is logged."""
        kind = _kind(record)
        now = self._clock()
        last, left_out = self._told.get(kind, (-SECONDS, 0))
        if now - last < SECONDS:
            self._told[kind] = last, left_out + 1
            return False
        if len(self._told) >= _KEPT:
            self._told.clear()
        self._told[kind] = now, 0
        if left_out:
            record.msg, record.args = f"{record.getMessage()} (and {left_out:,} more like this before)", ()
        return True


def _kind(record: logging.LogRecord) -> tuple[object, ...]:
    """Where a record comes from, how it begins, and for an error what and where it is."""
    kind, _, trace = record.exc_info or (None, None, None)
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = None if trace is None else (trace.tb_frame.f_code.co_filename, trace.tb_lineno)
    return record.name, record.pathname, record.lineno, str(record.msg).partition("\n")[0][:200], kind, place

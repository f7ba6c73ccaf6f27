"""Writes the access log, and keeps other logs from repeating themselves."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST: Final = 500
"""Characters of a path that are logged."""

SECONDS: Final = 60.0
"""Between two records of the same kind."""

_KEPT: Final = 100
"""Different messages that are remembered."""


def to_stderr(line: str) -> None:
    """Write a line of the log."""
    print(line, file=sys.stderr, flush=True)


class AccessLog:
    """Passes requests on, and writes a line when each has been answered: who asked for which path, what came of it.

    A path is logged as it came over the wire, percent-encoded, so that no name of a note steers a terminal. Query
    strings are left out: they hold what is searched for, and tokens of callers who put them there by mistake.
    """

    def __init__(self, app: ASGIApp, write: Callable[[str], None] = to_stderr) -> None:
        self._app = app
        self._write = write

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = time.monotonic()
        status = size = 0

        async def noted(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] == "http.response.body":
                size += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            self._write(_line(scope, status, size, time.monotonic() - start))


def _line(scope: Scope, status: int, size: int, seconds: float) -> str:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    client = scope["client"][0] if scope.get("client") else "-"
    caller = scope.get("state", {}).get("caller")
    name = caller.name if caller is not None and caller.name else "-"
    path = scope.get("raw_path", b"").partition(b"?")[0].decode("ascii", "backslashreplace")[:LONGEST]
    return f"{now} {client} {name} {scope['method']} {path} {status or 'cut'} {size} {seconds * 1000:.0f}ms"


class OncePerMinute(logging.Filter):
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

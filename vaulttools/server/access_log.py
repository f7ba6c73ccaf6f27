"""Logs who asked for which path, and what came of it; never a query."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST: Final = 500
"""Characters of a path that are logged."""


def to_stderr(line: str) -> None:
    """Write a line of the log."""
    print(line, file=sys.stderr, flush=True)


class AccessLog:
    """Passes requests on, and writes a line when each has been answered.

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
        status = 0
        size = 0

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

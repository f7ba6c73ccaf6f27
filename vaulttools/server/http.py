"""Serves over streamable HTTP: any number of clients, at /mcp."""

from __future__ import annotations

import logging
import socket
import sys
from collections.abc import Callable
from threading import Thread
from types import FrameType
from typing import Any, Final

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from vaulttools.errors import BadArgument
from vaulttools.server.guard import Access, Guard
from vaulttools.server.mcp.unreadable import Readable

PATH: Final = "/mcp"

SESSIONS: Final = 1_000
"""Sessions of clients that have not said good-bye; each keeps a task and two streams, for half an hour at most."""

GRACE_SECONDS: Final = 1
"""Seconds for answers under way when a signal ends the server."""


def serve(server: Server[Any], access: Access, port: int, stop: Callable[[], None]) -> None:
    """Answer until a signal ends the process; where it listens is told on stderr.

    Raises:
        BadArgument: it cannot listen there.
    """
    listening = _listening(access.host, port)
    # Host and Origin are checked by our own guard, which knows of Obsidian's origins.
    unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = server.streamable_http_app(
        streamable_http_path=PATH, transport_security=unchecked, max_sessions=SESSIONS, host=access.host
    )
    config = uvicorn.Config(
        Guard(Readable(app), access),
        log_config=None,  # uvicorn's own writes to stdout
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    host = f"[{access.host}]" if ":" in access.host else access.host
    print(f"Serving MCP at http://{host}:{listening.getsockname()[1]}{PATH}", file=sys.stderr, flush=True)
    try:
        _Server(config, stop).run(sockets=[listening])
    finally:
        stop()


class _Server(uvicorn.Server):
    """Ends all work as soon as a signal comes: callers under way are then told that their call was cancelled."""

    def __init__(self, config: uvicorn.Config, stop: Callable[[], None]) -> None:
        super().__init__(config)
        self._stop = stop

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # Streams that clients keep open are cut after the grace; that is no error to tell of.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        # In a thread of its own: the one that is interrupted may hold a lock that `stop` needs.
        Thread(target=self._stop).start()
        super().handle_exit(sig, frame)


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadArgument(f"Cannot listen on {host}:{port}: {reason}") from error

"""Makes the MCP server answer HTTP requests: any number of clients, in sessions."""

from __future__ import annotations

from typing import Any, Final

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import (
    DEFAULT_MAX_REQUEST_BODY_SIZE,
    RequestBodyLimitMiddleware,
    TransportSecuritySettings,
)

from vaulttools.server.application import Mcp
from vaulttools.server.mcp.unreadable import Readable

SESSIONS: Final = 1_000
"""Sessions of clients that have not said good-bye; each keeps a task and two streams, for half an hour at most."""


def streamable(server: Server[Any]) -> Mcp:
    """The server as a part of an application. Host and Origin are checked by our own guard, which knows of Obsidian's
    origins."""
    unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    manager = StreamableHTTPSessionManager(server, security_settings=unchecked, max_sessions=SESSIONS)
    # The manager has the same limit, behind what reads the whole body.
    bounded = RequestBodyLimitMiddleware(Readable(StreamableHTTPASGIApp(manager)), DEFAULT_MAX_REQUEST_BODY_SIZE)
    return Mcp(bounded, manager.run)

"""Answers HTTP requests with MCP servers: one for everybody, or one for each caller."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
from anyio.abc import TaskGroup
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import (
    DEFAULT_MAX_REQUEST_BODY_SIZE,
    RequestBodyLimitMiddleware,
    TransportSecuritySettings,
)
from starlette.types import ASGIApp, Receive, Scope, Send

from vaulttools.server.application import Mcp
from vaulttools.server.callers import Caller
from vaulttools.server.mcp.unreadable import Readable

SESSIONS: Final = 1_000
"""Sessions of clients that have not said good-bye; each keeps a task and two streams, for half an hour at most."""

KEPT: Final = 1_000
"""Callers whose servers are kept; of one that comes again later a new one is made, and its sessions begin anew."""

LAST_CALLS_SECONDS: Final = 60.0
"""For calls that are under way when the vaults of their caller change: an empty answer leaves clients waiting."""


def streamable(server: Server[Any]) -> Mcp:
    """The server as a part of an application. Host and Origin are checked by our own guard, which knows of Obsidian's
    origins."""
    mcp = _sessions(server)
    return Mcp(_whole(mcp.app), mcp.runs)


def _sessions(server: Server[Any]) -> Mcp:
    unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    manager = StreamableHTTPSessionManager(server, security_settings=unchecked, max_sessions=SESSIONS)
    return Mcp(StreamableHTTPASGIApp(manager), manager.run)


def _whole(app: ASGIApp) -> ASGIApp:
    """Hands on requests once their bodies have come, which are bounded here: the manager's bound would be behind what
    reads them."""
    return RequestBodyLimitMiddleware(Readable(app), DEFAULT_MAX_REQUEST_BODY_SIZE)


@dataclass(slots=True)
class _Tenant:
    mcp: Mcp
    vaults: tuple[str, ...]
    started: anyio.Event = field(default_factory=anyio.Event)
    ended: anyio.Event = field(default_factory=anyio.Event)
    calls: int = 0
    """Calls under way, for which the end of the server waits."""


def streamable_by_caller(made: Callable[[Caller], Server[Any]]) -> Mcp:
    """A server for each caller, with its vaults and its sessions, as a part of an application.

    A session's id is of use to nobody else, for it is looked up among the caller's.
    """
    tenants = _Tenants(made)
    return Mcp(_whole(tenants), tenants.runs)


class _Tenants:
    """The servers of all callers."""

    def __init__(self, made: Callable[[Caller], Server[Any]]) -> None:
        self._made = made
        self._tenants: OrderedDict[str, _Tenant] = OrderedDict()
        self._group: TaskGroup | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request by the server of its caller. Its body has come before this: a server that ends meanwhile
        waits for the calls that it counts."""
        tenant = self._of(scope["state"]["caller"])
        if not tenant.started.is_set():  # to wait would let a server that runs end before it counts this call
            await tenant.started.wait()
        is_call = scope["method"] == "POST"  # a GET lasts as long as its session
        tenant.calls += is_call
        try:
            await tenant.mcp.app(scope, receive, send)
        finally:
            tenant.calls -= is_call

    @asynccontextmanager
    async def runs(self) -> AsyncIterator[None]:
        """Run the servers for as long as this is entered."""
        async with anyio.create_task_group() as self._group:
            yield
            self._group.cancel_scope.cancel()

    def _of(self, caller: Caller) -> _Tenant:
        """The server of a caller, with the vaults that it may see now; it may only just be starting."""
        found = self._tenants.get(caller.name)
        if found is None or found.vaults != caller.vaults.names:
            if found is not None:
                found.ended.set()
            found = _Tenant(_sessions(self._made(caller)), caller.vaults.names)
            self._tenants[caller.name] = found
            while len(self._tenants) > KEPT:
                self._tenants.popitem(last=False)[1].ended.set()
            assert self._group is not None
            self._group.start_soon(_kept_running, found)
        self._tenants.move_to_end(caller.name)
        return found


async def _kept_running(tenant: _Tenant) -> None:
    async with tenant.mcp.runs():
        tenant.started.set()
        await tenant.ended.wait()
        with anyio.move_on_after(LAST_CALLS_SECONDS):
            while tenant.calls:
                await anyio.sleep(0.1)

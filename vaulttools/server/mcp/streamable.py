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
    RequestBodyLimitMiddleware,
    TransportSecuritySettings,
)
from starlette.types import ASGIApp, Receive, Scope, Send

from vaulttools.server.application import Mcp
from vaulttools.server.callers import Caller
from vaulttools.server.mcp.unreadable import LARGEST, Readable

SESSIONS: Final = 1_000
"""Sessions that clients did not end; each keeps a task and two streams, for at most half an hour."""

KEPT: Final = 1_000
"""Servers that are kept; a caller that returns later gets a new one, and new sessions."""

LAST_CALLS_SECONDS: Final = 60.0
"""Time for running calls after the vaults of their caller changed: an empty answer would leave clients waiting."""


def streamable(server: Server[Any]) -> Mcp:
    """Make a server part of an application. Our own guard checks Host and Origin, because it knows Obsidian's
    origins."""
    mcp = _sessions(server)
    return Mcp(_whole(mcp.app), mcp.runs)


def _sessions(server: Server[Any]) -> Mcp:
    unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    manager = StreamableHTTPSessionManager(server, security_settings=unchecked, max_sessions=SESSIONS)
    return Mcp(StreamableHTTPASGIApp(manager), manager.run)


def _whole(app: ASGIApp) -> ASGIApp:
    """Pass requests on when their whole body has arrived. The body's bound is here, because `Readable` reads the body
    before the manager could apply its own bound."""
    return RequestBodyLimitMiddleware(Readable(app), LARGEST)


@dataclass(slots=True)
class _Tenant:
    mcp: Mcp
    vaults: tuple[str, ...]
    started: anyio.Event = field(default_factory=anyio.Event)
    ended: anyio.Event = field(default_factory=anyio.Event)
    calls: int = 0
    """Running calls; the server waits for them before it ends."""


def streamable_by_caller(made: Callable[[Caller], Server[Any]]) -> Mcp:
    """Make a server for each caller and path, with its vaults and sessions, as part of an application.

    A session's id is useless to others and at other paths, because it is looked up among those of this server.
    """
    tenants = _Tenants(made)
    return Mcp(_whole(tenants), tenants.runs)


class _Tenants:
    """The servers of all callers, one for each path: `/mcp`, and `/v/NAME/mcp` for each vault."""

    def __init__(self, made: Callable[[Caller], Server[Any]]) -> None:
        self._made = made
        self._tenants: OrderedDict[tuple[str, str | None], _Tenant] = OrderedDict()
        """By the caller's name and the vault in the path, if there is one."""
        self._group: TaskGroup | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request with its caller's server. The body has already arrived: a server that ends meanwhile waits
        only for the calls that it counts."""
        tenant = self._of(scope["state"]["caller"], scope.get("path_params", {}).get("vault"))
        if not tenant.started.is_set():  # waiting here would let a running server end before it counts this call
            await tenant.started.wait()
        is_call = scope["method"] == "POST"  # a GET lasts as long as its session
        tenant.calls += is_call
        try:
            await tenant.mcp.app(scope, receive, send)
        finally:
            tenant.calls -= is_call

    @asynccontextmanager
    async def runs(self) -> AsyncIterator[None]:
        """Run the servers while the context is entered."""
        async with anyio.create_task_group() as self._group:
            yield
            self._group.cancel_scope.cancel()

    def _of(self, caller: Caller, vault: str | None) -> _Tenant:
        """Returns the caller's server for the vaults that it may see now; the server may still be starting."""
        key = caller.name, vault
        found = self._tenants.get(key)
        if found is None or found.vaults != caller.vaults.names:
            if found is not None:
                found.ended.set()
            found = _Tenant(_sessions(self._made(caller)), caller.vaults.names)
            self._tenants[key] = found
            while len(self._tenants) > KEPT:
                self._tenants.popitem(last=False)[1].ended.set()
            assert self._group is not None
            self._group.start_soon(_kept_running, found)
        self._tenants.move_to_end(key)
        return found


async def _kept_running(tenant: _Tenant) -> None:
    async with tenant.mcp.runs():
        tenant.started.set()
        await tenant.ended.wait()
        with anyio.move_on_after(LAST_CALLS_SECONDS):
            while tenant.calls:
                await anyio.sleep(0.1)

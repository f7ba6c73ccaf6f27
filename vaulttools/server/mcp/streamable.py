"""Answers HTTP requests with MCP servers: one for everybody, or one for each caller."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
from anyio.abc import TaskGroup, TaskStatus
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import (
    DEFAULT_MAX_REQUEST_BODY_SIZE,
    RequestBodyLimitMiddleware,
    TransportSecuritySettings,
)
from starlette.types import Receive, Scope, Send

from vaulttools.server.application import Mcp
from vaulttools.server.callers import Caller
from vaulttools.server.mcp.unreadable import Readable

SESSIONS: Final = 1_000
"""Sessions of clients that have not said good-bye; each keeps a task and two streams, for half an hour at most."""

KEPT: Final = 1_000
"""Callers whose servers are kept; of one that comes again later a new one is made, and its sessions begin anew."""


def streamable(server: Server[Any]) -> Mcp:
    """The server as a part of an application. Host and Origin are checked by our own guard, which knows of Obsidian's
    origins."""
    unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    manager = StreamableHTTPSessionManager(server, security_settings=unchecked, max_sessions=SESSIONS)
    # The manager has the same limit, behind what reads the whole body.
    bounded = RequestBodyLimitMiddleware(Readable(StreamableHTTPASGIApp(manager)), DEFAULT_MAX_REQUEST_BODY_SIZE)
    return Mcp(bounded, manager.run)


@dataclass(slots=True)
class _Tenant:
    mcp: Mcp
    vaults: tuple[str, ...]
    ended: anyio.Event = field(default_factory=anyio.Event)


def streamable_by_caller(made: Callable[[Caller], Server[Any]]) -> Mcp:
    """A server for each caller, with its vaults and its sessions, as a part of an application.

    A session's id is of use to nobody else, for it is looked up among the caller's.
    """
    tenants = _Tenants(made)
    return Mcp(tenants, tenants.runs)


class _Tenants:
    """The servers of all callers."""

    def __init__(self, made: Callable[[Caller], Server[Any]]) -> None:
        self._made = made
        self._tenants: OrderedDict[str, _Tenant] = OrderedDict()
        self._group: TaskGroup | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request by the server of its caller."""
        mcp = await self._of(scope["state"]["caller"])
        await mcp.app(scope, receive, send)

    @asynccontextmanager
    async def runs(self) -> AsyncIterator[None]:
        """Run the servers for as long as this is entered."""
        async with anyio.create_task_group() as self._group:
            yield
            self._group.cancel_scope.cancel()

    async def _of(self, caller: Caller) -> Mcp:
        """The server of a caller, with the vaults that it may see now."""
        found = self._tenants.get(caller.name)
        if found is None or found.vaults != caller.vaults.names:
            if found is not None:
                found.ended.set()
            found = _Tenant(streamable(self._made(caller)), caller.vaults.names)
            self._tenants[caller.name] = found
            while len(self._tenants) > KEPT:
                self._tenants.popitem(last=False)[1].ended.set()
            assert self._group is not None
            await self._group.start(_kept_running, found)
        self._tenants.move_to_end(caller.name)
        return found.mcp


async def _kept_running(tenant: _Tenant, *, task_status: TaskStatus[None]) -> None:
    async with tenant.mcp.runs():
        task_status.started()
        await tenant.ended.wait()

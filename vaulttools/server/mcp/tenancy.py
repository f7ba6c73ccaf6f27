"""Gives each caller an MCP server of its own, with its vaults and its sessions."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
from anyio.abc import TaskGroup, TaskStatus
from mcp.server.lowlevel import Server
from starlette.types import ASGIApp, Receive, Scope, Send

from vaulttools.server.application import Mcp
from vaulttools.server.callers import Caller
from vaulttools.server.mcp.streamable import streamable

KEPT: Final = 1_000
"""Callers whose servers are kept; of one that comes again later a new one is made, and its sessions begin anew."""


@dataclass(slots=True)
class _Tenant:
    mcp: Mcp
    vaults: tuple[str, ...]
    ended: anyio.Event = field(default_factory=anyio.Event)


class Tenancy:
    """The servers of all callers. A session's id is of use to nobody else, for it is looked up among the caller's."""

    def __init__(self, made: Callable[[Caller], Server[Any]]) -> None:
        self._made = made
        self._tenants: OrderedDict[str, _Tenant] = OrderedDict()
        self._group: TaskGroup | None = None

    @property
    def mcp(self) -> Mcp:
        """As a part of an application."""
        return Mcp(self._answer, self._run)

    @asynccontextmanager
    async def _run(self) -> AsyncIterator[None]:
        async with anyio.create_task_group() as self._group:
            yield
            self._group.cancel_scope.cancel()

    @property
    def _answer(self) -> ASGIApp:
        return _App(self)

    async def tenant(self, caller: Caller) -> Mcp:
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


class _App:
    def __init__(self, tenancy: Tenancy) -> None:
        self._tenancy = tenancy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        mcp = await self._tenancy.tenant(scope["state"]["caller"])
        await mcp.app(scope, receive, send)


async def _kept_running(tenant: _Tenant, *, task_status: TaskStatus[None]) -> None:
    async with tenant.mcp.runs():
        task_status.started()
        await tenant.ended.wait()

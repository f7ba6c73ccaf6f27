"""Serves the pages and REST of vaults in this process, behind the guard, and asks them without a socket."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp

from tests.conftest import Files, write_files
from tests.server.serving import ACCEPT, INITIALIZE
from vaulttools import tools
from vaulttools.server.application import FIRST, Mcp, Rooms, application
from vaulttools.server.callers import Alike, Callers
from vaulttools.server.calls import Calls
from vaulttools.server.guard import Access
from vaulttools.server.mcp import protocol
from vaulttools.server.mcp.backend import Backend
from vaulttools.server.mcp.streamable import streamable_by_caller
from vaulttools.server.openapi import routes as openapi
from vaulttools.server.page import routes as page
from vaulttools.server.rest import routes as rest
from vaulttools.server.service import Service
from vaulttools.server.vaults import Vaults, opened
from vaulttools.tools import NAMES

ORIGIN = "http://127.0.0.1:8765"


def ask(app: ASGIApp, method: str, path: str, **given: Any) -> httpx2.Response:
    """The answer to one request; `given` as the client's `request` takes it."""

    async def one(client: httpx2.AsyncClient) -> list[httpx2.Response]:
        return [await client.request(method, path, **given)]

    return talk(app, one)[0]


def talk(
    app: ASGIApp, conversation: Callable[[httpx2.AsyncClient], Awaitable[list[httpx2.Response]]]
) -> list[httpx2.Response]:
    """The result of a conversation with the application."""

    async def held() -> list[httpx2.Response]:
        # An error of the application is what a client would see of it: an answer with its status.
        transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url=ORIGIN) as client:
            return await conversation(client)

    return anyio.run(held)


Serve = Callable[..., ASGIApp]


@asynccontextmanager
async def at_rest() -> Any:
    """Runs in place of an MCP server that nobody asks."""
    yield


def app_of(vaults: Vaults, calls: Calls, token: str | None = None) -> ASGIApp:
    """Pages and REST of vaults that are open."""
    service = Service(Alike(token, vaults), calls)
    rooms = Rooms(page.routes(service), rest.routes(service, FIRST), openapi.routes(service, NAMES))
    return application(service, Mcp(PlainTextResponse("mcp"), at_rest), Access("127.0.0.1"), rooms)


def answers_at(
    path: str, callers: Callers, token: str, asked: Sequence[tuple[str, dict[str, Any]]]
) -> list[dict[str, Any]]:
    """What MCP at a path answers, one after another in one session; `asked` are methods with their parameters."""

    async def held() -> list[dict[str, Any]]:
        calls = Calls()
        mcp = streamable_by_caller(
            lambda caller: protocol.server(Backend(caller.vaults, tools.NAMES, calls, is_structured=True))
        )
        service = Service(callers, calls)
        app = application(service, mcp, Access("127.0.0.1"), Rooms([], rest.routes(service, None)))
        headers = {**ACCEPT, "Authorization": f"Bearer {token}"}
        client = httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=ORIGIN, headers=headers, timeout=None)
        async with mcp.runs(), client:
            begun = await client.post(path, json=INITIALIZE)
            client.headers["Mcp-Session-Id"] = begun.headers["mcp-session-id"]
            return [await _told(client, path, method, parameters) for method, parameters in asked]

    return anyio.run(held)


async def _told(client: httpx2.AsyncClient, path: str, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": 2, "method": method, "params": parameters}
    answer = await client.post(path, json=message)
    (data,) = re.findall(r"(?m)^data: (\{.*)$", answer.text)
    told: dict[str, Any] = json.loads(data)
    return told


@contextmanager
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Serves vaults of `{path: content}`, or folders, by their names, to everybody or to those with a token."""
    with ExitStack() as stack:

        def served(token: str | None = None, **vaults: Files | Path) -> ASGIApp:
            folder = tmp_path_factory.mktemp("vaults")
            by_name = {}
            for name, files in vaults.items():
                by_name[name] = str(files if isinstance(files, Path) else folder / name)
                if not isinstance(files, Path):
                    write_files(folder / name, files)
            calls = Calls()
            stack.callback(calls.close)
            return app_of(stack.enter_context(opened(by_name, index="off")), calls, token)

        yield served

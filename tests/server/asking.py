"""Serves the pages and REST of vaults in this process, behind the guard, and asks them without a socket."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp

from tests.conftest import Files, write_files
from vaulttools.server.application import FIRST, Mcp, Rooms, application
from vaulttools.server.callers import Alike
from vaulttools.server.calls import Calls
from vaulttools.server.guard import Access
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

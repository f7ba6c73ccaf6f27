"""The pages and REST of a vault, behind the guard, without a socket."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp

from tests.conftest import Files, write_files
from vaulttools.server.application import FIRST, Mcp, Rooms, application
from vaulttools.server.callers import Alike
from vaulttools.server.calls import Calls
from vaulttools.server.guard import Access
from vaulttools.server.page import routes as page
from vaulttools.server.rest import routes as rest
from vaulttools.server.service import Service
from vaulttools.server.vaults import opened

Serve = Callable[..., ASGIApp]


@asynccontextmanager
async def _at_rest() -> Any:
    yield


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
            service = Service(Alike(token, stack.enter_context(opened(by_name, index="off"))), calls)
            rooms = Rooms(page.routes(service), rest.routes(service, FIRST))
            return application(service, Mcp(PlainTextResponse("mcp"), _at_rest), Access("127.0.0.1"), rooms)

        yield served

"""Combines MCP, REST and the pages into one application, behind one guard and one log."""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from typing import Final, NamedTuple
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vaulttools.server.guard import MCP, TOOLS, Access, Guard, is_mcp, room
from vaulttools.server.openapi import problems
from vaulttools.server.rest import answering
from vaulttools.server.service import NoSuchVault, Service

LONGEST: Final = 500
"""Characters of a path in one line of the log."""

HEALTH: Final = "/healthz"

FIRST: Final = "/ui/"
"""The first page for a browser."""

LOGIN: Final = "/ui/login"
"""A browser without a token is redirected here."""

STATIC: Final = "/ui/static/"
"""Scripts, styles and icons of the pages; everybody gets the same without a token."""


_TRIED: Final = {"/": ["POST"], "/sse": ["GET", "POST"]}
"""Where clients look for MCP besides `/mcp`, by an address without a path or by the older transport."""

FAILED: Final = "The server failed for a reason of its own; its log has the details"
"""The answer after a fault of our own: its traceback could reveal text of notes and paths outside the vault."""


class _AnyPath(PathConvertor):
    """The rest of a path, including line ends, which file names may contain."""

    regex = r"[\s\S]*"


register_url_convertor("path", _AnyPath())


class Mcp(NamedTuple):
    """The MCP server as a part of the application."""

    app: ASGIApp
    """Answers requests to `/mcp`, and to `/v/NAME/mcp` with a caller who sees that vault alone."""
    runs: Callable[[], AbstractAsyncContextManager[None]]
    """Runs the server while its context is entered."""


class Rooms(NamedTuple):
    """Routes besides MCP."""

    page: Sequence[BaseRoute]
    """Routes below `/ui`, and for each vault below `/v/NAME/ui`."""
    rest: Sequence[BaseRoute]
    """Routes from `/`, and for each vault from `/v/NAME/`; the last one takes every path that no room has."""
    tools: Sequence[BaseRoute] = ()
    """Routes of `/tools/…` and their description, and for each vault below `/v/NAME/`."""
    sign_in: Sequence[Route] = ()
    """Routes for signing in, open to everybody."""


def application(service: Service, mcp: Mcp, access: Access, rooms: Rooms | None = None) -> ASGIApp:
    """Build the application of one server; without rooms it serves only `/mcp` and `/healthz`."""

    async def elsewhere(request: Request) -> Response:
        return refused(request.scope, 404, f"MCP is at {MCP} here: give the client the address with {MCP} at its end")

    routes: list[BaseRoute] = [Route(HEALTH, _healthy), Route(MCP, mcp.app)]
    routes += [Route(path, elsewhere, methods=methods) for path, methods in _TRIED.items()]
    if rooms is not None:
        vault_routes = [Route("/ui", _with_slash), Mount("/ui", routes=rooms.page), *rooms.tools, *rooms.rest]
        of_vault = [Route(MCP, _OfOneVault(service, mcp.app)), *vault_routes]
        routes += [*rooms.sign_in, Mount("/v/{vault}", routes=of_vault), *vault_routes]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with mcp.runs():
            yield

    def is_open(path: str) -> bool:
        if rooms is None or path == HEALTH:
            return path == HEALTH
        is_of_sign_in = any(route.path_regex.fullmatch(path) for route in rooms.sign_in)
        return is_of_sign_in or path in ("/", LOGIN) or path.startswith(STATIC)

    def refused(scope: Scope, status: int, sentence: str) -> Response:
        path: str = scope["path"]
        if rooms is None or is_mcp(path):
            challenge = "Bearer" if service.sign_in is None else service.sign_in.challenge(path)
            return PlainTextResponse(sentence, status, {"WWW-Authenticate": challenge} if status == 401 else None)
        if room(path) == TOOLS:
            return problems.refused(status, sentence)
        if status == 401 and room(path) == "ui":
            return RedirectResponse(f"{LOGIN}?to={quote(path)}", 303)
        return answering.refused(status, sentence)

    async def failed(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if error.status_code != 405 or rooms is None:
            return refused(request.scope, error.status_code, error.detail)
        if request.method == "OPTIONS":
            allowed = {"OPTIONS", *(error.headers or {}).get("Allow", "").split(", ")}
            return Response(status_code=204, headers={"Allow": ", ".join(sorted(filter(None, allowed)))})
        return refused(request.scope, 403, answering.READ_ONLY)

    async def gone(request: Request, error: Exception) -> Response:
        # The client left while it sent the body. Nobody reads this answer, and the log needs no entry.
        return Response(status_code=400)

    async def broke(request: Request, error: Exception) -> Response:
        return refused(request.scope, 500, FAILED)

    handlers = {HTTPException: failed, ClientDisconnect: gone, Exception: broke}
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    return Guard(app, access, service, refused, is_open)


class _OfOneVault:
    """Answers `/v/NAME/mcp`; a vault that the caller may not see is refused as an unknown one, and as over REST."""

    def __init__(self, service: Service, app: ASGIApp) -> None:
        self._service = service
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        try:
            name = self._service.vault_name(request)
        except NoSuchVault:
            await answering.refused(404, "Not Found")(scope, receive, send)
            return
        caller = self._service.caller(request)
        assert caller is not None
        await self._app({**scope, "state": {**scope["state"], "caller": caller.seeing(name)}}, receive, send)


async def _with_slash(request: Request) -> Response:
    query = request.url.query
    return RedirectResponse(f"{quote(request.scope['path'])}/{query and f'?{query}'}", 308)


async def _healthy(_: Request) -> Response:
    return PlainTextResponse("ok")


def to_stderr(line: str) -> None:
    """Write one line of the log to stderr."""
    print(line, file=sys.stderr, flush=True)


class AccessLog:
    """Passes requests on, and logs each one after its answer: who asked for which path, and the result.

    It logs paths percent-encoded, as received, so that no note's name can send control characters to a terminal. It
    leaves out query strings: they contain search terms, and tokens that callers put there by mistake.
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
        status = size = 0

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

"""Routes calls of tools, and the document that describes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from threading import Event
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from vaulttools.errors import BadArgument, Cancelled, VaultToolsError
from vaulttools.server.calls import Busy
from vaulttools.server.mcp.unreadable import LONE_SURROGATE, is_cut
from vaulttools.server.openapi import problems
from vaulttools.server.openapi.document import document
from vaulttools.server.rest import answering
from vaulttools.server.service import NoSuchVault, Service
from vaulttools.server.vaults import way_of
from vaulttools.vault import Vault

JSON: Final = "application/json"

SHORT: Final = "short"
"""The query of `/openapi.json` that asks for descriptions of at most 300 characters, the limit of GPT actions."""

_SHOWN: Final = 100
"""Characters of an unknown tool's name, or of a content type, that a refusal repeats."""


class _NoSuchTool(BadArgument):
    """The server offers no tool of that name."""


class _NotJson(BadArgument):
    """The body has another type than JSON."""


def routes(service: Service, tools: Sequence[str]) -> list[BaseRoute]:
    """Returns the routes of a vault: `/tools/NAME` for each of these tools, and `/openapi.json`."""
    calls = _Calls(service, tuple(tools))
    described = partial(_described, service, tuple(tools))
    return [Route("/openapi.json", described), Route("/tools", calls), Route("/tools/{name:path}", calls)]


async def _described(service: Service, tools: tuple[str, ...], request: Request) -> Response:
    """Returns the OpenAPI document of the tools."""
    is_short = request.scope["query_string"] == SHORT.encode()
    made = partial(document, tools, needs_token=service.callers.need_token, is_short=is_short)
    return await answering.described(service, request, made, JSON)


class _Calls:
    """Answers every method of `/tools/NAME`, so that no other route does."""

    def __init__(self, service: Service, tools: tuple[str, ...]) -> None:
        self._service = service
        self._tools = tools

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        response = await self._answer(request)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        """Returns the details of a tool's answer, or a refusal."""
        if request.method in ("GET", "HEAD"):
            return problems.refused(405, "A tool is called by POST, with its arguments as JSON", {"Allow": "POST"})
        if request.method != "POST":
            raise HTTPException(405, headers={"Allow": "POST"})
        try:
            name = self._named(request)
            arguments = await _arguments(request)
            return await self._service.run(request, partial(_called, name, arguments), **way_of(name))
        except VaultToolsError as error:
            return _refusal(error)

    def _named(self, request: Request) -> str:
        name: str = request.path_params.get("name", "")
        if name not in self._tools:
            raise _NoSuchTool(f"Unknown tool: {name[:_SHOWN]}; offered are: {', '.join(self._tools)}")
        return name


def _called(name: str, arguments: dict[str, Any], vault: Vault, cancel: Event) -> Response:
    """Returns a tool's answer. The call's thread also encodes it, so that the event loop need not."""
    result = vault.call(name, arguments, cancel=cancel, bounded=True)
    if result.is_error:
        return problems.refused(500 if result.is_fault else 400, result.text)
    return JSONResponse(answering.encodable(result.details))


async def _arguments(request: Request) -> dict[str, Any]:
    """Returns the arguments in the body of a request.

    Raises:
        BadArgument: there are none.
    """
    kind = request.headers.get("content-type", "")
    if kind.partition(";")[0].strip().lower() != JSON:
        raise _NotJson(f"Content-Type must be {JSON}, got '{kind[:_SHOWN]}'")
    if request.scope["query_string"]:
        raise BadArgument("The arguments must be in the body, as a JSON object; the address takes none")
    try:
        text = (await request.body()).decode("utf-8-sig")
        given = json.loads(text, parse_constant=_no_number)
        has_half = "\\u" in text and is_cut(given)
    except json.JSONDecodeError as error:
        raise BadArgument(
            f"The body is not valid JSON: {error.msg}, line {error.lineno}, column {error.colno}"
        ) from None
    except (ValueError, RecursionError):
        raise BadArgument("The body is not valid JSON in UTF-8, or too large a number or too deep") from None
    if not isinstance(given, dict):
        raise BadArgument("The body must be a JSON object: the tool's arguments by name")
    if has_half:
        raise BadArgument(LONE_SURROGATE)
    return given


def _no_number(name: str) -> None:
    """Refuse `NaN` and `Infinity`, which Python reads and JSON lacks."""
    raise ValueError(name)


def _refusal(error: VaultToolsError) -> Response:
    if isinstance(error, Busy | Cancelled):
        return problems.refused(503, str(error), {"Retry-After": "2"})
    if isinstance(error, _NoSuchTool | NoSuchVault):
        return problems.refused(404, str(error))
    if isinstance(error, BadArgument):
        return problems.refused(415 if isinstance(error, _NotJson) else 400, str(error))
    return problems.refused(500, str(error))

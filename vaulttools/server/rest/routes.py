"""Lists the REST routes, and refuses all others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, TypeAlias

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from vaulttools import __version__
from vaulttools.answers import all_notes, usages
from vaulttools.call import Call
from vaulttools.server.rest import description, files, searches
from vaulttools.server.rest.answering import answered, as_json, described, refused
from vaulttools.server.service import Service

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]

SERVICE: Final = "Obsidian Local REST API"
"""Clients check this name before they continue."""

API_VERSION: Final = "5.0.0"
"""Version of the plugin whose answers these are."""

APP_VERSION: Final = "1.12.0"
"""Version of Obsidian that the plugin reports; no app runs here, but clients refuse an invalid version."""

MANIFEST: Final = {
    "id": "obsidian-local-rest-api",
    "name": "Local REST API (vaulttools, read-only)",
    "version": API_VERSION,
    "minAppVersion": "0.12.0",
    "description": f"Answered by vaulttools {__version__}, without Obsidian. Nothing can be written.",
    "author": "vaulttools",
    "authorUrl": "",
    "isDesktopOnly": True,
    "dir": "",
}

_NO_APP: Final = "The active file needs the Obsidian app, which is not running here"


def routes(service: Service, page: str | None, days_left: Callable[[], int] = lambda: 0) -> list[BaseRoute]:
    """Returns all routes of a vault.

    A browser at `/` is redirected to `page`; None if there are no pages. `days_left` returns the days until the
    certificate expires; 0 over http, which has none.
    """

    async def status(request: Request) -> Response:
        """Report that the server runs; without a token the answer contains no path and no vault's name."""
        if page is not None and "text/html" in request.headers.get("accept", ""):
            return RedirectResponse(request.scope.get("root_path", "") + page, 303)
        is_authenticated = service.caller(request) is not None
        fields: dict[str, Any] = {
            "status": "OK",
            "manifest": MANIFEST,
            "versions": {"obsidian": APP_VERSION, "self": API_VERSION},
            "service": SERVICE,
            "authenticated": is_authenticated,
        }
        if is_authenticated:
            # obsidian-mcp-tools refuses an answer without these fields, even over http.
            fields["certificateInfo"] = {"validityDays": days_left(), "regenerateRecommended": False}
            fields["apiExtensions"] = []
        return JSONResponse(fields)

    async def described_routes(request: Request) -> Response:
        document = partial(description.document, needs_token=service.callers.need_token)
        return await described(service, request, document, "application/yaml")

    read: dict[str, Endpoint] = {
        "/": status,
        "/vault": partial(files.answer, service),
        "/vault/{path:path}": partial(files.answer, service),
        "/tags/": partial(_tags, service),
        "/periodic/{period}/": partial(files.periodic, service),
        "/periodic/{period}/{year}/{month}/{day}/": partial(files.periodic, service),
        "/periodic/{period}/recent": partial(files.newest_periodic, service),
        "/commands/": _no_commands,
        "/openapi.yaml": described_routes,
    }
    posted: dict[str, Endpoint] = {
        "/search/simple/": partial(searches.simple_search, service),
        "/search/": partial(searches.by_query, service),
        "/search/smart": partial(searches.smart_search, service),
    }
    return [
        *_with_and_without_slash(read, "GET"),
        *_with_and_without_slash(posted, "POST"),
        Route("/{path:path}", _not_found),
    ]


def _with_and_without_slash(answers: Mapping[str, Endpoint], method: str) -> list[Route]:
    """Returns the routes, then the same paths with the last slash left out or added, as some clients write them."""
    others = {
        path[:-1] if path.endswith("/") else f"{path}/": answer
        for path, answer in answers.items()
        if path != "/" and not path.endswith("}")
    }
    return [Route(path, answer, methods=[method]) for path, answer in (*answers.items(), *others.items())]


async def _tags(service: Service, request: Request) -> Response:
    """Returns every tag with its number of notes, including those of nested tags."""

    def ask(call: Call) -> Response:
        call, scope = all_notes.awaited(call)
        found = all_notes.answered(call, usages.TAGS, scope).answer.all
        return as_json({"tags": [{"name": each.tag, "count": each.notes} for each in found]}, call.work)

    return await answered(service, request, ask, of_all=True)


async def _no_commands(request: Request) -> Response:
    """Returns no commands: there is no app that could run one."""
    return JSONResponse({"commands": []})


async def _not_found(request: Request) -> Response:
    """Explain why a path leads nowhere."""
    is_active = request.path_params["path"].partition("/")[0] == "active"
    return refused(404, _NO_APP if is_active else "Not Found")

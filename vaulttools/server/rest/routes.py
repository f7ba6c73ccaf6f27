"""Lists what is answered over REST, and refuses the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from vaulttools.answers import corpus
from vaulttools.core.work import Work
from vaulttools.server.rest.asking import answered, as_json
from vaulttools.server.rest.errors import refused
from vaulttools.server.rest.files import FileEndpoint
from vaulttools.server.rest.periodic import Periodic
from vaulttools.server.rest.searches import Searches
from vaulttools.server.rest.status import StatusEndpoint
from vaulttools.server.service import Service
from vaulttools.session import Session
from vaulttools.tools import tags


def routes(service: Service, page: str | None, days_left: Callable[[], int] = lambda: 0) -> list[BaseRoute]:
    """All routes of a vault; `page`: where people are led who come to `/` with a browser; `days_left`: of the
    certificate; 0 over http, which has none."""
    files, searches, periodic = FileEndpoint(service), Searches(service), Periodic(service)

    async def list_tags(request: Request) -> Response:
        return await answered(service, request, _tags, as_json, of_all=True)

    answers = {
        "/": StatusEndpoint(service, page, days_left).answer,
        "/vault": files.answer,
        "/vault/{path:path}": files.answer,
        "/tags/": list_tags,
        "/periodic/{period}/": periodic.current,
        "/periodic/{period}/{year}/{month}/{day}/": periodic.current,
        "/periodic/{period}/recent": periodic.newest,
        "/commands/": _no_commands,
    }
    posted = {
        "/search/simple/": searches.simple,
        "/search/": searches.by_query,
        "/search/smart": searches.smart,
    }
    return [
        *(Route(path, answer, methods=["GET"]) for path, answer in answers.items()),
        *(Route(path, answer, methods=["GET"]) for path, answer in _without_slash(answers)),
        *(Route(path, answer, methods=["POST"]) for path, answer in posted.items()),
        *(Route(path, answer, methods=["POST"]) for path, answer in _without_slash(posted)),
        Route("/{path:path}", _otherwise),
    ]


def is_open(path: str) -> bool:
    """Whether a path is answered without a token."""
    return path == "/"


def _without_slash(routes: dict[str, Any]) -> list[tuple[str, Any]]:
    """The same paths as clients write them who leave out, or add, the last slash."""
    return [
        (path[:-1] if path.endswith("/") else f"{path}/", answer)
        for path, answer in routes.items()
        if path != "/" and not path.endswith("}")
    ]


def _tags(vault: Session, work: Work) -> dict[str, Any]:
    """Every tag with the number of its notes, those of nested tags counted too."""
    found = corpus.ask(vault, tags.PROJECTION, work).answer.all
    return {"tags": [{"name": each.tag, "count": each.notes} for each in found]}


async def _no_commands(request: Request) -> Response:
    """There is no app that could run one."""
    return JSONResponse({"commands": []})


async def _otherwise(request: Request) -> Response:
    """Say of a path that no other route takes why it leads nowhere."""
    return refused(404, _ABSENT.get(request.path_params["path"].partition("/")[0], "Not Found"))


_ABSENT: Final = {
    "active": "The active file needs the Obsidian app, which this server does without",
    "openapi.yaml": "This server has no openapi.yaml: its documentation says which of the plugin's routes it answers",
}
"""What the plugin has, and this server not."""

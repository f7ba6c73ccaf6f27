"""Lists what is answered over REST, and refuses the rest."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from vaulttools.server.rest.errors import READ_ONLY, refused
from vaulttools.server.rest.status import Status
from vaulttools.server.service import Service

METHODS: Final = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "MOVE"]
"""All that clients send; the plugin takes `MOVE` since its version 4."""


def routes(service: Service, page: str | None) -> list[BaseRoute]:
    """All routes of a vault; `page`: where people are led who come to `/` with a browser."""
    return [
        Route("/", Status(service, page).answer, methods=["GET"]),
        Route("/{path:path}", _otherwise, methods=METHODS),
    ]


def is_open(path: str) -> bool:
    """Whether a path is answered without a token."""
    return path == "/"


async def _otherwise(request: Request) -> Response:
    """Answer what no other route takes: methods that would write, and paths that lead nowhere."""
    if request.method == "OPTIONS":
        return Response(status_code=204, headers={"Allow": "GET, HEAD, OPTIONS"})
    if request.method not in ("GET", "HEAD"):
        return refused(403, READ_ONLY)
    return refused(404, "Not Found")

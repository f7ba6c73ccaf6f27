"""Tells clients that the server is there, and whether they may call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from vaulttools import __version__
from vaulttools.server.service import Service

SERVICE: Final = "Obsidian Local REST API"
"""What clients look for before they go on."""

API_VERSION: Final = "5.0.0"
"""Of the plugin whose answers these are."""

APP_VERSION: Final = "1.12.0"
"""Of Obsidian, as the plugin tells it; no app runs here, but clients refuse what is no version."""

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


class StatusEndpoint:
    """Answers `GET /`, for everybody: without a token no path and no vault's name is in it."""

    def __init__(self, service: Service, page: str | None, days_left: Callable[[], int]) -> None:
        """`page`: where people are led; None: there is no page. `days_left`: how long the certificate is good for."""
        self._service = service
        self._page = page
        self._days_left = days_left

    async def answer(self, request: Request) -> Response:
        """The state of the server, or for a browser the way to the page."""
        if self._page is not None and "text/html" in request.headers.get("accept", ""):
            return RedirectResponse(request.scope.get("root_path", "") + self._page, 303)
        is_authenticated = self._service.caller(request) is not None
        answer: dict[str, Any] = {
            "status": "OK",
            "manifest": MANIFEST,
            "versions": {"obsidian": APP_VERSION, "self": API_VERSION},
            "service": SERVICE,
            "authenticated": is_authenticated,
        }
        if is_authenticated:
            # obsidian-mcp-tools refuses an answer without these, over http too.
            answer["certificateInfo"] = {"validityDays": self._days_left(), "regenerateRecommended": False}
            answer["apiExtensions"] = []
        return JSONResponse(answer)

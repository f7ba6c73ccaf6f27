"""Checks the host, origin and token of HTTP requests before anything else."""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from vaulttools.server import hosts

OBSIDIAN: Final = ("app://obsidian.md", "capacitor://localhost")
"""The origins of Obsidian's own windows, on the desktop and on phones."""

_LOOPBACK_ORIGIN: Final = r"https?://(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?"


@dataclass(frozen=True, slots=True)
class Access:
    """Who may call."""

    host: str
    """The address that is listened on."""
    token: str | None
    """What a caller must show as `Authorization: Bearer …`; None: nothing."""
    origins: Sequence[str] = ()
    """Further origins than loopback and Obsidian's."""

    @property
    def origin_pattern(self) -> str:
        """A regex that an accepted origin matches as a whole."""
        return "|".join([_LOOPBACK_ORIGIN, *map(re.escape, (*OBSIDIAN, *self.origins))])

    def accepts_origin(self, origin: str | None) -> bool:
        """Whether a page of that origin may call; what is no browser sends none."""
        return origin is None or re.fullmatch(self.origin_pattern, origin) is not None

    def accepts_host(self, given: str | None) -> bool:
        """Whether a request was meant for us: a page that had its own name lead here (DNS rebinding) sends that name.

        Accepted are loopback, the address listened on, the hosts of the further origins, and, beyond loopback, any
        plain address, which no name leads to.
        """
        name = _host_name(given)
        if name is None:
            return False
        if hosts.is_loopback(name) or name == self.host.casefold() or name in map(_origin_host, self.origins):
            return True
        return not hosts.is_loopback(self.host) and hosts.parsed(name) is not None

    def accepts_token(self, authorization: str | None) -> bool:
        """Whether the caller showed the token; compared in constant time."""
        if self.token is None:
            return True
        scheme, _, shown = (authorization or "").partition(" ")
        # Header values come as Latin-1, whatever bytes they are.
        given = shown.strip().encode("latin-1", "replace")
        return scheme.lower() == "bearer" and hmac.compare_digest(given, self.token.encode())


class Guard:
    """Refuses requests of others: 421 for a foreign Host, 403 for a foreign Origin, 401 without the token.

    CORS headers are set for accepted origins, on refusals for want of the token too, so that a page can tell.
    """

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._access = access
        self._app = app
        self._cors = CORSMiddleware(
            self._authorized,
            allow_origin_regex=access.origin_pattern,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["*"],
            expose_headers=["Mcp-Session-Id", "WWW-Authenticate"],
            allow_private_network=True,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if not self._access.accepts_host(headers.get("host")):
            await PlainTextResponse("Misdirected request: this is not the host", 421)(scope, receive, send)
        elif not self._access.accepts_origin(headers.get("origin")):
            await PlainTextResponse("This origin is not allowed", 403)(scope, receive, send)
        else:
            await self._cors(scope, receive, send)

    async def _authorized(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._access.accepts_token(Headers(scope=scope).get("authorization")):
            await self._app(scope, receive, send)
            return
        refusal = PlainTextResponse("A bearer token is required", 401, {"WWW-Authenticate": "Bearer"})
        await refusal(scope, receive, send)


def _host_name(given: str | None) -> str | None:
    """The name in a Host header, without port and brackets; None when it is no such header."""
    match = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+))(?::\d{1,5})?", given or "", re.ASCII)
    return None if match is None else (match[1] or match[2]).casefold()


def _origin_host(origin: str) -> str | None:
    return urlsplit(origin).hostname

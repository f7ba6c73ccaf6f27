"""Checks the host, origin, token and size of HTTP requests before anything else."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vaulttools.server import hosts
from vaulttools.server.callers import cookie_name
from vaulttools.server.service import Service

MCP: Final = "/mcp"
"""Where the MCP server is asked."""

OBSIDIAN: Final = ("app://obsidian.md", "capacitor://localhost")
"""The origins of Obsidian's own windows, on the desktop and on phones."""

LARGEST_BODY: Final = 1 << 20
"""Bytes of a body; that of MCP has a bound of its own."""

_LOOPBACK_ORIGIN: Final = r"https?://(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?"

Refusal = Callable[[Scope, int, str], Response]
"""The answer to a request that is refused with a status and a sentence, in the form of the room that it was for."""


@dataclass(frozen=True, slots=True)
class Access:
    """From where requests may come."""

    host: str
    """The address that is listened on."""
    origins: Sequence[str] = ()
    """Origins whose pages may call, beside our own and, for MCP, loopback and Obsidian's."""

    @property
    def mcp_origin_pattern(self) -> str:
        """A regex that an origin accepted at `/mcp` matches as a whole."""
        return "|".join([_LOOPBACK_ORIGIN, *map(re.escape, (*OBSIDIAN, *self.origins))])

    def accepts_origin(self, origin: str | None, own: str, *, is_mcp: bool) -> bool:
        """Whether a page of that origin may call; what is no browser sends none. `own`: the origin of this server.

        MCP takes every page of this machine, since plugins and tools of developers call from there. REST and the page
        do not: they answer a browser that has logged in.
        """
        if origin is None or origin == own or origin in self.origins:
            return True
        return is_mcp and re.fullmatch(self.mcp_origin_pattern, origin) is not None

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


class Guard:
    """Refuses requests of others: 421 for a foreign Host, 403 for a foreign Origin, 401 without a token that is known;
    400 for what names no path, 413 for too large a body.

    The request's state holds the accepted caller as `caller`. CORS headers are set for accepted origins, on
    refusals for want of the token too, so that a page can tell.
    """

    def __init__(
        self, app: ASGIApp, access: Access, service: Service, refused: Refusal, is_open: Callable[[str], bool]
    ) -> None:
        """`is_open`: whether a path is answered without a token too; its room then minds what it tells."""
        self._access = access
        self._app = app
        self._service = service
        self._refused = refused
        self._is_open = is_open
        self._mcp = CORSMiddleware(
            self._authorized,
            allow_origin_regex=access.mcp_origin_pattern,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["*"],
            expose_headers=["Mcp-Session-Id", "WWW-Authenticate"],
            allow_private_network=True,
        )
        self._others = CORSMiddleware(
            self._authorized,
            allow_origins=access.origins,
            # Those that write are refused behind this, in a form that clients understand.
            allow_methods=["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=["*"],
            expose_headers=["Location", "WWW-Authenticate"],
            allow_private_network=True,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host = headers.get("host")
        own = f"{scope['scheme']}://{host}"
        is_mcp = scope["path"] == MCP
        if not scope["path"].startswith("/"):  # `OPTIONS *`, `CONNECT host:22`, `GET ?x`
            await self._refused(scope, 400, "The request must name a path, which begins with /")(scope, receive, send)
        elif not self._access.accepts_host(host):
            await self._refused(scope, 421, "Misdirected request: this is not the host")(scope, receive, send)
        elif not self._access.accepts_origin(_origin(headers, own), own, is_mcp=is_mcp):
            await self._refused(scope, 403, "This origin is not allowed")(scope, receive, send)
        else:
            await (self._mcp if is_mcp else self._others)(scope, receive, send)

    async def _authorized(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = self._service.callers.of(bearer(scope) or self._logged_in(scope))
        if caller is None and not self._is_open(scope["path"]):
            await self._refused(scope, 401, "A bearer token is required")(scope, receive, send)
            return
        # No request shares its state with another, though a server may hand the same mapping to all.
        scope["state"] = {**scope.get("state", {}), "caller": caller}
        if scope["path"] == MCP:
            await self._app(scope, receive, send)
        else:
            await self._bounded(scope, receive, send)

    async def _bounded(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on a request with its body, where that is small enough. One that says that its body is larger is refused
        before any of it is read, another as soon as so much has come. Nobody but a POST needs one, and is waited for.
        """
        told = Headers(scope=scope).get("content-length", "0")
        come = LARGEST_BODY + 1 if len(told) > 18 or (told.isdecimal() and int(told) > LARGEST_BODY) else 0
        messages: deque[Message] = deque()
        while scope["method"] == "POST" and come <= LARGEST_BODY and (not messages or messages[-1].get("more_body")):
            messages.append(await receive())
            come += len(messages[-1].get("body", b""))
        if come > LARGEST_BODY:
            sentence = f"The body has more than {LARGEST_BODY >> 20} MiB"
            await self._refused(scope, 413, sentence)(scope, receive, send)
            return

        async def again() -> Message:
            return messages.popleft() if messages else await receive()

        await self._app(scope, again, send)

    def _logged_in(self, scope: Scope) -> str | None:
        """The token of a browser that has logged in; its cookie counts for requests of our own pages only.

        To a browser all ports of this machine are the same site, so that SameSite alone would let others use it.
        """
        if scope["path"] == MCP or Headers(scope=scope).get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return None
        cookie = HTTPConnection(scope).cookies.get(cookie_name(scope))
        return self._service.logins.token(cookie)


def bearer(scope: Scope) -> str | None:
    """The token that a request shows as `Authorization: Bearer …`."""
    scheme, _, shown = (Headers(scope=scope).get("authorization") or "").partition(" ")
    # Header values come as Latin-1, whatever bytes they are.
    token = shown.strip().encode("latin-1", "replace").decode("utf-8", "replace")
    return token if scheme.lower() == "bearer" and token else None


def _origin(headers: Headers, own: str) -> str | None:
    """The origin of a request. A form on a page of ours says `null`, since the pages send no referrer; the browser then
    says by `Sec-Fetch-Site`, which no page can set, that it is ours."""
    origin = headers.get("origin")
    return own if origin == "null" and headers.get("sec-fetch-site") == "same-origin" else origin


def _host_name(given: str | None) -> str | None:
    """The name in a Host header, without port and brackets; None when it is no such header."""
    match = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+))(?::\d{1,5})?", given or "", re.ASCII)
    return None if match is None else (match[1] or match[2]).casefold()


def _origin_host(origin: str) -> str | None:
    return urlsplit(origin).hostname

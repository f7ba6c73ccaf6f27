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
from vaulttools.server.mcp.unreadable import LARGEST
from vaulttools.server.service import Service

MCP: Final = "/mcp"
"""The path of the MCP server; `/v/NAME/mcp` is that of one vault."""

_OF_MCP: Final = re.compile(rf"(/v/[^/]+)?{MCP}")

TOOLS: Final = "tools"
"""The room of calls of tools: `/tools/NAME`."""

OBSIDIAN: Final = ("app://obsidian.md", "capacitor://localhost")
"""Origins of Obsidian's own windows, on the desktop and on phones."""

LARGEST_BODY: Final = 1 << 20
"""Bytes of a request's body; calls of tools have MCP's bound."""

_LOOPBACK_ORIGIN: Final = r"https?://(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?"

Refusal = Callable[[Scope, int, str], Response]
"""Makes the answer to a refused request from a status and a sentence, in the form of its room (MCP, REST or pages)."""


@dataclass(frozen=True, slots=True)
class Access:
    """The hosts and origins that requests may come from."""

    host: str
    """The address that the server listens on."""
    origins: Sequence[str] = ()
    """Further origins whose pages may call; our own, and for MCP loopback and Obsidian's, are always accepted."""

    @property
    def mcp_origin_pattern(self) -> str:
        """A regex that matches, as a whole, each origin accepted at `/mcp`."""
        return "|".join([_LOOPBACK_ORIGIN, *map(re.escape, (*OBSIDIAN, *self.origins))])

    def accepts_origin(self, origin: str | None, own: str, *, is_mcp: bool) -> bool:
        """Whether a page of `origin` may call; `own` is the server's origin. Programs other than browsers send none.

        MCP accepts every page of this machine, because plugins and developers' tools call from there. REST and the
        pages do not: they answer browsers that have logged in.
        """
        if origin is None or origin == own or origin in self.origins:
            return True
        return is_mcp and re.fullmatch(self.mcp_origin_pattern, origin) is not None

    def accepts_host(self, given: str | None) -> bool:
        """Whether a request was meant for us: under DNS rebinding, a page makes its own name lead here and sends it.

        Accepted are loopback names, the address listened on and the hosts of the further origins; beyond loopback also
        any plain address, because no name leads to it.
        """
        name = _host_name(given)
        if name is None:
            return False
        if hosts.is_loopback(name) or name == self.host.casefold() or name in map(_origin_host, self.origins):
            return True
        return not hosts.is_loopback(self.host) and hosts.parsed(name) is not None


class Guard:
    """Refuses requests: 421 for a foreign Host, 403 for a foreign Origin, 401 without a known token, 400 without a
    path, 413 for too large a body.

    The request's state holds the accepted caller as `caller`. Accepted origins get CORS headers, also with a refusal
    for a missing token, so that a page can read it.
    """

    def __init__(
        self, app: ASGIApp, access: Access, service: Service, refused: Refusal, is_open: Callable[[str], bool]
    ) -> None:
        """`is_open` says whether a path is answered without a token; its room then controls what it reveals."""
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
            # The routes refuse writing methods later, in a form that clients understand.
            allow_methods=["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=["*"],
            expose_headers=["Location", "WWW-Authenticate"],
            allow_private_network=True,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["path"].endswith(("/", "\n")) and is_mcp(scope["path"][:-1]):
            # Some clients write the slash, and a redirect would lose their POST. Starlette's routes take a last line
            # end, too: as no path of MCP for us, it would be answered by MCP with a cookie.
            scope = {**scope, "path": scope["path"][:-1]}
        headers = Headers(scope=scope)
        host = headers.get("host")
        own = f"{scope['scheme']}://{host}"
        sign_in = self._service.sign_in
        for_mcp = is_mcp(scope["path"]) or (sign_in is not None and sign_in.is_for_programs(scope["path"]))
        if not scope["path"].startswith("/"):  # `OPTIONS *`, `CONNECT host:22`, `GET ?x`
            await self._refused(scope, 400, "The request must name a path, which begins with /")(scope, receive, send)
        elif not self._access.accepts_host(host):
            await self._refused(scope, 421, _misdirected(scope["scheme"], host))(scope, receive, send)
        elif not self._access.accepts_origin(_origin(headers, own), own, is_mcp=for_mcp):
            await self._refused(scope, 403, "This origin is not allowed")(scope, receive, send)
        else:
            await (self._mcp if for_mcp else self._others)(scope, receive, send)

    async def _authorized(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = bearer(scope)
        caller = self._service.callers.of(token or self._logged_in(scope))
        if caller is None and token and self._service.sign_in is not None and is_mcp(scope["path"]):
            caller = self._service.sign_in.caller(token, scope["path"])
        if caller is None and not self._is_open(scope["path"]):
            await self._refused(scope, 401, "A bearer token is required")(scope, receive, send)
            return
        # Requests must not share their state, but a server may pass the same mapping to all of them.
        scope["state"] = {**scope.get("state", {}), "caller": caller}
        if is_mcp(scope["path"]):
            await self._app(scope, receive, send)
        else:
            await self._bounded(scope, receive, send)

    async def _bounded(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request with its body, or refuse a body that is too large: before reading it if its length says so,
        else as soon as it exceeds the bound. Only a POST needs a body, so only a POST waits for it.
        """
        largest = LARGEST if room(scope["path"]) == TOOLS else LARGEST_BODY
        length = Headers(scope=scope).get("content-length", "0")
        come = largest + 1 if len(length) > 18 or (length.isdecimal() and int(length) > largest) else 0
        messages: deque[Message] = deque()
        while scope["method"] == "POST" and come <= largest and (not messages or messages[-1].get("more_body")):
            messages.append(await receive())
            come += len(messages[-1].get("body", b""))
        if come > largest:
            sentence = f"The body has more than {largest >> 20} MiB"
            await self._refused(scope, 413, sentence)(scope, receive, send)
            return

        async def again() -> Message:
            return messages.popleft() if messages else await receive()

        await self._app(scope, again, send)

    def _logged_in(self, scope: Scope) -> str | None:
        """Returns the token of a logged-in browser; its cookie counts only for requests from our own pages.

        For a browser all ports of this machine are one site, so `SameSite` alone would let other pages use the cookie.
        """
        if is_mcp(scope["path"]) or Headers(scope=scope).get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return None
        cookie = HTTPConnection(scope).cookies.get(cookie_name(scope))
        return self._service.logins.token(cookie)


def is_mcp(path: str) -> bool:
    """Whether a path is one of MCP: `/mcp` or `/v/NAME/mcp`."""
    return _OF_MCP.fullmatch(path) is not None


def room(path: str) -> str:
    """Returns the first part of a path, below its vault: `ui` for `/ui/…` and `/v/NAME/ui/…`."""
    parts = path.split("/", 4)
    return next(iter(parts[3:4] if parts[1:2] == ["v"] else parts[1:2]), "")


def bearer(scope: Scope) -> str | None:
    """Returns the token in `Authorization: Bearer …`; None if there is none."""
    scheme, _, shown = (Headers(scope=scope).get("authorization") or "").partition(" ")
    # Starlette decodes header values as Latin-1, whatever their bytes are.
    token = shown.strip().encode("latin-1", "replace").decode("utf-8", "replace")
    return token if scheme.lower() == "bearer" and token else None


_LONGEST_HOST: Final = 100
"""Characters of a refused host that the sentence repeats."""


def _misdirected(scheme: str, given: str | None) -> str:
    if given is None:
        return "Misdirected request: it names no host"
    host = ascii(given[:_LONGEST_HOST])[1:-1]
    if _host_name(given) is None:
        return f"Misdirected request: '{host}' is no host"
    return (
        f"Misdirected request: this server does not answer for {host}; start it with --allow-origin {scheme}://{host}"
    )


def _origin(headers: Headers, own: str) -> str | None:
    """Returns the origin of a request. Our pages send no referrer, so their forms send the origin `null`;
    `Sec-Fetch-Site`, which no page can set, then proves that the form is ours."""
    origin = headers.get("origin")
    return own if origin == "null" and headers.get("sec-fetch-site") == "same-origin" else origin


def _host_name(given: str | None) -> str | None:
    """Returns the name in a Host header, without port and brackets; None if the header is malformed."""
    match = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+))(?::\d{1,5})?", given or "", re.ASCII)
    return None if match is None else (match[1] or match[2]).casefold()


def _origin_host(origin: str) -> str | None:
    return urlsplit(origin).hostname

"""Identifies callers by token or login, and finds the vaults they may see."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Protocol, TypeAlias

from starlette.types import Scope

from vaulttools.errors import BadArgument
from vaulttools.server.tokens import TokenFile, hashed
from vaulttools.server.vault_pool import VaultPool
from vaulttools.server.vaults import Vaults

LASTS_SECONDS: Final = 7 * 24 * 3600
"""Seconds until a browser must log in again; a restart of the server also ends logins."""

KEPT: Final = 1_000
"""Upper bound of logins; each further login ends the oldest."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request."""

    name: str
    """Name of the token; empty if all callers share one. The log may show it, but never the token."""
    vaults: Vaults
    """All vaults that the caller may see; for the caller no other vault exists."""

    def seeing(self, vault: str) -> Caller:
        """Returns this caller as one who sees only that vault, which must be one of its own."""
        return replace(self, vaults=replace(self.vaults, names=(vault,)))


@dataclass(frozen=True, slots=True)
class Alike:
    """Callers who all see the same vaults, with one shared token, or without a token if it is None."""

    token: str | None
    vaults: Vaults

    @property
    def need_token(self) -> bool:
        """Whether a caller without a token is refused."""
        return self.token is not None

    def of(self, token: str | None) -> Caller | None:
        """Returns the caller if the token is right (compared in constant time); None if it is wrong."""
        if self.token is None or (token is not None and secrets.compare_digest(token.encode(), self.token.encode())):
            return Caller("", self.vaults)
        return None

    def of_hash(self, token: str) -> Caller | None:
        """Returns the caller whose token has this hash, as `of`; None if it is another's, or there is no token."""
        is_right = self.token is not None and secrets.compare_digest(hashed(self.token), token)
        return Caller("", self.vaults) if is_right else None


@dataclass(frozen=True, slots=True)
class Tenants:
    """Callers who each see the vaults of their own token, if these vaults exist."""

    tokens: TokenFile
    pool: VaultPool
    need_token: ClassVar[bool] = True

    def of(self, token: str | None) -> Caller | None:
        """Returns the owner of a token; None if the token is unknown or revoked, or the file cannot be read."""
        return None if token is None else self.of_hash(hashed(token))

    def of_hash(self, token: str) -> Caller | None:
        """Returns the owner of the token with this hash, as `of`."""
        try:
            found = self.tokens.find_hash(token)
        except BadArgument:
            return None
        if found is None:
            return None
        name, record = found
        there = tuple(vault for vault in record.vaults if self.pool.has(vault))
        return Caller(name, Vaults(there, self.pool.lent, self.pool.is_ready, self.pool.is_open))


Callers: TypeAlias = Alike | Tenants
"""The callers that a server accepts."""


class SignIn(Protocol):
    """Who has signed in by other tokens than those of callers."""

    def caller(self, token: str, path: str) -> Caller | None:
        """Returns whose token it is at a path of the server; None if nobody's."""

    def is_for_programs(self, path: str) -> bool:
        """Whether programs ask for this path, which no login counts at; from browsers, too, as at MCP."""

    def challenge(self, path: str) -> str:
        """Returns the value of `WWW-Authenticate` for a request at a path without a token that works."""


class Logins:
    """Logins of browsers: a random text in a cookie represents a token.

    They exist only in memory, so a browser's files never contain a token, and every login ends with the server.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tokens: OrderedDict[str, tuple[str, float]] = OrderedDict()

    def begin(self, token: str) -> str:
        """Returns a new cookie value for a token that was already checked."""
        cookie = secrets.token_urlsafe(32)
        self._tokens[cookie] = token, self._clock() + LASTS_SECONDS
        while len(self._tokens) > KEPT:
            self._tokens.popitem(last=False)
        return cookie

    def token(self, cookie: str | None) -> str | None:
        """Returns the token of a cookie; None if the cookie is unknown or has expired."""
        token, ends = self._tokens.get(cookie or "", (None, 0.0))
        return token if self._clock() < ends else None

    def end(self, cookie: str | None) -> None:
        """Forget the login of a cookie."""
        self._tokens.pop(cookie or "", None)


def cookie_name(scope: Scope) -> str:
    """Returns the name of the cookie, with the port: browsers share cookies between all ports of a host."""
    server = scope.get("server")
    return f"vaulttools-{server[1] if server else 0}"

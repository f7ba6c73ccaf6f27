"""Tells by a token or a login who calls, and which vaults they may see."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from starlette.types import Scope

from vaulttools.errors import BadArgument
from vaulttools.server.tokens import TokenFile
from vaulttools.server.vault_pool import VaultPool
from vaulttools.server.vaults import Vaults

LASTS_SECONDS: Final = 7 * 24 * 3600
"""How long a browser need not log in again, unless the server is started anew."""

KEPT: Final = 1_000
"""Logins at once; each further one ends the oldest."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request."""

    name: str
    """Of the token; empty where all callers are alike. It may be logged, the token never."""
    vaults: Vaults
    """All that the caller may see; no other vault exists for them."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Callers who all see the same vaults, by one token or, where it is None, without any."""

    token: str | None
    vaults: Vaults

    def of(self, token: str | None) -> Caller | None:
        """The caller, where the token is the one; compared in constant time. None: nobody who may call."""
        if self.token is None or (token is not None and secrets.compare_digest(token.encode(), self.token.encode())):
            return Caller("", self.vaults)
        return None


@dataclass(frozen=True, slots=True)
class Tenants:
    """Callers who each see the vaults that their token names, of those that are there."""

    tokens: TokenFile
    pool: VaultPool

    def of(self, token: str | None) -> Caller | None:
        """Whose token it is; None for one that is revoked, and while the file cannot be read."""
        if token is None:
            return None
        try:
            found = self.tokens.find(token)
        except BadArgument:
            return None
        if found is None:
            return None
        name, record = found
        there = tuple(vault for vault in record.vaults if self.pool.has(vault))
        return Caller(name, Vaults(there, self.pool.lent, self.pool.is_ready, self.pool.is_open))


Callers: TypeAlias = Alike | Tenants
"""Who may call a server."""


class Logins:
    """The logins of browsers: a random text in a cookie stands for a token.

    They are kept in memory alone, so that no token lies in a browser's files and every login ends with the server.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tokens: OrderedDict[str, tuple[str, float]] = OrderedDict()

    def begin(self, token: str) -> str:
        """The value of the cookie that stands for a token, which the caller has checked."""
        cookie = secrets.token_urlsafe(32)
        self._tokens[cookie] = token, self._clock() + LASTS_SECONDS
        while len(self._tokens) > KEPT:
            self._tokens.popitem(last=False)
        return cookie

    def token(self, cookie: str | None) -> str | None:
        """The token that a cookie stands for; None when it stands for none any more."""
        token, ends = self._tokens.get(cookie or "", (None, 0.0))
        return token if self._clock() < ends else None

    def end(self, cookie: str | None) -> None:
        """Forget a login."""
        self._tokens.pop(cookie or "", None)


def cookie_name(scope: Scope) -> str:
    """What the cookie is called: browsers keep cookies by host, and two servers of one host must not share theirs."""
    server = scope.get("server")
    return f"vaulttools-{server[1] if server else 0}"

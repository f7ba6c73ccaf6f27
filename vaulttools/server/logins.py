"""Keeps the logins of browsers: a random text in a cookie stands for a token."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

LASTS_SECONDS: Final = 7 * 24 * 3600
"""How long a browser need not log in again, unless the server is started anew."""

KEPT: Final = 1_000
"""Logins at once; each further one ends the oldest."""


class Logins:
    """In memory alone, so that no token lies in a browser's files and every login ends with the server."""

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


def cookie_name(port: int) -> str:
    """What the cookie is called: browsers keep cookies by host, and two servers of one host must not share theirs."""
    return f"vaulttools-{port}"

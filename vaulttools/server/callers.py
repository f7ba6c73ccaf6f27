"""Tells by its token who calls, and which vaults that caller may see."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Protocol

from vaulttools.server.vaults import Vaults


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request."""

    name: str
    """Of the token; empty where all callers are alike. It may be logged, the token never."""
    vaults: Vaults
    """All that the caller may see; no other vault exists for them."""


class Callers(Protocol):
    """A caller that the guard accepted."""

    @property
    def need_a_token(self) -> bool:
        """Whether nobody may call without one."""

    def of(self, token: str | None) -> Caller | None:
        """Who shows that token; None: nobody who may call."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Callers who all see the same vaults, by one token or, where it is None, without any."""

    token: str | None
    vaults: Vaults

    @property
    def need_a_token(self) -> bool:
        """Whether there is one."""
        return self.token is not None

    def of(self, token: str | None) -> Caller | None:
        """The caller, where the token is the one; compared in constant time."""
        if self.token is None or (token is not None and hmac.compare_digest(token.encode(), self.token.encode())):
            return Caller("", self.vaults)
        return None

"""Runs what a request asks of a vault, for every room of the server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Event
from typing import TypeVar

from starlette.requests import Request

from vaulttools.errors import BadArgument, Cancelled
from vaulttools.server.callers import Caller, Callers, Logins
from vaulttools.server.calls import Calls
from vaulttools.vault import Vault

T = TypeVar("T")


class NoSuchVault(BadArgument):
    """The request names no vault that its caller may see; unknown and forbidden ones get the same sentence."""


class Service:
    """What the rooms share: the pool of threads, who may call, and the vaults of each caller."""

    def __init__(self, callers: Callers, calls: Calls) -> None:
        self.callers = callers
        self.calls = calls
        self.logins = Logins()

    def caller(self, request: Request) -> Caller | None:
        """Who sent the request; None for somebody without a token, who gets to the few open paths only."""
        caller: Caller | None = request.scope.get("state", {}).get("caller")
        return caller

    def vault_name(self, request: Request) -> str:
        """The vault that a request means: of `/v/NAME/…`, else the caller's only one.

        Raises:
            NoSuchVault: there is none of that name for the caller, or no name and several vaults.
        """
        caller = self.caller(request)
        names = caller.vaults.names if caller else ()
        given = request.path_params.get("vault")
        if given is None and len(names) == 1:
            return names[0]
        if given is None and names:
            raise NoSuchVault(f"There are several vaults; ask below /v/NAME/, with one of: {', '.join(names)}")
        if given not in names:
            raise NoSuchVault("There is no such vault")
        return str(given)

    async def run(
        self,
        request: Request,
        call: Callable[[Vault, Event], T],
        *,
        is_quick: bool = False,
        before: Callable[[Vault, Event], None] | None = None,
    ) -> T:
        """What the call returns for the vault that the request means; it runs in a thread, and is cancelled when the
        client goes. What still comes of the request's body is dropped. `is_quick`: it takes some milliseconds at most.
        `before` is called first while a host indexes the vault for the first time.

        Raises:
            NoSuchVault: see `vault_name`.
            Busy: too many calls are waiting, or the vault is indexed for the first time.
            Cancelled: the client has gone.
            Exception: what the call raises.
        """
        name = self.vault_name(request)
        caller = self.caller(request)
        assert caller is not None

        lane = caller.vaults.lane(name, is_quick=is_quick)

        def lent(cancel: Event) -> T:
            with caller.vaults.lent(name) as vault:
                if before is not None and lane == "opening" and not is_quick:
                    before(vault, cancel)
                return call(vault, cancel)

        running = asyncio.ensure_future(self.calls.run(lent, caller=caller.name, lane=lane))
        gone = asyncio.ensure_future(_gone(request))
        try:
            await asyncio.wait((running, gone), return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                return running.result()
            raise Cancelled
        finally:
            running.cancel()
            gone.cancel()


async def _gone(request: Request) -> None:
    """Return when the client has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass

"""Runs the work of a request on a vault, for REST and pages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Event
from typing import TypeVar

from starlette.requests import Request

from vaulttools.errors import BadArgument, Cancelled
from vaulttools.server.callers import Caller, Callers, Logins, SignIn
from vaulttools.server.calls import Calls
from vaulttools.vault import Vault

T = TypeVar("T")


class NoSuchVault(BadArgument):
    """The request names no vault that its caller may see; unknown and forbidden vaults get the same sentence."""


class Service:
    """What REST and pages share: the threads, the callers, the logins, and the vaults of each caller."""

    def __init__(self, callers: Callers, calls: Calls) -> None:
        self.callers = callers
        self.calls = calls
        self.logins = Logins()
        self.sign_in: SignIn | None = None
        """Further tokens, for MCP alone."""

    def caller(self, request: Request) -> Caller | None:
        """Returns the sender of a request; None without a token, which only the few open paths allow."""
        caller: Caller | None = request.scope.get("state", {}).get("caller")
        return caller

    def vault_name(self, request: Request) -> str:
        """Returns the name of a request's vault: from `/v/NAME/…`, or else the caller's only vault.

        Raises:
            NoSuchVault: the caller has no vault with that name, or several and the request names none.
        """
        caller = self.caller(request)
        names = caller.vaults.names if caller else ()
        given = request.path_params.get("vault")
        if given is None and len(names) == 1:
            return names[0]
        if given is None and names:
            raise NoSuchVault(f"There are several vaults: use /v/NAME/ with one of: {', '.join(names)}")
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
        """Run a call on the request's vault as `Vaults.run` does, and return its result. The call is cancelled if the
        client goes; the unread rest of the body is dropped.

        Raises:
            NoSuchVault: see `vault_name`.
            Cancelled: the client has gone.
            Exception: see `Vaults.run`.
        """
        name = self.vault_name(request)
        caller = self.caller(request)
        assert caller is not None
        running = asyncio.ensure_future(
            caller.vaults.run(self.calls, name, call, is_quick=is_quick, before=before, caller=caller.name)
        )
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
    """Wait until the client has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass

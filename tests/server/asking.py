"""Asks an application in this process, without a socket."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio
import httpx2
from starlette.types import ASGIApp

ORIGIN = "http://127.0.0.1:8765"


def ask(app: ASGIApp, method: str, path: str, **given: Any) -> httpx2.Response:
    """The answer to one request; `given` as the client's `request` takes it."""
    (answer,) = talk(app, lambda client: _one(client, method, path, given))
    return answer


def talk(
    app: ASGIApp, conversation: Callable[[httpx2.AsyncClient], Awaitable[list[httpx2.Response]]]
) -> list[httpx2.Response]:
    """What a conversation with the application comes to."""

    async def held() -> list[httpx2.Response]:
        # An error of the application is what a client would see of it: an answer with its status.
        transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url=ORIGIN) as client:
            return await conversation(client)

    return anyio.run(held)


async def _one(client: httpx2.AsyncClient, method: str, path: str, given: Mapping[str, Any]) -> list[httpx2.Response]:
    return [await client.request(method, path, **given)]

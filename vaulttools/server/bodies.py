"""Bounds the body of every request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST: Final = 1 << 20
"""Bytes of a body; that of MCP has a bound of its own."""

_TOO_LARGE: Final = f"The body has more than {LARGEST >> 20} MiB"


class Bodies:
    """Hands on requests whose bodies are small enough. One that says that its body is larger is refused before any of
    it is read, another as soon as so much has come."""

    def __init__(self, app: ASGIApp, refused: Callable[[Scope, int, str], Response]) -> None:
        self._app = app
        self._refused = refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it on."""
        told = Headers(scope=scope).get("content-length", "0")
        if len(told) > 18 or (told.isdecimal() and int(told) > LARGEST):
            await self._refused(scope, 413, _TOO_LARGE)(scope, receive, send)
            return
        come = 0
        is_answered = is_refused = False

        async def bounded() -> Message:
            nonlocal come
            message = await receive()
            come += len(message.get("body", b""))
            # Whoever reads it stops at this, whether an answer has begun or not.
            return message if come <= LARGEST else {"type": "http.disconnect"}

        async def noted(message: Message) -> None:
            nonlocal is_answered, is_refused
            if come > LARGEST and not is_answered and not is_refused:
                is_refused = True
                await self._refused(scope, 413, _TOO_LARGE)(scope, receive, send)
            if not is_refused:
                is_answered = True
                await send(message)

        await self._app(scope, bounded, noted)

"""Answers what is too large, or no JSON to the SDK, by its id.

Without the id a client cannot tell which of its calls was refused, and waits forever.
"""

from __future__ import annotations

import json
import re
from collections.abc import MutableMapping
from typing import Any, Final

from mcp.types import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

LONE_SURROGATE: Final = "The request contains a lone surrogate: half a character, which is not Unicode text"
"""Python, JavaScript and models write this for a character that was cut in two: `"\\ud83c"`."""

LARGEST: Final = 4 << 20
"""Most bytes of one message, over stdio and HTTP: as many as the SDK takes over HTTP."""

TOO_LARGE: Final = f"The message is larger than {LARGEST >> 20} MiB"

_FIRST: Final = re.compile(rb'\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*([0-9]{1,15}|"[\w-]{1,100}")\s*,')
_LAST: Final = re.compile(rb',\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*([0-9]{1,15}|"[\w-]{1,100}")\s*\}\s*\Z')
"""How the SDKs write the id of a request: that of Python first, that of JavaScript last. Elsewhere it could belong to
an argument."""

_ESCAPED: Final = re.compile(rb"\\u[dD][89a-fA-F]")


def answer_to(written: str | bytes, reason: str = "") -> JSONRPCError | None:
    """Returns the error that answers a request by its id; None if it has no id or is not a request.

    `reason` is the error of the SDK's reader; it is used if the request has no lone surrogate.
    """
    try:
        request = json.loads(written)
    except (ValueError, RecursionError):
        return None
    if not isinstance(request, dict) or not isinstance(request.get("method"), str):
        return None
    number = request.get("id")
    if isinstance(number, bool) or not isinstance(number, str | int) or is_cut(number):
        return None
    if is_cut(request):
        message = LONE_SURROGATE
    elif reason:
        message = f"The request is not valid JSON: {reason}"
    else:
        return None
    return JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData(code=INVALID_PARAMS, message=message))


def answer_to_large(first: bytes, last: bytes) -> JSONRPCError:
    """Returns the error that answers a message that is too large, by its id if its first or last bytes tell it."""
    found = _FIRST.match(first) or _LAST.search(last)
    number = None if found is None else json.loads(found[1])
    error = ErrorData(code=PARSE_ERROR if number is None else INVALID_REQUEST, message=TOO_LARGE)
    return JSONRPCError(jsonrpc="2.0", id=number, error=error)


class Readable:
    """Answers HTTP requests that contain a lone surrogate, and passes all others on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on with its body."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        messages: list[MutableMapping[str, Any]] = []
        while not messages or messages[-1].get("more_body"):
            messages.append(await receive())
        if messages[-1]["type"] == "http.disconnect":  # the SDK would log that it cannot read the rest
            return
        body = b"".join(message.get("body", b"") for message in messages)
        answer = answer_to(body) if _ESCAPED.search(body) else None
        if answer is not None:
            text = answer.model_dump_json(by_alias=True, exclude_none=True)
            await Response(text, media_type="application/json")(scope, receive, send)
            return
        read = iter(messages)

        async def again() -> MutableMapping[str, Any]:
            return next(read, None) or await receive()

        await self._app(scope, again, send)


def is_cut(value: object) -> bool:
    """Whether a value or a name in JSON contains a lone surrogate."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False

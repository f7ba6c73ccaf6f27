"""Words refusals as clients of the Local REST API plugin understand them."""

from __future__ import annotations

from typing import Final

from starlette.responses import JSONResponse, Response

READ_ONLY: Final = "This server is read-only: it answers from the vault and changes nothing"

UNAUTHORIZED: Final = "Authorization required. Send the token of the server as 'Authorization: Bearer TOKEN'"


def refused(status: int, sentence: str, detail: int = 0) -> Response:
    """`{"errorCode": …, "message": …}`: the status and two digits of detail, and one sentence."""
    if status == 401:
        sentence, detail = UNAUTHORIZED, 1  # 40101 is what the plugin sends
    body = {"errorCode": status * 100 + detail, "message": sentence}
    return JSONResponse(body, status, {"WWW-Authenticate": "Bearer"} if status == 401 else None)

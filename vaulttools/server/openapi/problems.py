"""Words refusals of tools as problem objects (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from starlette.responses import JSONResponse, Response

MEDIA_TYPE: Final = "application/problem+json"

SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "description": "A refusal.",
    "properties": {
        "type": {"type": "string", "description": "Always about:blank: the status says what kind of refusal it is."},
        "title": {"type": "string", "description": "The name of the status."},
        "status": {"type": "integer", "description": "The status of the answer."},
        "detail": {"type": "string", "description": "One sentence: what is wrong, and what is accepted."},
    },
    "required": ["type", "title", "status", "detail"],
}
"""The JSON Schema of a problem object."""


def refused(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    """Returns a refusal with its status and one sentence."""
    more = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": sentence}
    return JSONResponse(body, status, {**more, **(headers or {})}, MEDIA_TYPE)

"""Runs what a REST request asks, and words answers and refusals for clients."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Event
from typing import Any, Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from vaulttools.answers.retry import until_final
from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.core.work import Work
from vaulttools.errors import (
    AccessDenied,
    BadArgument,
    Cancelled,
    OutsideVault,
    PartNotFound,
    PathNotFound,
    PathTooLong,
    VaultToolsError,
)
from vaulttools.notes.properties.numerals import Numeral
from vaulttools.server.calls import Busy
from vaulttools.server.service import NoSuchVault, Service
from vaulttools.server.vaults import ensure_indexed
from vaulttools.vault import Vault

READ_ONLY: Final = "This server is read-only: it answers from the vault and changes nothing"

UNAUTHORIZED: Final = "Authorization required. Send the token of the server as 'Authorization: Bearer TOKEN'"

SECONDS: Final = 5.0
"""Seconds that a request may take: mcp-obsidian gives up after six."""

INDEXING_SECONDS: Final = 4.0
"""Seconds to wait for the first indexing of a vault."""

NOTICES: Final = "Vaulttools-Notices"
"""The header for notices that an answer's format has no place for: percent-encoded sentences."""

INDEXING: Final = "Vaulttools-Indexing"
"""The header for the state of the index while it is being built."""

_NOT_THERE: Final = (NoSuchVault, PathNotFound, AccessDenied, OutsideVault, PathTooLong)
"""Errors that all become "Not Found": callers must not learn that a protected folder exists."""


class NotThere(VaultToolsError):
    """The thing does not exist; the sentence says what, unless that is secret."""

    def __init__(self, sentence: str = "Not Found") -> None:
        super().__init__(sentence)


class Incomplete(VaultToolsError):
    """Time ran out; or nothing was found although not everything was searched."""

    def __init__(self, work: Work) -> None:
        super().__init__(f"The search is incomplete: {work.incomplete_because()}; ask again")


class Unacceptable(BadArgument):
    """The thing exists, but not in a format that the client accepts."""


def refused(status: int, sentence: str, detail: int = 0) -> Response:
    """Returns an error as `{"errorCode": …, "message": …}`: the status and two digits of detail, and one sentence."""
    if status == 401:
        sentence, detail = UNAUTHORIZED, 1  # the plugin sends 40101
    body = {"errorCode": status * 100 + detail, "message": sentence}
    return JSONResponse(body, status, {"WWW-Authenticate": "Bearer"} if status == 401 else None)


async def answered(
    service: Service,
    request: Request,
    ask: Callable[[Call], Response],
    *,
    is_quick: bool = False,
    of_all: bool = False,
) -> Response:
    """Returns the answer of `ask`, or a refusal in the format of REST.

    The call's thread also encodes the answer: 2 MiB of JSON take 75 ms, which would block the event loop.
    """

    indexing = ""

    def call(vault: Vault, cancel: Event) -> Response:
        nonlocal indexing
        session = vault.session
        first = Call(session, Work(min(session.config.time_limit, SECONDS), cancel))
        notices = vault.notices

        def asked(now: Call) -> Response:
            for sentence in notices:
                now.work.warn(sentence)
            return ask(now)

        session.root.ensure_readable()
        try:
            response, last = until_final(first, asked, _found_something)
        finally:
            progress = vault.index_progress
            indexing = "" if progress is None else progress.sentence
        if "time limit" in last.work.skipped:
            # Clients read only the status and the body, and would take a part for the whole.
            raise Incomplete(last.work)
        return response

    before = partial(ensure_indexed, seconds=INDEXING_SECONDS, of_all=of_all)
    try:
        response = await service.run(request, call, is_quick=is_quick, before=before)
    except VaultToolsError as error:
        response = _refusal(error)
    if indexing:
        response.headers[INDEXING] = indexing
    return response


async def described(service: Service, request: Request, document: Callable[[], str], media_type: str) -> Response:
    """Returns a document that is the same for every vault; 404 if the path names a vault that its caller may not see.
    A thread makes it: the first time it takes a tenth of a second."""
    try:
        if "vault" in request.path_params:
            service.vault_name(request)
        text = await service.calls.run(lambda _: document(), lane="quick")
    except VaultToolsError as error:
        return _refusal(error)
    return Response(text, media_type=media_type)


def _found_something(response: Response) -> bool:
    """Whether an answer is not an empty list, alone or as the one member of an object."""
    body = getattr(response, "body", b"")  # a file that is sent in pieces has none
    return not bytes(body).endswith((b"[]", b"[]}"))


def _refusal(error: VaultToolsError) -> Response:
    if isinstance(error, NotThere | PartNotFound):
        return refused(404, str(error))
    if isinstance(error, _NOT_THERE):
        # The reason would reveal what exists there.
        return refused(404, "Not Found")
    if isinstance(error, BadArgument):
        return refused(406 if isinstance(error, Unacceptable) else 400, str(error))
    if not isinstance(error, Busy | Incomplete | Cancelled):
        return refused(500, str(error))
    response = refused(503, str(error))
    response.headers["Retry-After"] = "2"  # also where the server ends: another may answer, or it after a restart
    return response


def as_json(value: Any, work: Work) -> Response:
    """Returns a JSON answer; a header says what is missing from it."""
    response = JSONResponse(encodable(value))
    incomplete = [] if work.complete else [f"Incomplete: {work.incomplete_because()}."]
    if notices := [*incomplete, *work.warnings]:
        response.headers[NOTICES] = quote(" ".join(notices))
    return response


def ensure_complete(found: object, work: Work) -> None:
    """Refuse to report that nothing was found if not everything was searched, and to continue after time ran out.

    Raises:
        Incomplete: the answer would be wrong.
    """
    if not work.complete and (not found or "time limit" in work.skipped):
        raise Incomplete(work)


def encodable(node: Any) -> Any:
    """Returns a value that JSON can encode: without lone surrogates, and with null for NaN and infinity. Bytes of a
    name that are not UTF-8 are written as in the paths of requests."""
    if isinstance(node, str):
        return node if node.isascii() else paths.portable(node).encode("utf-8", "backslashreplace").decode()
    if isinstance(node, list | tuple):
        return [encodable(each) for each in node]
    if isinstance(node, dict):
        return {encodable(name): encodable(each) for name, each in node.items()}
    if isinstance(node, float) and (node != node or node in (float("inf"), float("-inf"))):
        return None
    return node.plain if isinstance(node, Numeral) else node

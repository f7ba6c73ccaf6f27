"""Answers as the Omnisearch plugin does over HTTP: the notes that answer a question."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from vaulttools.core.work import Work
from vaulttools.files.document import NotRead
from vaulttools.server.callers import Alike
from vaulttools.server.calls import Calls
from vaulttools.server.guard import Access, Guard
from vaulttools.server.rest import simple
from vaulttools.server.rest.answering import answered, as_json, ensure_complete, refused
from vaulttools.server.service import Service
from vaulttools.server.vaults import Vaults
from vaulttools.session import Session
from vaulttools.tools import query

PORT: Final = 51361
"""At which its clients ask, without a token."""

NOTES: Final = 50
"""As many as the plugin gives."""


def application(vaults: Vaults, calls: Calls, origins: Sequence[str]) -> ASGIApp:
    """What answers at the port: for this machine alone, without a token, and for pages of those origins only."""
    service = Service(Alike(None, vaults), calls)
    app = Starlette(routes=[Route("/search", partial(_answer, service))])
    return Guard(app, Access("127.0.0.1", origins), service, lambda scope, *told: refused(*told), lambda path: False)


async def _answer(service: Service, request: Request) -> Response:
    """`GET /search?q=…`: the notes, best first; none for an empty question, with which clients ask whether anybody is
    there."""
    question = request.query_params.get("q", "").strip()
    name = service.vault_name(request)

    def ask(vault: Session, work: Work) -> Response:
        return as_json(found(vault, name, question, work) if question else [], work)

    return await answered(service, request, ask)


def found(vault: Session, name: str, question: str, work: Work) -> list[dict[str, Any]]:
    """The notes that answer a question; offsets are in UTF-16 units of the text."""
    words = list(dict.fromkeys(question.casefold().split()))
    request = query.QueryRequest(query=question, limit=NOTES, max_chars=50_000)
    listed = []
    for note in query.run(vault, request, work).notes:
        text = _text(vault, note.path, work) if note.passages else ""
        folded, units = text.lower(), simple.Units(text)
        places = []
        if len(folded) == len(text):
            places = [(start, word) for word in words if (start := folded.find(word)) >= 0]
        listed.append(
            {
                "score": note.score,
                "vault": name,
                "path": note.path,
                "basename": note.title,
                "foundWords": [word for _, word in places],
                "matches": [
                    {"match": text[start : start + len(word)], "offset": units.before(start)}
                    for start, word in sorted(places)
                ],
                "excerpt": "\n\n".join(passage.text for passage in note.passages),
            }
        )
    ensure_complete(listed, work)
    return listed


def _text(vault: Session, shown: str, work: Work) -> str:
    """The text of a note that was found, in which its words are looked for; of one that cannot be read none."""
    place = vault.root.locate(shown)  # a name that is no UTF-8 is shown otherwise than it is
    try:
        document = vault.read(place.path)
    except NotRead as error:
        work.pass_over(place.path, error.reason)
        return ""
    return "" if document.is_binary else document.text

"""Answers as the Omnisearch plugin does over HTTP: the notes that answer a question."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from vaulttools.call import Call
from vaulttools.files.document import NotRead
from vaulttools.server.callers import Alike
from vaulttools.server.calls import Calls
from vaulttools.server.guard import Access, Guard
from vaulttools.server.question_words import words_of
from vaulttools.server.rest import simple
from vaulttools.server.rest.answering import answered, as_json, ensure_complete, refused
from vaulttools.server.service import Service
from vaulttools.server.vaults import Vaults
from vaulttools.tools import query
from vaulttools.tools.query.answers import NoteRanked

PORT: Final = 51361
"""The port that Omnisearch's clients use, without a token."""

NOTES: Final = 50
"""As many notes as the plugin returns."""

MATCHES: Final = 100
"""Places of a note that are listed, as many as the plugin lists."""


def application(vaults: Vaults, calls: Calls, origins: Sequence[str]) -> ASGIApp:
    """Build the application for that port: only for this machine, without a token, and only for pages of `origins`."""
    service = Service(Alike(None, vaults), calls)
    app = Starlette(routes=[Route("/search", partial(_answer, service))])
    return Guard(app, Access("127.0.0.1", origins), service, lambda scope, *args: refused(*args), lambda path: False)


async def _answer(service: Service, request: Request) -> Response:
    """Answer `GET /search?q=…` with the notes, best first. An empty question gets an empty list: clients use it to
    check that the server runs."""
    question = request.query_params.get("q", "").strip()
    name = service.vault_name(request)

    def ask(call: Call) -> Response:
        return as_json(found(call, name, question) if question else [], call.work)

    return await answered(service, request, ask)


def found(call: Call, name: str, question: str) -> list[dict[str, Any]]:
    """Returns the notes that answer a question; offsets count UTF-16 units of the text."""
    find = words_of(question)
    request = query.QueryRequest(query=question, limit=NOTES, max_chars=50_000)
    listed = []
    for note in query.run(call, request).notes:
        # A question of operators alone has matches, without scores and passages.
        score, passages = (note.score, note.passages) if isinstance(note, NoteRanked) else (None, [])
        text = _text(call, note.path) if passages else ""
        units = simple.Units(text)
        places = [*islice(find(text), MATCHES)]
        listed.append(
            {
                "score": score,
                "vault": name,
                "path": note.path,
                "basename": note.title,
                "foundWords": [*dict.fromkeys(text[start:end].lower() for start, end in places)],
                "matches": [{"match": text[start:end], "offset": units.before(start)} for start, end in places],
                "excerpt": "\n\n".join(passage.text for passage in passages),
            }
        )
    ensure_complete(listed, call.work)
    return listed


def _text(call: Call, shown: str) -> str:
    """Returns the text of a found note, to locate its words; "" if it cannot be read."""
    place = call.session.root.locate(shown)  # a name that is not UTF-8 is shown in another form
    try:
        document = call.session.read(place.path)
    except NotRead as error:
        call.work.pass_over(place.path, error.reason)
        return ""
    return "" if document.is_binary else document.text

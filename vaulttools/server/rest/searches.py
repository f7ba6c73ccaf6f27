"""Answers `/search/…`: words, rules, the one Dataview query, questions in plain words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from vaulttools.answers import all_notes
from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.errors import BadArgument
from vaulttools.files import globs
from vaulttools.server.rest import jsonlogic, notes, simple
from vaulttools.server.rest.answering import Incomplete, answered, as_json, ensure_complete, refused
from vaulttools.server.rest.notes import FIELDS
from vaulttools.server.service import Service
from vaulttools.session import Session
from vaulttools.tools import query
from vaulttools.tools.query.answers import NoteRanked

JSONLOGIC: Final = "application/vnd.olrapi.jsonlogic+json"
DATAVIEW: Final = "application/vnd.olrapi.dataview.dql+txt"

BAD_RULE: Final = 70
"""The last digits of the plugin's error code for an invalid query: 40070."""

_RECENT: Final = re.compile(
    r"TABLE\s+file\.mtime\s+WHERE\s+file\.mtime\s*>=\s*date\(today\)\s*-\s*dur\(\s*([0-9]{1,5})\s+days?\s*\)"
    r"\s+SORT\s+file\.mtime\s+DESC\s+LIMIT\s+([0-9]{1,5})",
    re.IGNORECASE,
)
"""mcp-obsidian's query for recently changed notes."""

_MOST_PASSAGES: Final = 100
_PASSAGE_CHARACTERS: Final = 50_000

_MOST_FOLDERS: Final = 100
"""Upper bound of the folders of a search; people and models name a few."""


async def simple_search(service: Service, request: Request) -> Response:
    """Answer `POST /search/simple/?query=…&contextLength=100`."""
    words = request.query_params.get("query", "")
    try:
        context = int(request.query_params.get("contextLength", "100"))
    except ValueError:
        return refused(400, "contextLength must be a whole number")

    def ask(call: Call) -> Response:
        return as_json(simple.search(call, words, context), call.work)

    return await answered(service, request, ask)


async def by_query(service: Service, request: Request) -> Response:
    """Answer `POST /search/`: a JsonLogic rule, or the one Dataview query; the content type says which."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        body = await request.body()
        if kind == JSONLOGIC:
            rule = json.loads(body)
            jsonlogic.Rule(rule)  # refuse a bad rule before any note is read
            return await answered(service, request, lambda call: as_json(by_rule(call, rule), call.work), of_all=True)
        if kind == DATAVIEW:
            asked = _RECENT.fullmatch(body.decode("utf-8", "replace").strip())
            if asked is None:
                raise BadArgument(
                    "The only Dataview query answered is the one for recent changes: TABLE file.mtime WHERE file.mtime "
                    ">= date(today) - dur(N days) SORT file.mtime DESC LIMIT M; for others use the tool base"
                )
            days, limit = int(asked[1]), int(asked[2])
            return await answered(service, request, lambda call: as_json(recent(call, days, limit), call.work))
    except (ValueError, RecursionError):
        return refused(400, "The body is not valid JSON", BAD_RULE)
    except BadArgument as error:
        return refused(400, str(error), BAD_RULE)
    return refused(400, f"Content-Type must be {JSONLOGIC} or {DATAVIEW}, got '{kind[:100]}'", 12)


async def smart_search(service: Service, request: Request) -> Response:
    """Answer `POST /search/smart`: passages that answer a question; the body is JSON, whatever its type says."""
    try:
        body = json.loads(await request.body())
        question, filters = body["query"], body.get("filter") or {}
        folders, left_out = _texts(filters, "folders"), _texts(filters, "excludeFolders")
        limit = min(max(int(filters.get("limit") or 10), 1), _MOST_PASSAGES)
        if not isinstance(question, str):
            raise TypeError
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError):
        return refused(
            400, 'The body must be JSON: {"query": "…", "filter": {"folders": [], "excludeFolders": [], "limit": 10}}'
        )
    except BadArgument as error:
        return refused(400, str(error))

    def ask(call: Call) -> Response:
        return as_json(smart(call, question, folders, left_out, limit), call.work)

    return await answered(service, request, ask)


def by_rule(call: Call, rule: Any) -> list[dict[str, Any]]:
    """Returns the notes for which the rule gives a result, with the result.

    Raises:
        BadArgument: the rule cannot be used.
        Incomplete: not everything was searched.
    """

    work = call.work

    def stop() -> None:
        if work.remaining() <= 0:
            work.cut()
            raise Incomplete(work)

    compiled = jsonlogic.Rule(rule, stop)
    fields = FIELDS if compiled.names is None else compiled.names
    found = []
    for path, data in notes.every(call, fields, jsonlogic.demands_of(rule, "content")):
        result = compiled.apply(data)
        # Like the plugin, drop empty objects too, which JsonLogic takes for true.
        if result != {} and jsonlogic.is_truthy(result):
            jsonlogic.bound(result)
            found.append({"filename": path, "result": result})
    ensure_complete(found, work)
    return found


def recent(call: Call, days: int, limit: int) -> list[dict[str, Any]]:
    """Returns the notes changed since `days` days before today began, newest first."""
    call, scope, _ = all_notes.awaited_briefly(call)
    zone = call.session.calendar.zone
    today = datetime.combine(call.session.calendar.today(), datetime.min.time(), zone)
    since = (today - timedelta(days=days)).timestamp() * 1_000
    changed = []
    for path in all_notes.listed(scope).files:
        when = notes.stat(call.session, path)["mtime"]
        if when >= since:
            changed.append((when, path))
    changed.sort(key=lambda each: (-each[0], each[1]))
    return [{"filename": path, "result": {"file.mtime": _iso(when, zone)}} for when, path in changed[:limit]]


def _iso(milliseconds: float, zone: tzinfo | None) -> str:
    """Returns a time as Dataview writes it, with its UTC offset."""
    return datetime.fromtimestamp(milliseconds / 1_000, zone).astimezone(zone).isoformat("T", "milliseconds")


def smart(call: Call, question: str, folders: list[str], left_out: list[str], limit: int) -> dict[str, Any]:
    """Returns the passages that answer a question, best first, each once.

    Raises:
        BadArgument: a folder does not exist, or there are too many.
        Incomplete: not everything was searched.
    """
    work = call.work
    within = _within(call.session, folders)
    inside = tuple(f"{paths.portable(each)}/" for each in within) or ("",)
    outside = tuple(f"{each.strip('/')}/" for each in left_out)
    request = query.QueryRequest(
        query=question,
        folder=within[0] if len(within) == 1 else None,
        glob=_glob(within) if len(within) > 1 else None,
        limit=_MOST_PASSAGES if left_out else limit,
        max_chars=_PASSAGE_CHARACTERS,
    )
    if left_out:
        call, _, _ = all_notes.awaited_briefly(call)  # all pages are of one moment
    found: list[tuple[float, dict[str, Any]]] = []
    page: int | None = 1
    while page is not None and len(found) < limit:
        answer = query.run(call, request.model_copy(update={"page": page}))
        for note in answer.notes:
            if not note.path.startswith(inside) or note.path.startswith(outside) or not isinstance(note, NoteRanked):
                continue  # a question of operators alone has matches without passages
            found += [
                (
                    note.score,
                    {
                        "path": note.path,
                        "text": passage.text,
                        "score": note.score,
                        "breadcrumbs": " > ".join([note.title, *passage.heading]),
                    },
                )
                for passage in note.passages
            ]
        page = answer.next_page if left_out else None
        if page is not None and work.remaining() <= 0:
            work.cut()
            raise Incomplete(work)
    ensure_complete(found, work)
    found.sort(key=lambda each: -each[0])
    return {"results": [each for _, each in found[:limit]]}


def _within(vault: Session, folders: Sequence[str]) -> list[str]:
    """Returns the paths of the folders; an empty list if one of them is the whole vault."""
    named = set(folders)
    if len(named) > _MOST_FOLDERS:
        raise BadArgument(f"filter.folders must be at most {_MOST_FOLDERS} folders, got {len(named):,}")
    found = {_located(vault, each) for each in named}
    return [] if "" in found else sorted(found)


def _located(vault: Session, given: str) -> str:
    place = vault.root.locate(given.strip("/") if given.strip(" /") else ".")
    if place.kind != "folder":
        raise BadArgument(f"filter.folders must name folders of the vault, got {paths.shown(given)[:200]}")
    return place.path


def _glob(folders: Sequence[str]) -> str:
    """Returns a glob for everything in the folders. It cannot express a backslash, so it may match more."""
    written = (re.sub(r"[*?\[{},]", r"[\g<0>]", each).replace("\\", "?") for each in folders)
    glob = f"{{{','.join(written)}}}/**"
    if len(glob) > globs.MAX_LENGTH:
        raise BadArgument(f"filter.folders must have at most {globs.MAX_LENGTH:,} characters in all")
    return glob


def _texts(filters: Mapping[str, Any], name: str) -> list[str]:
    value = filters.get(name) or []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise BadArgument(f"filter.{name} must be a list of folders")
    return value

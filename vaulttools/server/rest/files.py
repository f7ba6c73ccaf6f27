"""Answers `/vault/…` and `/periodic/…`: listings, files, notes as JSON, parts of notes."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator
from typing import IO, Any, Final
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.errors import BadArgument
from vaulttools.files import disk
from vaulttools.files.document import NotRead
from vaulttools.files.scope import Walk
from vaulttools.notes.note import Note
from vaulttools.resources.periodic import PeriodicNote
from vaulttools.server.rest import notes, parts
from vaulttools.server.rest.answering import NotThere, Unacceptable, answered, encodable, refused
from vaulttools.server.service import Service
from vaulttools.session import Session

NOTE: Final = "application/vnd.olrapi.note+json"
MAP: Final = "application/vnd.olrapi.document-map+json"

_KINDS: Final = ("heading", "block", "frontmatter")

_AS_IT_IS: Final = ("text/markdown", "text/plain", "text/*", "*/*")
"""A request that accepts one of these types gets a note's Markdown."""

PICTURES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/avif"})
"""Types that a browser may display: raster images only, because an SVG may contain a script."""

HEADERS: Final = {
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, no-cache",
}

AT_ONCE_BYTES: Final = 1 << 18
"""Bytes of the largest file that is sent in one piece."""

_PIECE: Final = 1 << 18
"""Bytes of a larger file that are read at a time."""


PERIODS: Final = {"daily": 3_660, "weekly": 530, "monthly": 120, "quarterly": 40, "yearly": 10}
"""Periods to look back for the newest notes: ten years."""

_MOST: Final = 100
"""Newest notes in one answer."""


async def answer(service: Service, request: Request) -> Response:
    """Returns the file, the folder, or the part of a note that the path names."""
    given = request.path_params.get("path", "")

    def ask(call: Call) -> Response:
        if given == "" or given.endswith("/"):
            try:
                listed = listing(call, given.rstrip("/"))
            except NotThere:
                if given.count("/") < 2:
                    raise
            else:
                return JSONResponse({"files": encodable(listed)})
        path, kind, target = named(call.session, given)
        return of(call, request, path, kind, target)

    # A plain file must not wait behind searches; its JSON includes backlinks, which take longer.
    is_quick = NOTE not in request.headers.get("accept", "")
    return await answered(service, request, ask, is_quick=is_quick, of_all=not is_quick)


def of(call: Call, request: Request, path: str, kind: str | None, target: list[str]) -> Response:
    """Returns a file in the format that the request accepts, or a part of it that the path or the headers name.

    Raises:
        NotThere: the file has no such part, or cannot be read.
        BadArgument: the headers name no part, or a second one.
        Unacceptable: the request accepts only a format that does not exist.
    """
    accepted = request.headers.get("accept", "")
    if "target-type" in request.headers:
        if kind is not None:
            raise BadArgument("Name the part by the path or by Target-Type, not by both")
        kind, target = _targeted(request)
    if kind is None and NOTE not in accepted and MAP not in accepted:
        if paths.is_note(path) and "text/html" in accepted and not any(each in accepted for each in _AS_IT_IS):
            raise Unacceptable(f"A note is sent as text/markdown, {NOTE} or {MAP}; /ui/note/ has it as a page")
        return _raw(call.session, path, is_head=request.method == "HEAD")
    text = read(call.session, path)
    if kind is not None:
        found = parts.part(Note(path, text, is_logseq=call.session.root.is_logseq), kind, target)
        if kind == "frontmatter":
            return JSONResponse(encodable(found))
        return PlainTextResponse(encodable(found), media_type="text/markdown", headers=HEADERS)
    if NOTE in accepted:
        return _json(notes.described(call, path, text), NOTE)
    is_first = request.headers.get("markdown-patch-version") == "1"
    note = Note(path, text if paths.is_note(path) else "", is_logseq=call.session.root.is_logseq)
    mapped = (parts.flat if is_first else parts.tree)(note)
    return _json(mapped, MAP)


def _targeted(request: Request) -> tuple[str, list[str]]:
    """Returns the part that the headers of older clients name: its kind, and the path to it.

    Raises:
        BadArgument: they name none.
    """
    headers = request.headers
    kind, named = headers["target-type"].lower(), headers.get("target", "")
    if kind not in _KINDS or not named:
        raise BadArgument(f"Target-Type must be one of {', '.join(_KINDS)}, and Target must name one")
    if headers.get("target-scope", "content") != "content":
        raise BadArgument("Target-Scope must be content")
    way = unquote(named.encode("latin-1", "replace").decode("utf-8", "replace"))
    return kind, way.split(headers.get("target-delimiter") or "::") if kind == "heading" else [way]


def read(vault: Session, path: str) -> str:
    """Returns the text of a file.

    Raises:
        BadArgument: it cannot be read, or is not text.
    """
    try:
        document = vault.read(path)
    except NotRead as error:
        raise BadArgument(f"Cannot read {paths.shown(path)}: {error.reason}") from error
    if document.is_binary:
        raise BadArgument(f"Cannot read {paths.shown(path)}: binary")
    return document.text


def named(vault: Session, given: str) -> tuple[str, str | None, list[str]]:
    """Returns the file that a path names, and its part, as in `n.md/heading/A/B`; the longest name of a file wins.

    Raises:
        NotThere: there is none, or it is hidden.
    """
    steps = given.rstrip("/").split("/")
    for end in range(len(steps), 0, -1):
        kind, *target = [*steps[end:], ""][:1] + steps[end + 1 :]
        if end < len(steps) and kind not in _KINDS:
            continue
        place = vault.root.locate("/".join(steps[:end]))
        if place.kind == "file":
            if is_hidden(place.path):
                break
            return place.path, kind or None, target
    raise NotThere


def listing(call: Call, folder: str) -> list[str]:
    """Returns the sorted names in a folder, folders with a final `/`. As in the app, folders without files do not
    exist.

    Raises:
        NotThere: there is no such folder, or no file in it.
    """
    place = call.session.root.locate(folder or ".")
    if place.kind != "folder" or is_hidden(place.path):
        raise NotThere
    scope = call.scope((Walk(place.path),), (), hidden=False, include_excluded=True)
    start = len(place.path) + 1 if place.path else 0
    found: set[str] = set()
    for path, kind, left_out in scope.entries():
        if kind == "file" and left_out in (None, "not downloaded"):
            name, slash, _ = path[start:].partition("/")
            found.add(name + slash)
    if not found and place.path:
        raise NotThere
    return sorted(found)


def is_hidden(path: str) -> bool:
    """Whether the app ignores a file, because a part of its path begins with a dot."""
    return any(part.startswith(".") for part in path.split("/"))


def _json(value: Any, kind: str) -> Response:
    return JSONResponse(encodable(value), media_type=kind, headers={"X-Content-Type-Options": "nosniff"})


def _raw(vault: Session, path: str, *, is_head: bool) -> Response:
    """Returns the bytes of a whole file, with headers that let a browser display only images.

    Raises:
        NotThere: it cannot be read.
    """
    try:
        descriptor = vault.root.open(path)
        size = disk.fstat(descriptor).st_size
        file = disk.fdopen(descriptor, "rb")
    except OSError as error:
        raise NotThere from error
    name = path.rpartition("/")[2]
    kind = "text/markdown; charset=utf-8"
    if not paths.is_note(path):
        kind = mimetypes.guess_type(name, strict=False)[0] or "application/octet-stream"
    headers = {**HEADERS, "Content-Length": str(size)}
    if kind not in PICTURES:
        headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name.encode('utf-8', 'replace'))}"
    if is_head:
        file.close()
        return Response(headers=headers, media_type=kind)
    if size <= AT_ONCE_BYTES:
        # A stream runs each piece in another thread, where it would wait behind all busy threads of the process.
        with file:
            data = file.read(size)
        return Response(data, headers={**headers, "Content-Length": str(len(data))}, media_type=kind)
    return StreamingResponse(_chunks(file, size), headers=headers, media_type=kind)


def _chunks(file: IO[bytes], left: int) -> Iterator[bytes]:
    """Yields exactly the promised number of bytes: a growing file is cut. A shrinking file yields fewer, and the client
    notices."""
    with file:
        while left and (chunk := file.read(min(_PIECE, left))):
            left -= len(chunk)
            yield chunk


async def periodic(service: Service, request: Request) -> Response:
    """Answer `GET /periodic/PERIOD/`, or `/periodic/PERIOD/Y/M/D/` for another day."""
    given = request.path_params
    if given["period"] not in PERIODS:
        return refused(404, f"The period must be one of {', '.join(PERIODS)}", 60)
    day = ""
    if "year" in given:
        numbers = [given["year"], given["month"], given["day"]]
        if not all(each.isascii() and each.isdigit() and len(each) <= 4 for each in numbers):
            return refused(404, "A day is written as /YEAR/MONTH/DAY/, in numbers", 60)
        day = " {:0>4}-{:0>2}-{:0>2}".format(*numbers)

    def ask(call: Call) -> Response:
        note = call.session.periodic.named(given["period"] + day)
        if note is None:
            raise BadArgument(f"There is no such day:{day}")
        path = _existing(call.session, note)
        if path is None:
            raise NotThere(f"There is no note {paths.shown(note.path)}")
        return of(call, request, path, None, [])

    return await answered(service, request, ask)


async def newest_periodic(service: Service, request: Request) -> Response:
    """Answer `GET /periodic/PERIOD/recent?limit=5`: the newest notes, with their texts for `includeContent`."""
    period = request.path_params["period"]
    if period not in PERIODS:
        return refused(404, f"The period must be one of {', '.join(PERIODS)}", 60)
    limit = request.query_params.get("limit", "5")
    if not limit.isdecimal() or not 0 < len(limit) <= 4:
        return refused(400, f"limit must be a number from 1 to {_MOST}")
    with_content = request.query_params.get("includeContent", "").lower() == "true"

    def ask(call: Call) -> Response:
        found: list[dict[str, Any]] = []
        for note in call.session.periodic.latest(period, PERIODS[period]):
            path = _existing(call.session, note)
            if path is not None:
                each: dict[str, Any] = {"path": path, "date": str(note.day), "stat": notes.stat(call.session, path)}
                found.append({**each, "content": read(call.session, path)} if with_content else each)
            if len(found) >= min(int(limit), _MOST):
                break
            if call.work.remaining() <= 0:
                call.work.cut()
                break
        return JSONResponse(encodable(found))

    return await answered(service, request, ask)


def _existing(vault: Session, note: PeriodicNote) -> str | None:
    """Returns the path of an existing note; None otherwise, also if a setting leads out of the vault."""
    place = vault.root.locate(note.path)
    return place.path if place.kind == "file" else None

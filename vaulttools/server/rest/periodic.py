"""Answers `/periodic/…`: the notes of days, weeks, months, quarters and years."""

from __future__ import annotations

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from vaulttools.core import paths
from vaulttools.core.work import Work
from vaulttools.errors import BadArgument
from vaulttools.resources.periodic import PeriodicNote
from vaulttools.server.rest import files, notes
from vaulttools.server.rest.answering import NotThere, answered, encodable, refused
from vaulttools.server.service import Service
from vaulttools.session import Session

PERIODS: Final = {"daily": 3_660, "weekly": 530, "monthly": 120, "quarterly": 40, "yearly": 10}
"""How many periods back the newest notes are looked for: ten years."""

_MOST: Final = 100
"""Newest notes in one answer."""


async def current(service: Service, request: Request) -> Response:
    """`GET /periodic/PERIOD/`, with `/Y/M/D/` behind it for another day's."""
    given = request.path_params
    if given["period"] not in PERIODS:
        return refused(404, f"The period must be one of {', '.join(PERIODS)}", 60)
    day = ""
    if "year" in given:
        numbers = [given["year"], given["month"], given["day"]]
        if not all(each.isascii() and each.isdigit() and len(each) <= 4 for each in numbers):
            return refused(404, "A day is asked for as /YEAR/MONTH/DAY/, in numbers", 60)
        day = " {:0>4}-{:0>2}-{:0>2}".format(*numbers)

    def ask(vault: Session, work: Work) -> Response:
        note = vault.periodic.named(given["period"] + day)
        if note is None:
            raise BadArgument(f"There is no such day:{day}")
        path = _there(vault, note)
        if path is None:
            raise NotThere(f"There is no note {paths.shown(note.path)}")
        return files.of(vault, request, path, None, [], work)

    return await answered(service, request, ask)


async def newest(service: Service, request: Request) -> Response:
    """`GET /periodic/PERIOD/recent?limit=5`: the newest notes that are there; their texts with `includeContent`."""
    period = request.path_params["period"]
    if period not in PERIODS:
        return refused(404, f"The period must be one of {', '.join(PERIODS)}", 60)
    limit = request.query_params.get("limit", "5")
    if not limit.isdecimal() or not 0 < len(limit) <= 4:
        return refused(400, f"limit must be a number from 1 to {_MOST}")
    with_content = request.query_params.get("includeContent", "").lower() == "true"

    def ask(vault: Session, work: Work) -> Response:
        found: list[dict[str, Any]] = []
        for note in vault.periodic.latest(period, PERIODS[period]):
            path = _there(vault, note)
            if path is not None:
                each: dict[str, Any] = {"path": path, "date": str(note.day), "stat": notes.stat(vault, path)}
                found.append({**each, "content": files.read(vault, path)} if with_content else each)
            if len(found) >= min(int(limit), _MOST):
                break
            if work.remaining() <= 0:
                work.pass_over(note.path, "time limit")
                work.cut_short = True
                break
        return JSONResponse(encodable(found))

    return await answered(service, request, ask)


def _there(vault: Session, note: PeriodicNote) -> str | None:
    """The path of the note, where there is one. A setting that leads out of the vault is refused as nothing there."""
    place = vault.root.locate(note.path)
    return place.path if place.kind == "file" else None

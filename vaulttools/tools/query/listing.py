"""Makes the list of all that a question asks for."""

from __future__ import annotations

from typing import Any, Final

from vaulttools import tools
from vaulttools.answers import known_names
from vaulttools.answers.proposals import MOST_ROWS, ListLine, WholeList, proposal
from vaulttools.call import Call
from vaulttools.core.work import PROPERTIES
from vaulttools.errors import BadArgument
from vaulttools.ranked.question import without_operators
from vaulttools.tools.query.answers import QueryRequest

_KEPT: Final = ("query", "also", "mode", "limit", "max_chars", "page", "explain", "folder", "glob")
"""Arguments that a proposed call keeps, or that do not select notes."""
_MORE: Final = "There may be more that match: a complete list "


def whole_list(call: Call, request: QueryRequest, question: str, *, is_ready: bool) -> WholeList | str | None:
    """Returns the list of all that a question, which may ask for one, asks for; or a sentence that it could not be
    made. None if it asks for no list, or if the call cannot keep the filters of the request."""
    others = request.model_dump(exclude_defaults=True).keys() - {*_KEPT}
    if others or request.page > 1 or without_operators(question)[1]:
        return None
    if not is_ready:
        return f"{_MORE}needs the index."
    again = call.again()
    known = known_names.of(again)
    asked = proposal(question, known, call.session.calendar.today(), call.session.calendar.first_weekday)
    if asked is None:
        return f"{_MORE}takes more time." if "time limit" in again.work.skipped else None
    tool = tools.named(asked.tool)
    kept = {name: value for name in ("folder", "glob") if (value := getattr(request, name))}
    if kept.keys() - tool.request.model_fields.keys():
        return None
    try:
        answered: Any = tool.run(again, tool.request(**asked.arguments, **kept, limit=MOST_ROWS))
    except BadArgument:  # a name or a value that no expression can hold
        return None
    if not again.work.complete:
        return f"{_MORE}takes more time."
    if not answered.total:
        return None
    if (misread := again.work.skipped.get(PROPERTIES)) is not None:
        call.work.skipped[PROPERTIES] = misread
    listed = answered.tasks if asked.tool == "tasks" else answered.rows
    rows = [ListLine(each.path, getattr(each, "line", 0)) for each in listed]
    return WholeList(asked._replace(arguments={**asked.arguments, **kept}), answered.total, rows)

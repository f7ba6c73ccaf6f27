"""Answers `bases`, `base:query` and `deadends` from the tool `base`."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from vaulttools.answers.request import parse
from vaulttools.bases import definition
from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.obsidian_cli import targets
from vaulttools.obsidian_cli.asked import Asked
from vaulttools.obsidian_cli.said import MOST, AppError, NotBuilt, Said, as_json, ensure_all, lines, number
from vaulttools.tools import base as tool
from vaulttools.tools.base import BaseAnswer, ColumnShown

_HEADINGS: Final = {
    "file.name": "file name",
    "file.mtime": "modified time",
    "file.ctime": "created time",
    "file.folder": "folder",
    "file.ext": "file extension",
    "file.size": "file size",
    "file.path": "file path",
    "file.tags": "tags",
    "file.links": "links",
}
"""The app's headings of built-in columns without one of their own."""


def listed(call: Call, asked: Asked) -> Said:
    """Returns the paths of all base files."""
    found = [paths.portable(path) for path in targets.files(call) if definition.is_base(path)]
    return lines(found, "No base files found in vault")


def query(call: Call, asked: Asked) -> Said:
    """Returns the rows of a view, with all that it shows.

    Raises:
        AppError: there is no such base, or no such view in it.
    """
    path = _base(call, asked)
    views = tool.run(call, parse(tool.TOOL.request, {"base": path, "list_views": True})).views
    wanted = asked.values.get("view")
    named = [view for view in views if wanted is None or view.name == wanted]
    if not named:
        raise AppError(f"View not found: {wanted}\nAvailable views: {', '.join(view.name for view in views)}")
    given = {"base": path, "view": named[0].name, "limit": min(named[0].limit or MOST, MOST)}
    answered = tool.run(call, parse(tool.TOOL.request, given))
    if named[0].limit is None:
        ensure_all(answered.total)
    for sentence in answered.notices:
        if not sentence.startswith(_SAID_BY_ALL):
            call.work.warn(sentence)
    if failed := {str(value["error"]) for row in answered.rows for value in row.values if _is_failed(value)}:
        call.work.warn(f"Empty, since an expression has no value there: {'; '.join(sorted(failed)[:5])}.")
    return _printed(asked.format, answered)


_SAID_BY_ALL: Final = ("For more rows:", "Other views:", "Passed over:", "The search is incomplete:")
"""Beginnings of what every command says itself, or nobody needs to know here."""

_LINKING_NOWHERE: Final = "file.ext.lower() == 'md' && file.links.isEmpty() && file.embeds.isEmpty()"


def deadends(call: Call, asked: Asked) -> Said:
    """Returns the notes without links."""
    wanted = {"where": _LINKING_NOWHERE, "columns": ["file.path"], "sort": ["file.path"], "limit": MOST}
    answered = tool.run(call, parse(tool.TOOL.request, wanted))
    ensure_all(answered.total)
    rows = sorted((row.path for row in answered.rows), key=paths.order)
    return number(len(rows)) if asked.has("total") else lines(rows, "No dead ends found.")


def _base(call: Call, asked: Asked) -> str:
    given = asked.values.get("path") or asked.values.get("file")
    try:
        path = targets.file(call, asked)
    except AppError:
        if given is None:
            raise
        raise AppError(f"Base file not found: {given}") from None
    if not definition.is_base(path):
        raise AppError(f"Base file not found: {given}")
    return path


def _printed(format: str, answered: BaseAnswer) -> Said:  # noqa: A002 - the app's word
    headings = list(map(_heading, answered.columns))
    rows = [[_cell(value) for value in row.values] for row in answered.rows]
    is_found = bool(rows)
    if format == "paths":
        return Said("\n".join(row.path for row in answered.rows), is_found)
    if format == "json":
        keys = _keys(answered.columns, headings)
        named = [
            {"path": row.path} | {key: cell for key, cell in zip(keys, cells, strict=True) if key}
            for row, cells in zip(answered.rows, rows, strict=True)
        ]
        return Said(as_json(named), is_found)
    if format == "md":
        return Said("\n".join([_row(headings), f"|{' --- |' * len(headings)}", *map(_row, rows)]), is_found)
    if format == "tsv" and any(sign in cell for cells in rows for cell in cells for sign in "\t\n"):
        raise NotBuilt(
            "A value holds a tab or a line end, and it is not known how the app writes that: use csv or json"
        )
    text = io.StringIO()
    writer = csv.writer(text, "excel-tab" if format == "tsv" else "excel", lineterminator="\n")
    writer.writerows([headings, *rows])
    return Said(text.getvalue().removesuffix("\n"), is_found)


def _heading(column: ColumnShown) -> str:
    return _HEADINGS.get(column.name, column.display) if column.display == column.name else column.display


def _keys(columns: Sequence[ColumnShown], headings: Sequence[str]) -> list[str]:
    """Returns the keys of a row: the headings, and where two are equal the names of their columns; "" for the path,
    which every row has."""
    times = Counter(["path", *headings])
    named = zip(columns, headings, strict=True)
    return ["" if each.name == "file.path" else each.name if times[heading] > 1 else heading for each, heading in named]


def _cell(value: Any) -> str:
    """Returns a value as text: lists joined by commas, nothing for none or for an expression that has no value."""
    if value is None or _is_failed(value):
        return ""
    if isinstance(value, list):
        return ", ".join(map(_cell, value))
    if isinstance(value, dict):
        return as_json(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_failed(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {"error"}


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(' '.join(cell.replace('|', chr(92) + '|').split()) for cell in cells)} |"

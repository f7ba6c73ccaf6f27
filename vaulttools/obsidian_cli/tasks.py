"""Answers `tasks` from the tool `tasks`, with whole lines."""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

from vaulttools.answers.request import parse
from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.obsidian_cli import targets
from vaulttools.obsidian_cli.asked import Asked
from vaulttools.obsidian_cli.said import MOST, AppError, Said, ensure_all, lines, number, table
from vaulttools.tools import tasks as tool

_NOTHING = "No tasks found."


class _Task(NamedTuple):
    path: str
    line: int
    status: str
    text: str


def tasks(call: Call, asked: Asked) -> Said:
    """Returns the tasks by path and line."""
    path = targets.optional_file(call, asked)
    if asked.has("daily"):
        note, path = targets.daily(call)
        if path is None:
            call.work.warn(f"There is no daily note {paths.shown(note.path)}.")
            return number(0) if asked.has("total") else Said(_NOTHING, found=False)
    found = _found(call, asked, path)
    if asked.has("total"):
        return number(len(found))
    if asked.format != "text":
        rows = [{"status": each.status, "text": each.text, "file": each.path, "line": str(each.line)} for each in found]
        return table(rows, asked.format, _NOTHING)
    if asked.has("verbose"):
        by_path = groupby(found, key=lambda each: each.path)
        return lines(
            [row for name, held in by_path for row in (name, *(f"{each.line}: {each.text}" for each in held))], _NOTHING
        )
    return lines([each.text for each in found], _NOTHING)


def _found(call: Call, asked: Asked, path: str | None) -> list[_Task]:
    status = "done" if asked.has("done") else "open" if asked.has("todo") else asked.values.get("status") or "any"
    given = {"status": status, "limit": MOST, "sort": "path", **({} if path is None else {"glob": path})}
    answered = tool.run(call, parse(tool.TOOL.request, given))
    ensure_all(answered.total, is_whole=answered.next_page is None)
    texts: dict[str, list[str]] = {}
    found = []
    for each in answered.tasks:
        at = call.session.root.locate(each.path).path  # a name that is not UTF-8 is shown in another form
        if each.path not in texts:
            texts[each.path] = call.notes().document(at).lines
        held = texts[each.path]
        if each.line > len(held):
            raise AppError(f'File "{each.path}" changed meanwhile: ask again.')
        found.append(_Task(each.path, each.line, each.status, held[each.line - 1].lstrip()))
    return sorted(found, key=lambda each: (paths.order(each.path), each.line))

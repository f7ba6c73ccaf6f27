"""Answers `search`, `search:context` and `tag`: what `query` finds in mode obsidian, or ranked."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any, Final

from vaulttools.answers.request import parse
from vaulttools.call import Call
from vaulttools.core import paths as names
from vaulttools.notes.tags import covers
from vaulttools.obsidian_cli import targets
from vaulttools.obsidian_cli.asked import Asked
from vaulttools.obsidian_cli.said import (
    MOST,
    AppError,
    Said,
    as_json,
    ensure_all,
    lines,
    number,
    one_line,
)
from vaulttools.query import explain, language, quoting
from vaulttools.query.matching_files import Match
from vaulttools.tools import query
from vaulttools.tools.query import obsidian
from vaulttools.tools.query.obsidian import Found

NOTHING: Final = "No matches found."
_RANKED: Final = 10
"""Notes that answer a question, without `limit`."""


def paths(call: Call, asked: Asked) -> Said:
    """Returns the paths of the matching files."""
    if asked.has("ranked") or asked.also:
        return _printed(asked, _ranked(call, asked))
    found = _found(call, asked)
    if found is None:
        return _printed(asked, [])
    most = asked.limit or MOST
    matching = list(islice(found.query.matching(found.order), most if asked.limit else most + 1))
    ensure_all(len(matching))
    return _printed(asked, list(map(names.portable, matching)))


def context(call: Call, asked: Asked) -> Said:
    """Returns the matching lines of the matching files; a file that matches by its name or properties has none."""
    found = _found(call, asked)
    if found is None:
        return Said(NOTHING, found=False)
    matching = list(islice(found.query.matching(found.order), asked.limit or MOST + 1))
    ensure_all(len(matching))
    rows = [(names.portable(match.path), _lines(call, match)) for match in found.query.shown(matching, MOST + 1)]
    ensure_all(sum(len(held) for _, held in rows))
    if not rows:
        return Said(NOTHING, found=False)
    if asked.format == "json":
        return Said(
            as_json(
                [
                    {"file": path, "matches": [{"line": line, "text": text} for line, text in held]}
                    for path, held in rows
                ]
            )
        )
    if bare := [path for path, held in rows if not held]:
        more = f" and {len(bare) - 5:,} more" if len(bare) > 5 else ""
        call.work.warn(f"Matching by name or properties, without a line: {', '.join(bare[:5])}{more}.")
    return Said("\n".join(f"{one_line(path)}:{line}: {one_line(text)}" for path, held in rows for line, text in held))


def tag(call: Call, asked: Asked) -> Said:
    """Returns the files that have exactly this tag.

    Raises:
        AppError: no file has it.
    """
    name = asked.values["name"].removeprefix("#")
    request = parse(query.TOOL.request, {"query": quoting.of_tag(name), "mode": "obsidian"})
    found = obsidian.found(call, request, request.query or "")
    candidates = list(islice(found.query.matching(found.order), MOST + 1))
    ensure_all(len(candidates))
    counts: dict[str, int] = {}
    others: dict[str, None] = {}
    for path in sorted(filter(names.is_note, candidates), key=names.order):
        written = targets.note_at(call, path).written_tags
        if name in written:
            counts[names.portable(path)] = written.count(name)
        others |= dict.fromkeys(f"#{each}" for each in written if covers(name, each) and each != name)
    if not counts:
        if others:
            call.work.warn(f"Other spellings and nested tags are not counted: {', '.join(list(others)[:5])}.")
        raise AppError(f'Tag "#{name}" not found.')
    if asked.has("total"):
        return number(sum(counts.values()))
    head = [f"#{name}\t{sum(counts.values())}"] if asked.has("verbose") else []
    return lines([*head, *counts], "")


def _printed(asked: Asked, found: list[str]) -> Said:
    if asked.has("total"):
        return number(len(found))
    if found and asked.format == "json":
        return Said(as_json(found))
    return lines(found, NOTHING)


def _request(asked: Asked, folder: str | None, **given: Any) -> query.QueryRequest:
    where = {"folder": folder} if folder else {}
    return parse(query.TOOL.request, {"query": asked.values["query"], **where, **given})


def _folder(call: Call, asked: Asked) -> str | None:
    """Returns the folder to search, `""` for all; None if there is none of that name."""
    return targets.folder(call, asked.values.get("path", ""))


def _found(call: Call, asked: Asked) -> Found | None:
    """Returns what a query of the app's language finds; None without the folder.

    Raises:
        AppError: it has an operator that the app does not know.
    """
    for word in explain.words(language.parse(asked.values["query"])):
        if (operator := _OPERATOR.match(word)) is not None:
            raise AppError(f'Operator "{operator[1].lower()}" not recognized')
    folder = _folder(call, asked)
    if folder is None:
        return None
    request = _request(asked, folder, mode="obsidian", match_case=asked.has("case"))
    return obsidian.found(call, request, asked.values["query"])


_OPERATOR: Final = re.compile(r"([^\s:]+):")
"""The app takes every word before a colon for an operator."""


def _ranked(call: Call, asked: Asked) -> list[str]:
    folder = _folder(call, asked)
    if folder is None:
        return []
    also = {"also": asked.also} if asked.also else {}
    answered = query.run(call, _request(asked, folder, limit=min(asked.limit or _RANKED, MOST), **also))
    return [each.path for each in answered.notes]


def _lines(call: Call, match: Match) -> list[tuple[int, str]]:
    """Returns the matching lines below the properties, with the numbers that `read` shows."""
    text = match.text
    if text is None:
        return []
    body = call.notes().note(call.notes().document(match.path)).body_line if names.is_note(match.path) else 1
    wanted = {line for first, last in match.places for line in range(first, last + 1) if line >= body}
    return sorted((text.line_read(line), text.lines[line - 1]) for line in wanted)

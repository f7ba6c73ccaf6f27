"""Answers `tags` from the tool `tags`, or from one note."""

from __future__ import annotations

from collections import Counter

from vaulttools.answers.request import parse
from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.core.folding.identity import identity
from vaulttools.obsidian_cli import targets
from vaulttools.obsidian_cli.asked import Asked
from vaulttools.obsidian_cli.said import MOST, Said, ensure_all, number, table
from vaulttools.tools import tags as tool


def tags(call: Call, asked: Asked) -> Said:
    """Returns the tags of all notes, with those that they are nested in; or those that one note has."""
    path = targets.optional_file(call, asked)
    counts = _of_all(call) if path is None else _of_file(call, path)
    if asked.has("total"):
        return number(len(counts))
    by_name = sorted(counts.items(), key=lambda each: identity(each[0]))
    if asked.values.get("sort") == "count":
        by_name.sort(key=lambda each: -each[1])
    rows = [{"tag": f"#{name}", **({"count": str(count)} if asked.has("counts") else {})} for name, count in by_name]
    return table(rows, asked.format, "No tags found.")


def _of_all(call: Call) -> dict[str, int]:
    answered = tool.run(call, parse(tool.TOOL.request, {"limit": MOST}))
    ensure_all(answered.total_tags)
    return {each.tag: each.occurrences for each in answered.tags}


def _of_file(call: Call, path: str) -> dict[str, int]:
    """Returns the tags of a note as often as it has them, in the casing first written."""
    if not paths.is_note(path):
        return {}
    note = targets.note_at(call, path)
    times = Counter(map(identity, note.written_tags))
    return {name: times[identity(name)] for name in note.tags}

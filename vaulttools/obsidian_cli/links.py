"""Answers `links`, `backlinks`, `unresolved`, `orphans` from the tool `links`."""

from __future__ import annotations

from typing import Any

from vaulttools.answers.request import parse
from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.obsidian_cli import targets
from vaulttools.obsidian_cli.asked import Asked
from vaulttools.obsidian_cli.said import MOST, Said, ensure_all, lines, number, table
from vaulttools.tools import links as tool
from vaulttools.tools.links import LinksAnswer


def links(call: Call, asked: Asked) -> Said:
    """Returns the files that one links to, each once; those that are not there are marked."""
    found = _asked(call, note=targets.file(call, asked), direction="out").links
    to = {each.target if each.resolved else f"{_named(each.target)} (unresolved)" for each in found}
    return _rows(asked, sorted(to, key=paths.order), "No links found.")


def backlinks(call: Call, asked: Asked) -> Said:
    """Returns the notes that link to a file, by path."""
    counts: dict[str, int] = {}
    for each in _asked(call, note=targets.file(call, asked), direction="back").links:
        counts[each.source] = counts.get(each.source, 0) + 1
    if asked.has("total"):
        return number(len(counts))
    rows = [
        {"file": path, **({"count": str(counts[path])} if asked.has("counts") else {})}
        for path in sorted(counts, key=paths.order)
    ]
    return table(rows, asked.format, "No backlinks found.")


def unresolved(call: Call, asked: Asked) -> Said:
    """Returns the names that links lead to and no file has."""
    places: dict[str, list[str]] = {}
    for each in _asked(call, direction="unresolved").links:
        places.setdefault(_named(each.target), []).append(each.source)
    if asked.has("total"):
        return number(len(places))
    rows = [
        {
            "link": name,
            **({"count": str(len(sources))} if asked.has("counts") else {}),
            **({"sources": ", ".join(dict.fromkeys(sources))} if asked.has("verbose") else {}),
        }
        for name, sources in sorted(places.items())
    ]
    return table(rows, asked.format, "No unresolved links found.")


def orphans(call: Call, asked: Asked) -> Said:
    """Returns the notes that no other note links to."""
    answered = _asked(call, direction="orphans")
    return _rows(asked, answered.orphans, "No orphans found.")


def _asked(call: Call, **given: Any) -> LinksAnswer:
    answered = tool.run(call, parse(tool.TOOL.request, {**given, "limit": MOST}))
    ensure_all(answered.total if isinstance(answered.total, int) else MOST + 1)
    return answered


def _named(written: str) -> str:
    """Returns the target of a link without its heading or block."""
    return written.partition("#")[0].strip() or written


def _rows(asked: Asked, rows: list[str], nothing: str) -> Said:
    return number(len(rows)) if asked.has("total") else lines(rows, nothing)

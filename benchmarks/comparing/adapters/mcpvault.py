"""@bitbonsai/mcpvault from npm: a server that reads the files at each call."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.comparing.contestant import FIRST, MOST, Contestant, Result, text_of
from benchmarks.comparing.installing import from_npm, npm_version

PACKAGE = "@bitbonsai/mcpvault"


def contestant(vault: Path, kept: Path) -> Contestant:
    """Its server, started as its page says."""
    modules = from_npm(PACKAGE)
    return Contestant(
        PACKAGE,
        npm_version(modules, PACKAGE),
        ask=lambda question: ("search_notes", {"query": question, "limit": FIRST}),
        find=lambda word: ("search_notes", {"query": word, "limit": MOST}),
        read=lambda path: ("read_note", {"path": path}),
        paths=_paths,
        command=[str(modules / ".bin" / "mcpvault"), str(vault)],
    )


def _paths(result: Result) -> list[str]:
    try:
        found = json.loads(text_of(result))
    except ValueError:
        return []
    return [each["p"] for each in found] if isinstance(found, list) else []

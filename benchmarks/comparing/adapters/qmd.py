"""@tobilu/qmd from npm, without its models: an index of its own, which `qmd update` brings up to date."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from benchmarks.comparing.contestant import FIRST, MOST, Call, Contestant, Result
from benchmarks.comparing.installing import from_npm, npm_version

PACKAGE = "@tobilu/qmd"


def contestant(vault: Path, kept: Path) -> Contestant:
    """Its server, after the vault was added as a collection."""
    node = from_npm("node@22") / "node" / "bin"  # it needs Node 22, which few systems have
    path = {"PATH": f"{node}{os.pathsep}{os.environ['PATH']}"}
    modules = from_npm(PACKAGE, path)
    program = [str(node / "node"), str(modules / "@tobilu" / "qmd" / "dist" / "cli" / "qmd.js")]
    return Contestant(
        f"{PACKAGE}, lexical",
        npm_version(modules, PACKAGE),
        ask=lambda question: _query([question], FIRST),
        find=lambda word: _query([f'"{word}"'], MOST),
        read=lambda path: ("get", {"file": path}),
        paths=_paths,
        command=[*program, "mcp"],
        ask_worded=lambda wordings: _query(wordings, FIRST),
        environment={**path, "XDG_CACHE_HOME": str(kept / "cache"), "XDG_CONFIG_HOME": str(kept / "settings")},
        prepare=[*program, "collection", "add", str(vault), "--name", "notes"],
        refresh="qmd update",
    )


def _query(texts: Sequence[str], limit: int) -> Call:
    return "query", {"searches": [{"type": "lex", "query": text} for text in texts], "limit": limit, "rerank": False}


def _paths(result: Result) -> list[str]:
    found = result.get("structuredContent", {}).get("results", [])
    return [each["file"].removeprefix("notes/") for each in found]

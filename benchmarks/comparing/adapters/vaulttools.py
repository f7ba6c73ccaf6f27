"""This package's own server, by words alone."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from benchmarks.comparing.contestant import FIRST, MOST, Contestant, Result, text_of
from benchmarks.comparing.installing import printed


def contestant(vault: Path, kept: Path) -> Contestant:
    """The server of the package in this environment."""
    program = str(Path(sys.executable).with_name("vaulttools"))
    return Contestant(
        "vaulttools",
        printed([program, "--version"]).split()[-1],
        ask=lambda question: ("query", {"query": question, "limit": FIRST}),
        find=lambda word: ("search_files", {"pattern": word, "fixed": True, "case_sensitive": False, **_PATHS}),
        read=lambda path: ("read", {"note": path}),
        paths=_paths,
        command=[program, "--vault", str(vault), "mcp"],
        ask_worded=lambda wordings: ("query", {"query": wordings[0], "also": [*wordings[1:]], "limit": FIRST}),
        environment={"XDG_CACHE_HOME": str(kept), "VAULTTOOLS_MEANING": "off"},
    )


_PATHS = {"output": "paths", "max_results": MOST}


def _paths(result: Result) -> list[str]:
    text = text_of(result)
    if text.startswith("Found "):
        return text.split("\n")
    shown = re.findall(r"^## (.+?\.md)(?: \(.*\))?$", text, re.MULTILINE)
    only = text.partition("\nNamed only:\n")[2].partition("\n\n")[0]
    return [*shown, *re.findall(r"^- (.+?\.md)(?:, line \d+.*)?$", only, re.MULTILINE)]

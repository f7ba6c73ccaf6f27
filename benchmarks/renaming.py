"""Counts what answers lack while another process renames a note: `python benchmarks/renaming.py [CALLS] [--only NAME]`.

At every moment exactly one note has what each call asks for. `--index off` asks a vault without an index, and
VAULTTOOLS_WATCH=off one without a watch. With PYTHONPATH=CHECKOUT it measures another version.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from vaulttools import Vault, VaultConfig, tools

NOTES: Final = 300
"""Notes that stay where they are, in twelve folders."""

SECONDS: Final = 0.031
"""Between two renames: as quick as programs that synchronise, and slower than most calls."""

SIGN: Final = "medlar"
"""On each line, tag, property, link and task of the note, and in its name, but in no question."""

NOTE: Final = f"""---
status: {SIGN}
kind: rare
tags: [kiwi/{SIGN}]
---
# {SIGN.capitalize()}

The quince zebra is a {SIGN}, see [[target-{SIGN}]].
- [ ] peel the quince and the {SIGN}
"""

CALLS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "search_files": ("search_files", {"pattern": "quince"}),
    "search_files, tags": ("search_files", {"pattern": "quince", "tags": ["kiwi"]}),
    "search": ("search", {"pattern": "quince zebra"}),
    "grep": ("grep", {"pattern": "quince zebra"}),
    "find": ("find", {"paths": f"**/{SIGN}*"}),
    "survey": ("survey", {"terms": ["quince"]}),
    "scout": ("scout", {"query": "quince"}),
    "query obsidian": ("query", {"query": "quince", "mode": "obsidian"}),
    "query obsidian, tags": ("query", {"query": "quince tag:kiwi", "mode": "obsidian"}),
    "query": ("query", {"query": "quince zebra"}),
    "query, tags": ("query", {"query": "quince zebra", "tags": ["kiwi"]}),
    "context": ("context", {"question": "quince zebra"}),
    "tags": ("tags", {"name": "kiwi"}),
    "properties": ("properties", {"name": "kind"}),
    "tasks": ("tasks", {"text": "quince"}),
    "base": ("base", {"where": 'kind == "rare"'}),
    "links unresolved": ("links", {"direction": "unresolved"}),
}
SIGNS: Final = {"survey": r"quince,[1-9]", "properties": "1 note: rare"}
"""What an answer with the note matches, where that is not `SIGN`."""

RENAME: Final = """
import os, sys, time
here, there, seconds = sys.argv[1:]
print(flush=True)
while True:
    os.rename(here, there)
    time.sleep(float(seconds))
    here, there = there, here
"""


class Runs:
    """Counts how often a tool runs. `Vault.answer` gets a tool from `tools.named` and runs it once, and again when it
    asks again: this class is the only place that relies on that."""

    def __init__(self) -> None:
        self.count = 0

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Inside this context every run of a tool is counted."""
        named = tools.named

        def counted(name: str) -> Any:
            tool = named(name)

            def run(*arguments: Any) -> Any:
                self.count += 1
                return tool.run(*arguments)

            return replace(tool, run=run)

        with patch.object(tools, "named", counted):
            yield


@contextmanager
def renaming(here: Path, there: Path) -> Iterator[None]:
    """Inside this context another process renames a file to and fro."""
    command = [sys.executable, "-c", RENAME, str(here), str(there), str(SECONDS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as renamer:
        assert renamer.stdout is not None
        renamer.stdout.readline()
        try:
            yield
        finally:
            renamer.kill()


def row(vault: Vault, name: str, calls: int, runs: Runs) -> str:
    """Asks so many times; returns the row of the table. "Named": not complete, and says which names changed."""
    left_out = unnamed = named = 0
    taken = []
    runs.count = 0
    for _ in range(calls):
        began = time.perf_counter()
        result = vault.call(*CALLS[name])
        taken.append((time.perf_counter() - began) * 1000)
        if not result.details.get("complete"):
            is_named = SIGN in result.text or "meanwhile (" in result.text
            named += is_named
            unnamed += not is_named
        elif not re.search(SIGNS.get(name, SIGN), result.text):
            left_out += 1
    again = 100 * (runs.count - calls) / calls
    return f"| {name} | {calls:,} | {left_out} | {unnamed} | {named} | {again:.1f} | {statistics.median(taken):.1f} |"


def main() -> None:
    """Makes the vault, asks, and prints a table."""
    parser = argparse.ArgumentParser(description="Count what answers lack while another process renames a note.")
    parser.add_argument("calls", type=int, nargs="?", default=1_500)
    parser.add_argument("--only", action="append", choices=CALLS, help="may be repeated; default: all")
    parser.add_argument("--index", choices=("auto", "off"), default="auto")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="renaming-") as temporary:
        folder = Path(temporary, "vault")
        for number in range(NOTES):
            note = folder / f"F{number % 12}" / f"n{number}.md"
            note.parent.mkdir(parents=True, exist_ok=True)
            after = (number + 1) % NOTES
            text = f"# Note {number}\n\nSome apple text, see [[n{after}]].\n- [ ] pick it\n"
            note.write_text(f"---\nkind: k{number % 5}\ntags: [t{number % 7}]\n---\n{text}", encoding="utf-8")
        here, there = folder / f"F3/{SIGN}-a.md", folder / f"F9/{SIGN}-b.md"
        here.write_text(NOTE, encoding="utf-8")
        config = VaultConfig(index_folder=str(Path(temporary, "index")), index=options.index, meaning="off")
        runs = Runs()
        print(
            "| call | calls | left out and complete | not complete, not named | named | asked again, % | median, ms |"
        )
        print("|---|--:|--:|--:|--:|--:|--:|")
        with Vault.open(folder, config=config) as vault, runs.counted():
            if options.index == "auto":
                vault.build_index()
            with renaming(here, there):
                for name in options.only or CALLS:
                    print(row(vault, name, options.calls, runs), flush=True)


if __name__ == "__main__":
    main()

"""Measure a new process: commands, opening with a current index, first calls, memory, an MCP server's first answer.

`python benchmarks/starting.py VAULT [--old PATH]`

With the path of an older checkout, both take turns in one run, under this Python and its packages. The table has CPU
and wall time, because only CPU is independent of other work of the machine. Bytecode is compiled before.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

PROJECT: Final = Path(__file__).resolve().parent.parent
ROUNDS: Final = 5

RUN: Final = (
    "try:\n from vaulttools.__main__ import run\nexcept ImportError:\n from vaulttools.cli.main import run\nrun()"
)

OPENING: Final = """
import sys, time
from vaulttools import Vault, tools
for name in tools.NAMES:
    tools.named(name)
def now():
    return time.process_time(), time.perf_counter()
with Vault.open(sys.argv[1]) as vault:
    before = now()
    vault.build_index()
    opened = now()
    if len(sys.argv) > 2:
        vault.call(sys.argv[2], eval(sys.argv[3]))
    called = now()
    print(*(1e3 * (end - start) for start, end in zip(before + opened, opened + called)))
"""

HELD: Final = """
import os, sys
from vaulttools import Vault, tools
for name in tools.NAMES:
    tools.named(name)

def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

with Vault.open(sys.argv[1]) as vault:
    vault.build_index()
    opened = resident()
    for pattern in ("TODO", "the", r"\\w{18}"):
        vault.search_files(pattern)
    vault.query("what is a question")
    vault.query("tag:#work the", mode="obsidian")
    print(opened, resident())
"""

HELD_AT: Final = ("opened", "after searches")

FIRST: Final[Mapping[str, tuple[str, ...]]] = {
    "opening": (),
    "first `search_files`": ("search_files", "{'pattern': 'TODO'}"),
    "first `tags`": ("tags", "{}"),
    "first `properties`": ("properties", "{}"),
    "first `links`, unresolved": ("links", "{'direction': 'unresolved'}"),
    "first `query`, ranked": ("query", "{'query': 'what is a question'}"),
    "first `query`, `tag:#work`": ("query", "{'query': 'tag:#work', 'mode': 'obsidian'}"),
}

COMMANDS: Final = (("--version",), ("search-files", "TODO"), ("tags",), ("links", "--direction", "orphans"))

ASKED: Final = [
    {
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "benchmark", "version": "0"},
        },
    },
    {"method": "tools/call", "params": {"name": "search_files", "arguments": {"pattern": "TODO"}}},
]


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the table for one vault; returns exit status 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("vault", type=Path)
    parser.add_argument("--old", type=Path, help="an older checkout to take turns with")
    asked = parser.parse_args(argv)
    print("\n".join(table(asked.vault.resolve(), asked.old)))
    return 0


def table(vault: Path, old: Path | None = None) -> list[str]:
    """Returns the rows as Markdown: medians of CPU and wall time in milliseconds, of this code and of the older one."""
    sides = [PROJECT, *([old.resolve()] if old else [])]
    with tempfile.TemporaryDirectory(prefix="vt") as folder:
        environs = []
        for place, side in enumerate(sides):
            compileall.compile_dir(str(side / "vaulttools"), quiet=2)
            own = {"XDG_CACHE_HOME": f"{folder}/{place}", "XDG_RUNTIME_DIR": folder, "PYTHONPATH": str(side)}
            environs.append({**os.environ, **own, "VAULTTOOLS_MEANING": "off"})
            subprocess.run(_command(vault, "index", "build"), env=environs[-1], check=True, capture_output=True)
            for arguments in FIRST.values():  # fills what is kept for later processes
                _printed(environs[-1], OPENING, str(vault), *arguments)
        measured: dict[str, list[list[tuple[float, ...]]]] = {}
        for _ in range(ROUNDS):
            for place, environ in enumerate(environs):
                for words in COMMANDS:
                    _add(measured, f"command `{' '.join(words)}`", place, _ran(_command(vault, *words), environ))
                for name, arguments in FIRST.items():
                    spent = _printed(environ, OPENING, str(vault), *arguments)  # for opening, and for the call
                    _add(measured, name, place, spent[2:] if arguments else spent[:2])
                _add(measured, "MCP, start to first answer", place, (0.0, _first_answer(vault, environ)))
                if sys.platform == "linux":
                    for name, size in zip(HELD_AT, _printed(environ, HELD, str(vault)), strict=True):
                        _add(measured, f"MiB resident, {name} (in the column of CPU)", place, (size, 0.0))
        environ = environs[0]
        subprocess.run(_command(vault, "daemon", "start"), env=environ, check=True, capture_output=True)
        try:
            for _ in range(ROUNDS):
                for words in COMMANDS[1:]:
                    _add(measured, f"resident, `{' '.join(words)}`", 0, _ran(_command(vault, *words), environ))
        finally:
            subprocess.run(_command(vault, "daemon", "stop"), env=environ, check=True, capture_output=True)
    lines = [f"| a new process, median of {ROUNDS}, ms | CPU | wall |{' old CPU | old wall |' * (len(sides) - 1)}"]
    lines.append("|---|" + "--:|" * 2 * len(sides))
    for name, taken in measured.items():
        medians = [statistics.median(values) for side in taken for values in zip(*side, strict=True)]
        cells = [f"{median:.0f}" if median else "" for median in medians]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _add(measured: dict[str, list[list[tuple[float, ...]]]], name: str, side: int, taken: tuple[float, ...]) -> None:
    rows = measured.setdefault(name, [])
    while len(rows) <= side:
        rows.append([])
    rows[side].append(taken)


def _command(vault: Path, *words: str) -> list[str]:
    before = [] if words[0] == "--version" else ["--vault", str(vault)]
    return [sys.executable, "-P", "-c", RUN, *before, *words]


def _ran(command: Sequence[str], environ: Mapping[str, str]) -> tuple[float, float]:
    """Returns milliseconds of CPU, including child processes, and of wall time."""
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL)
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    return (used.ru_utime + used.ru_stime) * 1_000, (time.perf_counter() - start) * 1_000


def _printed(environ: Mapping[str, str], program: str, *arguments: str) -> tuple[float, ...]:
    """Returns the numbers that a program prints."""
    command = [sys.executable, "-P", "-c", program, *arguments]
    printed = subprocess.run(command, env=environ, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    return tuple(map(float, printed.stdout.split()))


def _first_answer(vault: Path, environ: Mapping[str, str]) -> float:
    """Returns milliseconds of wall time from the start of a server to its answer to a call."""
    start = time.perf_counter()
    with subprocess.Popen(
        _command(vault, "mcp"), env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        for number, message in enumerate(ASKED):
            server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, **message}).encode() + b"\n")
            server.stdin.flush()
            server.stdout.readline()
            if not number:
                server.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        taken = (time.perf_counter() - start) * 1_000
        server.stdin.close()
    return taken


if __name__ == "__main__":
    sys.exit(main())

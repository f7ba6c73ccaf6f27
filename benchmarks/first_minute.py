"""Measure the first minute with a new vault: each first call, the whole index, searches while it is built.

`python benchmarks/first_minute.py VAULT...`

Each row is one fresh process with its own index folder; the files are in the system's cache. ripgrep searches the same
files. tantivy, if its Python binding is installed, indexes the same texts with positions.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from vaulttools.matching import ripgrep

PROJECT: Final = Path(__file__).resolve().parent.parent

CALLS: Final[Mapping[str, tuple[str, str]]] = {
    "`search_files`": ("search_files", "{'pattern': 'water'}"),
    "`query`, ranked": ("query", "{'query': 'how is it made'}"),
    "`tags`": ("tags", "{}"),
    "`properties`": ("properties", "{}"),
    "`links`, unresolved": ("links", "{'direction': 'unresolved'}"),
    "`tasks`": ("tasks", "{}"),
    "`base`": ("base", "{'where': 'file.tags.length > 0'}"),
}

FIRST: Final = """
import sys, time
from vaulttools import Vault
start = time.perf_counter()
with Vault.open(sys.argv[1]) as vault:
    result = vault.call(sys.argv[2], eval(sys.argv[3]))
    taken = time.perf_counter() - start
    assert not result.is_error, result.text
    print(taken, int("Part of the answer" not in result.text), flush=True)
"""

BUILD: Final = """
import sys, time
from vaulttools import Vault
start = time.perf_counter()
with Vault.open(sys.argv[1]) as vault:
    vault.build_index()
    print(time.perf_counter() - start, 1)
"""

MEANWHILE: Final = """
import sys, time
from vaulttools import Vault
calls = [("search_files", {"pattern": "water"}), ("query", {"query": "how is it made"})]
def taken(vault):
    for name, arguments in calls:
        start = time.perf_counter()
        vault.call(name, arguments)
        yield time.perf_counter() - start
with Vault.open(sys.argv[1], index="off") as vault:
    list(taken(vault))
    print(*taken(vault))
with Vault.open(sys.argv[1]) as vault:
    start = time.perf_counter()
    vault.session.indexes.own.start()
    for moment in (1, 3, 8):
        time.sleep(max(0.0, start + moment - time.perf_counter()))
        print(*taken(vault), flush=True)
"""

TANTIVY: Final = """
import pathlib, sys, tempfile, time
import tantivy
start = time.perf_counter()
builder = tantivy.SchemaBuilder()
builder.add_text_field("path", stored=True, tokenizer_name="raw")
builder.add_text_field("body", stored=False, index_option="position")
with tempfile.TemporaryDirectory() as folder:
    index = tantivy.Index(builder.build(), path=folder)
    writer = index.writer(128_000_000, 1)
    for file in pathlib.Path(sys.argv[1]).rglob("*.md"):
        writer.add_document(tantivy.Document(path=[str(file)], body=[file.read_text("utf-8", "replace")]))
    writer.commit()
    writer.wait_merging_threads()
print(time.perf_counter() - start, 1)
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the tables; returns exit status 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("vaults", type=Path, nargs="+")
    for vault in parser.parse_args(argv).vaults:
        print("\n".join([f"### {vault.name}", "", *table(vault.resolve()), ""]), flush=True)
    return 0


def table(vault: Path) -> list[str]:
    """Returns the rows for one vault as Markdown: seconds of wall time and of CPU, including child processes."""
    lines = ["| a fresh process, nothing indexed | wall, s | CPU, s | |", "|---|--:|--:|---|"]

    def add(name: str, run: Callable[[], tuple[float, bool]]) -> None:
        before = _cpu()
        wall, is_whole = run()
        lines.append(f"| {name} | {wall:.2f} | {_cpu() - before:.1f} | {'' if is_whole else 'a part'} |")

    add("`rg -c water`", lambda: _timed(ripgrep.locate().command, "-c", "water", str(vault)))
    for name, call in CALLS.items():
        add(f"first {name}", lambda call=call: _measured(FIRST, vault, *call))  # type: ignore[misc]
    add("index complete", lambda: _measured(BUILD, vault))
    if subprocess.run([sys.executable, "-c", "import tantivy"], capture_output=True, check=False).returncode == 0:
        add("tantivy, the same texts with positions", lambda: _measured(TANTIVY, vault))
    lines += ["", "| while the index is built, ms | `search_files` | `query`, ranked |", "|---|--:|--:|"]
    names = ("without an index", "1 s after opening", "3 s", "8 s")
    for name, printed in zip(names, _printed(MEANWHILE, vault), strict=True):
        lines.append(f"| {name} | {' | '.join(f'{1e3 * each:.0f}' for each in printed)} |")
    return lines


def _timed(*command: str) -> tuple[float, bool]:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    return time.perf_counter() - start, True


def _measured(program: str, vault: Path, *arguments: str) -> tuple[float, bool]:
    [(wall, is_whole)] = _printed(program, vault, *arguments)
    return wall, bool(is_whole)


def _printed(program: str, vault: Path, *arguments: str) -> list[tuple[float, ...]]:
    """Returns the numbers that a program prints, line by line; its process has no index yet."""
    with tempfile.TemporaryDirectory(prefix="vt", ignore_cleanup_errors=True) as cache:
        own = {"XDG_CACHE_HOME": cache, "PYTHONPATH": str(PROJECT), "VAULTTOOLS_MEANING": "off"}
        command = [sys.executable, "-P", "-c", program, str(vault), *arguments]
        run = subprocess.run(
            command, env={**os.environ, **own}, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
    return [tuple(map(float, line.split())) for line in run.stdout.splitlines()]


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())

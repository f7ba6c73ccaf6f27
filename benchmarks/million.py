"""Measure a fresh process over very many small notes: opening, and the first `search_files`; seconds and memory.

`python benchmarks/million.py [--notes N] [--folder PATH] [--index]`

A vault of N (1,000,000) notes of about 550 bytes is made in a temporary folder, or in PATH, where it and its index stay
for the next run. The first measurements are without an index. With --index the index is then built (half an hour for a
million notes), and the same is measured with it. The files are in the system's cache, as far as they fit.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Final

PROJECT: Final = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT / "fixtures")]  # scripts beside the package, not a part of it

from make_vault import COMMON, RARE, make_vault  # noqa: E402

BYTES: Final = 550
ROUNDS: Final = 3

FIRST: Final = """
import os, sys, time
from pathlib import Path
from vaulttools import Vault, VaultConfig

def held(name):
    return int(Path("/proc/self/status").read_text("utf-8").partition(name + ":")[2].split()[0]) / 1024

start = time.perf_counter()
with Vault.open(sys.argv[1], config=VaultConfig(index_folder=sys.argv[2]), index=sys.argv[3]) as vault:
    if sys.argv[4]:
        vault.build_index()
    opened = time.perf_counter()
    found = vault.search_files(sys.argv[5])
    searched = time.perf_counter()
    memory = held("VmRSS"), held("VmHWM")
    cpu = sum(os.times()[:4])
    print(opened - start, searched - opened, cpu, *memory, found.total_files, int(found.complete), flush=True)
    os._exit(0)  # an index that was begun is not made on
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Measures, and prints the table; returns exit status 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--notes", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="where the vault and its index stay")
    parser.add_argument("--index", action="store_true", help="build the index, and measure with it too")
    asked = parser.parse_args(argv)
    with nullcontext(asked.folder) if asked.folder else tempfile.TemporaryDirectory(prefix="million") as place:
        folder = Path(place)
        vault = folder / "vault"
        if not vault.exists():
            start = time.monotonic()
            made = make_vault(vault, asked.notes, mean_bytes=BYTES)
            print(f"- made in {time.monotonic() - start:.0f} s: {made.bytes / 1e6:.0f} MB in {made.folders:,} folders")
        print(
            f"- {asked.notes:,} notes, {platform.platform()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n"
        )
        print(
            "| a fresh process | open, s | first search, s | both, s | CPU, s | MiB | at most, MiB | files | complete |"
        )
        print("|---|--:|--:|--:|--:|--:|--:|--:|---|", flush=True)
        for index in ("auto", "off"):
            for word in (RARE, COMMON):
                for _ in range(ROUNDS):
                    shutil.rmtree(folder / "none", ignore_errors=True)
                    _measured(f"no index, `{index}`, `{word}`", vault, folder / "none", index, "", word)
        if asked.index:
            start = time.monotonic()
            _measured("index built", vault, folder / "index", "auto", "build", RARE)
            print(f"\n- the index: {time.monotonic() - start:.0f} s\n", flush=True)
            for word in (RARE, COMMON):
                for _ in range(ROUNDS):
                    _measured(f"index current, `{word}`", vault, folder / "index", "auto", "build", word)
    return 0


def _measured(name: str, vault: Path, index_folder: Path, *arguments: str) -> None:
    """Prints the row of one process."""
    command = [sys.executable, "-c", FIRST, str(vault), str(index_folder), *arguments]
    environ = {**os.environ, "VAULTTOOLS_MEANING": "off"}
    run = subprocess.run(command, env=environ, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    opened, searched, cpu, memory, most, files, complete = map(float, run.stdout.split())
    times = f"{opened:.2f} | {searched:.2f} | {opened + searched:.2f} | {cpu:.1f}"
    print(
        f"| {name} | {times} | {memory:.0f} | {most:.0f} | {files:,.0f} | {'yes' if complete else 'no'} |", flush=True
    )


if __name__ == "__main__":
    sys.exit(main())

"""Compare programs that search a vault: the same vaults, the same questions, one run.

`python benchmarks/compare.py [--notes N] [--picture FILE] [NAME...]` (or `make compare`)

Each module in `benchmarks/comparing/adapters` is one program; `docs/comparing.md` says how to add one. Programs are
installed into a folder beside the user's caches, or into `VAULTTOOLS_COMPARE`. A program that does not install is named
and left out. Memory and processor time are as Linux reports them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # this is a script, not a part of the package

from benchmarks.comparing import adapters, report, tasks, vaults
from benchmarks.comparing.installing import INSTALLED
from benchmarks.comparing.server import ServerGone

NAMES = sorted((each.name for each in iter_modules(adapters.__path__)), key=lambda name: (name != "vaulttools", name))
"""Ours first, for the picture's colour."""


def adapter(name: str) -> tasks.Adapter:
    """Returns the maker of the contestant with that name."""
    made: tasks.Adapter = import_module(f"{adapters.__name__}.{name}").contestant
    return made


def main(arguments: Sequence[str]) -> int:
    """Measures the named contestants, or all, and prints the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; default: all")
    parser.add_argument("--notes", type=int, default=vaults.LARGE, help="notes of the large vault")
    parser.add_argument("--picture", type=Path, help="an SVG file to write")
    given = parser.parse_args(arguments)
    if unknown := set(given.names) - {*NAMES}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    INSTALLED.mkdir(parents=True, exist_ok=True)
    results = []
    with tempfile.TemporaryDirectory() as temporary:
        chosen = []
        for name in given.names or NAMES:
            try:
                adapter(name)(Path(temporary), Path(temporary))  # all are installed before anything is measured
            except (subprocess.CalledProcessError, OSError) as error:
                print(f"({name} could not be installed: {error})")
            else:
                chosen.append(name)
        asked = vaults.made(Path(temporary), given.notes)
        machine = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}"
        print(f"{len(asked.questions)} questions, {len(asked.words)} words, {given.notes:,} notes in the large vault")
        print(f"{machine}\n", flush=True)
        for name in chosen:
            try:
                results.append(tasks.measured(adapter(name), asked, Path(temporary) / f"kept by {name}"))
            except (ServerGone, subprocess.CalledProcessError) as error:
                print(f"({name} has ended by itself: {error!r})")
            else:
                print(f"({name} is done)", file=sys.stderr, flush=True)
    print(report.table(results))
    if given.picture is not None:
        given.picture.write_text(report.picture(results), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

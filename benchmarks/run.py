"""Measure our calls side by side with ripgrep, in one run on one vault, and print the medians as a Markdown table.

`python benchmarks/run.py [VAULT] [--notes N]`

Without VAULT the corpus beside the project is unpacked where it is there, unless N notes are asked for; else a vault
of N notes (10,000) is made. Only numbers of one run compare: ours and theirs take turns, round by round.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from vaulttools import Vault, __version__
from vaulttools.core import ripgrep

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT / "fixtures"))  # a script beside the package, not a part of it

from make_vault import make_vault  # noqa: E402

CORPUS = PROJECT.parent / "shared" / "corpus" / "obsidian-help.tar.xz"
NOTES = 10_000
ROUNDS = 11
WARM_UPS = 2


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: what we do, and what ripgrep does for it."""

    name: str
    ours: Callable[[], object]
    theirs: Callable[[], object]


@dataclass(frozen=True, slots=True)
class Words:
    """Patterns for one vault: words by the number of notes they stand in, and a regex without a literal."""

    rare: str
    common: str
    spread: tuple[str, ...]
    """Eight, from the rarest to the most common in even steps."""
    absent: str = "qzxjqvkw"
    regex: str = r"[A-Z]{2}\w+[0-9]{2}"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the versions of everything and the table; the exit status is 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("vault", nargs="?", type=Path, help="a folder of notes")
    parser.add_argument("--notes", type=int, help=f"make a vault of so many notes (default: {NOTES:,})")
    asked = parser.parse_args(argv)
    if asked.vault is not None and asked.notes is not None:
        parser.error("VAULT and --notes exclude each other")
    with tempfile.TemporaryDirectory() as temporary:
        folder, origin = _vault(asked.vault, asked.notes, Path(temporary))
        notes = sorted(folder.rglob("*.md"))
        words = _words(notes)
        print("\n".join(_versions(origin, notes)))
        print()
        with Vault.open(folder) as vault:
            print("\n".join(_table(_rows(vault, words))))
    return 0


def _rows(vault: Vault, words: Words) -> list[Row]:
    rg = ripgrep.locate().command
    ours = _command()

    def search_files(name: str, pattern: str) -> Row:
        return Row(
            f"`search_files`, {name} (`{pattern}`)",
            lambda: vault.search_files(pattern),
            lambda: _run([rg, "--json", "-C2", pattern, "."], vault.path),
        )

    def search(name: str, pattern: str) -> Row:
        return Row(
            f"`search`, {name} (`{pattern}`)",
            lambda: vault.search(pattern),
            lambda: _run([rg, "--json", "--hidden", "--no-require-git", "-B1", "-A3", pattern, "."], vault.path),
        )

    def find(path: str, *theirs: str) -> Row:
        command = [rg, "--files", "--hidden", "--no-require-git", "--sortr=modified", *theirs]
        return Row(f"`find`, `{path}`", lambda: vault.find(path), lambda: _run(command, vault.path))

    folder = _largest_folder(vault.path)
    return [
        search_files("a rare word", words.rare),
        search_files("a common word", words.common),
        search_files("a word that occurs nowhere", words.absent),
        search_files("a regex without a literal", words.regex),
        search("a common word", words.common),
        search("a rare word", words.rare),
        search("a word that occurs nowhere", words.absent),
        find("**/*.md", "--glob=**/*.md"),
        find("*.png", "--glob=*.png"),
        find(folder, folder),
        Row(
            f"`survey`, eight words ({', '.join(words.spread)})",
            lambda: vault.survey(list(words.spread)),
            lambda: [_run([rg, "-c", "-F", "-e", word, "."], vault.path) for word in words.spread],
        ),
        Row(
            f"command line, a rare word (`{words.rare}`)",
            lambda: _run([*ours, "search-files", words.rare], vault.path),
            lambda: _run([rg, words.rare], vault.path),
        ),
        Row(
            "command line, `--version`",
            lambda: _run([*ours, "--version"], vault.path),
            lambda: _run([rg, "--version"], vault.path),
        ),
    ]


def _table(rows: Sequence[Row]) -> list[str]:
    """The rows as Markdown, each with the medians of both sides in milliseconds and their ratio."""
    lines = [f"| median of {ROUNDS}, ms | vaulttools | rg | ratio |", "|---|--:|--:|--:|"]
    for row in rows:
        for _ in range(WARM_UPS):
            row.ours()
            row.theirs()
        taken = [(_milliseconds(row.ours), _milliseconds(row.theirs)) for _ in range(ROUNDS)]
        ours, theirs = (statistics.median(side) for side in zip(*taken, strict=True))
        lines.append(f"| {row.name.replace('|', chr(92) + '|')} | {ours:.1f} | {theirs:.1f} | {ours / theirs:.2f} |")
    return lines


def _milliseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1_000


def _run(command: Sequence[str], folder: Path) -> bytes:
    """What a command prints; that it finds nothing (1) is no failure."""
    run = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)} failed: {run.stderr.decode(errors='replace')}")
    return run.stdout


def _command() -> list[str]:
    """Our command line as it is installed beside this Python."""
    script = shutil.which("vaulttools", path=os.path.dirname(sys.executable))
    return [script] if script else [sys.executable, "-m", "vaulttools"]


def _vault(given: Path | None, notes: int | None, temporary: Path) -> tuple[Path, str]:
    """The folder to measure on, and what it is in words."""
    if given is not None:
        return given.resolve(), str(given)
    if notes is None and CORPUS.is_file():
        with tarfile.open(CORPUS) as archive:
            archive.extractall(temporary, filter="data")
        return temporary, CORPUS.name
    make_vault(temporary / "vault", notes or NOTES)
    return temporary / "vault", f"made by `fixtures/make_vault.py --notes {notes or NOTES}`"


def _words(notes: Sequence[Path]) -> Words:
    """Words of plain letters: the one in most notes, and one in few, by a twentieth of the notes."""
    holding: Counter[str] = Counter()
    for note in notes[:: max(1, len(notes) // 500)]:
        holding.update(set(re.findall(r"\b[a-z]{6,12}\b", note.read_text(encoding="utf-8", errors="replace"))))
    ordered = sorted(holding, key=lambda word: (holding[word], word))
    if not ordered:
        raise SystemExit("There are no notes with words of plain letters to search for.")
    spread = tuple(ordered[step * (len(ordered) - 1) // 7] for step in range(8))
    return Words(rare=ordered[0], common=ordered[-1], spread=spread)


def _largest_folder(vault: Path) -> str:
    """The name of the folder at the root with the most notes."""
    holding = Counter(note.relative_to(vault).parts[0] for note in vault.rglob("*.md") if note.parent != vault)
    return min(holding, key=lambda name: (-holding[name], name), default=".")


def _versions(origin: str, notes: Sequence[Path]) -> list[str]:
    megabytes = sum(note.stat().st_size for note in notes) / 1e6
    return [
        f"- vault: {origin}: {len(notes):,} notes, {megabytes:.1f} MB",
        f"- vaulttools {__version__}, rg {ripgrep.locate().version}, Python {platform.python_version()}",
        f"- pydantic {version('pydantic')}, markdown-it-py {version('markdown-it-py')}",
        f"- {platform.platform()}, {os.cpu_count()} cores",
    ]


if __name__ == "__main__":
    sys.exit(main())

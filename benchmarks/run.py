"""Measure our calls side by side with ripgrep, in one run on one vault, and print the medians as a Markdown table.

`python benchmarks/run.py [VAULT] [--notes N] [--bytes B] [--old PATH]`

Without VAULT, the corpus beside the project is unpacked if it exists, unless N notes are requested; otherwise a vault
of N notes (10,000) of B bytes on average is made. With PATH, a checkout of an older version with its environment in
`.venv`, both versions are measured in turn: calls, new processes, and many clients. Compare only numbers of one run:
ours and theirs take turns, a few calls each. First a separate process builds the index; then the rows with the index
are measured, then those of scanning.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import resource
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

from vaulttools import Vault, VaultConfig, __version__
from vaulttools.matching import ripgrep

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT / "fixtures"), str(PROJECT)]  # scripts beside the package, not a part of it

from make_vault import MEAN_BYTES, make_vault  # noqa: E402

from benchmarks import every, load, served, starting, turns  # noqa: E402

CORPUS = PROJECT.parent / "shared" / "corpus" / "obsidian-help.tar.xz"
NOTES = 10_000
TURNS = 3
ROUNDS = 4
WARM_UPS = 2
CLIENTS = 20
SECONDS = 20


BUILDING = """
import sys
from vaulttools import Vault, VaultConfig
with Vault.open(sys.argv[1], config=VaultConfig(index_folder=sys.argv[2])) as vault:
    vault.build_index()
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: what we do, and what ripgrep does for it."""

    name: str
    ours: Callable[[], object]
    theirs: Callable[[], object] | None
    """None: ripgrep has nothing comparable."""


@dataclass(frozen=True, slots=True)
class Words:
    """Patterns for one vault: words by the number of notes that hold them, and a regex without a literal."""

    rare: str
    common: str
    spread: tuple[str, ...]
    """Eight words, from the rarest to the most common in even steps."""
    absent: str = "qzxjqvkw"
    regex: str = r"\w{18}"


def main(argv: Sequence[str] | None = None) -> int:
    """Measures, and prints the versions of everything and the table; returns exit status 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("vault", nargs="?", type=Path, help="a folder of notes")
    parser.add_argument("--notes", type=int, help=f"make a vault of so many notes (default: {NOTES:,})")
    parser.add_argument("--bytes", type=int, default=MEAN_BYTES, help=f"of so many bytes (default: {MEAN_BYTES:,})")
    parser.add_argument("--old", type=Path, help="compare with the version checked out there")
    asked = parser.parse_args(argv)
    if asked.vault is not None and asked.notes is not None:
        parser.error("VAULT and --notes exclude each other")
    with tempfile.TemporaryDirectory() as temporary:
        folder, origin = _vault(asked.vault, asked.notes, asked.bytes, Path(temporary, "vault"))
        notes = sorted(folder.rglob("*.md"))
        words = _words(notes)
        print("\n".join(_versions(origin, notes)))
        if asked.old is not None:
            return _compared(folder, asked.old.resolve(), Path(temporary))
        index_folder = str(Path(temporary, "index"))
        print(f"- {_built(folder, index_folder)}")
        print(f"- {_first_answered(folder, ' '.join(words.spread[1:4]))}")
        print()
        config = VaultConfig(index_folder=index_folder)
        with Vault.open(folder, config=config) as vault:
            vault.build_index()
            print("\n".join(_table("with the index", _indexed_rows(vault, words))))
            print()
            print("\n".join(_table("structure, with the index", _structured_rows(vault, words))))
            print()
            print("\n".join(served.table(_command(), vault, index_folder, Path(temporary), words.rare)))
            print()
            print("\n".join(served.rest_table(vault, words.rare, words.common)))
            print()
            typical = every.calls(vault, words.rare, words.spread, _hub(vault))
            print("\n".join(every.table(_command(), vault, index_folder, Path(temporary), typical)))
        print()
        with Vault.open(folder, config=config, index="off") as vault:
            print("\n".join(_table("scanning", _rows(vault, words))))
        print()
        print("\n".join(starting.table(folder)))
    return 0


def _compared(folder: Path, old: Path, temporary: Path) -> int:
    """Prints the rows of an older checkout and of this one; the exit status is 1 if a call failed."""
    print("\n" + "\n".join(turns.table(folder, old, temporary)))
    print("\n" + "\n".join(starting.table(folder, old)), end="\n\n")
    os.environ["XDG_CACHE_HOME"] = str(temporary / "cache")
    served_folder = shutil.copytree(folder, temporary / "served")
    with Vault.open(served_folder) as vault:
        vault.build_index()
    lines, errors = load.compared(served_folder, old, clients=CLIENTS, seconds=SECONDS)
    print(f"{CLIENTS} clients over MCP for {SECONDS} s while a note is edited every second:\n\n" + "\n".join(lines))
    for error in errors[:20]:
        print(error, file=sys.stderr)
    return 1 if errors else 0


def _built(folder: Path, index_folder: str) -> str:
    """Builds the index in its own process, and says what that took."""
    start = time.monotonic()
    subprocess.run([sys.executable, "-c", BUILDING, str(folder), index_folder], check=True)
    seconds = time.monotonic() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
    with Vault.open(folder, config=VaultConfig(index_folder=index_folder), index="off") as vault:
        held = vault.index_status().holds
    assert held is not None
    return (
        f"index built in {seconds:.1f} s: {held.index_bytes / 1e6:.1f} MB for {held.file_bytes / 1e6:.1f} MB of files, "
        f"the largest process took {peak:.0f} MiB"
    )


def _first_answered(folder: Path, question: str) -> str:
    """Asks a vault without an index, and says how long the answer took, including the opening."""
    taken = []
    for _ in range(TURNS):
        with tempfile.TemporaryDirectory() as index_folder:
            start = time.monotonic()
            with Vault.open(folder, config=VaultConfig(index_folder=index_folder)) as vault:
                answer = vault.query(question)
                taken.append(time.monotonic() - start)
            assert answer.complete
    return f"a ranked question without an index: all notes covered in {statistics.median(taken):.1f} s (`{question}`)"


def _search_files(vault: Vault, name: str, pattern: str) -> Row:
    rg = ripgrep.locate().command
    return Row(
        f"`search_files`, {name} (`{pattern}`)",
        lambda: vault.search_files(pattern),
        lambda: _run([rg, "--json", "-C2", pattern, "."], vault.path),
    )


def _find(vault: Vault, path: str, *theirs: str) -> Row:
    rg = ripgrep.locate().command
    command = [rg, "--files", "--hidden", "--no-require-git", "--sortr=modified", *theirs]
    return Row(f"`find`, `{path}`", lambda: vault.find(path), lambda: _run(command, vault.path))


def _query(vault: Vault, name: str, question: str) -> Row:
    return Row(f"`query`, ranked, {name} (`{question}`)", lambda: vault.query(question), None)


def _indexed_rows(vault: Vault, words: Words) -> list[Row]:
    rg = ripgrep.locate().command
    index = vault._opened.indexes.own
    rare, *spread, common = words.spread
    return [
        Row("is anything changed?", lambda: index.view(time.monotonic()), None),
        _search_files(vault, "a word that occurs nowhere", words.absent),
        _search_files(vault, "a rare word", rare),
        *(_search_files(vault, "a less rare word", word) for word in spread),
        _search_files(vault, "a common word", common),
        _search_files(vault, "a regex with literals", rf"\b({spread[0]}|{spread[1]})\w*"),
        _search_files(vault, "a regex without a literal", words.regex),
        Row(
            f"`search`, a rare word (`{rare}`)",
            lambda: vault.search(rare),
            lambda: _run([rg, "--json", "--hidden", "--no-require-git", "-B1", "-A3", rare, "."], vault.path),
        ),
        Row(
            f"`survey`, eight words ({', '.join(words.spread)})",
            lambda: vault.survey(list(words.spread)),
            lambda: [_run([rg, "-c", "-F", "-e", word, "."], vault.path) for word in words.spread],
        ),
        _find(vault, "**/*.md", "--glob=**/*.md"),
        _find(vault, "*.png", "--glob=*.png"),
        _query(vault, "a rare word", rare),
        _query(vault, "three words", " ".join(spread[:3])),
        _query(vault, "a common word among them", f"{common} {spread[0]} {spread[3]}"),
    ]


def _structured_rows(vault: Vault, words: Words) -> list[Row]:
    """Returns the rows that use the notes' structure, which ripgrep does not know."""
    tag = _middle([each.tag for each in vault.tags(limit=200).tags])
    name, value = _property(vault)
    hub = _hub(vault)

    def query(text: str, name: str) -> Row:
        return Row(f"`query`, {name} (`{text}`)", lambda: vault.query(text, mode="obsidian"), None)

    return [
        query(words.absent, "a word that occurs nowhere"),
        query(words.rare, "a rare word"),
        query(f"{words.spread[3]} {words.spread[4]}", "two words"),
        query(f'"{words.common}"', "a common word in quotes"),
        query(f"tag:{tag}", "a tag"),
        query(f"[{name}:{value}]", "a property"),
        query(f"tag:{tag} [{name}] -{words.rare}", "a tag, a property, and not a word"),
        query(f"task-todo:{words.common}", "open tasks"),
        query(f"line:({words.spread[2]} {words.common})", "two words in a line"),
        query(f"file:{words.rare} OR path:{words.rare}", "names"),
        query(r"/\b[a-z]{16}\b/", "a regex without a literal"),
        Row(f"`links`, out of `{hub}`", lambda: vault.links(note=hub), None),
        Row(f"`links`, back to `{hub}`", lambda: vault.links(note=hub, direction="back"), None),
        Row(f"`links`, mentions of `{hub}`", lambda: vault.links(note=hub, direction="mentions"), None),
        Row("`links`, unresolved", lambda: vault.links(direction="unresolved"), None),
        Row("`links`, orphans", lambda: vault.links(direction="orphans"), None),
        Row("`tags`", vault.tags, None),
        Row("`properties`", vault.properties, None),
        Row(f"`read`, `{hub}`", lambda: vault.read(hub), None),
        Row(f"`outline`, `{hub}`", lambda: vault.outline(hub), None),
    ]


def _middle(names: Sequence[str]) -> str:
    """Returns a name of medium frequency; without any, one that no note has."""
    return names[len(names) // 2] if names else "none"


def _property(vault: Vault) -> tuple[str, str]:
    """Returns a property with few values, and one of these; without any, names that no note has."""
    for each in vault.properties(limit=100).properties:
        values = [held.value for held in each.values if isinstance(held.value, str) and held.value.isalnum()]
        if len(values) > 1:
            return each.name, values[0]
    return "none", "none"


def _hub(vault: Vault) -> str:
    """Returns the note that most links of a sample lead to."""
    targets = Counter(
        link.target
        for note in sorted(vault.path.rglob("*.md"))[::97]
        for link in vault.links(note=note.relative_to(vault.path).as_posix()).links
        if link.resolved and link.target.endswith(".md")
    )
    return min(targets, key=lambda path: (-targets[path], path))


def _rows(vault: Vault, words: Words) -> list[Row]:
    rg = ripgrep.locate().command
    ours = _command()

    def search_files(name: str, pattern: str) -> Row:
        return _search_files(vault, name, pattern)

    def search(name: str, pattern: str) -> Row:
        return Row(
            f"`search`, {name} (`{pattern}`)",
            lambda: vault.search(pattern),
            lambda: _run([rg, "--json", "--hidden", "--no-require-git", "-B1", "-A3", pattern, "."], vault.path),
        )

    folder = _largest_folder(vault.path)
    return [
        search_files("a rare word", words.rare),
        search_files("a common word", words.common),
        search_files("a word that occurs nowhere", words.absent),
        search_files("a regex without a literal", words.regex),
        search("a common word", words.common),
        search("a rare word", words.rare),
        search("a word that occurs nowhere", words.absent),
        _find(vault, "**/*.md", "--glob=**/*.md"),
        _find(vault, "*.png", "--glob=*.png"),
        _find(vault, folder, folder),
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


def _table(how: str, rows: Sequence[Row]) -> list[str]:
    """Returns the rows as Markdown: medians of both sides in milliseconds, and how many times faster we are."""
    lines = [f"| {how}, median of {TURNS * ROUNDS}, ms | vaulttools | rg | times faster |", "|---|--:|--:|--:|"]
    for row in rows:
        theirs = row.theirs or (lambda: None)
        for _ in range(WARM_UPS):
            row.ours()
            theirs()
        taken: tuple[list[float], list[float]] = ([], [])
        for _ in range(TURNS):
            for side, call in zip(taken, (row.ours, theirs), strict=True):
                call()  # the first call after the other side's finds cold caches
                side += [_milliseconds(call) for _ in range(ROUNDS)]
        ours, other = map(statistics.median, taken)
        name = row.name.replace("|", "\\|")
        compared = f"{other:.1f} | {other / ours:.2f}" if row.theirs else " | "
        lines.append(f"| {name} | {ours:.2f} | {compared} |")
    return lines


def _milliseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1_000


def _run(command: Sequence[str], folder: Path) -> bytes:
    """Returns what a command prints; finding nothing (status 1) is no failure."""
    run = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)} failed: {run.stderr.decode(errors='replace')}")
    return run.stdout


def _command() -> list[str]:
    """Returns our command line, as installed beside this Python."""
    script = shutil.which("vaulttools", path=os.path.dirname(sys.executable))
    return [script] if script else [sys.executable, "-m", "vaulttools"]


def _vault(given: Path | None, notes: int | None, mean_bytes: int, made: Path) -> tuple[Path, str]:
    """Returns the folder to measure on, and its description."""
    if given is not None:
        return given.resolve(), str(given)
    if notes is None and CORPUS.is_file():
        with tarfile.open(CORPUS) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.0 to 3.11.3 lack it
            archive.extractall(made)
        return made, CORPUS.name
    make_vault(made, notes or NOTES, mean_bytes=mean_bytes)
    return made, f"made by `fixtures/make_vault.py --notes {notes or NOTES} --mean-bytes {mean_bytes}`"


def _words(notes: Sequence[Path]) -> Words:
    """Returns words of plain letters: the one in most notes, and one in few, counted in a twentieth of the notes."""
    holding: Counter[str] = Counter()
    for note in notes[:: max(1, len(notes) // 500)]:
        holding.update(set(re.findall(r"\b[a-z]{6,12}\b", note.read_text(encoding="utf-8", errors="replace"))))
    ordered = sorted(holding, key=lambda word: (holding[word], word))
    if not ordered:
        raise SystemExit("There are no notes with words of plain letters to search for.")
    spread = tuple(ordered[step * (len(ordered) - 1) // 7] for step in range(8))
    return Words(rare=ordered[0], common=ordered[-1], spread=spread)


def _largest_folder(vault: Path) -> str:
    """Returns the name of the folder at the root with the most notes."""
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

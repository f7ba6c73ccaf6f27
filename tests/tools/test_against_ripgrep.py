"""`search` and `grep` find the lines that ripgrep finds, on a made vault and, where it is there, on the corpus."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import OBSIDIAN_HELP, corpus_archive
from tests.systems import is_wine
from vaulttools import Vault
from vaulttools.core import paths
from vaulttools.matching import ripgrep

PROJECT = Path(__file__).parent.parent.parent
pytestmark = pytest.mark.scan_only
"""With an index: `tests/index/test_equality.py`."""

NOTES = 25 if is_wine() else 100
"""Under Wine the status of a file takes 7 ms, and a scan reads each some times: 100 do not fit the time limit."""

Line = tuple[str, int, str]

PATTERNS = [
    # words, in several scripts
    *("the", "Question", "TODO", "xylograph", "zzqxj nowhere", "é", "日", "на", "Ω", "a b"),
    # classes, anchors, repetition, alternatives
    *(r"\d{4}-\d{2}-\d{2}", r"^# ", r"^#{2,3} \w", r"\.$", "^$", r"\s$", r"[A-Z]{3,}", r"\w+@\w+", "(ab|cd)+e?"),
    *(r"\bis\b", r"\Bing\b", "x*$", "^", r"[^\x00-\x7F]", r"\p{Lu}\p{Ll}+\p{Lu}", r"\[\[[^\]|]+\|", r"^\s*- \[ \] "),
    # flags, look-around, backreferences
    *("(?i)obsidian", "(?i:THE) ", "(?s)a.b", r"(?<=\[\[)\w+", r"(\w)\1\1", r"foo(?!bar)", r"q(?=u)"),
    # what Markdown is made of
    *("```", r"\|.*\|", "^> ", "!\\[\\[", "https?://", "^---$", "%%"),
]
"""Each means the same to both: it needs no repair here, and has no line end (for ripgrep, `\\n` only)."""


@pytest.fixture(scope="module", params=["made", "corpus"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault of some hundred files, with ignore files, hidden files, CRLF, UTF-16 and odd names."""
    vault = tmp_path_factory.mktemp("vault")
    if request.param == "corpus":
        if not OBSIDIAN_HELP.is_file():
            pytest.skip(f"no corpus at {OBSIDIAN_HELP}")
        with corpus_archive(OBSIDIAN_HELP) as archive:
            notes = (member for member in archive if member.name.endswith(".md"))
            for member in islice(notes, 0, 20 * NOTES, 20):
                archive.extract(member, vault)
        return vault
    sys.path.insert(0, str(PROJECT / "fixtures"))
    from make_vault import make_vault

    make_vault(vault, NOTES, seed=3, mean_bytes=2_000)
    odd = {
        ".gitignore": b"ignored/\n*.log\n!keep.log\n",
        "ignored/a.md": b"the TODO\n",
        "x.log": b"the TODO\n",
        "keep.log": b"the TODO\n",
        ".hidden/the.md": b"the TODO\n",
        "sub/.ignore": b"b.md\n",
        "sub/b.md": b"the TODO\n",
        "sub/c.md": "\ufeffthe TODO\r\n\r\nfoobar foobaz\r\n".encode(),
        "utf16.md": "the TODO\né 日\n".encode("utf-16"),
        "latin.md": "the caf\xe9 TODO\n".encode("latin-1"),
        "-e.md": b"the quick TODO",
        "a b!.md": b"a b the\n# the aaa\n",
    }
    for name, content in odd.items():
        (vault / name).parent.mkdir(parents=True, exist_ok=True)
        (vault / name).write_bytes(content)
    return vault


def by_ripgrep(folder: Path, pattern: str, *options: str) -> list[Line]:
    """The matching lines of a plain run of ripgrep over the folder, in path order."""
    protected = [f"--iglob=!**/{name}" for name in (".obsidian", ".smarthole", ".trash", ".git")]
    base = ["--no-config", "--json", "--hidden", "--no-require-git", "--no-ignore-global", "--engine=auto", "--crlf"]
    command = [ripgrep.locate().command, *base, *protected, *options, "-e", pattern, "."]
    run = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert run.returncode in (0, 1), run.stderr
    found: dict[str, list[Line]] = {}
    for record in map(json.loads, run.stdout.splitlines()):
        if record["type"] == "match":
            line, path = decoded(record["data"]["lines"]), name_in(record)
            text = line.removesuffix("\n").removesuffix("\r")
            found.setdefault(path, []).append((path, record["data"]["line_number"], text))
        elif record["type"] == "end" and record["data"]["binary_offset"] is not None:
            found.pop(name_in(record), None)
    return [line for path in sorted(found, key=paths.order) for line in found[path]]


def name_in(record: dict[str, Any]) -> str:
    """The path in a record of ripgrep's JSON."""
    path = decoded(record["data"]["path"])
    return (path.replace("\\", "/") if sys.platform == "win32" else path).removeprefix("./")


def decoded(value: dict[str, str]) -> str:
    """ripgrep's JSON text."""
    return value["text"] if "text" in value else base64.b64decode(value["bytes"]).decode("utf-8", "replace")


def by_search(vault: Vault, pattern: str, **arguments: Any) -> dict[str, list[int]]:
    """The matching lines shown on all pages of `search`, by file."""
    lines: dict[str, list[int]] = {}
    skip: int | None = 0
    while skip is not None:
        answer = vault.search(pattern, skip=skip, **arguments)
        sections = [section.split("\n") for section in answer.text.split("\n\n") if section.startswith("# ")]
        assert [heading for heading, *_ in sections] == [f"# {paths.shown(file)}" for file in answer.files]
        for file, (_, *shown) in zip(answer.files, sections, strict=True):
            assert file not in lines
            lines[file] = [int(line[1:].split("|")[0]) for line in shown if line.startswith("*")]
            assert "[Cut at 50 KiB" in answer.text or len(lines[file]) == answer.file_matches[file]
        skip = answer.next_skip
    return lines


@pytest.mark.parametrize("pattern", PATTERNS)
def test_grep_finds_the_lines_that_ripgrep_finds(folder: Path, pattern: str) -> None:
    theirs = by_ripgrep(folder, pattern)
    with Vault.open(folder) as vault:
        answer = vault.grep(pattern, max_results=10_000)
    assert [(match.path, match.line, match.text) for match in answer.matches] == theirs[:10_000]
    assert answer.total_matches == min(len(theirs), 10_000)
    assert answer.total_is_exact == (len(theirs) <= 10_000)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_search_finds_the_lines_that_ripgrep_finds(folder: Path, pattern: str) -> None:
    theirs: dict[str, list[int]] = {}
    for path, line, _ in by_ripgrep(folder, pattern, "--ignore-case"):
        theirs.setdefault(path, []).append(line)
    with Vault.open(folder) as vault:
        ours = by_search(vault, pattern, i=True)
    assert list(ours) == list(theirs)
    for path, lines in ours.items():
        assert lines
        assert lines == theirs[path][: len(lines)]


@pytest.mark.parametrize("glob", ["*.md", "*/*.md", "**/a*", "*.{md,log}"])
def test_a_glob_selects_the_files_that_ripgrep_searches(folder: Path, glob: str) -> None:
    anchored = f"/{glob}" if "/" in glob else glob
    theirs = {path for path, _, _ in by_ripgrep(folder, "the", f"--glob={anchored}", "--no-ignore")}
    with Vault.open(folder) as vault:
        ours = {match.path for match in vault.grep("the", glob=glob, gitignore=False, max_results=10_000).matches}
    assert ours == theirs

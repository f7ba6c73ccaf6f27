"""Our answers equal those of ripgrep with the same options, on a made vault and on a real one.

The real one is the corpus at VAULTTOOLS_CORPUS or beside the project; without it those tests are skipped.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.corpus import OBSIDIAN_HELP, corpus_archive
from vaulttools import Vault, VaultConfig
from vaulttools.call import Call
from vaulttools.core.work import Work
from vaulttools.files.scope import Walk
from vaulttools.opening import open_folder
from vaulttools.session import Session

FIXTURES = Path(__file__).parent.parent / "fixtures"
sys.path.insert(0, str(FIXTURES))  # a script beside the package, not a part of it

from make_vault import ABSENT, COMMON, RARE, make_vault  # noqa: E402

_RG = shutil.which("rg", path=os.path.dirname(sys.executable)) or shutil.which("rg") or "rg"

Options = str
"""Options of ripgrep by hand: `i` ignores case, `F` plain text, `U` several lines, `P` PCRE2."""


def _patterns(name: str) -> list[tuple[str, Options]]:
    """Each pattern of a file with its options, which precede a tab; blanks at the end of a line belong to it."""
    text = (FIXTURES / "cases" / "against_ripgrep" / f"{name}.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t", 1) for line in text.split("\n") if line)
    return [(pattern, options) for options, pattern in rows]


_INVISIBLE = ("e\u0301", "\u200b", "\ufffd", "a\u00a0", "(?x) t h e # all\n")

PATTERNS: list[tuple[str, Options]] = [
    *[(word, "") for word in (COMMON, RARE, ABSENT, *_INVISIBLE)],
    *[(word, "i") for word in (COMMON.upper(), RARE.title(), ABSENT, "\u212a")],
    *[(COMMON, "F"), ("due \\d+-\\d+-\\d+\n- ", "U")],
    *_patterns("made"),
]
"""Each pattern with the options that it needs by hand; our search must find `U` and `P` by itself."""

SAMPLED = 60
"""Words and pairs of words taken from the vault itself."""

Line = tuple[str, int]


@dataclass(frozen=True, slots=True)
class _Sample:
    """A vault, and patterns taken from its notes: words of every frequency, in turn as they are and varied."""

    opened: Session
    vault: Vault
    words: tuple[tuple[str, Options], ...]


def _sample(folder: Path, words: int) -> _Sample:
    counted: Counter[str] = Counter()
    for number, note in enumerate(sorted(folder.rglob("*.md"))):
        if number % 20 == 0:
            counted.update(re.findall(r"\w[\w'-]*(?: \w+)?", note.read_text(encoding="utf-8")))
    by_frequency = sorted(counted, key=lambda word: (-counted[word], word))
    taken = [by_frequency[(len(by_frequency) - 1) * number**2 // (words - 1) ** 2] for number in range(words)]
    varied = [
        (word, ("", "i", "F", "")[number % 4]) if number % 4 < 3 else (rf"\b{re.escape(word)}\b", "")
        for number, word in enumerate(taken)
    ]
    config = VaultConfig(time_limit=120)
    return _Sample(open_folder(str(folder), config), Vault.open(folder, config=config), tuple(varied))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> _Sample:
    folder = tmp_path_factory.mktemp("made") / "vault"
    make_vault(folder, notes=160, seed=7, mean_bytes=1_000)
    return _sample(folder, SAMPLED)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> _Sample:
    if not OBSIDIAN_HELP.is_file():
        pytest.skip(f"no corpus at {OBSIDIAN_HELP}")
    folder = tmp_path_factory.mktemp("corpus")
    with corpus_archive(OBSIDIAN_HELP) as archive:
        archive.extractall(folder)
    roots = list(folder.iterdir())
    return _sample(roots[0] if len(roots) == 1 else folder, SAMPLED)


def _by_hand(folder: Path, pattern: str, options: Options) -> set[Line]:
    """The matching lines of all notes as ripgrep's JSON tells them."""
    # On lines that end in \n, PCRE2 with --crlf finds the \n a part of the line; neither vault has another end.
    flags = [f"-{options}"] if options else []
    flags += [] if "P" in options else ["--crlf"]
    command = [_RG, "--json", "--no-config", "--no-ignore", "--iglob=*.md", "--iglob=!.*", *flags, "-e", pattern, "."]
    run = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert run.returncode in (0, 1), run.stderr.decode()
    lines: set[Line] = set()
    for record in map(json.loads, run.stdout.split(b"\n")[:-1]):
        if record["type"] != "match":
            continue
        data = record["data"]
        text = _bytes(data["lines"])
        path = os.fsdecode(_bytes(data["path"])).replace(os.sep, "/").removeprefix("./")
        first = data["line_number"]
        lines.update((path, line) for line in range(first, first + text.count(b"\n") + (not text.endswith(b"\n"))))
    return lines


def _bytes(value: dict[str, str]) -> bytes:
    return base64.b64decode(value["bytes"]) if "bytes" in value else value["text"].encode()


def _ours(opened: Session, pattern: str, options: Options) -> set[Line]:
    """The matching lines of all notes by our search, which finds by itself the engine and mode that a pattern needs."""
    work = Work(time_limit=120)
    compiled = opened.ripgrep.compile(pattern, "fixed" if "F" in options else "regex", ignore_case="i" in options)
    assert compiled.multiline == ("U" in options)
    assert (compiled.engine == "pcre2") == ("P" in options)
    call = Call(opened, work)
    scope = call.scope((Walk(notes_only=True),), (), hidden=False, include_excluded=False)
    search = call.search(compiled, scope)
    counts = {file.path: file.count for file in search.matching()}
    located = list(search.located(list(counts), limit=None))
    assert {found.document.path: len(found.hits) for found in located} == counts
    assert work.complete
    return {(found.document.path, hit.line) for found in located for hit in found.hits}


def _agree(sample: _Sample, pattern: str, options: Options) -> None:
    lines = _by_hand(Path(sample.opened.root.folder), pattern, options)
    assert _ours(sample.opened, pattern, options) == lines
    answer = sample.vault.search_files(
        pattern, case_sensitive="i" not in options, fixed="F" in options, max_results=10_000, context_lines=0
    )
    counts = Counter(path for path, _ in lines)
    assert {file.path: file.match_count for file in answer.files} == counts
    assert (answer.total_files, answer.total_is_exact, answer.complete) == (len(counts), True, True)
    assert [file.path for file in answer.files] == sorted(counts, key=lambda path: os.fsencode(path).split(b"/"))


def test_there_are_hundreds_of_patterns_and_each_is_another() -> None:
    assert len(set(PATTERNS)) == len(PATTERNS)
    assert len(PATTERNS) + SAMPLED >= 260


@pytest.mark.parametrize(("pattern", "options"), PATTERNS)
def test_a_made_vault_gives_ripgreps_lines(made: _Sample, pattern: str, options: Options) -> None:
    _agree(made, pattern, options)


@pytest.mark.parametrize("number", range(SAMPLED))
def test_a_made_vaults_own_words_give_ripgreps_lines(made: _Sample, number: int) -> None:
    _agree(made, *made.words[number])


CORPUS_PATTERNS = _patterns("corpus")
"""These have so few matches that a test of the real vault takes under a second."""


@pytest.mark.parametrize(("pattern", "options"), CORPUS_PATTERNS)
def test_a_real_vault_gives_ripgreps_lines(corpus: _Sample, pattern: str, options: Options) -> None:
    assert _ours(corpus.opened, pattern, options) == _by_hand(Path(corpus.opened.root.folder), pattern, options)


@pytest.mark.parametrize("number", range(SAMPLED // 3, SAMPLED, 3))
def test_a_real_vaults_own_words_give_ripgreps_lines(corpus: _Sample, number: int) -> None:
    pattern, options = corpus.words[number]
    assert _ours(corpus.opened, pattern, options) == _by_hand(Path(corpus.opened.root.folder), pattern, options)

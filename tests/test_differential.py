"""Our answers against ripgrep's own, run by hand with the same options, on a made vault and on a real one.

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
from vaulttools.core.work import Work
from vaulttools.files.scope import Walk
from vaulttools.opening import open_folder
from vaulttools.session import Session

FIXTURES = Path(__file__).parent.parent / "fixtures"
sys.path.insert(0, str(FIXTURES))  # a script beside the package, not a part of it

from make_vault import ABSENT, COMMON, RARE, make_vault  # noqa: E402

_RG = shutil.which("rg", path=os.path.dirname(sys.executable)) or shutil.which("rg") or "rg"

Options = str
"""What ripgrep is told by hand: `i` case ignored, `F` plain text, `U` several lines, `P` PCRE2."""

PATTERNS: list[tuple[str, Options]] = [
    # words: common, rare, absent, short, in any case
    *[
        (word, "")
        for word in (COMMON, RARE, ABSENT, "the", "of", "a", "e", "that which", "like ", " the ", "The", "TODO")
    ],
    *[
        (word, "i")
        for word in (COMMON.upper(), RARE.title(), ABSENT, "THE", "tHe", "overview", "TODO", "ß", "ÉTÉ", "k", "s")
    ],
    *[
        (word, "F")
        for word in (COMMON, "[[", "- [ ]", "](<", "#", "|", ".", "...", "a.b", "(", "---", "**", "`", "\\", "x*")
    ],
    *[(word, "iF") for word in ("THE", "[[OVERVIEW]]", "created:", "- [X]", "STRASSE", "I")],
    # other scripts, accents, emoji, forms of one letter
    *[
        (text, "")
        for text in ("の", "日本", "к", "ка", "д", "é", "ü", "ñ", "中", "한", "ع", "ה", "ไทย", "हि", "ελ", "🙂", "✅")
    ],
    *[(text, "i") for text in ("Д", "ПРИВЕТ", "Σ", "İ", "ı", "Ünö", "ÇA", "ŞI", "Đ", "ﬁ", "\u212a", "Å", "ё")],
    *[(text, "") for text in ("e\u0301", "\u200b", "\ufffd", "a\u00a0", "—", "“", "’", "…", "、", "。", "「")],
    # anchors and boundaries
    *[
        (text, "")
        for text in ("^#", "^# ", "^#{2,3} ", "^- ", r"^\s*- \[ \]", "^$", "^---$", r"\.$", r"\s$", r"^\s+$", "^", "$")
    ],
    *[(text, "") for text in (r"\bthe\b", r"\Bing\b", r"\b\w{12,}\b", r"\bA", r"^\w+:", r":$", r"\A---", r"^.{200,}$")],
    *[
        (text, "")
        for text in (r"\<the\>", r"\b{start}of\b{end}", r"\B\.\B", r"(?m)^tags:$", r"^\W", r"\W$", r"^[^#\s-]")
    ],
    # classes
    *[
        (text, "")
        for text in (r"\d{4}-\d{2}-\d{2}", r"\d+", r"[0-9]{5,}", r"\D{300}", "[aeiou]{4}", "[^ -~]", "[[:upper:]]{2}")
    ],
    *[
        (text, "")
        for text in (r"\p{Lu}\p{Ll}+", r"\p{Cyrillic}", r"\p{Han}+", r"\p{Hiragana}", r"\PL{9}", r"[\p{L}--[a-zA-Z]]")
    ],
    *[
        (text, "")
        for text in (
            "[a-z&&[^aeiou]]{5}",
            r"[\w&&\D]{15}",
            r"[^\w\s]{4}",
            "[]]",
            "[^]a-z ]",
            r"[\[\]]{2}",
            "[.]",
            "[a-]-",
        )
    ],
    *[
        (text, "")
        for text in (
            r"\x41",
            r"\u{e9}",
            r"\t",
            r"[\t ]{2}",
            r"(?-u:\d)",
            r"\p{So}",
            r"\p{Greek}",
            r"[\u4e00-\u9fff]{3}",
        )
    ],
    # repeats, groups, alternatives
    *[
        (text, "")
        for text in ("a+", "lo*", "colou?r", "(?:an|the) \\w+", "(foo|bar|due)", "x{2}", "o{2,3}", "e{3,}", "(ab|a)b?c")
    ],
    *[
        (text, "")
        for text in (
            "a.*b.*c.*d",
            ".*",
            ".+",
            r"\w+@\w+",
            r"\w+\s+\w+\.$",
            "a|b|c|",
            "(the|of|and) (the|of|and)",
        )
    ],
    *[
        (text, "")
        for text in (
            r"\[\[[^\]|]+\|",
            r"!\[\[",
            r"\]\([^)]*\)",
            r"#[\w/]+",
            "`[^`]+`",
            r"\*\*\S.*?\*\*",
            "https?://",
            "==.+==",
        )
    ],
    *[
        (text, "")
        for text in (
            "(?i)THE",
            "(?i:t)he",
            "(?s)a.b",
            "(?x) t h e # all\n",
            "(?U)a.*b",
            "(?P<word>due)",
            "t(?#c)?he|of",
        )
    ][:-1],
    *[
        (text, "i")
        for text in (r"\bTHE\b", "^# [A-M]", "[A-Z]{30}", r"\p{Lu}{5}", "(?-i)The", "colou?r", "[^A-Z]{40}", "K|ſ")
    ],
    # look-around and backreferences
    *[
        (text, "P")
        for text in (
            "the(?= of)",
            "(?<=the )of",
            "(?<!the )of",
            "the(?! of)",
            r"(\w)\1",
            r"\b(\w+) \1\b",
            "^(?!.*the).*of",
        )
    ],
    *[
        (text, "P")
        for text in (
            r"^(?=.*\bthe\b)(?=.*\bof\b)",
            r"(?<=\[\[)[^\]]+(?=\]\])",
            r"(a)(?:b|\1)",
            r"(?>a+)b",
            r"(?<!\S)-(?!\S)",
        )
    ],
    *[
        (text, "P")
        for text in (r"^(?=#)", r"(?<=\d)$", r"(?<!.)#", r"(?=\p{Cyrillic})\w{9}", r"(?<=。).", r"(?!\A)^---$")
    ],
    *[(text, "iP") for text in ("(?<=THE )of", r"(E)\1", "(?!A)[A-C]{3}")],
    # several lines
    *[
        (text, "U")
        for text in (
            r"\n\n",
            r"\n\n\n",
            r"---\n",
            r"^---\n\n",
            r"\.\n\n#",
            r"- .*\n- ",
            r"\n$",
            r"tags:\n  - ",
            r"a\nb",
            r"\n#+ ",
        )
    ],
    *[
        (text, "U")
        for text in (
            "due \\d+-\\d+-\\d+\n- ",
            r"^# .*\n\n\w",
            r"[^\n]\n[^\n]\n[^\n]",
            r"(?s)^---.*?\n---$",
            r"\n+#",
            r"q\nq",
            r"\s\n",
        )
    ],
    *[(text, "iU") for text in (r"THE\n", r"\n\nA")],
    *[(text, "UP") for text in (r"(?<=\n\n)# ", r"a(?=\n)", r"(\w)\n\n?\1", r"(?<!\n)\n(?!\n)-")],
]
"""Each pattern with the options that it needs by hand; ours must find out by itself about `U` and `P`."""

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
    """The matching lines of all notes by our search, which finds out itself what engine and mode a pattern needs."""
    work = Work(time_limit=120)
    compiled = opened.ripgrep.compile(pattern, "fixed" if "F" in options else "regex", ignore_case="i" in options)
    assert compiled.multiline == ("U" in options)
    assert (compiled.engine == "pcre2") == ("P" in options)
    scope = opened.scope((Walk(notes_only=True),), (), work, hidden=False, include_excluded=False)
    search = opened.search(compiled, scope, work)
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


CORPUS_PATTERNS: list[tuple[str, Options]] = [
    *[
        (text, "")
        for text in (
            "xylograph",
            "Obsidian Publish",
            "日本",
            "Заметк",
            "ملاحظة",
            "노트",
            r"\p{Hiragana}{12}",
            "[[:upper:]]{9}",
        )
    ],
    *[
        (text, "")
        for text in (
            r"\d{4}-\d{2}-\d{2}",
            r"^cssclasses:",
            r"\[\[[^\]|]+#[^\]]+\|",
            r"^> \[!\w+\]$",
            r"\w+@\w+",
            "^#{5,} ",
        )
    ],
    *[("API KEY", "i"), ("straße", "i"), ("ПЛАГИН", "i"), ("[!WARNING]", "iF"), ("](<", "F"), ("obsidian://", "F")],
    *[(text, "P") for text in (r"(?<=\[\[)Daily notes(?=\|)", r"\b(\w{5,}) \1\b", r"^(?!.*the).*Publish$")],
    *[(text, "U") for text in (r"^---\n\n#", r"tags:\n  - ", r"```\n\n```", "(?s)%%.{1,40}%%\\n")],
]
"""With few enough matches that a test of the real vault takes no second."""


@pytest.mark.parametrize(("pattern", "options"), CORPUS_PATTERNS)
def test_a_real_vault_gives_ripgreps_lines(corpus: _Sample, pattern: str, options: Options) -> None:
    assert _ours(corpus.opened, pattern, options) == _by_hand(Path(corpus.opened.root.folder), pattern, options)


@pytest.mark.parametrize("number", range(SAMPLED // 3, SAMPLED, 3))
def test_a_real_vaults_own_words_give_ripgreps_lines(corpus: _Sample, number: int) -> None:
    pattern, options = corpus.words[number]
    assert _ours(corpus.opened, pattern, options) == _by_hand(Path(corpus.opened.root.folder), pattern, options)

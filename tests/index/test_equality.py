"""Whatever happens to a vault, every tool answers with an index exactly as it does without one.

Each example is a story: one vault changes in many ways. In between, two open vaults answer the same questions, one
with an index and one without. Now and then the index finishes its work, or is cut off.
`VAULTTOOLS_EXAMPLES=2000 pytest tests/index/test_equality.py` is the long run.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import OBSIDIAN_HELP, corpus_archive
from tests.query import examples
from vaulttools import Vault

EXAMPLES = int(os.environ.get("VAULTTOOLS_EXAMPLES", "25"))

FOLDERS = ["", "a", "a/b", "A b", "日", ".hidden", "node_modules", "x.md", "a/.git"]
NAMES = ["n.md", "N.MD", "o.md", "p.txt", "q.canvas", ".dot.md", "é.md", "e\u0301.md", "z.png", "[id].md", "a b.md"]
PATHS = [f"{folder}/{name}".lstrip("/") for folder in FOLDERS for name in NAMES]

LINES = [
    *("", "# Head", "## Sub head", "---", "tags: [work, a/b]", "status: active", "text with todo in it", "TODO: call"),
    *("- [ ] task #work", "- [x] done", "```", "code todo", "%%comment%%", "[[Note]] and [[a/n|alias]]", "foo(bar)"),
    *(
        "日本語のノート",
        "ノ",
        "Straße STRASSE",
        "ſtop Kelvin \u212a",
        "İstanbul ısı",
        "Ǆ ǆ ǅ",
        "Σίσυφος ΣΑΣ",
        "ab",
        "x",
    ),
    *("interface{} ${platform}", "a\tb", "trailing  ", "e\u0301 é", "\u2028 sep", "word-word_word", "aaaa", "\u0264"),
]
BYTES = [b"\r\n", b"\r", b"\xff", b"\xc3", b"\0", b"\xef\xbb\xbf", b"\xe2\x82", "\U0001f642".encode()]

PATTERNS = [
    *(
        "todo",
        "TODO",
        "(?i)todo",
        "TODO|done",
        "(?i)HEAD|call|absent",
        r"\btodo\b",
        r"^# ",
        "head$",
        "a",
        "ab",
        "x",
        "ノ",
        "日本",
        "本語の",
        "é",
    ),
    *(
        "k",
        "(?i)k",
        "(?i)ſ",
        "(?i)straße",
        "STRASSE",
        "(?i)σίσυφος",
        "(?i)ǆ",
        "(?i)i",
        "absent word",
        "[[Note]]",
        r"\s$",
    ),
    *(
        r"\[\[Note\]\]",
        "foo(",
        "interface{}",
        "${platform}",
        r"todo\n",
        r"(?s)Head.*task",
        "(?<=TODO: )call",
        "(?!x)ab",
    ),
    *(
        r"(a)\1",
        r"\r",
        r"[^\n]$",
        r"(?-u:\xff)",
        "\ufffd",
        r"\x00",
        "(work|done)",
        "gr[ae]y|t[ao]sk",
        "a{2,}",
        "(?x) to do",
    ),
    *(" todo", "word-word", "", "(", r"\p{Han}", "co.e", ".", r"\w+[0-9]", "(?i)\u0264", r"a\tb", r"\u0061b", "#work"),
]
GLOBS = [
    None,
    "*.md",
    "a/**",
    "**/*.txt",
    "n.md",
    "{a,日}/*.md",
    "A b",
    "*",
    ".hidden/*",
    "nowhere/*",
    "N.*",
    "a/b/n.md",
]

QUERIES = [
    *(example.query for example in examples.EXAMPLES),
    *("todo", '"TODO: call"', "-todo", 'tag:work -task-done:""', "[status:active]", "straße OR ノ", "line:(todo text)"),
    *(
        "block:(code todo)",
        "section:(head todo)",
        "match-case:TODO",
        "path:a -file:n",
        r"/^#+ \w/",
        "content:ab",
        'é ""',
    ),
]


WORDS = [
    *("todo", "call todo", "tood", "cal", "straße task", "ノート", "日本語", "head #work", "which text is done", "txt"),
    *("word-word_word", '"text with todo"', "calling comment", "aaab", "absent", "σίσυφος -[status]"),
]


def _content(draw: st.DrawFn) -> bytes:
    kind = draw(st.integers(0, 9))
    lines = draw(st.lists(st.sampled_from(LINES), max_size=6))
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    text = end.join(lines) + draw(st.sampled_from(["", end]))
    if kind == 0:
        return text.encode("utf-16-le" if draw(st.booleans()) else "utf-16")
    raw = text.encode()
    if kind <= 3:
        return raw + draw(st.sampled_from(BYTES)) + draw(st.sampled_from(LINES)).encode()
    return b"---\n" + raw if kind == 4 else raw


@st.composite
def _steps(draw: st.DrawFn) -> tuple[Any, ...]:
    path, other = draw(st.sampled_from(PATHS)), draw(st.sampled_from(PATHS))
    kind = draw(st.sampled_from([*("write",) * 5, *("ask",) * 9, "rest", "restart", *_CHANGES]))
    if kind == "write":
        return kind, path, _content(draw)
    if kind == "ask":
        return kind, *_question(draw)
    return kind, path, other, draw(st.integers(0, 1 << 30))


def _question(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    pattern, glob = draw(st.sampled_from(PATTERNS)), draw(st.sampled_from(GLOBS))
    place = draw(st.sampled_from([None, "a", "a/b", "A b", "/", ".hidden", "n.md", "link", "**/*.md", ["a", "日"]]))
    flag = draw(st.booleans())
    tools = ["search_files", "search_files", "search", "grep", "find", "survey", "scout", "tags", "properties", "links"]
    tools += ["query", "query"]
    tool = draw(st.sampled_from(tools))
    match tool:
        case "query" if flag:
            page = {"glob": glob, "limit": 3, "page": draw(st.integers(1, 2)), "explain": draw(st.booleans())}
            return tool, {"query": draw(st.sampled_from(WORDS)), **page}
        case "query":
            query, sort = draw(st.sampled_from(QUERIES)), draw(st.sampled_from(["name", "-name", "modified"]))
            more = {"glob": glob, "match_case": draw(st.booleans()), "sort": sort, "limit": 3}
            return tool, {"query": query, "mode": "obsidian", **more}
        case "tags" | "properties":
            return tool, {"glob": glob, "limit": 3}
        case "links":
            note = draw(st.sampled_from([None, "n.md", "a/n.md", "p.txt"]))
            ways = ["unresolved", "orphans", "back", "mentions", "out"]
            return tool, {"note": note, "direction": draw(st.sampled_from(ways)), "limit": 9}
        case "search_files":
            asked = {"pattern": pattern, "file_pattern": glob, "case_sensitive": flag, "max_results": 3}
            extra = [{}, {}, {"fixed": True}, {"sort": "matches"}, {"sort": "modified"}, {"include_excluded": True}]
            extra += [
                {"within": "headings"},
                {"within": "tasks"},
                {"tags": "work"},
                {"properties": {"status": "active"}},
            ]
            return tool, asked | draw(st.sampled_from(extra))
        case "search":
            return tool, {"pattern": pattern, "paths": place, "i": flag, "gitignore": draw(st.booleans())}
        case "grep":
            return tool, {"pattern": pattern, "glob": glob, "gitignore": flag, "max_results": 4}
        case "find":
            return tool, {"paths": glob or "**", "hidden": flag, "gitignore": draw(st.booleans()), "limit": 9}
        case "survey":
            terms = draw(st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=3))
            return tool, {"terms": terms, "mode": draw(st.sampled_from(["fixed", "identifier", "word"]))}
    modes = ["fixed", "identifier", "word", "regex"]
    return tool, {
        "query": pattern,
        "path": draw(st.sampled_from([None, "a", "n.md"])),
        "mode": draw(st.sampled_from(modes)),
    }


class _Story:
    """One vault, opened twice."""

    def __init__(self, place: Path) -> None:
        self.root = place / "vault"
        (self.root / ".obsidian").mkdir(parents=True)
        (self.root / ".obsidian/app.json").write_text("{}", encoding="utf-8")
        self.outside = place / "outside"
        self.outside.mkdir()
        (self.root / "two names.md").write_text("todo", encoding="utf-8")
        os.link(self.root / "two names.md", self.outside / "second")
        self.scanned = Vault.open(self.root, index="off")
        self.indexed = Vault.open(self.root, index="auto")

    def close(self) -> None:
        self.indexed.close()
        self.scanned.close()

    def tell(self, step: tuple[Any, ...]) -> None:
        kind, *rest = step
        if kind == "ask":
            tool, arguments = rest
            assert self.indexed.call(tool, arguments) == self.scanned.call(tool, arguments), (tool, arguments)
        elif kind == "write":
            self._write(*rest)
        elif kind == "rest":
            assert self.indexed._opened.indexes.own.wait(timeout=60)
        elif kind == "restart":
            self.indexed.close()
            self.indexed = Vault.open(self.root, index="auto")
            self.indexed.call("find", {"paths": "*"})
        elif kind in _CHANGES:
            with suppress(OSError):  # nothing there, or in the way
                _CHANGES[kind](self, *rest)

    def _write(self, path: str, content: bytes) -> None:
        with suppress(OSError):
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_bytes(content)

    def append(self, path: str, other: str, number: int) -> None:
        with (self.root / path).open("r+b") as file:
            file.seek(0, os.SEEK_END)
            file.write(b"\n" + LINES[number % len(LINES)].encode())

    def truncate(self, path: str, other: str, number: int) -> None:
        os.truncate(self.root / path, number % 9)

    def delete(self, path: str, other: str, number: int) -> None:
        (self.root / path).unlink()

    def delete_folder(self, path: str, other: str, number: int) -> None:
        if "/" in path:
            shutil.rmtree(self.root / path.rpartition("/")[0])

    def rename(self, path: str, other: str, number: int) -> None:
        (self.root / other).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).replace(self.root / other)

    def rename_folder(self, path: str, other: str, number: int) -> None:
        if "/" in path:
            (self.root / path).parent.rename(self.root / f"moved {number % 3}")

    def move_folder_back(self, path: str, other: str, number: int) -> None:
        (self.root / f"moved {number % 3}").rename(self.root / FOLDERS[1 + number % (len(FOLDERS) - 1)])

    def move_out_and_in(self, path: str, other: str, number: int) -> None:
        kept = self.outside / "kept"
        if kept.exists():
            kept.replace(self.root / path)
        else:
            (self.root / path).replace(kept)

    def rewrite_unseen(self, path: str, other: str, number: int) -> None:
        """The size and the time of modification stay the same."""
        status = (self.root / path).stat()
        data = bytearray((self.root / path).read_bytes())
        random.Random(number).shuffle(data)
        (self.root / path).write_bytes(data)
        os.utime(self.root / path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def replace_unseen(self, path: str, other: str, number: int) -> None:
        status = (self.root / path).stat()
        new = self.outside / "new"
        new.write_bytes((self.root / path).read_bytes()[::-1])
        os.utime(new, ns=(status.st_atime_ns, status.st_mtime_ns))
        new.replace(self.root / path)

    def age(self, path: str, other: str, number: int) -> None:
        os.utime(self.root / path, ns=(number, number * 1_000_000))

    def ignore(self, path: str, other: str, number: int) -> None:
        folder = self.root / path.rpartition("/")[0]
        name = [".gitignore", ".ignore", ".rgignore", ".git/info/exclude"][number % 4]
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        lines = ["*.md", "a/", "!n.md", "*.txt", "/日", "[", "node_modules", "b/*", other]
        (folder / name).write_text("\n".join(random.Random(number).sample(lines, 2)), encoding="utf-8")

    def exclude(self, path: str, other: str, number: int) -> None:
        entries = [["a/"], ["n.md"], ["/^A/"], ["/[/"], [], ["日", "/\\.txt$/"]][number % 6]
        (self.root / ".obsidian/app.json").write_text(json.dumps({"userIgnoreFilters": entries}), encoding="utf-8")

    def link(self, path: str, other: str, number: int) -> None:
        target = [self.root / "a", self.root / other, self.outside, self.root / ".obsidian"][number % 4]
        (self.root / "link").unlink(missing_ok=True)
        (self.root / "link").symlink_to(target)

    def hard_link(self, path: str, other: str, number: int) -> None:
        """A second name in the vault. If it were made outside while the index watches, no event would report it."""
        os.link(self.root / path, self.root / other)

    def write_second_name(self, path: str, other: str, number: int) -> None:
        with (self.outside / "second").open("r+b") as file:
            file.write(LINES[number % len(LINES)].encode())

    def open_and_write(self, path: str, other: str, number: int) -> None:
        """A change counts before the file is closed."""
        file = (self.root / path).open("ab", buffering=0)
        file.write(b"\ntodo #work")
        self._held = file  # closed when the next one is opened

    def folder_for_file(self, path: str, other: str, number: int) -> None:
        (self.root / path).unlink(missing_ok=True)
        (self.root / path / "inner").mkdir(parents=True)
        (self.root / path / "inner/n.md").write_text(LINES[number % len(LINES)], encoding="utf-8")


_CHANGES: dict[str, Callable[[_Story, str, str, int], None]] = {
    name: getattr(_Story, name) for name in vars(_Story) if not name.startswith("_") and name not in ("close", "tell")
}


@pytest.mark.usefixtures("young_kept")
@pytest.mark.parametrize("watch", ["auto", "off"])
@pytest.mark.not_on_windows("POSIX names and links")
@pytest.mark.timeout(0 if EXAMPLES > 100 else 300)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(_steps(), min_size=4, max_size=40))
def test_fault_I17_every_tool_answers_with_an_index_as_without(
    watch: str, monkeypatch: pytest.MonkeyPatch, steps: list[tuple[Any, ...]]
) -> None:
    monkeypatch.setenv("VAULTTOOLS_WATCH", watch)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        story = _Story(Path(place))
        try:
            for path in PATHS[::7]:
                story._write(path, LINES[len(path) % len(LINES)].encode())
            for step in steps:
                story.tell(step)
        finally:
            story.close()
            shutil.rmtree(os.environ["XDG_CACHE_HOME"], ignore_errors=True)


@pytest.fixture(scope="module")
def corpus() -> Iterator[Path]:
    """The help vault, unpacked."""
    if not OBSIDIAN_HELP.is_file():
        pytest.skip(f"no corpus at {OBSIDIAN_HELP}")
    with tempfile.TemporaryDirectory() as place, corpus_archive(OBSIDIAN_HELP) as archive:
        archive.extractall(place)
        yield Path(place)


@pytest.mark.timeout(1_800)  # without a watch each call stats 7,000 files, on a machine that may be busy
def test_a_real_vault_answers_with_an_index_as_without(corpus: Path) -> None:
    rng = random.Random(1)
    notes = sorted(corpus.rglob("*.md"))
    words = [rng.choice(note.read_text("utf-8").split() or ["x"]) for note in rng.sample(notes, 24)]
    questions: list[tuple[str, dict[str, Any]]] = [
        *(("search_files", {"pattern": pattern}) for pattern in PATTERNS),
        *(("search_files", {"pattern": word, "fixed": True, "case_sensitive": False}) for word in words),
        *(("grep", {"pattern": pattern, "max_results": 20}) for pattern in PATTERNS[::3]),
        *(("search", {"pattern": pattern, "i": True}) for pattern in PATTERNS[::4]),
        *(("survey", {"terms": words[start : start + 4]}) for start in range(0, 24, 4)),
        *(("scout", {"query": word}) for word in words[:12]),
        *(("find", {"paths": glob or "**/*.png"}) for glob in GLOBS),
    ]
    with Vault.open(corpus, index="off") as scanned, Vault.open(corpus, index="auto") as indexed:
        indexed.build_index()
        for tool, arguments in questions:
            assert indexed.call(tool, arguments) == scanned.call(tool, arguments), (tool, arguments)
        scanned.read_structures()
        ways = itertools.cycle([{}, {"sort": "-modified", "limit": 40}, {"folder": "en", "match_case": True}])
        for example, asked in zip(examples.EXAMPLES, ways, strict=False):
            arguments = {"query": example.query, "mode": "obsidian", **asked}
            answer = indexed.call("query", arguments)
            assert (answer.is_error, answer.details["complete"]) == (False, True)
            assert answer == scanned.call("query", arguments), arguments
        assert indexed.verify_index() == []

"""Search: every way of asking ripgrep matches the same lines, which are those of the decoded text."""

from __future__ import annotations

import base64
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from tests.passed_over import counts, examples
from vaulttools import Vault, VaultConfig
from vaulttools.call import Call
from vaulttools.core import limits
from vaulttools.core.work import GONE, PassedOver, Reason, Work
from vaulttools.errors import BadArgument, Cancelled
from vaulttools.files import document as documents
from vaulttools.files.catalogue import Entry
from vaulttools.files.root import Root
from vaulttools.files.scope import Scope, Walk
from vaulttools.matching import process, ripgrep, search
from vaulttools.matching.hits import Hit
from vaulttools.matching.matcher import CountingRuns, Matcher
from vaulttools.matching.ripgrep import Counts
from vaulttools.matching.search import FileCount, FileHits, Search
from vaulttools.opening import open_folder
from vaulttools.patterns.pattern import Mode, Pattern

_RG = shutil.which("rg", path=os.path.dirname(sys.executable)) or shutil.which("rg") or "rg"

Line = tuple[str, int]


@dataclass(frozen=True, slots=True)
class _Found:
    """Everything that one search gives."""

    lines: frozenset[Line]
    texts: frozenset[tuple[Line, str]]
    counts: tuple[FileCount, ...]
    searched: int
    skipped: dict[Reason, PassedOver]


def _search(folder: Path, pattern: Pattern, work: Work) -> Search:
    call = Call(open_folder(str(folder), VaultConfig()), work)
    scope = call.scope((Walk(notes_only=True),), (), hidden=False, include_excluded=False)
    return call.search(pattern, scope)


def _found(folder: Path, pattern: Pattern) -> _Found:
    work = Work()
    asked = _search(folder, pattern, work)
    counts = tuple(asked.matching())
    searched, skipped = work.searched, deepcopy(work.skipped)
    located = list(asked.located([file.path for file in counts], limit=None))
    assert work.skipped == skipped  # nothing changed, so nothing is lost between the count and the lines
    assert [(each.document.path, len(each.hits)) for each in located] == [(file.path, file.count) for file in counts]
    hits = [((each.document.path, hit.line), hit.text) for each in located for hit in each.hits]
    assert len(hits) == len({line for line, _ in hits})
    return _Found(frozenset(line for line, _ in hits), frozenset(hits), counts, searched, skipped)


# The truth: decode each file, make its line ends \n, and run ripgrep on the result.

_PIECES = [
    *(b"a", b"b", b"ab", b"A", b" ", b"-x", b"\n", b"\n", b"\r\n", b"\r\n", b"\r", b"\r\r\n", b"\n\n", b"\t", b"$ "),
    *("é".encode(), "ß".encode(), "\u0130".encode(), "\u2028".encode(), "\x85".encode(), b"\x0b", b"\x0c", b"a\nb"),
    *(b"\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xef\xbb\xbf", "日本".encode(), "🙂".encode(), b"\xef\xbf\xbd"),
]
_UNITS = ["a", "b", "ab", "\n", "\r\n", "\r", "é", "🙂", "\ud800", "\udc00", "\u0a0d", " ", "\u2028"]


def _nasty(chance: random.Random) -> bytes:
    kind = chance.choice(("plain", "plain", "plain", "clean", "mark", "utf-16-le", "utf-16-be"))
    length = chance.randint(0, 7)
    if kind.startswith("utf-16"):
        text = "".join(chance.choices([*_UNITS, *["\0"] * chance.randint(0, 1)], k=length))
        mark = b"\xff\xfe" if kind == "utf-16-le" else b"\xfe\xff"
        return mark + text.encode(kind, "surrogatepass") + chance.choice((b"", b"", b"a"))
    pieces = [b"a", b"b", b"\n", b"\r\n", b" "] if kind == "clean" else [*_PIECES, *[b"\0"] * chance.randint(0, 1)]
    return (b"\xef\xbb\xbf" if kind == "mark" else b"") + b"".join(chance.choices(pieces, k=length))


def _decoded(data: bytes) -> bytes:
    """The bytes of a file that are searched: UTF-16 decoded, a mark dropped, other bytes kept (fault-C03)."""
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data[2:].decode(encoding, "replace").encode().replace(b"\r\n", b"\n")
    return data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")


@dataclass(frozen=True, slots=True)
class _Tree:
    """A vault of nasty files, and a copy in which each file is decoded and its line ends are \\n."""

    vault: Path
    decoded: Path
    texts: dict[str, bytes] = field(repr=False)

    def truth(self, pattern: Pattern) -> _Found:
        lines: set[Line] = set()
        texts: set[tuple[Line, str]] = set()
        counts: list[FileCount] = []
        binary = PassedOver()
        touched = self._touched(pattern)
        for path, text in self.texts.items():
            ended = text.split(b"\n")
            numbers = {number for number in touched.get(path, ()) if number <= len(ended) - (not ended[-1])}
            if numbers and b"\0" in text:
                binary.count += 1
                binary.paths += [path] * (binary.count <= 5)
            elif numbers:
                counts.append(FileCount(path, len(numbers)))
                lines |= {(path, number) for number in numbers}
                texts |= {((path, number), ended[number - 1].decode("utf-8", "replace")) for number in numbers}
        skipped: dict[Reason, PassedOver] = {"binary": binary} if binary.count else {}
        return _Found(frozenset(lines), frozenset(texts), tuple(counts), len(self.texts) - binary.count, skipped)

    def _touched(self, pattern: Pattern) -> dict[str, set[int]]:
        options = ["--no-config", "--text", "--json", "--encoding=none", "--no-mmap", "-j1"]
        command = [_RG, *options, *pattern.arguments(normalised=True), "--", "."]
        run = subprocess.run(command, cwd=self.decoded, capture_output=True, check=False)
        # ripgrep 15.2 panics in its JSON printer on a few matches across lines; those show nothing.
        assume(b"panicked at" not in run.stderr)
        assert not run.stderr
        touched: dict[str, set[int]] = {}
        for record in map(json.loads, run.stdout.split(b"\n")[:-1]):
            if record["type"] == "match":
                data = record["data"]
                lines = data["lines"]
                raw = lines["text"].encode() if "text" in lines else base64.b64decode(lines["bytes"])
                numbers = range(data["line_number"], data["line_number"] + raw.count(b"\n") + (not raw.endswith(b"\n")))
                touched.setdefault(data["path"]["text"].replace(os.sep, "/").removeprefix("./"), set()).update(numbers)
        return touched


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> _Tree:
    chance = random.Random(41)
    folder = tmp_path_factory.mktemp("nasty")
    texts = {}
    for number in range(80):
        name = ("{:03}.md", "{:03} b.MD", "-{:03}.md", "sub/{:03}é.md")[number % 4].format(number)
        content = _nasty(chance)
        texts[name] = _decoded(content)
        for place, data in (("vault", content), ("decoded", texts[name])):
            path = folder / place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    in_order = dict(sorted(texts.items(), key=lambda item: os.fsencode(item[0]).replace(b"/", b"\0")))
    return _Tree(folder / "vault", folder / "decoded", in_order)


_REGEX_PIECES = [
    *("a", "b", "ab", "A", ".", "^", "$", r"\s", r"\S", r"\w", r"\W", r"\b", r"\B", "[^a]", "[ab]", "a*", "b?", "x*"),
    *("(?i)", "(?s)", "(?m)", "|", "(?:a|b)", r"\n", "\n", r"\r\n", r"\r", r"\x00", r"\xff", "é", "ß", "\u0130", "🙂"),
    *(r"\A", r"\z", "(?=a)", "(?!a)", "(?<=b)", r"(a)\1", r"\p{L}", r"[^\n]", r"\t", r"\x{85}", "\u2028", " ", "-x"),
    *(r"\ufffd", r".{2}", r"\R", "(?:)", "$^", r"\n$", r"^\n", r"\s*$", r"a\n*b", "(?-u:\xff)"),
]
_REGEXES = st.lists(st.sampled_from(_REGEX_PIECES), min_size=1, max_size=4).map("".join)
_TEXTS = st.text("abA é\r\nßx-.", min_size=1, max_size=3)


def _readable(text: str, mode: Mode, *, ignore_case: bool) -> Pattern:
    try:
        return ripgrep.locate(_RG).compile(text, mode, ignore_case=ignore_case)
    except BadArgument:
        reject()


@given(
    asked=st.one_of(st.tuples(_REGEXES, st.just("regex")), st.tuples(_TEXTS, st.just("fixed"))),
    ignore_case=st.booleans(),
)
def test_each_way_of_searching_finds_the_lines_of_the_decoded_text(
    nasty: _Tree, asked: tuple[str, Mode], ignore_case: bool
) -> None:
    text, mode = asked
    pattern = _readable(text, mode, ignore_case=ignore_case)
    # Beside bytes that are not UTF-8, PCRE2 finds the edge of a word by what happens to lie before them in memory.
    assume(pattern.engine != "pcre2" or r"\b" not in text.lower())
    expected = nasty.truth(pattern)
    with pytest.MonkeyPatch.context() as patch:
        assert _found(nasty.vault, pattern) == expected
        patch.setattr(search, "PROBE", 20)
        patch.setattr(search, "CHUNK", 8)
        patch.setattr(search, "READ_TOGETHER", 2)
        assert _found(nasty.vault, pattern) == expected


@pytest.mark.parametrize("pattern", ["x", "x$", r"x\n", "(?=x)x"])
def test_a_large_scope_gives_the_same_answer_as_a_small_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    """Files are first searched by name and then as a folder: what is left out, and why, must not depend on it."""
    for number, content in enumerate([b"x\n", b"y\n", b"x\r\n", b"x\0x\n", b"x\rx\n", b"X\n"] * 3):
        for folder in ("a", "b/.c", "Excluded", ".obsidian", "d/.GIT", ".hidden"):
            place = tmp_path / folder
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{number:02}.md").write_bytes(content)
    (tmp_path / ".obsidian" / "app.json").write_text(
        '{"userIgnoreFilters": ["Excluded/", "/a.0[89]/"]}', encoding="utf-8"
    )
    (tmp_path / "a" / "x.txt").write_bytes(b"x\n")
    compiled = _readable(pattern, "regex", ignore_case=False)
    whole = _found(tmp_path, compiled)
    assert {reason: entry.count for reason, entry in whole.skipped.items()} == {"excluded": 3, "hidden": 2, "binary": 2}
    for probe in (1, 3, 17, 18):
        monkeypatch.setattr(search, "PROBE", probe)
        assert _found(tmp_path, compiled) == whole


def test_a_search_that_is_not_read_to_its_end_counts_the_same_work_however_large_the_scope(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        (tmp_path / f"{number:02}.md").write_bytes(b"x\n" if number % 3 else b"x\0\n")
    pattern = _readable("x", "regex", ignore_case=False)
    counted = set()
    for probe in (1, 4, 256):
        monkeypatch.setattr(search, "PROBE", probe)
        work = Work()
        matching = _search(tmp_path, pattern, work).matching()
        paths = [next(matching).path for _ in range(5)]
        counted.add((*paths, work.searched, work.skipped["binary"].count))
    assert counted == {("01.md", "02.md", "04.md", "05.md", "07.md", 5, 3)}


def test_a_search_that_is_stopped_counts_each_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files between two of interest are counted together; the slow way looks at each."""
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian" / "app.json").write_text('{"userIgnoreFilters": ["/[37].md/"]}', encoding="utf-8")
    files = [f"{number:02}.md" for number in range(60)]
    for path in files:
        (tmp_path / path).write_bytes(b"x\n")
    chance = random.Random(7)
    for _ in range(40):
        probe = chance.choice([1, 20, 59])
        monkeypatch.setattr(search, "PROBE", probe)
        read = [path for path in files if path[1] not in "37"]
        rest = [path for path in read if path >= f"{probe:02}"]
        matching = {path: 1 for path in rest if chance.random() < 0.3}
        others = [path for path in rest if path not in matching]
        failed: dict[str, Reason] = {path: "unreadable" for path in others if chance.random() < 0.2}
        late = [path for path in others if path not in failed]
        counts = Counts(dict(matching), dict(failed), stopped="time limit")

        def stopped(self: Matcher, started: CountingRuns, files: object, counts: Counts = counts) -> Counts:
            started.abandon()
            return counts

        monkeypatch.setattr(Matcher, "counts", stopped)
        monkeypatch.setattr(Matcher, "counts_of", lambda self, files: Counts())
        work = Work()
        found = [file.path for file in _search(tmp_path, _readable("x", "regex", ignore_case=False), work).matching()]
        assert found == list(matching)
        assert work.searched == len(read) - len(late) - len(failed)
        missed = work.skipped.get("time limit", PassedOver())
        assert (missed.count, missed.paths) == (len(late), late[:5])
        assert work.skipped.get("unreadable", PassedOver()).paths == list(failed)[:5]
        assert work.skipped["excluded"].count == 12


def test_a_walk_ends_when_time_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(60):
        (tmp_path / f"{number:02}.md").write_bytes(b"y\n")
    monkeypatch.setattr(search, "PROBE", 4)
    monkeypatch.setattr(search, "_MET_TOGETHER", 8)
    work, entries = Work(), Scope.entries
    met = []

    def slow(self: Scope) -> Iterator[Entry]:
        for entry in entries(self):
            met.append(entry.path)
            if len(met) == 30:
                work.deadline = 1.0
            yield entry

    monkeypatch.setattr(Scope, "entries", slow)
    assert list(_search(tmp_path, _readable("x", "regex", ignore_case=False), work).matching()) == []
    assert len(met) < 40
    assert work.incomplete_because() == "stopped after 10 s, not everything was looked at"


# The contents of files (fault-C01 to fault-C20), checked by the counts and lines that `search_files` gives.


def _lines(vault: Vault, pattern: str, **arguments: object) -> dict[str, list[tuple[int, str]]]:
    """The matching lines of each file shown."""
    answer = vault.answer("search_files", {"pattern": pattern, "context_lines": 0, **arguments})
    return {
        file.path: [
            (line, excerpt.lines[line - excerpt.start_line])
            for excerpt in file.excerpts
            for line in excerpt.matching_lines
        ]
        for file in answer.files
    }


def _of(folder: Path, **files: bytes) -> Vault:
    for name, content in files.items():
        (folder / f"{name}.md").write_bytes(content)
    return Vault.open(folder)


@pytest.mark.parametrize(
    ("content", "pattern", "lines"),
    [
        # fault-C01: a byte order mark is no part of line 1
        (b"\xef\xbb\xbf# One\n", "^# One$", [(1, "# One")]),
        (b"\xef\xbb\xbf---\na: 1\n---\nx\n", "^x", [(4, "x")]),
        # fault-C02
        ("\ufeff# Ünö\nx".encode("utf-16-le"), "^# Ünö$", [(1, "# Ünö")]),
        ("\ufeff# Ünö\r\nx\r\n".encode("utf-16-be"), "^x$", [(2, "x")]),
        # fault-C03, fault-C19: bytes that are no text are matched around, never guessed
        (b"caf\xe9 noir\n", "noir", [(1, "caf\ufffd noir")]),
        (b"caf\xe9 noir\n", "café", []),
        (b"caf\xe9\n", "caf.$", []),
        (b"caf\xe9\n", r"(?-u:caf\xe9)", [(1, "caf\ufffd")]),
        (b"a\rcaf\xe9\n", "caf.$", []),
        # fault-C05
        (b"a\r\nb\r\n", "a$", [(1, "a")]),
        (b"a\r\nb\r\n", r"a\nb", [(1, "a"), (2, "b")]),
        (b"a\r\nb\r\n", "a\nb", [(1, "a"), (2, "b")]),
        (b"a\r\nb\r\n", r"a\r\nb", [(1, "a"), (2, "b")]),
        (b"a\r\nb\r\n", r"\r", []),
        (b"\r\n\r\nx\r\n", "^$", [(1, ""), (2, "")]),
        # fault-C06: a lone CR is ordinary text
        (b"a\rb\n", "^a\rb$", [(1, "a\rb")]),
        (b"a\rb\n", "a$", []),
        (b"a\rb\n", "^b", []),
        (b"a\r\xff\n", "a$", []),
        (b"x\r", "x", [(1, "x\r")]),
        (b"a\nx\r\r", "x", [(2, "x\r\r")]),
        (b"x\r\r\n", "x.$", [(1, "x\r")]),
        # fault-C07: nothing else ends a line
        (
            "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g\nh\n".encode(),
            "[ah]",
            [(1, "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g"), (2, "h")],
        ),
        # fault-C08
        (b"", "^", []),
        (b"\n", "^", [(1, "")]),
        (b"a", "^", [(1, "a")]),
        (b"a\nb", "b", [(2, "b")]),
        (b"b\nb\r", "b", [(1, "b"), (2, "b\r")]),
        (b"a\nb\n", "$", [(1, "a"), (2, "b")]),
        # fault-C16, fault-C17: lines are lines, whatever Markdown makes of them
        (b"".join(b"  " * depth + b"- item\n" for depth in range(60)), "^ {118}- item", [(60, "  " * 59 + "- item")]),
        (b"```\n# no heading\nx\n", "^x", [(3, "x")]),
        (b"---\nx: y\n", "^x", [(2, "x: y")]),
        # fault-R07, fault-R09: a pattern that matches the empty text matches each line once
        (b"ab\n\ncd\n", "x*", [(1, "ab"), (2, ""), (3, "cd")]),
        (b"ab\n\ncd\n", r"\b", [(1, "ab"), (3, "cd")]),
        (b"ab\n\ncd\n", r"b\n\nc", [(1, "ab"), (2, ""), (3, "cd")]),
        (b"ab\n\ncd\n", r"(?s)b.*c", []),
        (b"ab\n\ncd\n", r"b\s", []),
        (b"aaa\n", "a", [(1, "aaa")]),
        (b" a  \na\n", "a ", [(1, " a  ")]),
    ],
)
def test_faults_C01_to_C08_lines_are_found_as_they_are_written(
    tmp_path: Path, content: bytes, pattern: str, lines: list[tuple[int, str]]
) -> None:
    assert _lines(_of(tmp_path, a=content), pattern) == ({"a.md": lines} if lines else {})


@pytest.mark.parametrize("place", [0, 70_000, 140_001])
@pytest.mark.parametrize("probe", [1, 256])
def test_fault_C04_a_file_with_a_nul_gives_no_match_and_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: int, probe: int
) -> None:
    monkeypatch.setattr(search, "PROBE", probe)
    text = b"x line\n" * 20_000
    vault = _of(tmp_path, a=text[:place] + b"\0" + text[place:], b=b"x\n", c=b"\0", d="\ufeffx".encode("utf-16-le"))
    answer = vault.search_files("x")
    assert [file.path for file in answer.files] == ["b.md", "d.md"]
    assert (answer.complete, answer.searched, examples(answer)["binary"]) == (True, 3, ["a.md"])
    assert answer.notices == ["Passed over: 1 binary (a.md)."]
    exact = vault.search_files("x", file_pattern="a.md")
    assert (exact.files, exact.complete, counts(exact)["binary"]) == ([], True, 1)
    assert vault.search_files("nowhere").passed_over == []


def test_fault_C09_a_line_of_megabytes_is_found_and_cut_where_it_is_shown(tmp_path: Path) -> None:
    answer = _of(tmp_path, a=b"a" * 3_000_000 + b" needle " + b"b" * 3_000_000).search_files("needle")
    assert answer.text == f"Found 1 matching file:\n\n## a.md\nLine 1: > …{'a' * 79} needle {'b' * 425}…"
    assert len(answer.files[0].excerpts[0].lines[0]) == 6_000_008


def test_fault_C20_every_matching_line_is_counted_however_many_there_are(tmp_path: Path) -> None:
    answer = _of(tmp_path, a=b"x\n" * 60_000).search_files("x")
    assert answer.files[0].match_count == 60_000
    assert "\n(59,940 more matches in this file)" in answer.text


def test_fault_C10_a_large_file_is_reported_when_it_would_have_matched(tmp_path: Path) -> None:
    _of(tmp_path, a=b"x\n" * 100, b=b"x\n", c=b"y\n" * 100, d=b"x\r" * 100)
    vault = Vault.open(tmp_path, config=VaultConfig(max_file_size=100))
    for pattern in ("x", "x$"):
        answer = vault.search_files(pattern)
        assert [file.path for file in answer.files] == ["b.md"]
        assert answer.notices == ["The search is incomplete: 2 files too large (a.md, d.md)."]
        assert answer.searched == 2


def test_a_sentence_that_quotes_the_longest_pattern_is_within_bounds(tmp_path: Path) -> None:
    vault = _of(tmp_path, a=b"x\n")
    for pattern in (
        "日" * 9_998 + "{}",
        "{}(" + "日" * 9_990,
        "[" * 10_000,
        "[[" + "日" * 9_990 + "]]",
        "日" * 9_999 + "\\",
    ):
        result = vault.call("search_files", {"pattern": pattern})
        assert len(result.text.encode()) <= limits.TEXT_BYTES


# Other readings of a pattern, which are suggested where nothing matched.


@pytest.mark.parametrize("probe", [1, 256])
@pytest.mark.parametrize(
    ("pattern", "arguments", "notices"),
    [
        ("TODO", {}, ["2 files match when case is ignored."]),
        ("Todo", {"fixed": True}, ["2 files match when case is ignored."]),
        ("TO+DO", {}, ["2 files match when case is ignored."]),
        ("LONELY", {}, ["1 file matches when case is ignored."]),
        ("TODO", {"case_sensitive": False}, []),
        ("todo", {}, []),
        ("nowhere", {}, []),
        (" lonely ", {}, ["1 file matches when the blanks around the pattern are left out."]),
        ("  todo\\ ", {}, []),
        ("caf\u00e9", {}, ["1 more note matches in another Unicode form: c.md"]),
        ("u\u0308ber", {}, ["1 more note matches in another Unicode form: c.md"]),
    ],
)
def test_fault_C15_another_reading_that_matches_is_suggested_on_no_match(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    probe: int,
    pattern: str,
    arguments: dict[str, object],
    notices: list[str],
) -> None:
    """fault-C15: the answer names the files that hold the same word in another Unicode form."""
    monkeypatch.setattr(search, "PROBE", probe)
    vault = _of(tmp_path, a=b"todo lonely\n", b=b"todo: x\n", c="cafe\u0301 \u00fcber\n".encode())
    answer = vault.answer("search_files", {"pattern": pattern, **arguments})
    assert answer.notices == notices
    assert (answer.total_files == 0) == (pattern != "todo" and "case_sensitive" not in arguments)


# Files that change during the search.

_Read = Callable[[Root, str, int], tuple[bytes, os.stat_result]]


def _meddle(monkeypatch: pytest.MonkeyPatch, folder: Path, meddling: Callable[[int], object]) -> None:
    """Before each reading of a file in a vault, call `meddling` with the number of the reading."""
    real: _Read = documents.read_bytes
    readings = iter(range(100))

    def read(root: Root, path: str, max_bytes: int) -> tuple[bytes, os.stat_result]:
        if root.folder == os.path.realpath(folder):  # the index of another test's vault may still be read
            meddling(next(readings))
        return real(root, path, max_bytes)

    monkeypatch.setattr(documents, "read_bytes", read)


def _first(change: Callable[[Path], object], path: Path) -> Callable[[int], object]:
    """Changes a file before the first reading."""
    return lambda reading: None if reading else change(path)


def _located(folder: Path, pattern: str = "x") -> tuple[list[FileHits], Work]:
    work = Work()
    asked = _search(folder, _readable(pattern, "regex", ignore_case=False), work)
    return list(asked.located([file.path for file in asked.matching()])), work


def test_a_file_that_changed_after_the_count_shows_the_lines_of_its_new_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _of(tmp_path, a=b"x old\n", b=b"x\n")
    _meddle(monkeypatch, tmp_path, _first(lambda path: path.write_bytes(b"new\nx new\n"), tmp_path / "a.md"))
    located, work = _located(tmp_path)
    assert [(found.document.text, [*found.hits]) for found in located] == [
        ("new\nx new\n", [Hit(2, 0, "x new")]),
        ("x\n", [Hit(1, 0, "x")]),
    ]
    assert work.complete


@pytest.mark.parametrize(
    ("change", "skipped"),
    [(lambda path: path.write_bytes(b"new\n"), {}), (Path.unlink, {GONE: PassedOver(1, ["a.md"])})],
    ids=["changed", "gone"],
)
def test_fault_T03_a_file_that_no_longer_matches_is_left_out_and_one_that_is_gone_is_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path], object],
    skipped: dict[Reason, PassedOver],
) -> None:
    _of(tmp_path, a=b"x old\n", b=b"x\n")
    _meddle(monkeypatch, tmp_path, _first(change, tmp_path / "a.md"))
    located, work = _located(tmp_path)
    assert [found.document.path for found in located] == ["b.md"]
    assert work.skipped == skipped


@pytest.mark.parametrize("pattern", ["x", "x$"])
def test_a_file_that_can_no_longer_be_read_is_reported_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    _of(tmp_path, a=b"x\rx\n", b=b"x\n")

    def replaced(reading: int) -> None:
        if reading == (1 if pattern == "x$" else 0):
            (tmp_path / "a.md").unlink()
            (tmp_path / "a.md").mkdir()

    _meddle(monkeypatch, tmp_path, replaced)
    located, work = _located(tmp_path, pattern)
    assert [found.document.path for found in located] == ["b.md"]
    assert work.skipped == {"unreadable": PassedOver(1, ["a.md"])}


def test_fault_C12_a_file_that_keeps_changing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _of(tmp_path, a=b"x old\n", b=b"x\n")

    def rewritten(reading: int) -> None:
        (tmp_path / "a.md").write_bytes(f"x {reading}\n".encode())

    _meddle(monkeypatch, tmp_path, rewritten)
    answer = Vault.open(tmp_path, index="off").search_files("x")
    assert [file.path for file in answer.files] == ["b.md"]
    assert answer.notices == ["The search is incomplete: 1 file changed while read (a.md)."]
    assert (answer.total_files, answer.total_is_exact) == (2, False)


@pytest.mark.parametrize(("changes", "read"), [(1, True), (2, False)])
def test_faults_C12_and_C14_a_file_that_grows_while_it_is_read_is_read_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: int, read: bool
) -> None:
    _of(tmp_path, a=b"x\n")
    left = iter(range(changes))

    def read_and_grown(descriptor: int, *_: int) -> bytes:
        data = os.read(descriptor, 1_000)
        if next(left, None) is not None:
            with (tmp_path / "a.md").open("ab") as file:
                file.write(b"y\n")
        return data

    monkeypatch.setattr(documents, "_read_all", read_and_grown)
    answer = Vault.open(tmp_path, index="off").search_files("x")
    assert answer.complete == answer.total_is_exact == read
    assert len(answer.files) == int(read)


def test_fault_C13_a_file_replaced_while_it_is_searched_is_the_old_or_the_new_one(tmp_path: Path) -> None:
    versions = [f"{letter * 2_000}\n" * 20 for letter in "ab"]
    vault = _of(tmp_path, a=versions[0].encode())

    def replace() -> None:
        for number in range(100):
            (tmp_path / "new").write_text(versions[number % 2], encoding="utf-8")
            (tmp_path / "new").replace(tmp_path / "a.md")

    with ThreadPoolExecutor() as pool:
        writer = pool.submit(replace)
        texts: list[str] = []
        while not writer.done():
            texts.extend(found.document.text for found in _located(tmp_path, "[ab]")[0])
        writer.result()
    assert set(texts) <= set(versions)
    assert vault.search_files("[ab]").total_files == 1


def test_a_call_cancelled_while_lines_are_read_ends_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _of(tmp_path, **{f"n{number}": b"x\n" for number in range(300)})
    cancel = Event()
    read = documents.read_bytes
    readings = []

    def cancelling(root: Root, path: str, max_bytes: int) -> tuple[bytes, os.stat_result]:
        readings.append(path)
        if len(readings) == 70:
            cancel.set()
        return read(root, path, max_bytes)

    monkeypatch.setattr(documents, "read_bytes", cancelling)
    with pytest.raises(Cancelled):
        Vault.open(tmp_path).search_files("x", max_results=300, cancel=cancel)
    assert len(readings) < 200


def test_lines_that_were_not_read_in_time_are_reported_and_the_total_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _of(tmp_path, **{f"n{number}": b"x\n" for number in range(20)})
    monkeypatch.setattr(Work, "is_over", lambda self: True)
    answer = Vault.open(tmp_path).search_files("x")
    assert (answer.total_files, answer.total_is_exact, answer.files, answer.complete) == (20, True, [], False)
    assert (answer.searched, counts(answer)["lines not read"]) == (20, 10)
    assert answer.text == (
        "Found 20 matching files:\n\n"
        "[The search is incomplete: stopped after 10 s, 10 files counted and not shown.]\n"
        "[Showing 0 of 20 matching files.]\n"
        "[To go on, narrow file_pattern to the files from n0.md on, lower max_results, or raise time_limit in the "
        "configuration.]"
    )


@pytest.mark.parametrize("tool", ["search_files", "grep"])
def test_an_answer_that_ran_out_of_time_says_what_it_shows_and_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    _of(tmp_path, **{f"n{number:03}": b"x\n" for number in range(300)})
    read = documents.read_bytes
    readings: list[str] = []

    def counting(root: Root, path: str, max_bytes: int) -> tuple[bytes, os.stat_result]:
        readings.append(path)
        return read(root, path, max_bytes)

    monkeypatch.setattr(documents, "read_bytes", counting)
    monkeypatch.setattr(Work, "is_over", lambda self: len(readings) > 150)
    result = Vault.open(tmp_path, index="off").call(tool, {"pattern": ".", "max_results": 10_000})
    total = "total_matches" if tool == "grep" else "total_files"
    assert (result.details[total], result.details["total_is_exact"], result.details["complete"]) == (300, True, False)
    assert next(each["count"] for each in result.details["passed_over"] if each["kind"] == "lines not read") == 149
    narrow = "path or glob" if tool == "grep" else "file_pattern"
    assert "[The search is incomplete: stopped after 10 s, 149 files counted and not shown.]" in result.text
    assert result.text.endswith(
        f"[To go on, narrow {narrow} to the files from n151.md on, lower max_results, or raise time_limit in the "
        "configuration.]"
    )
    assert "Raise max_results" not in result.text


def test_a_film_costs_a_search_no_time_and_a_large_text_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"needle\n")
    (tmp_path / "film.mp4").write_bytes(b"\0" * 100 + b"needle" * 1_000)
    (tmp_path / "log.txt").write_bytes(b"needle " * 1_000)
    vault = Vault.open(tmp_path, config=VaultConfig(max_file_size=2_000))
    for name in ("search", "grep"):
        details = vault.call(name, {"pattern": "needle"}).details
        assert examples(details) == {
            "binary": ["film.mp4"],
            "too large": ["log.txt"],
        }
        assert not details["complete"]


def test_many_batches_run_two_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = _of(tmp_path, **{f"n{number}": b"x\n" for number in range(60)})
    monkeypatch.setattr(ripgrep, "_COMMAND_BYTES", 100)
    running: set[int] = set()
    most = []
    start, outcome = process.Running.__init__, process.Running.outcome

    def started(self: process.Running, *arguments: object) -> None:
        start(self, *arguments)  # type: ignore[arg-type]
        running.add(id(self))
        most.append(len(running))

    def ended(self: process.Running, work: Work) -> process.Outcome:
        found = outcome(self, work)
        running.discard(id(self))
        return found

    monkeypatch.setattr(process.Running, "__init__", started)
    monkeypatch.setattr(process.Running, "outcome", ended)
    assert vault.search_files("x$", max_results=100).total_files == 60
    assert max(most) <= 6  # counting, carriage returns and NUL bytes: two each

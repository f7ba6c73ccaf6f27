"""Search: the lines that match are the same for every way of asking ripgrep, and are those of the decoded text."""

from __future__ import annotations

import base64
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

from vaulttools import Vault, VaultConfig
from vaulttools.core import document as documents
from vaulttools.core import ripgrep, search
from vaulttools.core.document import Document, NotRead
from vaulttools.core.pattern import Mode, Pattern
from vaulttools.core.root import Root
from vaulttools.core.scope import Walk
from vaulttools.core.search import FileCount, FileHits, Search
from vaulttools.core.work import PassedOver, Work
from vaulttools.errors import BadArgument
from vaulttools.opened import open_folder

_RG = shutil.which("rg", path=os.path.dirname(sys.executable)) or shutil.which("rg") or "rg"

Line = tuple[str, int]


@dataclass(frozen=True, slots=True)
class _Found:
    """Everything that one search says."""

    lines: frozenset[Line]
    texts: frozenset[tuple[Line, str]]
    counts: tuple[FileCount, ...]
    searched: int
    skipped: dict[str, PassedOver]


def _search(folder: Path, pattern: Pattern, work: Work, loose: Pattern | None = None) -> Search:
    opened = open_folder(str(folder), VaultConfig())
    scope = opened.scope((Walk(notes_only=True),), (), work, hidden=False, include_excluded=False)
    return Search(opened.ripgrep, opened.root, pattern, scope, work, loose=loose)


def _found(folder: Path, pattern: Pattern, loose: Pattern | None = None) -> _Found:
    work = Work()
    asked = _search(folder, pattern, work, loose)
    counts = tuple(asked.matching())
    searched, skipped = work.searched, {reason: entry for reason, entry in work.skipped.items()}
    located = asked.located([file.path for file in counts], limit=None)
    assert work.skipped == skipped  # nothing changed, so nothing is lost between the count and the lines
    assert [(each.document.path, len(each.hits)) for each in located] == [(file.path, file.count) for file in counts]
    hits = [((each.document.path, hit.line), hit.text) for each in located for hit in each.hits]
    assert len(hits) == len({line for line, _ in hits})
    return _Found(frozenset(line for line, _ in hits), frozenset(hits), counts, searched, dict(skipped))


# The truth: each file decoded, its line ends made \n, and ripgrep run on the result as it stands.

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
    """What is searched of a file: UTF-16 decoded, a mark dropped, bytes that are no text kept (spec 3, C03)."""
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data[2:].decode(encoding, "replace").encode().replace(b"\r\n", b"\n")
    return data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")


@dataclass(frozen=True, slots=True)
class _Tree:
    """A vault of nasty files, and beside it the same with each file decoded and its line ends made \\n."""

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
        skipped = {"binary": binary} if binary.count else {}
        return _Found(frozenset(lines), frozenset(texts), tuple(counts), len(self.texts) - binary.count, skipped)

    def _touched(self, pattern: Pattern) -> dict[str, set[int]]:
        options = ["--no-config", "--text", "--json", "--encoding=none", "--no-mmap", "-j1"]
        command = [_RG, *options, *pattern.arguments(normalised=True), "--", "."]
        run = subprocess.run(command, cwd=self.decoded, capture_output=True, check=False)
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
@settings(max_examples=50, deadline=None)
def test_each_way_of_searching_finds_the_lines_of_the_decoded_text(
    nasty: _Tree, asked: tuple[str, Mode], ignore_case: bool
) -> None:
    text, mode = asked
    pattern = _readable(text, mode, ignore_case=ignore_case)
    expected = nasty.truth(pattern)
    with pytest.MonkeyPatch.context() as patch:
        assert _found(nasty.vault, pattern) == expected
        patch.setattr(search, "PROBE", 20)
        patch.setattr(search, "CHUNK", 8)
        assert _found(nasty.vault, pattern) == expected
        if pattern.plain and not ignore_case:
            loose = _readable(text, mode, ignore_case=True)
            assert _found(nasty.vault, pattern, loose) == expected

"""One file's text: how its bytes are decoded, where its lines end, and what a change during the read does."""

from __future__ import annotations

import codecs
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from vaulttools.core import limits
from vaulttools.core.work import GONE
from vaulttools.files import disk
from vaulttools.files import document as documents
from vaulttools.files.document import Document, NotRead, decode, digest, has_digest
from vaulttools.files.protection import Protection
from vaulttools.files.root import Root
from vaulttools.matching import ripgrep

posix_only = pytest.mark.not_on_windows("an open file cannot be replaced there")

BOUND = limits.FILE_BYTES
MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def root_of(folder: Path) -> Root:
    """The root at a folder."""
    return Root(os.path.realpath(folder), str(folder), Protection.of())


def written(folder: Path, data: bytes) -> Root:
    """The root of a folder whose file `a.md` holds the bytes."""
    (folder / "a.md").write_bytes(data)
    return root_of(folder)


# Decoding


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        ("a é 語 😀\n".encode(), "a é 語 😀\n"),
        # fault-C01
        (codecs.BOM_UTF8 + b"---\na: 1\n---\n", "---\na: 1\n---\n"),
        (codecs.BOM_UTF8, ""),
        (codecs.BOM_UTF8 * 2 + b"a", "\ufeffa"),
        # fault-C02
        (codecs.BOM_UTF16_LE + "é\r\nb".encode("utf-16-le"), "é\r\nb"),
        (codecs.BOM_UTF16_BE + "é\r\nb".encode("utf-16-be"), "é\r\nb"),
        (codecs.BOM_UTF16_LE + "a".encode("utf-16-le") + b"x", "a\ufffd"),
        (codecs.BOM_UTF16_LE, ""),
        # fault-C03
        ("café".encode("latin-1"), "caf\ufffd"),
        (b"a\xffb\xc3(c\xe2\x82", "a\ufffdb\ufffd(c\ufffd"),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
        # fault-C19: nothing is guessed
        ("a".encode("utf-16-le"), "a\0"),
    ],
)
def test_faults_C01_to_C03_and_C19_bytes_are_read_as_ripgrep_reads_them(data: bytes, text: str) -> None:
    assert decode("a.md", data).text == text


@pytest.mark.parametrize(
    ("data", "is_binary"),
    [
        (b"\0a", True),
        (b"a" * 70_000 + b"\0", True),
        (b"a\0", True),
        (codecs.BOM_UTF16_LE + "ab".encode("utf-16-le"), False),
        (codecs.BOM_UTF16_LE + "a\0".encode("utf-16-le"), True),
        (b"\x01\x1b\x7f\xff", False),
    ],
)
def test_fault_C04_a_nul_after_decoding_makes_a_file_binary(data: bytes, is_binary: bool) -> None:
    assert decode("a.md", data).is_binary is is_binary


# Lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        # fault-C08
        ("", []),
        ("a", ["a"]),
        ("a\nb", ["a", "b"]),
        ("a\nb\n", ["a", "b"]),
        ("\n", [""]),
        ("\n\n", ["", ""]),
        ("a\n\n", ["a", ""]),
        # fault-C05
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\r\nb", ["a", "b"]),
        ("a\r\n\r\n", ["a", ""]),
        ("a\nb\r\nc", ["a", "b", "c"]),
        # fault-C06
        ("a\rb", ["a\rb"]),
        ("a\r", ["a\r"]),
        ("a\r\r\nb", ["a\r", "b"]),
        ("\r", ["\r"]),
        ("a\n\rb", ["a", "\rb"]),
        # fault-C07
        ("a\vb\fc\x1cd\x1de\x1ef\x85g\u2028h\u2029i\nj", ["a\vb\fc\x1cd\x1de\x1ef\x85g\u2028h\u2029i", "j"]),
    ],
)
def test_faults_C05_to_C08_a_line_ends_at_a_line_feed_and_nowhere_else(text: str, lines: list[str]) -> None:
    assert Document("a.md", text).lines == lines


TEXTS = st.text(st.sampled_from("ab \n\r\v\f\x1c\x85\u2028\u2029é語"), max_size=40)


@settings(max_examples=200)
@given(TEXTS)
@example("\r\n\r")
def test_fault_C07_only_line_feeds_divide_lines(text: str) -> None:
    document = Document("a.md", text)
    assert len(document.lines) == text.count("\n") + (not text.endswith("\n") and text != "")
    assert all("\n" not in line for line in document.lines)
    assert [line for line in document.normalised.split("\n") if line] == [line for line in document.lines if line]


@settings(max_examples=60, deadline=None)
@given(TEXTS)
@example("a\rb\x85c\u2028d\r\ne")
def test_the_lines_are_those_that_ripgrep_counts(text: str) -> None:
    command = [ripgrep.locate().command, "--no-config", "--text", "--crlf", "--no-line-number", "--count", "^", "-"]
    counted = subprocess.run(command, input=text.encode(), capture_output=True, check=False).stdout
    assert len(decode("a.md", text.encode()).lines) == int(counted or 0)


@settings(max_examples=200)
@given(st.binary(max_size=60).filter(lambda data: not data.startswith(MARKS)))
@example(b"a\xff\r\n\xfe")
def test_what_is_searched_is_the_text_with_plain_line_ends(data: bytes) -> None:
    document = decode("a.md", data)
    assert decode("a.md", document.searchable).normalised == document.normalised
    assert b"\r\n" not in document.searchable


# Bytes are decoded when their text is needed

PIECES = [b"a", b"b ", b"\n", b"\n", b"\r\n", b"\r", b"\0", b"\xff", b"\xe2\x80", b"\xed\xa0\x80", b"\xf0\x9f", b"\x85"]
DATA = st.lists(st.sampled_from([*PIECES, *map(str.encode, "é語\u2028\ufeff\ufffd")]), max_size=14).map(b"".join)


@settings(max_examples=300, deadline=None)
@given(DATA)
def test_bytes_make_the_document_that_their_text_makes(data: bytes) -> None:
    found = decode("a.md", data)
    text = Document("a.md", found.text)
    assert ([*found.lines], found.normalised, found.is_binary) == (text.lines, text.normalised, text.is_binary)
    assert found.searchable.decode("utf-8", "replace") == text.normalised
    assert has_digest(found, digest(text.text))
    assert not has_digest(found, digest(f"{text.text}."))


# Reading


@pytest.mark.parametrize("data", [b"", b"a", b"a\n" * 1_000_000])
def test_fault_P19_a_file_is_read_to_its_end(tmp_path: Path, data: bytes) -> None:
    assert documents.read(written(tmp_path, data), "a.md", BOUND).text.encode() == data


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_fault_P19_a_size_of_zero_is_not_trusted() -> None:
    root = Root("/proc/self", "/proc/self", Protection.of())
    assert os.stat("/proc/self/status").st_size == 0
    assert "Pid:" in documents.read(Root(os.path.realpath(root.folder), "", root.protection), "status", BOUND).text


@pytest.mark.parametrize(("name", "reason"), [("absent.md", GONE), ("folder", "unreadable"), ("a.md/b", GONE)])
def test_a_file_that_cannot_be_opened_is_unreadable_or_gone(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "folder").mkdir()
    assert _refusal(written(tmp_path, b"a"), name) == reason


@posix_only
def test_fault_P18_a_fifo_is_unreadable_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.md")
    assert _refusal(root_of(tmp_path), "x.md") == "unreadable"


def _refusal(root: Root, path: str, bound: int = BOUND) -> str:
    with pytest.raises(NotRead) as refusal:
        documents.read(root, path, bound)
    return refusal.value.reason


def test_fault_C10_a_file_beyond_the_bound_is_not_read(tmp_path: Path) -> None:
    root = written(tmp_path, b"")
    with (tmp_path / "a.md").open("r+b") as file:
        file.truncate(1 << 30)
    assert _refusal(root, "a.md") == "too large"
    (tmp_path / "a.md").write_bytes(b"12345")
    assert _refusal(root, "a.md", 4) == "too large"
    assert documents.read(root, "a.md", 5).text == "12345"


@posix_only
@pytest.mark.skipif(sys.platform == "darwin", reason="the rule holds there")
def test_fault_S01_a_sparse_file_is_read_and_on_macos_is_not_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = written(tmp_path, b"")
    with (tmp_path / "a.md").open("r+b") as file:
        file.truncate(5000)
    if os.stat(tmp_path / "a.md").st_blocks:
        pytest.skip("this file system fills holes")
    assert documents.read(root, "a.md", BOUND).text == "\0" * 5000
    with monkeypatch.context() as patch:
        patch.setattr(disk, "MAY_BE_ELSEWHERE", True)
        with pytest.raises(NotRead) as refusal:
            documents.read(root, "a.md", BOUND)
    assert refusal.value.reason == "not downloaded"


# Changes during the read


def _disturbing(monkeypatch: pytest.MonkeyPatch, disturb: Callable[[int], None]) -> None:
    """After each read of a whole file, call `disturb` with the number of reads so far."""
    read_all = documents._read_all
    reads = []

    def disturbed(descriptor: int, likely: int, max_bytes: int) -> bytes:
        data = read_all(descriptor, likely, max_bytes)
        reads.append(descriptor)
        disturb(len(reads))
        return data

    monkeypatch.setattr(documents, "_read_all", disturbed)


@pytest.mark.parametrize("later", [b"longer than before", b"sh", b""])
def test_faults_C11_and_C12_a_file_that_changes_while_it_is_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, later: bytes
) -> None:
    root = written(tmp_path, b"before")

    def disturb(reads: int) -> None:
        if reads == 1:
            (tmp_path / "a.md").write_bytes(later)

    _disturbing(monkeypatch, disturb)
    assert documents.read(root, "a.md", BOUND).text == later.decode()


def test_fault_C12_a_file_that_keeps_changing_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = written(tmp_path, b"before")

    def disturb(reads: int) -> None:
        with (tmp_path / "a.md").open("ab") as file:
            file.write(b"x")

    _disturbing(monkeypatch, disturb)
    assert _refusal(root, "a.md") == "changed while read"

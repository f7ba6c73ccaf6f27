from __future__ import annotations

import codecs
import os
import time
from dataclasses import replace

import pytest
import xxhash

from tests.index.indexes import Indexed
from vaulttools.files import disk
from vaulttools.files.disk import Key
from vaulttools.index import content, passages, tokenizer
from vaulttools.index.content import HAS_CR, HAS_LONE_CR, Content, ToRead, WordColumns, read, scan, unsealed
from vaulttools.notes.note import Note
from vaulttools.notes.packing import dump


def read_of(indexed: Indexed, data: bytes, path: str = "a.md") -> Content:
    indexed.write({path: data})
    found = read(indexed.root, ToRead(path))
    assert found is not None
    return found


def tokens(found: Content) -> set[str]:
    return {*found.tokens.text.split(" ")}


def tokens_of(folded: str) -> set[str]:
    return {*tokenizer.tokens(folded).text.split(" ")}


def test_a_note_gives_its_tokens_words_and_structure(indexed: Indexed) -> None:
    text = "---\naliases: [Other, 'Third']\ntitle: Own\nstatus: open\n---\n# Straße\nBody ſ\n## Two\n"
    before = time.time_ns()
    indexed.write({"folder/Name.md": text})
    found = read(indexed.root, ToRead("folder/Name.md"))
    assert found is not None
    assert before <= found.checked <= time.time_ns()
    assert found.structure is not None
    assert unsealed(found.structure) == dump(Note("folder/Name.md", text))
    assert found.passages == passages.dump(Note("folder/Name.md", text))
    assert tokens(found) == tokens_of(
        "---\naliases: [other, 'third']\ntitle: own\nstatus: open\n---\n# strasse\nbody s\n## two\n"
    )
    assert found == Content(
        path="folder/Name.md",
        key=Key.of(os.stat(indexed.vault / "folder/Name.md")),
        checked=found.checked,
        state="text",
        digest=xxhash.xxh3_128_digest(text.encode()),
        tokens=found.tokens,
        words=WordColumns("# Strasse\nBody s\n## Two\n", "Name\nOwn", "Other\nThird", "Strasse\nTwo", "status open"),
        structure=found.structure,
        passages=found.passages,
    )


def test_a_scan_is_a_read_without_words_and_structure(indexed: Indexed) -> None:
    whole = read_of(indexed, b"# A\r\ntext")
    found = scan(indexed.root, "a.md")
    assert found is not None
    assert found == replace(whole, checked=found.checked, words=None, structure=None, passages=None)
    assert found.flags == HAS_CR


def test_a_file_that_is_no_note_has_neither_words_nor_structure(indexed: Indexed) -> None:
    found = read_of(indexed, b"# A", "a.txt")
    assert (found.state, found.words, found.structure, tokens(found)) == ("text", None, None, tokens_of("# a"))


@pytest.mark.parametrize(
    ("data", "flags"),
    [
        (b"a\nb", 0),
        (b"a\r\nb\r\n", HAS_CR),
        (b"a\r\nb\rc", HAS_CR | HAS_LONE_CR),
        (b"a\r", HAS_CR | HAS_LONE_CR),
        (b"\r\r\n", HAS_CR | HAS_LONE_CR),
    ],
)
def test_the_flags_show_carriage_returns(indexed: Indexed, data: bytes, flags: int) -> None:
    assert read_of(indexed, data).flags == flags


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_one_text_has_one_digest_in_every_encoding(indexed: Indexed, encoding: str) -> None:
    found = read_of(indexed, "Ünï 日本".encode(encoding))
    assert (found.state, found.digest) == ("text", xxhash.xxh3_128_digest("Ünï 日本".encode()))
    assert tokens(found) == tokens_of("ünï 日本")


def test_bytes_that_are_not_utf_8_are_replaced_as_elsewhere(indexed: Indexed) -> None:
    found = read_of(indexed, b"a\xffb \xed\xa0\x80")
    assert (found.state, tokens(found)) == ("text", tokens_of("a\ufffdb \ufffd\ufffd\ufffd"))


def test_a_file_with_nul_gives_its_printable_runs(indexed: Indexed) -> None:
    found = read_of(indexed, "PNG\0Exif Text\nabc\x01\u212aelvin\0ſong \0Straße\0tail".encode())
    assert (found.state, found.words, found.structure) == ("binary", None, None)
    assert tokens(found) == {*tokenizer.binary_tokens("exif text\0kelvin\0song \0strasse\0tail").text.split(" ")}


@pytest.mark.parametrize(
    "data",
    [
        codecs.BOM_UTF16_LE + b"a\0\x00\xd8b\0",
        codecs.BOM_UTF16_BE + b"\0a\xdc\x00",
        codecs.BOM_UTF16_LE + b"a\0b",
    ],
    ids=["lone high surrogate", "lone low surrogate", "half a unit"],
)
def test_utf_16_that_does_not_decode_stays_a_candidate(indexed: Indexed, data: bytes) -> None:
    found = read_of(indexed, data)
    assert found == Content("a.md", found.key, found.checked, "unread")


def test_a_large_file_stays_a_candidate_and_is_not_read(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "INDEXED_BYTES", 10)
    found = read_of(indexed, b"0123456789x")
    assert found == Content("a.md", Key.of(os.stat(indexed.vault / "a.md")), found.checked, "unread")
    assert read_of(indexed, b"0123456789").state == "text"


def test_a_file_that_is_not_there_gives_nothing(indexed: Indexed) -> None:
    indexed.write({"b.md": ""})
    assert read(indexed.root, ToRead("a.md")) is None
    assert read(indexed.root, ToRead("b.md/a.md")) is None


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_link_that_leads_out_stays_a_candidate_and_is_not_read(indexed: Indexed) -> None:
    (indexed.folder / "secret.md").write_text("secret", encoding="utf-8")
    (indexed.vault / "a.md").symlink_to(indexed.folder / "secret.md")
    found = read(indexed.root, ToRead("a.md"))
    assert found is not None
    assert (found.state, found.tokens.text) == ("unread", "")


@pytest.mark.parametrize(("changes", "state"), [(1, "text"), (2, "unread")])
def test_a_file_that_changes_while_it_is_read_is_read_once_more(
    indexed: Indexed, monkeypatch: pytest.MonkeyPatch, changes: int, state: str
) -> None:
    indexed.write({"a.md": "old"})
    plain = os.read
    left = [changes]

    def read_and_change(descriptor: int, size: int) -> bytes:
        data = plain(descriptor, size)
        if not data and left[0]:
            left[0] -= 1
            (indexed.vault / "a.md").write_text(f"new {'x' * left[0]}", encoding="utf-8")
        return data

    monkeypatch.setattr(disk, "read", read_and_change)
    found = read(indexed.root, ToRead("a.md"))
    assert found is not None
    assert (found.state, found.tokens.text) == (state, "new" if state == "text" else "")


@pytest.mark.skipif(os.name == "nt", reason="names are text on Windows")
def test_fault_N04_a_name_that_is_not_text_can_be_indexed(indexed: Indexed) -> None:
    name = os.fsdecode(b"bad\xff.md")
    try:
        found = read_of(indexed, b"text", name)
    except OSError:
        pytest.skip("the file system takes only text")
    assert found.words is not None
    assert found.words.title.encode() == b"bad?\n"
    with indexed.open().writing() as writer:
        writer.begin()
        assert writer.put(found)
        writer.commit()
    assert [row.path for row in indexed.open().rows()] == [name]

"""Extracted texts are kept by content."""

from __future__ import annotations

import os
from pathlib import Path

from vaulttools.attachments.extracted import Extracted
from vaulttools.attachments.store import ExtractStore

ONE, TWO = b"1" * 16, b"2" * 16


def test_a_kept_text_comes_back(tmp_path: Path) -> None:
    store = ExtractStore(str(tmp_path / "kept"))
    assert store.get(ONE) is None
    store.put(ONE, Extracted("text\n"))
    assert store.get(ONE) == Extracted("text\n")
    assert store.get(TWO) is None


def test_a_damaged_text_does_not_come_back(tmp_path: Path) -> None:
    store = ExtractStore(str(tmp_path))
    store.put(ONE, Extracted("text\n"))
    [file] = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-3] + b"xyz")
    assert store.get(ONE) is None


def test_a_folder_that_cannot_be_made_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    store = ExtractStore(str(tmp_path / "file"))
    store.put(ONE, Extracted("text\n"))
    assert store.get(ONE) is None


def test_unused_contents_are_removed_when_they_are_old(tmp_path: Path) -> None:
    store = ExtractStore(str(tmp_path))
    for digest in (ONE, TWO):
        store.put(digest, Extracted("text\n"))
    store.sweep([ONE])
    assert store.get(TWO) is not None
    for file in tmp_path.iterdir():
        os.utime(file, (0, 0))
    store.sweep([ONE])
    assert (store.get(ONE), store.get(TWO)) == (Extracted("text\n"), None)


def test_a_text_that_was_not_used_for_two_months_is_removed(tmp_path: Path) -> None:
    store = ExtractStore(str(tmp_path))
    store.put(ONE, Extracted("one\n"))
    store.put(TWO, Extracted("two\n"))
    for file in tmp_path.iterdir():
        os.utime(file, (0, 0))
    assert store.get(ONE) == Extracted("one\n")
    ExtractStore(str(tmp_path)).put(b"3" * 16, Extracted("three\n"))
    assert (store.get(ONE), store.get(TWO)) == (Extracted("one\n"), None)

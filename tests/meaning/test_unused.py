"""Vectors of packaged models go when nothing has used them for a month; others stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from vaulttools.meaning.embedder import EmbedderKey
from vaulttools.meaning.store import VectorStore
from vaulttools.meaning.unused import UNUSED_SECONDS, remove_unused

OLD, NEW = EmbedderKey("model", "1", "a", is_packaged=True), EmbedderKey("model", "2", "b", is_packaged=True)
ENDPOINT = EmbedderKey("m", "http://127.0.0.1:1/v1", "")
START = 1_700_000_000.0


def kept(folder: Path, key: EmbedderKey, used: float = START) -> VectorStore:
    """A store with one vector, last used at a time."""
    store = VectorStore(folder, key)
    store.put([(1, bytes(16))], 16)
    remove_unused(store, used)
    return store


@pytest.mark.parametrize(
    ("first", "second", "seconds", "stays"),
    [
        (OLD, NEW, UNUSED_SECONDS + 1, False),
        (OLD, NEW, UNUSED_SECONDS, True),
        (ENDPOINT, NEW, UNUSED_SECONDS + 1, True),
        (OLD, ENDPOINT, UNUSED_SECONDS + 1, True),
        (OLD, OLD, UNUSED_SECONDS + 1, True),
    ],
)
def test_what_stays(first: EmbedderKey, second: EmbedderKey, seconds: float, stays: bool, tmp_path: Path) -> None:
    before = kept(tmp_path, first)
    before.close()
    now = kept(tmp_path, second, START + seconds)
    assert before.path.exists() == stays
    assert len(now.vectors()) == 1


def test_what_is_used_stays(tmp_path: Path) -> None:
    before = kept(tmp_path, OLD)
    remove_unused(before, START + UNUSED_SECONDS)
    kept(tmp_path, NEW, START + UNUSED_SECONDS * 1.5)
    assert before.path.exists()


def test_what_is_no_database_stays(tmp_path: Path) -> None:
    store = kept(tmp_path, NEW)
    strange = tmp_path / "meaning-0123456789abcdef.sqlite"
    strange.write_bytes(b"no database" * 500)
    remove_unused(store, START * 2)
    assert strange.exists()


def test_without_vectors_nothing_is_made(tmp_path: Path) -> None:
    remove_unused(VectorStore(tmp_path, NEW), START)
    assert list(tmp_path.iterdir()) == []

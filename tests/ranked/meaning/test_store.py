"""The file of vectors: shared by processes, grown and shrunk, damaged, full."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from vaulttools.ranked.meaning import parts
from vaulttools.ranked.meaning import store as stores
from vaulttools.ranked.meaning.embedder import Key, NoMeaning
from vaulttools.ranked.meaning.packaged_model import PARTS
from vaulttools.ranked.meaning.store import VectorStore

KEY = Key("model", "1", "abc")


def pairs(digests: list[int]) -> list[tuple[int, bytes]]:
    """Vectors, each made of its digest."""
    drawn = np.stack([np.random.default_rng(abs(digest)).normal(size=64) for digest in digests]).astype(np.float32)
    kept = parts.packed(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), parts.one(64))
    return list(zip(digests, kept, strict=True))


def test_what_one_process_keeps_another_sees(tmp_path: Path) -> None:
    writer, reader = VectorStore(tmp_path, KEY), VectorStore(tmp_path, KEY)
    assert (reader.dimensions(), len(reader.nearest()), reader.missing([1, 2, 1])) == (None, 0, [1, 2])
    writer.put(pairs([1, -5]), 64)
    assert (reader.dimensions(), sorted(reader.nearest().digests)) == (64, [-5, 1])
    writer.put(pairs([1, 7]), 64)
    assert sorted(reader.nearest().digests) == [-5, 1, 7]
    assert reader.missing([8, 7, 9]) == [8, 9]
    known = reader.nearest()
    digests, rows = reader.vectors(known.ids[[2, 1]])
    assert (list(digests), [row.tobytes() for row in rows]) == ([7, -5], [vector for _, vector in pairs([7, -5])])
    assert len(reader.vectors(np.array([1_000], np.uint32))[0]) == 0


@pytest.mark.parametrize("reads", ["nearest", "vectors"])
@pytest.mark.parametrize("size", [5, 20, 31])
def test_a_vector_that_was_cut_is_noticed_and_made_anew(size: int, reads: str, tmp_path: Path) -> None:
    store = VectorStore(tmp_path, KEY)
    store.put(pairs([1, 2, 3]), 64)
    if reads == "vectors":
        assert len(store.nearest()) == 3
    with closing(apsw.Connection(str(store.path))) as connection:
        connection.execute("UPDATE vectors SET vector = substr(vector, 1, ?) WHERE digest = 2", (size,))
    with pytest.raises(NoMeaning, match="were damaged, and are made anew"):
        store.vectors(store.nearest().ids)
    assert not store.path.exists()


def test_vectors_that_are_packed_in_another_way_have_a_file_of_their_own(tmp_path: Path) -> None:
    def path(**changed: Any) -> Path:
        return VectorStore(tmp_path, replace(KEY, parts=(PARTS[0], PARTS[1]._replace(**changed)))).path

    assert len({VectorStore(tmp_path, KEY).path, path(), path(kept=320), path(bits=2), path(step=0.5)}) == 5
    # What only decides how they are compared makes none anew.
    assert path() == path(candidates=1_600) == path(alike=0.9)


def test_what_is_forgotten_is_forgotten_everywhere(tmp_path: Path) -> None:
    writer, reader = VectorStore(tmp_path, KEY), VectorStore(tmp_path, KEY)
    writer.put(pairs([1, 2, 3]), 64)
    assert len(reader.nearest()) == 3
    writer.keep_only({2, 9})
    assert list(reader.nearest().digests) == [2]
    writer.put(pairs([4]), 64)
    assert sorted(reader.nearest().digests) == [2, 4]


def test_a_file_made_anew_is_read_anew(tmp_path: Path) -> None:
    writer, reader = VectorStore(tmp_path, KEY), VectorStore(tmp_path, KEY)
    writer.put(pairs([1, 2, 3]), 64)
    assert len(reader.nearest()) == 3
    stores.remove(writer.path)
    assert (len(reader.nearest()), reader.missing([1])) == (0, [1])
    writer.put(pairs([4]), 64)
    assert list(reader.nearest().digests) == [4]
    reader.close()
    assert list(reader.nearest().digests) == [4]


def test_each_embedder_has_vectors_of_its_own(tmp_path: Path) -> None:
    VectorStore(tmp_path, KEY).put(pairs([1]), 64)
    for key in (Key("other", "1", "abc"), Key("model", "2", "abc"), Key("model", "1", "abd")):
        assert len(VectorStore(tmp_path, key).nearest()) == 0


def test_other_dimensions_are_refused(tmp_path: Path) -> None:
    store = VectorStore(tmp_path, KEY)
    store.put(pairs([1]), 64)
    with pytest.raises(NoMeaning, match="gives vectors of 32 numbers, and those that are kept have 64"):
        store.put(pairs([2]), 32)
    assert list(store.nearest().digests) == [1]


def test_a_passage_takes_at_most_320_bytes_of_disk(tmp_path: Path) -> None:
    store = VectorStore(tmp_path, KEY)
    drawn = np.random.default_rng(1).integers(-(2**62), 2**62, 20_000)
    store.put([(int(digest), bytes(256)) for digest in drawn], 512)
    with apsw.Connection(str(store.path)) as connection:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    assert store.bytes() <= 320 * 20_000


@pytest.mark.parametrize("damage", [b"no database at all" * 300, b""])
def test_a_damaged_file_is_told_once_and_made_anew(tmp_path: Path, damage: bytes) -> None:
    store = VectorStore(tmp_path, KEY)
    store.put(pairs([1]), 64)
    stores.remove(store.path)
    store.path.write_bytes(damage)
    with pytest.raises(NoMeaning, match=r"^The vectors of the passages were damaged, and are made anew$"):
        VectorStore(tmp_path, KEY).nearest()
    again = VectorStore(tmp_path, KEY)
    assert len(again.nearest()) == 0
    again.put(pairs([1]), 64)
    assert list(again.nearest().digests) == [1]


def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = VectorStore(tmp_path, KEY)
    store.put(pairs([1]), 64)
    whole = apsw.Connection

    def full(*arguments: object, **named: object) -> apsw.Connection:
        connection = whole(*arguments, **named)  # type: ignore[arg-type]
        [(pages,)] = connection.execute("PRAGMA page_count").fetchall()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    monkeypatch.setattr(apsw, "Connection", full)
    with pytest.raises(NoMeaning, match=r"^The vectors of the passages cannot be used: database or disk is full$"):
        store.put(pairs(list(range(2, 2_000))), 64)
    monkeypatch.undo()
    assert list(store.nearest().digests) == [1]


def test_a_folder_that_cannot_be_used_is_not_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(NoMeaning, match=r"^The vectors of the passages cannot be used: ") as raised:
        VectorStore(tmp_path / "file/below", KEY).put(pairs([1]), 64)
    assert str(tmp_path) not in str(raised.value)

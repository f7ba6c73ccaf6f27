"""The file of vectors: processes share it; it grows, shrinks and starts anew; it may be damaged or full."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import apsw
import numpy as np
import pytest

from vaulttools.meaning import store as stores
from vaulttools.meaning.embedders import EmbedderKey, NoMeaning
from vaulttools.meaning.static_fit import packed
from vaulttools.meaning.store import UNUSED_SECONDS, VectorStore

KEY = EmbedderKey("model", "1", "abc")
DIMENSIONS = 16


def pairs(keys: list[int]) -> list[tuple[int, bytes]]:
    """Vectors, each drawn from its key."""
    return [(key, np.random.default_rng(abs(key)).bytes(DIMENSIONS)) for key in keys]


def held(store: VectorStore) -> list[int]:
    """The keys of the vectors, in the order in which they came."""
    found: list[int] = store.vectors().keys.tolist()
    return found


def test_one_process_sees_the_vectors_that_another_keeps(tmp_path: Path) -> None:
    writer, reader = VectorStore(tmp_path, KEY), VectorStore(tmp_path, KEY)
    assert (len(reader.vectors()), reader.missing([1, 2, 1])) == (0, [1, 2])
    writer.put(pairs([1, -5]))
    assert (reader.vectors().dimensions, held(reader)) == (DIMENSIONS, [1, -5])
    writer.put(pairs([1, 7]))
    assert held(reader) == [1, -5, 7]
    assert reader.missing([8, 7, -(1 << 63), 9, 8]) == [8, -(1 << 63), 9]
    asked = np.ones(DIMENSIONS, np.float32)
    numbers = [np.frombuffer(vector, np.int8).astype(np.float32) for _, vector in pairs([1, -5, 7])]
    expected = [row @ asked / (np.linalg.norm(row) * np.linalg.norm(asked)) for row in numbers]
    assert np.allclose(reader.vectors().similarities(asked), expected, atol=1e-5)


def test_vectors_are_read_once(tmp_path: Path) -> None:
    store = VectorStore(tmp_path, KEY)
    store.put(pairs([1, 2]))
    assert store.vectors() is store.vectors()


READS = ["vectors", "missing", "fit", "fitted", "progress", "fault", "covered", "generation"]


@pytest.mark.parametrize(
    ("damage", "read"),
    [
        *((b"no database at all" * 300, read) for read in READS),
        # an empty file covers no text, which is no fault
        *((b"", read) for read in READS if read != "covered"),
    ],
)
def test_a_damaged_file_is_reported_once_and_made_anew(tmp_path: Path, damage: bytes, read: str) -> None:
    store = VectorStore(tmp_path, KEY)
    store.put(pairs([1]))
    stores.remove(store.path)
    store.path.write_bytes(damage)
    with pytest.raises(NoMeaning, match=r"^The vectors of the passages were damaged and are made again$"):
        getattr(VectorStore(tmp_path, KEY), read)(*([[1]] if read == "missing" else []))
    again = VectorStore(tmp_path, KEY)
    assert (len(again.vectors()), again.fit()) == (0, None)
    again.put(pairs([1]))
    assert held(again) == [1]


@pytest.mark.parametrize("size", [0, 5, 15])
def test_a_cut_vector_is_noticed_and_the_file_removed(size: int, tmp_path: Path) -> None:
    store = VectorStore(tmp_path, KEY)
    store.put(pairs([1, 2, 3]))
    with closing(apsw.Connection(str(store.path))) as connection:
        connection.execute("UPDATE vectors SET vector = substr(vector, 1, ?) WHERE digest = 2", (size,))
    with pytest.raises(NoMeaning, match="were damaged and are made again"):
        store.vectors()
    assert not store.path.exists()


def test_a_new_encoder_forgets_the_vectors_of_the_previous_one(tmp_path: Path) -> None:
    writer, reader = VectorStore(tmp_path, KEY), VectorStore(tmp_path, KEY)
    assert (reader.fit(), reader.fitted()) == (None, (0, 0))
    first, second = (packed([np.full(3, number)]) for number in (1, 2))
    writer.begin(first, 20)
    assert (reader.fit(), reader.fitted(), len(reader.vectors())) == (first, (20, 0), 0)
    before = reader.generation()
    writer.put(pairs([1, 2, 3]))
    writer.cover([b"text"])
    assert (reader.fitted(), held(reader), reader.generation()) == ((20, 3), [1, 2, 3], before)
    writer.begin(second, 30)
    assert (reader.fit(), reader.fitted(), held(reader)) == (second, (30, 0), [])
    assert (reader.covered(), reader.missing([1])) == (frozenset(), [1])
    assert reader.generation() != before
    writer.put([(4, bytes(range(9)))])  # and a new encoder may have other dimensions
    assert held(reader) == [4]


def test_forgotten_vectors_are_forgotten_in_every_process(tmp_path: Path) -> None:
    writer, reader = VectorStore(tmp_path, KEY), VectorStore(tmp_path, KEY)
    writer.put(pairs([1, 2, 3]))
    assert len(reader.vectors()) == 3
    writer.keep_only({2, 9})
    assert held(reader) == [2]
    writer.put(pairs([4]))
    assert held(reader) == [2, 4]


def test_a_file_made_anew_is_read_anew(tmp_path: Path) -> None:
    writer, reader = VectorStore(tmp_path, KEY), VectorStore(tmp_path, KEY)
    writer.put(pairs([1, 2, 3]))
    assert len(reader.vectors()) == 3
    stores.remove(writer.path)
    assert (len(reader.vectors()), reader.missing([1])) == (0, [1])
    writer.put(pairs([4]))
    assert held(reader) == [4]
    reader.close()
    assert held(reader) == [4]


@pytest.mark.parametrize("changed", [{"name": "other"}, {"version": "2"}, {"digest": "abd"}])
def test_each_embedder_has_vectors_of_its_own(changed: dict[str, str], tmp_path: Path) -> None:
    VectorStore(tmp_path, KEY).put(pairs([1]))
    assert len(VectorStore(tmp_path, replace(KEY, **changed)).vectors()) == 0  # type: ignore[arg-type]


def test_packaging_gives_a_model_no_vectors_of_its_own(tmp_path: Path) -> None:
    assert VectorStore(tmp_path, replace(KEY, is_packaged=True)).path == VectorStore(tmp_path, KEY).path


def test_other_dimensions_are_refused(tmp_path: Path) -> None:
    store = VectorStore(tmp_path, KEY)
    store.put(pairs([1]))
    with pytest.raises(NoMeaning, match="gives vectors of 32 numbers, and those that are kept have 16"):
        store.put([(2, bytes(32))])
    assert held(store) == [1]


def test_a_passage_takes_at_most_190_bytes_of_disk(tmp_path: Path) -> None:
    store = VectorStore(tmp_path, KEY)
    drawn = np.random.default_rng(1).integers(-(2**62), 2**62, 20_000)
    store.put([(int(key), bytes(128)) for key in drawn])
    with apsw.Connection(str(store.path)) as connection:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    assert store.bytes() <= 190 * 20_000


def test_a_full_disk_is_reported_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = VectorStore(tmp_path, KEY)
    store.put(pairs([1]))
    whole = apsw.Connection

    def full(*arguments: object, **named: object) -> apsw.Connection:
        connection = whole(*arguments, **named)  # type: ignore[arg-type]
        [(pages,)] = connection.execute("PRAGMA page_count").fetchall()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    monkeypatch.setattr(apsw, "Connection", full)
    with pytest.raises(NoMeaning, match=r"^The vectors of the passages cannot be used: database or disk is full$"):
        store.put(pairs(list(range(2, 2_000))))
    monkeypatch.undo()
    assert held(store) == [1]


def test_an_error_does_not_name_the_unusable_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(NoMeaning, match=r"^The vectors of the passages cannot be used: ") as raised:
        VectorStore(tmp_path / "file/below", KEY).put(pairs([1]))
    assert str(tmp_path) not in str(raised.value)


# Vectors of packaged models that nothing has used for a month.
OLD, NEW = EmbedderKey("model", "1", "a", is_packaged=True), EmbedderKey("model", "2", "b", is_packaged=True)
ENDPOINT = EmbedderKey("m", "http://127.0.0.1:1/v1", "")
START = 1_700_000_000.0


def kept(folder: Path, key: EmbedderKey, used: float = START) -> VectorStore:
    """A store with one vector, last used at the given time."""
    store = VectorStore(folder, key)
    store.put([(1, bytes(16))])
    store.remove_unused(used)
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
def test_old_ones_go(first: EmbedderKey, second: EmbedderKey, seconds: float, stays: bool, tmp_path: Path) -> None:
    before = kept(tmp_path, first)
    before.close()
    now = kept(tmp_path, second, START + seconds)
    assert before.path.exists() == stays
    assert len(now.vectors()) == 1


def test_vectors_in_use_stay(tmp_path: Path) -> None:
    before = kept(tmp_path, OLD)
    before.remove_unused(START + UNUSED_SECONDS)
    kept(tmp_path, NEW, START + UNUSED_SECONDS * 1.5)
    assert before.path.exists()


def test_a_file_that_is_no_database_stays(tmp_path: Path) -> None:
    store = kept(tmp_path, NEW)
    strange = tmp_path / "meaning-0123456789abcdef.sqlite"
    strange.write_bytes(b"no database" * 500)
    store.remove_unused(START * 2)
    assert strange.exists()


def test_removing_unused_vectors_makes_no_file(tmp_path: Path) -> None:
    VectorStore(tmp_path, NEW).remove_unused(START)
    assert list(tmp_path.iterdir()) == []

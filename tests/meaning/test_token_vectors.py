"""Vectors of single tokens: embedded once, kept in a file that may be damaged or missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.meaning.test_static_fit import KEY, Bag
from vaulttools.meaning.embedder import EmbedderKey
from vaulttools.meaning.token_vectors import TokenVectors


def test_vectors_of_tokens_are_kept_and_added_to(tmp_path: Path) -> None:
    first, second = Bag(), Bag()
    some = TokenVectors(first, KEY, tmp_path / "cache")
    kept = some.of(np.array([3, 7, 9]))
    some.keep()
    assert first.asked == [3, 7, 9]
    again = TokenVectors(second, KEY, tmp_path / "cache")
    assert (again.of(np.array([3, 5, 9]))[[0, 2]] == kept[[0, 2]]).all()
    assert second.asked == [5]
    tokens = np.array([3, 5, 7, 9])
    assert (again.of(tokens) == TokenVectors(Bag(), KEY, None).of(tokens)).all()
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_they_are_written_where_there_are_enough_new_ones(tmp_path: Path) -> None:
    vectors = TokenVectors(Bag(), KEY, tmp_path)
    vectors.keep()
    vectors.of(np.arange(3))
    vectors.keep(least=4)
    assert list(tmp_path.iterdir()) == []
    vectors.of(np.arange(5))
    vectors.keep(least=4)
    [file] = tmp_path.iterdir()
    written = file.stat().st_mtime_ns
    vectors.of(np.arange(5))
    vectors.keep()
    assert file.stat().st_mtime_ns == written
    model = Bag()
    TokenVectors(model, KEY, tmp_path).of(np.arange(6))
    assert model.asked == [5]


def test_a_vector_is_the_same_whether_it_was_kept_or_not(tmp_path: Path) -> None:
    vectors = TokenVectors(Bag(), KEY, tmp_path)
    new = vectors.of(np.arange(9))
    vectors.keep()
    assert (TokenVectors(Bag(), KEY, tmp_path).of(np.arange(9)) == new).all()
    assert (vectors.of(np.arange(9)) == new).all()


@pytest.mark.parametrize("damage", [b"", b"damage" * 20])
def test_a_damaged_file_of_tokens_is_made_anew(damage: bytes, tmp_path: Path) -> None:
    tokens = np.arange(20)
    vectors = TokenVectors(Bag(), KEY, tmp_path)
    rows = vectors.of(tokens)
    vectors.keep()
    [file] = tmp_path.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage)
    model = Bag()
    again = TokenVectors(model, KEY, tmp_path)
    assert (again.of(tokens) == rows).all()
    again.keep()
    assert model.asked == tokens.tolist()
    assert file.read_bytes() == whole


def test_without_a_place_for_the_file_tokens_are_embedded_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    model = Bag()
    vectors = TokenVectors(model, KEY, tmp_path / "file" / "cache")
    assert (vectors.of(np.arange(5)) == vectors.of(np.arange(5))).all()
    vectors.keep()
    assert model.asked == [0, 1, 2, 3, 4]


def test_another_model_has_vectors_of_its_own(tmp_path: Path) -> None:
    vectors = TokenVectors(Bag(), KEY, tmp_path)
    vectors.of(np.arange(3))
    vectors.keep()
    model = Bag()
    TokenVectors(model, EmbedderKey("model", "2", "digest"), tmp_path).of(np.arange(3))
    assert model.asked == [0, 1, 2]

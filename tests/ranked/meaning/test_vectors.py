"""Vectors as they are kept: small, near to what they were, and found without regard to their order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from vaulttools.ranked.meaning import vectors
from vaulttools.ranked.meaning.vectors import Nearest


def drawn(count: int, dimensions: int, seed: int) -> NDArray[np.float32]:
    """Directions at random."""
    found = np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)
    directions: NDArray[np.float32] = found / np.linalg.norm(found, axis=1, keepdims=True)
    return directions


def nearest(kept: vectors.Bytes, dimensions: int) -> Nearest:
    numbers = np.arange(len(kept))
    columns = vectors.signs(kept, vectors.dimensions_kept(dimensions))
    return Nearest(numbers.astype(np.uint32), numbers, columns)


@pytest.mark.parametrize("dimensions", [3, 64, 100, 256, 384, 512, 768, 1536])
def test_kept_vectors_keep_their_angles(dimensions: int) -> None:
    given = drawn(200, dimensions, 1)
    kept = vectors.kept(given)
    assert kept.shape == (200, 4 * -(-min(dimensions, 512) // 8))
    # What projecting 1,536 numbers to 512 costs, and 4 bits a number where there are few of them.
    allowed = 0.2 if dimensions > 512 or dimensions < 64 else 0.08
    assert np.abs(vectors.similarities(given[0], kept) - given @ given[0]).max() < allowed


@pytest.mark.parametrize("dimensions", [3, 100, 512, 768])
def test_alike_are_those_whose_kept_vectors_have_so_small_an_angle(dimensions: int) -> None:
    given = drawn(60, dimensions, 4)
    given[30:] = given[:30] + given[30:] / 3
    given /= np.linalg.norm(given, axis=1, keepdims=True)
    kept, size = vectors.kept(given), vectors.dimensions_kept(dimensions)
    steps = vectors._halves(kept, size).astype(np.float64)
    cosines = steps @ steps.T / np.linalg.norm(steps, axis=1) / np.linalg.norm(steps, axis=1)[:, None]
    found = vectors.are_alike(kept, size, 0.8)
    assert (found == (cosines >= 0.8))[np.abs(cosines - 0.8) > 1e-5].all()
    assert found.any()
    order = np.random.default_rng(5).permutation(60)
    assert (vectors.are_alike(kept[order], size, 0.8) == found[order][:, order]).all()


@pytest.mark.parametrize("dimensions", [64, 256, 512, 1024])
def test_a_passage_takes_at_most_60_bytes_of_memory_and_256_of_disk(dimensions: int) -> None:
    kept = vectors.kept(drawn(50, dimensions, 2))
    found = nearest(kept, dimensions)
    assert found._columns.nbytes + found.digests.nbytes + found.ids.nbytes <= 60 * 50
    assert kept.nbytes <= 256 * 50


def test_a_vector_is_nearest_to_itself() -> None:
    given = drawn(3_000, 512, 3)
    kept = vectors.kept(given)
    for number in (0, 7, 2_999):
        assert number in nearest(kept, 512).around(given[number], 5)[0]
        assert np.argmax(vectors.similarities(given[number], kept)) == number


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 1_000), count=st.integers(1, 60), least=st.integers(1, 80), parts=st.integers(1, 4))
def test_neighbours_depend_on_no_order_of_arrival(seed: int, count: int, least: int, parts: int) -> None:
    dimensions = (24, 64, 130, 512)[parts - 1]
    given = np.repeat(drawn(-(-count // 2), dimensions, seed), 2, axis=0)[:count]  # copies tie
    kept, question = vectors.kept(given), drawn(1, dimensions, seed + 1)[0]
    once = nearest(kept, dimensions).around(question, least)[0]
    order = np.random.default_rng(seed).permutation(count)
    grown: Nearest | None = None
    for some in np.array_split(order, parts):
        columns = vectors.signs(kept[some], vectors.dimensions_kept(dimensions))
        part = Nearest(some.astype(np.uint32), some, columns)
        grown = part if grown is None else grown.extended(part)
    assert grown is not None
    assert len(once) >= min(least, count)
    assert sorted(grown.ids[grown.around(question, least)[0]]) == sorted(once)


def test_neighbours_agree_with_the_plain_sum_of_weighted_signs() -> None:
    given, question = drawn(500, 512, 4), drawn(1, 512, 5)[0]
    sizes = np.abs(question[:384])
    weights = np.zeros(384, int)
    parts = np.array_split(np.argsort(sizes, kind="stable"), 3)
    for part in parts:
        weights[part] = max(1, round(sizes[part].mean() / sizes[parts[-1]].mean() * 8))
    distances = ((given[:, :384] >= 0) != (question[:384] >= 0)) @ weights
    furthest = np.sort(distances)[19]
    found = nearest(vectors.kept(given), 512).around(question, 20)[0]
    assert sorted(found) == list(np.flatnonzero(distances <= furthest))


def test_only_some_are_looked_at_when_they_are_named() -> None:
    given = drawn(100, 64, 6)
    some = np.array([3, 50, 99, 1_000], np.int64)
    assert sorted(nearest(vectors.kept(given), 64).around(given[0], 10, some)[0]) == [3, 50, 99]

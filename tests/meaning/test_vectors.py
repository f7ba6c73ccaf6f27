"""The vectors of passages in memory: slow loops compare them alike; keys find them; new ones are added."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vaulttools.meaning.vectors import Near, Vectors, in_eight_bits

Rows = NDArray[np.int8]


def drawn(seed: int, count: int, dimensions: int) -> Rows:
    """Random rows, a third of them zeros."""
    random = np.random.default_rng(seed)
    rows = random.integers(-127, 128, (count, dimensions)).astype(np.int8)
    rows[random.random(count) < 0.3] = 0
    return rows


def slowly(row: Rows, asked: NDArray[np.float32]) -> float:
    """The cosine of two vectors, number by number."""
    numbers, others = [float(each) for each in row], [float(each) for each in asked]
    lengths = [sum(each * each for each in some) ** 0.5 for some in (numbers, others)]
    product = sum(number * other for number, other in zip(numbers, others, strict=True))
    return product / (lengths[0] * lengths[1]) if lengths[0] and lengths[1] else 0.0


@given(st.integers(0, 10_000), st.integers(0, 40), st.integers(1, 9) | st.just(384), st.booleans())
def test_slow_loops_give_the_same_similarities(seed: int, count: int, dimensions: int, is_zero: bool) -> None:
    rows = drawn(seed, count, dimensions)  # 22 rows of 384 are more than numpy computes at once
    asked = np.random.default_rng(seed + 1).standard_normal(dimensions).astype(np.float32) * (not is_zero)
    found = Vectors(np.arange(count), rows).similarities(asked)
    assert np.allclose(found, [slowly(row, asked) for row in rows], atol=1e-5)


KEYS = st.lists(st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-5, 5), unique=True, max_size=30)


@given(KEYS, KEYS)
def test_each_key_that_exists_has_its_place(held: list[int], sought: list[int]) -> None:
    vectors = Vectors(np.array(held, np.int64), drawn(1, len(held), 4))
    expected = [held.index(key) if key in held else -1 for key in sought]
    assert vectors.places(np.array(sought, np.int64)).tolist() == expected


@given(st.lists(st.integers(0, 5), max_size=5))
def test_vectors_added_in_parts_equal_vectors_added_at_once(sizes: list[int]) -> None:
    count = sum(sizes)
    keys, rows = np.random.default_rng(2).permutation(count), drawn(3, count, 6)
    asked = np.ones(6, np.float32)
    grown, done = Vectors.none(), 0
    for size in sizes:
        more = slice(done, done + size)
        grown.places(keys)  # a result for fewer vectors is not reused for more
        grown = grown.extended(Vectors(keys[more], rows[more]))
        done += size
    at_once = Vectors(keys, rows)
    assert len(grown) == len(at_once) == count
    assert grown.keys.tolist() == keys.tolist()
    if count:
        assert grown.similarities(asked).tolist() == at_once.similarities(asked).tolist()
    assert grown.places(keys).tolist() == list(range(count))


@given(st.integers(0, 10_000), st.floats(1e-6, 1e6))
def test_packing_into_eight_bits_keeps_the_direction_and_zeros(seed: int, factor: float) -> None:
    plain = np.random.default_rng(seed).standard_normal((20, 128)).astype(np.float32) * np.float32(factor)
    plain[::4] = 0
    rows = in_eight_bits(plain)
    assert (rows.dtype, rows.shape) == (np.dtype(np.int8), plain.shape)
    assert not rows[::4].any()
    for row, vector in zip(rows, plain, strict=True):
        assert abs(row.astype(int)).max() == (127 if vector.any() else 0)
        assert slowly(row, vector) > 0.999 or not vector.any()


def test_packing_no_vectors_gives_none() -> None:
    assert in_eight_bits(np.zeros((0, 5), np.float32)).shape == (0, 5)


# Nearness to a question.
def near(rows: list[list[int]], keys: list[int] | None = None) -> Near:
    """Passages and a question whose vector points along the first axis."""
    numbers = np.array(rows, np.int8).reshape(len(rows), 2)
    return Near(Vectors(np.array(keys or range(len(rows)), np.int64), numbers), np.array([2, 0], np.float32))


ROWS = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 3)).filter(any).map(list), max_size=30)


@given(ROWS, st.integers(1, 40))
def test_sorting_all_passages_gives_the_same_nearest_ones(rows: list[list[int]], count: int) -> None:
    cosines = [row[0] / (row[0] ** 2 + row[1] ** 2) ** 0.5 for row in rows]
    made = near(rows)
    found = made.nearest(count)
    assert len(set(found)) == len(found)
    assert [cosines[key] for key in found] == pytest.approx(sorted(cosines, reverse=True)[:count], abs=1e-5)
    assert made.middle == pytest.approx(median(cosines) if cosines else 0, abs=1e-5)


@given(ROWS)
def test_each_passage_has_a_similarity_and_no_other(rows: list[list[int]]) -> None:
    expected = [row[0] / (row[0] ** 2 + row[1] ** 2) ** 0.5 for row in rows]
    found = near(rows).similarities(range(len(rows) + 1))
    assert np.allclose(found, [*expected, np.nan], atol=6e-4, equal_nan=True)
    assert np.allclose(found, np.round(found, 3), atol=1e-6, equal_nan=True)


def test_equally_near_passages_are_ordered_by_key() -> None:
    assert near([[1, 0], [1, 1], [2, 0], [-1, 0], [3, 0]], [9, 1, -4, -7, 2]).nearest(4) == [-4, 2, 9, 1]


@pytest.mark.parametrize("keys", [range(40), range(40, 0, -1), [*range(20, 40), *range(20)]])
def test_the_order_of_arrival_does_not_change_the_nearest_passages(keys: Sequence[int]) -> None:
    assert near([[1, 0]] * 40, list(keys)).nearest(3) == sorted(keys)[:3]

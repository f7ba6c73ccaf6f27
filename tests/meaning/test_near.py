"""How near passages are to a question: the nearest first, and nothing of those that the model cannot read."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.meaning.near import Near
from vaulttools.meaning.vectors import Vectors


def near(rows: list[list[int]], keys: list[int] | None = None) -> Near:
    """Passages beside a question that points along the first number."""
    numbers = np.array(rows, np.int8).reshape(len(rows), 2)
    return Near(Vectors(np.array(keys or range(len(rows)), np.int64), numbers), np.array([2, 0], np.float32))


ROWS = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 3)).map(list), max_size=30)


@given(ROWS, st.integers(1, 40))
def test_the_nearest_are_those_that_sorting_all_of_them_gives(rows: list[list[int]], count: int) -> None:
    cosines = [row[0] / (row[0] ** 2 + row[1] ** 2) ** 0.5 if any(row) else None for row in rows]
    known = [cosine for cosine in cosines if cosine is not None]
    made = near(rows)
    found = made.nearest(count)
    assert len(set(found)) == len(found)
    assert [cosines[key] for key in found] == pytest.approx(sorted(known, reverse=True)[:count], abs=1e-5)
    assert made.middle == pytest.approx(median(known) if known else 0, abs=1e-5)


@given(ROWS)
def test_a_similarity_is_told_of_each_passage_that_is_known(rows: list[list[int]]) -> None:
    expected = [row[0] / (row[0] ** 2 + row[1] ** 2) ** 0.5 if any(row) else np.nan for row in rows]
    found = near(rows).similarities(range(len(rows) + 1))
    assert np.allclose(found, [*expected, np.nan], atol=6e-4, equal_nan=True)
    assert np.allclose(found, np.round(found, 3), atol=1e-6, equal_nan=True)


def test_passages_that_are_as_near_come_by_their_keys() -> None:
    assert near([[1, 0], [1, 1], [2, 0], [0, 0], [3, 0]], [9, 1, -4, -7, 2]).nearest(4) == [-4, 2, 9, 1]


@pytest.mark.parametrize("keys", [range(40), range(40, 0, -1), [*range(20, 40), *range(20)]])
def test_in_whatever_order_they_came_the_same_ones_are_the_nearest(keys: Sequence[int]) -> None:
    assert near([[1, 0]] * 40, list(keys)).nearest(3) == sorted(keys)[:3]


def test_what_the_model_cannot_read_is_not_near() -> None:
    made = near([[0, 0], [-1, 0]])
    assert (made.nearest(2), made.middle) == ([1], -1.0)
    assert np.isnan(made.similarities([0, 1, 5])).tolist() == [True, False, True]

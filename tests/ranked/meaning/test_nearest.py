"""Vectors found by their signs, without regard to the order in which they came."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.ranked.meaning.test_parts import both, drawn, signs
from vaulttools.ranked.meaning import parts
from vaulttools.ranked.meaning.nearest import Nearest
from vaulttools.ranked.meaning.packaged_model import PARTS


def nearest(given: NDArray[np.float32], layout: tuple[parts.Part, ...] = ()) -> Nearest:
    numbers = np.arange(len(given))
    layout = layout or parts.one(given.shape[1])
    rows = parts.unpacked(parts.packed(given, layout), layout)
    return Nearest(numbers.astype(np.uint32), numbers, signs(rows, layout))


def test_a_vector_is_nearest_to_itself() -> None:
    given = drawn(3_000, 512, 3)
    [part] = parts.one(512)
    kept = part.pack(given)
    for number in (0, 7, 2_999):
        assert number in nearest(given).around(given[number], 5)[0]
        assert np.argmax(part.similarities(given[number], kept)) == number


@pytest.mark.parametrize("number", [0, 1])
def test_so_it_is_by_either_part(number: int) -> None:
    given, part = both(600, 3), PARTS[number]
    found = nearest(given, PARTS)
    assert list(np.flatnonzero(~found.has(1))) == list(range(0, 600, 3))
    for each in (1, 7, 599):
        near = found.around(part.of(given[each : each + 1])[0], 5, number, np.flatnonzero(found.has(1)))[0]
        assert each in near
        assert (near % 3 > 0).all()


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 1_000), count=st.integers(1, 60), least=st.integers(1, 80), pieces=st.integers(1, 4))
def test_neighbours_depend_on_no_order_of_arrival(seed: int, count: int, least: int, pieces: int) -> None:
    dimensions = (24, 64, 130, 512)[pieces - 1]
    given = np.repeat(drawn(-(-count // 2), dimensions, seed), 2, axis=0)[:count]  # copies tie
    question = drawn(1, dimensions, seed + 1)[0]
    once = nearest(given).around(question, least)[0]
    order = np.random.default_rng(seed).permutation(count)
    grown: Nearest | None = None
    for some in np.array_split(order, pieces):
        layout = parts.one(dimensions)
        columns = signs(layout[0].pack(given[some]), layout)
        piece = Nearest(some.astype(np.uint32), some, columns)
        grown = piece if grown is None else grown.extended(piece)
    assert grown is not None
    assert len(once) >= min(least, count)
    assert sorted(grown.ids[grown.around(question, least)[0]]) == sorted(once)


def test_neighbours_agree_with_the_plain_sum_of_weighted_signs() -> None:
    given, question = drawn(500, 512, 4), drawn(1, 512, 5)[0]
    sizes = np.abs(question[:384])
    weights = np.zeros(384, int)
    classes = np.array_split(np.argsort(sizes, kind="stable"), 3)
    for each in classes:
        weights[each] = max(1, round(sizes[each].mean() / sizes[classes[-1]].mean() * 8))
    distances = ((given[:, :384] >= 0) != (question[:384] >= 0)) @ weights
    furthest = np.sort(distances)[19]
    found = nearest(given).around(question, 20)[0]
    assert sorted(found) == list(np.flatnonzero(distances <= furthest))


def test_only_some_are_looked_at_when_they_are_named() -> None:
    given = drawn(100, 64, 6)
    some = np.array([3, 50, 99], np.intp)
    assert sorted(nearest(given).around(given[0], 10, among=some)[0]) == [3, 50, 99]

"""Vectors found by their signs, without regard to the order in which they came."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.ranked.meaning.test_parts import both, drawn, signs
from vaulttools.ranked.meaning import nearest as module
from vaulttools.ranked.meaning import parts
from vaulttools.ranked.meaning.nearest import Nearest
from vaulttools.ranked.meaning.packaged_model import PARTS


def nearest(given: NDArray[np.float32], layout: tuple[parts.Part, ...] = ()) -> Nearest:
    numbers = np.arange(len(given))
    layout = layout or parts.one(given.shape[1])
    rows = parts.unpacked(parts.packed(given, layout), layout)
    return Nearest.of(numbers.astype(np.uint32), numbers, signs(rows, layout))


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
    assert sorted(found.ids[found.whole :]) == list(range(0, 600, 3))
    for each in (1, 7, 599):
        near = found.around(part.of(given[each : each + 1])[0], 5, number, slice(0, found.whole))[0]
        assert each in found.ids[near]
        assert (found.ids[near] % 3 > 0).all()


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
        piece = Nearest.of(some.astype(np.uint32), some, columns)
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


def plain(kept: list[NDArray[np.uint64]], asked: NDArray[np.float32], number: int) -> NDArray[np.int64]:
    """The distances of all vectors the slow way."""
    planes = np.unpackbits(np.ascontiguousarray(kept[number].T).view(np.uint8), axis=1)
    sizes = np.abs(asked[: planes.shape[1]])
    classes = np.array_split(np.argsort(sizes, kind="stable"), 3)
    weights = np.zeros(planes.shape[1], np.int64)
    for each in classes:
        weights[each] = max(1, round(float(sizes[each].mean()) / max(float(sizes[classes[-1]].mean()), 1e-12) * 8))
    return (planes != (asked[: planes.shape[1]] >= 0)) @ weights  # type: ignore[no-any-return]


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 1_000),
    count=st.integers(1, 300),
    least=st.integers(1, 40),
    number=st.integers(0, 1),
    data=st.data(),
)
def test_of_vectors_by_two_models_the_nearest_are_those_of_all_compared(
    seed: int, count: int, least: int, number: int, data: st.DataObject
) -> None:
    given = both(count, seed)
    kept = signs(parts.unpacked(parts.packed(given, PARTS), PARTS), PARTS)
    cut = data.draw(st.integers(0, count))
    pieces = [
        Nearest.of(np.arange(*some).astype(np.uint32), np.arange(*some) * 7, [each[:, slice(*some)] for each in kept])
        for some in ((0, cut), (cut, count))
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_TOGETHER", data.draw(st.sampled_from([1, 7, 64, 1 << 14])))
        found = pieces[0].extended(pieces[1])
        assert (found.digests == found.ids.astype(np.int64) * 7).all()
        whole = [each for each in range(count) if each % 3]
        assert sorted(found.ids[: found.whole]) == whole
        some = np.array(data.draw(st.lists(st.sampled_from(range(count)), unique=True)), np.int64)
        own = found.numbers(some * 7)
        assert sorted(found.ids[own]) == sorted(some)
        own = own[own < found.whole] if number else own
        asked = PARTS[number].of(both(3, seed + 1)[1:2])[0]
        far = plain(kept, asked, number)
        for among in (slice(0, found.whole) if number else slice(0, count), own):
            near, distances = found.around(asked, least, number, among)
            of = found.ids[among]
            furthest = np.sort(far[of])[min(least, len(of)) - 1] if len(of) else 0
            assert sorted(found.ids[near]) == sorted(of[far[of] <= furthest])
            assert (distances == far[found.ids[near]]).all()


def test_only_some_are_looked_at_when_they_are_named() -> None:
    given = drawn(100, 64, 6)
    some = np.array([3, 50, 99], np.intp)
    assert sorted(nearest(given).around(given[0], 10, among=some)[0]) == [3, 50, 99]

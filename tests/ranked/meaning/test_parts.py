"""Vectors as they are kept: small, and near to what they were."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vaulttools.ranked.meaning import parts
from vaulttools.ranked.meaning.nearest import Nearest, words
from vaulttools.ranked.meaning.packaged_model import PARTS
from vaulttools.ranked.meaning.parts import Part


def drawn(count: int, dimensions: int, seed: int) -> NDArray[np.float32]:
    """Directions at random."""
    found = np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)
    directions: NDArray[np.float32] = found / np.linalg.norm(found, axis=1, keepdims=True)
    return directions


def both(count: int, seed: int) -> NDArray[np.float32]:
    """Vectors of the extra's two models; every third lacks the second one's part."""
    vectors = np.concatenate([drawn(count, 512, seed), drawn(count, 384, seed + 1)], axis=1)
    vectors[::3, 512:] = 0
    return vectors


def signs(rows: NDArray[np.uint8], layout: tuple[parts.Part, ...]) -> list[NDArray[np.uint64]]:
    """What memory holds of kept vectors, for each part."""
    starts = np.cumsum([0, *(part.size for part in layout)])
    return [words(rows[:, start : start + part.plane], part.signs) for start, part in zip(starts, layout, strict=False)]


@pytest.mark.parametrize("dimensions", [3, 64, 100, 256, 384, 512, 768, 1536])
def test_kept_vectors_keep_their_angles(dimensions: int) -> None:
    [part] = parts.one(dimensions)
    given = drawn(200, dimensions, 1)
    kept = part.pack(given)
    assert kept.shape == (200, part.size) == (200, 4 * -(-min(dimensions, 512) // 8))
    # What projecting 1,536 numbers to 512 costs, and 4 bits a number where there are few of them.
    allowed = 0.2 if dimensions > 512 or dimensions < 64 else 0.08
    assert np.abs(part.similarities(part.of(given[:1])[0], kept) - given @ given[0]).max() < allowed


@pytest.mark.parametrize("number", [0, 1])
def test_the_parts_of_both_models_keep_their_angles(number: int) -> None:
    part = PARTS[number]
    given = both(300, 2)[1::3]
    own = given[:, part.first : part.first + part.dimensions]
    kept = parts.unpacked(parts.packed(given, PARTS), PARTS)
    start = number * PARTS[0].size
    found = part.similarities(part.of(given[:1])[0], kept[:, start : start + part.size])
    assert np.abs(found - own @ own[0])[1:].max() < 0.08


def test_a_part_that_a_model_does_not_give_takes_no_place() -> None:
    given = both(9, 3)
    kept = parts.packed(given, PARTS)
    first = PARTS[0].size
    assert [len(each) for each in kept] == [first, 256, 256] * 3
    rows = parts.unpacked(kept, PARTS)
    assert [row[first:].any() for row in rows] == [False, True, True] * 3
    assert [row.rstrip(b"\0") for row in map(bytes, rows)] == [row.rstrip(b"\0") for row in kept]


@pytest.mark.parametrize("dimensions", [3, 100, 512, 768])
def test_alike_are_those_whose_kept_vectors_have_so_small_an_angle(dimensions: int) -> None:
    [part] = parts.one(dimensions)
    given = drawn(60, dimensions, 4)
    given[30:] = given[:30] + given[30:] / 3
    given /= np.linalg.norm(given, axis=1, keepdims=True)
    kept = part.pack(given)
    steps = part.halves(kept).astype(np.float64)
    cosines = steps @ steps.T / np.linalg.norm(steps, axis=1) / np.linalg.norm(steps, axis=1)[:, None]
    found = part.are_alike(kept, 0.8)
    assert (found == (cosines >= 0.8))[np.abs(cosines - 0.8) > 1e-5].all()
    assert found.any()
    order = np.random.default_rng(5).permutation(60)
    assert (part.are_alike(kept[order], 0.8) == found[order][:, order]).all()


@pytest.mark.parametrize("part", [*PARTS, *parts.one(3), *parts.one(100), *parts.one(512)])
def test_kept_vectors_are_multiplied_exactly_by_counting_bits(part: Part) -> None:
    rows = part.pack(drawn(40, part.first + part.dimensions, 6))
    numbers = part.halves(rows).astype(np.float64) * 2
    assert (part._products(rows) == numbers @ numbers.T).all()


@pytest.mark.parametrize("dimensions", [64, 256, 512, 1024])
def test_a_passage_takes_at_most_60_bytes_of_memory_and_256_of_disk(dimensions: int) -> None:
    _is_small(drawn(50, dimensions, 2), parts.one(dimensions))


def test_so_does_one_that_both_models_embed() -> None:
    _is_small(both(50, 2), PARTS)


def _is_small(given: NDArray[np.float32], layout: tuple[parts.Part, ...]) -> None:
    kept = parts.packed(given, layout)
    numbers = np.arange(len(kept))
    columns = signs(parts.unpacked(kept, layout), layout)
    found = Nearest.of(numbers.astype(np.uint32), numbers, columns)
    assert sum(each.nbytes for each in columns) + found.digests.nbytes + found.ids.nbytes <= 60 * 50
    assert sum(map(len, kept)) <= 256 * 50

"""Packs vectors, and finds the nearest: by signs in memory, then by four bits.

A vector of up to 512 numbers is kept as 4 bits a number, 256 bytes, in four planes of one bit each. The first plane
holds the signs; the first 384 of them, 48 bytes, are in memory beside the passage's digest and the row of its vector.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaulttools.ranked.meaning.embedder import Floats

    Bytes: TypeAlias = NDArray[np.uint8]
    Digests: TypeAlias = NDArray[np.int64]
    Ids: TypeAlias = NDArray[np.uint32]

MOST_DIMENSIONS: Final = 512
"""Numbers that are kept of a vector: longer ones are projected. 512 of 4 bits keep the order better than 256 of 8 do
(docs/meaning.md)."""

SIGNS: Final = 384
"""Signs that are kept in memory."""

PLANES: Final = 4

_REACH: Final = 2.0
"""The largest number that is told apart from larger ones, in standard deviations (2.5 and 3 lose more, measured)."""

_CLASSES: Final = 3
"""The question's numbers by their size: a sign weighs what its class does. Of the 10 nearest of 22,121 passages, 99.6 %
are among the 800 that are looked at, 97.5 % where every sign weighs the same (measured)."""

_HEAVIEST: Final = 8
"""What the heaviest class weighs."""


def kept(vectors: Floats) -> Bytes:
    """Vectors of length 1 as they are kept, a row each."""
    vectors = _projected(vectors)
    codes = np.clip(np.floor(vectors / _step(vectors.shape[1])) + 8, 0, 15).astype(np.uint8)
    return np.concatenate([np.packbits((codes >> plane) & 1, axis=1) for plane in reversed(range(PLANES))], axis=1)


def similarities(question: Floats, rows: Bytes) -> Floats:
    """The cosines of the angles between a question's vector and kept ones, -1 to 1."""
    [asked] = _projected(question[None])
    vectors = _halves(rows, len(asked))
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    # Not a product of matrices, whose last bits may depend on how many rows there are.
    return np.einsum("ij,j->i", vectors, asked) / np.maximum(lengths, np.float32(1e-6))  # type: ignore[no-any-return]


def are_alike(rows: Bytes, dimensions: int, least: float) -> NDArray[np.bool_]:
    """Of each two of some kept vectors, whether the cosine of the angle between them is so much at least.

    `dimensions` is how many numbers are kept of each.
    """
    vectors = _halves(rows, dimensions) * 2
    # Of whole numbers below 2 ** 24, so that their order changes nothing. Not a product of matrices, for which numpy
    # lets threads wait in a loop: 6 ms of CPU for 100 vectors instead of 1.
    products = np.einsum("ij,kj->ik", vectors, vectors)
    squares = np.maximum(np.diagonal(products), np.float32(1))
    lengths = np.sqrt(squares)
    return products >= np.float32(least) * lengths[:, None] * lengths  # type: ignore[no-any-return]


def signs(rows: Bytes, dimensions: int) -> NDArray[np.uint64]:
    """What memory holds of kept vectors: words of 64 signs, a column each."""
    plane = rows[:, : min(-(-dimensions // 8), SIGNS // 8)]
    padded = np.zeros((len(rows), -(-plane.shape[1] // 8) * 8), np.uint8)
    padded[:, : plane.shape[1]] = plane
    return np.ascontiguousarray(padded.view(np.uint64).T)


def dimensions_kept(dimensions: int) -> int:
    """How many numbers are kept of vectors that have so many."""
    return min(dimensions, MOST_DIMENSIONS)


class Nearest:
    """The signs of all vectors in memory, 60 bytes each."""

    def __init__(self, ids: Ids, digests: Digests, columns: NDArray[np.uint64]) -> None:
        """`ids` tell where the vectors are kept, `columns` is what `signs` gives."""
        self.ids = ids
        self.digests = digests
        self._columns = columns

    def __len__(self) -> int:
        return len(self.digests)

    def extended(self, more: Nearest) -> Nearest:
        """With more vectors behind these."""
        return Nearest(
            np.concatenate([self.ids, more.ids]),
            np.concatenate([self.digests, more.digests]),
            np.concatenate([self._columns, more._columns], axis=1),
        )

    def around(
        self, question: Floats, least: int, among: Digests | None = None
    ) -> tuple[NDArray[np.intp], NDArray[np.uint16]]:
        """The numbers, from 0, and the distances of the vectors whose signs agree best with the question's numbers:
        `least` of them, and all that agree as well as the last, so that their order of arrival decides nothing.

        `among`: only vectors with these digests count.
        """
        numbers = None if among is None else np.flatnonzero(np.isin(self.digests, among))
        columns = self._columns if numbers is None else self._columns[:, numbers]
        distances = np.zeros(columns.shape[1], np.uint16)  # at most 384 signs of weight 8
        if not len(distances):
            return np.zeros(0, np.intp), distances
        for weight, mask, asked in _classes(question):
            differing = np.zeros(len(distances), np.uint8)  # a class has at most 128 signs
            for column, bits, word in zip(columns, mask, asked, strict=True):
                differing += np.bitwise_count((column ^ word) & bits)
            distances += differing * np.uint16(weight)
        counts = np.cumsum(np.bincount(distances))
        furthest = int(np.searchsorted(counts, min(least, len(distances))))
        near = np.flatnonzero(distances <= furthest)
        return near if numbers is None else numbers[near], distances[near]


def _halves(rows: Bytes, dimensions: int) -> Floats:
    """The numbers of kept vectors, in steps: halves, -7.5 to 7.5."""
    planes = np.unpackbits(rows.reshape(len(rows), PLANES, -1), axis=2, count=dimensions)
    codes = planes[:, 0] * 8 + planes[:, 1] * 4 + planes[:, 2] * 2 + planes[:, 3]
    return codes.astype(np.float32) - np.float32(7.5)


def _classes(question: Floats) -> list[tuple[int, NDArray[np.uint64], NDArray[np.uint64]]]:
    """Of each class of the question's numbers: its weight, which signs belong to it, and the question's signs."""
    [asked] = _projected(question[None])
    sizes = np.abs(asked[:SIGNS])
    order = np.argsort(sizes, kind="stable")
    means = [float(sizes[part].mean()) for part in np.array_split(order, _CLASSES)]
    words = _words(asked[:SIGNS] >= 0)
    found = []
    for part, mean in zip(np.array_split(order, _CLASSES), means, strict=True):
        is_member = np.zeros(len(sizes), bool)
        is_member[part] = True
        found.append((max(1, round(mean / max(means[-1], 1e-12) * _HEAVIEST)), _words(is_member), words))
    return found


def _words(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Bits as words of 64."""
    packed = np.packbits(bits)
    padded = np.zeros(-(-len(packed) // 8) * 8, np.uint8)
    padded[: len(packed)] = packed
    return padded.view(np.uint64)


def _projected(vectors: Floats) -> Floats:
    if vectors.shape[1] <= MOST_DIMENSIONS:
        return vectors
    shorter = vectors @ _projection(vectors.shape[1])
    lengths = np.linalg.norm(shorter, axis=1, keepdims=True)
    return shorter / np.maximum(lengths, np.float32(1e-12))  # type: ignore[no-any-return]


@cache
def _projection(dimensions: int) -> Floats:
    """Random signs, the same on every machine: angles between vectors nearly keep (Johnson and Lindenstrauss)."""
    drawn = hashlib.shake_128(b"vaulttools meaning").digest(dimensions * MOST_DIMENSIONS // 8)
    bits = np.unpackbits(np.frombuffer(drawn, np.uint8)).reshape(dimensions, MOST_DIMENSIONS)
    return (bits.astype(np.float32) * 2 - 1) / np.float32(np.sqrt(dimensions))


def _step(dimensions: int) -> np.float32:
    """What two neighbouring values of a kept number differ by."""
    return np.float32(_REACH / 7.5 / np.sqrt(dimensions))

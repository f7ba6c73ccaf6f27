"""Finds the vectors nearest to a question's by their signs, which are in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaulttools.ranked.meaning.embedder import Floats
    from vaulttools.ranked.meaning.parts import Bytes

    Digests: TypeAlias = NDArray[np.int64]
    Ids: TypeAlias = NDArray[np.uint32]
    Numbers: TypeAlias = NDArray[np.intp]
    Columns: TypeAlias = NDArray[np.uint64]

_CLASSES: Final = 3
"""The question's numbers by their size: a sign weighs what its class does. Of the 10 nearest of 22,121 passages, 99.6 %
are among the 800 that are looked at, 97.5 % where every sign weighs the same (measured)."""

_HEAVIEST: Final = 8
"""What the heaviest class weighs."""


class Nearest:
    """The signs of all vectors in memory, 60 bytes each."""

    def __init__(self, ids: Ids, digests: Digests, columns: Sequence[Columns]) -> None:
        """`ids` tell where the vectors are kept, `columns` is for each part what `words` gives."""
        self.ids = ids
        self.digests = digests
        self._columns = tuple(columns)

    def __len__(self) -> int:
        return len(self.digests)

    def extended(self, more: Nearest) -> Nearest:
        """With more vectors behind these."""
        return Nearest(
            np.concatenate([self.ids, more.ids]),
            np.concatenate([self.digests, more.digests]),
            [np.concatenate(both, axis=1) for both in zip(self._columns, more._columns, strict=True)],
        )

    def has(self, part: int) -> NDArray[np.bool_]:
        """Which vectors have a part, given by its number: a part that is missing is kept as zeros."""
        return np.any(self._columns[part] != 0, axis=0)  # type: ignore[no-any-return]

    def around(
        self, asked: Floats, least: int, part: int = 0, among: Numbers | None = None
    ) -> tuple[Numbers, NDArray[np.uint16]]:
        """The numbers, from 0, and the distances of the vectors whose signs agree best with the question's numbers:
        `least` of them, and all that agree as well as the last, so that their order of arrival decides nothing.

        `asked` is what `Part.of` gives of the question; `among`: only vectors with these numbers count.
        """
        columns = self._columns[part] if among is None else self._columns[part][:, among]
        distances = np.zeros(columns.shape[1], np.uint16)  # at most 384 signs of weight 8
        if not len(distances):
            return np.zeros(0, np.intp), distances
        for weight, mask, words in _classes(asked, columns.shape[0] * 64):
            differing = np.zeros(len(distances), np.uint8)  # a class has at most 128 signs
            for column, bits, word in zip(columns, mask, words, strict=True):
                differing += np.bitwise_count((column ^ word) & bits)
            distances += differing * np.uint16(weight)
        counts = np.cumsum(np.bincount(distances))
        furthest = int(np.searchsorted(counts, min(least, len(distances))))
        near = np.flatnonzero(distances <= furthest)
        return near if among is None else among[near], distances[near]


def words(planes: Bytes, signs: int) -> Columns:
    """What memory holds of some planes of signs, a row each: words of 64 signs, a column each."""
    plane = planes[:, : -(-signs // 8)]
    padded = np.zeros((len(plane), -(-plane.shape[1] // 8) * 8), np.uint8)
    padded[:, : plane.shape[1]] = plane
    return np.ascontiguousarray(padded.view(np.uint64).T)


def _classes(asked: Floats, most: int) -> list[tuple[int, Columns, Columns]]:
    """Of each class of the question's first numbers: its weight, which signs belong to it, and the question's signs."""
    sizes = np.abs(asked[:most])
    order = np.argsort(sizes, kind="stable")
    means = [float(sizes[part].mean()) for part in np.array_split(order, _CLASSES)]
    found = []
    for part, mean in zip(np.array_split(order, _CLASSES), means, strict=True):
        is_member = np.zeros(len(sizes), bool)
        is_member[part] = True
        weight = max(1, round(mean / max(means[-1], 1e-12) * _HEAVIEST))
        found.append((weight, _packed(is_member), _packed(asked[:most] >= 0)))
    return found


def _packed(bits: NDArray[np.bool_]) -> Columns:
    """Bits as words of 64."""
    packed = np.packbits(bits)
    padded = np.zeros(-(-len(packed) // 8) * 8, np.uint8)
    padded[: len(packed)] = packed
    return padded.view(np.uint64)

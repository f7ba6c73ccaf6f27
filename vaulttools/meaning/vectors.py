"""Holds the vectors of a vault's passages in memory, and compares them with a question's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from vaulttools.core.cached import cached_property

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaulttools.meaning.embedders import Floats

    Keys: TypeAlias = NDArray[np.int64]
    Rows: TypeAlias = NDArray[np.int8]
    Numbers: TypeAlias = NDArray[np.intp]

_TOGETHER: Final = 1 << 13
"""Vectors that are compared together: what is made of them stays in the processor's cache."""
_MOST: Final = 127
"""The largest number of 8 bits, with a sign."""


def in_eight_bits(vectors: Floats) -> Rows:
    """Each vector as whole numbers, its largest one `_MOST`; zeros stay zeros."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    rows: Rows = np.rint(vectors * (_MOST / np.maximum(largest, np.float32(1e-12)))).astype(np.int8)
    return rows


class Vectors:
    """The vectors of passages, each under its key, in the order in which they came."""

    def __init__(self, keys: Keys, rows: Rows) -> None:
        self.keys: Final = keys
        self._rows: Final = rows

    @classmethod
    def none(cls) -> Vectors:
        """Of no passages."""
        return cls(np.zeros(0, np.int64), np.zeros((0, 0), np.int8))

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def dimensions(self) -> int:
        """How many numbers each has."""
        return int(self._rows.shape[1])

    def extended(self, more: Vectors) -> Vectors:
        """With more vectors."""
        if not len(self):
            return more
        return Vectors(np.concatenate([self.keys, more.keys]), np.concatenate([self._rows, more._rows]))

    @cached_property
    def _lengths(self) -> Floats:
        squares = [
            np.einsum("ij,ij->i", some, some, dtype=np.float32)
            for some in (self._rows[at : at + _TOGETHER] for at in range(0, len(self), _TOGETHER))
        ]
        lengths: Floats = np.sqrt(np.concatenate([np.zeros(0, np.float32), *squares]))
        return lengths

    @cached_property
    def _order(self) -> Numbers:
        return np.argsort(self.keys, kind="stable")

    @cached_property
    def _sorted(self) -> Keys:
        return self.keys[self._order]

    def similarities(self, asked: Floats) -> Floats:
        """The cosine of the angle between a question's vector and each vector; 0 where that is zeros."""
        found = np.empty(len(self), np.float32)
        for at in range(0, len(self), _TOGETHER):
            found[at : at + _TOGETHER] = self._rows[at : at + _TOGETHER].astype(np.float32) @ asked
        length = np.float32(np.linalg.norm(asked))
        similar: Floats = found / np.maximum(self._lengths * length, np.float32(1e-12))
        return similar

    def are_known(self) -> NDArray[np.bool_]:
        """Which of the vectors are no zeros: those of passages that the model can read."""
        known: NDArray[np.bool_] = self._lengths > 0
        return known

    def places(self, keys: Keys) -> Numbers:
        """Where the vectors with some keys are; -1 where there is none."""
        if not len(self):
            return np.full(len(keys), -1, np.intp)
        at = np.minimum(np.searchsorted(self._sorted, keys), len(self) - 1)
        return np.where(self._sorted[at] == keys, self._order[at], -1)


class Near:
    """The vectors of a vault's passages beside that of a question."""

    def __init__(self, vectors: Vectors, asked: Floats) -> None:
        self._vectors: Final = vectors
        self._similarities: Final = vectors.similarities(asked)
        self._known: Final = vectors.are_known()
        known = self._similarities[self._known]
        self.middle: Final = float(np.median(known)) if len(known) else 0.0
        """The similarity of half of the passages is smaller."""

    def nearest(self, count: int) -> list[int]:
        """The keys of so many passages, nearest first; ties by key."""
        found = np.where(self._known, np.round(self._similarities, 3), -2.0)
        if not len(found):
            return []
        least = np.partition(found, -min(count, len(found)))[-min(count, len(found))]
        chosen = np.flatnonzero((found >= least) & self._known)  # all that are as near as the last one
        keys = self._vectors.keys[chosen]
        order = np.lexsort((keys, -found[chosen]))[:count]
        return keys[order].tolist()  # type: ignore[no-any-return]

    def similarities(self, keys: Sequence[int]) -> Floats:
        """How near passages are, in three decimals; NaN where that is not known."""
        places = self._vectors.places(np.asarray(keys, np.int64))
        found = np.full(len(places), np.nan, np.float32)
        known = places >= 0
        known[known] = self._known[places[known]]
        found[known] = np.round(self._similarities[places[known]], 3)
        return found

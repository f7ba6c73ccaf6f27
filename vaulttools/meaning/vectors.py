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

_MOST: Final = 127
"""The largest signed number of 8 bits."""


def in_eight_bits(vectors: Floats) -> Rows:
    """Scale each vector to whole numbers so that its largest is `_MOST`; zeros stay zeros."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    rows: Rows = np.rint(vectors * (_MOST / np.maximum(largest, np.float32(1e-12)))).astype(np.int8)
    return rows


class Vectors:
    """The vectors of passages, each with its key, in the order in which they were added."""

    def __init__(self, keys: Keys, rows: Rows) -> None:
        self.keys: Final = keys
        self._rows: Final = rows

    @classmethod
    def none(cls) -> Vectors:
        """Returns the vectors of no passages."""
        return cls(np.zeros(0, np.int64), np.zeros((0, 0), np.int8))

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def dimensions(self) -> int:
        """Numbers of each vector."""
        return int(self._rows.shape[1])

    def extended(self, more: Vectors) -> Vectors:
        """Returns these vectors followed by more."""
        if not len(self):
            return more
        return Vectors(np.concatenate([self.keys, more.keys]), np.concatenate([self._rows, more._rows]))

    @cached_property
    def _lengths(self) -> Floats:
        lengths: Floats = np.sqrt(np.einsum("ij,ij->i", self._rows, self._rows, dtype=np.float32))
        return lengths

    @cached_property
    def _order(self) -> Numbers:
        return np.argsort(self.keys, kind="stable")

    @cached_property
    def _sorted(self) -> Keys:
        return self.keys[self._order]

    def similarities(self, asked: Floats) -> Floats:
        """Returns the cosine of the angle between a question's vector and each vector."""
        # Not by BLAS: its threads wait for each other in a loop, on a busy machine for a tenth of a second.
        found = np.einsum("ij,j->i", self._rows, asked, dtype=np.float32)
        length = np.float32(np.linalg.norm(asked))
        similar: Floats = found / np.maximum(self._lengths * length, np.float32(1e-12))
        return similar

    def places(self, keys: Keys) -> Numbers:
        """Returns the row of the vector with each key; -1 if there is none."""
        if not len(self):
            return np.full(len(keys), -1, np.intp)
        at = np.minimum(np.searchsorted(self._sorted, keys), len(self) - 1)
        return np.where(self._sorted[at] == keys, self._order[at], -1)


class Near:
    """The similarities of a vault's passages to one question."""

    def __init__(self, vectors: Vectors, asked: Floats) -> None:
        self._vectors: Final = vectors
        self._similarities: Final = vectors.similarities(asked)
        self.middle: Final = float(np.median(self._similarities)) if len(vectors) else 0.0
        """The median of the similarities; 0 without passages."""

    def __len__(self) -> int:
        """Returns the number of passages."""
        return len(self._similarities)

    def nearest(self, count: int) -> list[int]:
        """Returns the keys of up to `count` passages, nearest first; ties by key."""
        found = np.round(self._similarities, 3)
        if not len(found):
            return []
        least = np.partition(found, -min(count, len(found)))[-min(count, len(found))]
        chosen = np.flatnonzero(found >= least)  # with all that tie with the last one
        keys = self._vectors.keys[chosen]
        order = np.lexsort((keys, -found[chosen]))[:count]
        return keys[order].tolist()  # type: ignore[no-any-return]

    def similarities(self, keys: Sequence[int]) -> Floats:
        """Returns the similarities of passages by key, three decimals; NaN if unknown."""
        places = self._vectors.places(np.asarray(keys, np.int64))
        found = np.full(len(places), np.nan, np.float32)
        known = places >= 0
        found[known] = np.round(self._similarities[places[known]], 3)
        return found

"""Tells how near passages are to a question, in shares of the nearest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from vaulttools.meaning.vectors import Vectors

if TYPE_CHECKING:
    from vaulttools.meaning.embedder import Floats


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

"""Encodes passages by their tokens alone, as fitted to a model's vectors of some passages.

A hundred times as fast as the model. Of a passage's tokens v, each with a weight `a`, two features are made: `F`, the
direction of the sum of the model's vectors of the tokens, and `A`, the direction of the weights themselves. With the
vectors `Y` of a sample, and K = F Fᵀ + μ A Aᵀ + I, a passage has the direction of F (Fᵀ K⁻¹ Y) + μ A (Aᵀ K⁻¹ Y).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from threadpoolctl import ThreadpoolController

from vaulttools.ranked.meaning import arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaulttools.ranked.meaning.embedder import Floats

SAMPLE: Final = 1_000
"""Passages that a fit is made of."""

_RARE: Final = 1e-3
"""A token with this share of all has half the weight of one that is rare (Arora et al., 2017)."""

_MU: Final = 1.0
"""How much tokens themselves count. Of the 10 nearest passages of 302, 1,559 and 1,800 by the model, .96, .97 and .88
are among the nearest 50 by the fit (0.3: .94, .95 and .83; 3.0: no better)."""

_BLOCK: Final = 64
"""Passages whose tokens are counted together."""

_TINY: Final = np.float32(1e-12)

_BLAS: Final = ThreadpoolController()
"""Lets numpy use one thread. Of products as small as these several would take ten times the CPU, most of it by waiting
in a loop, and the last bits would depend on how many there are."""


class _Rows:
    """Rows of numbers in 8 bits, with a scale a row."""

    def __init__(self, numbers: NDArray[np.int8], scales: Floats) -> None:
        self.numbers = numbers
        self.scales = scales

    @classmethod
    def of(cls, exact: NDArray[Any]) -> _Rows:
        """What comes nearest to some rows."""
        scales = np.maximum(np.abs(exact).max(axis=1), _TINY) / 127
        return cls(np.rint(exact / scales[:, np.newaxis]).astype(np.int8), scales.astype(np.float32))

    def sum(self, rows: NDArray[Any], weights: Floats) -> Floats:
        """The sum of some rows, each with a weight."""
        return (weights * self.scales[rows]) @ self.numbers[rows].astype(np.float32)  # type: ignore[no-any-return]


class StaticFit:
    """An encoder that was fitted to a vault."""

    def __init__(self, tokens: NDArray[np.int32], weights: Floats, own: _Rows, learned: _Rows, turned: Floats) -> None:
        """What `fit` found.

        Args:
            tokens: Those that are known, in rising order; others are passed over.
            weights: What each weighs.
            own: The model's vector of each, less the mean of all.
            learned: What each adds to a passage, μ Aᵀ K⁻¹ Y.
            turned: What turns the sum of `own` into the model's vectors, Fᵀ K⁻¹ Y.
        """
        self._tokens, self._weights, self._own, self._learned, self._turned = tokens, weights, own, learned, turned
        self._rows = np.full(int(tokens[-1]) + 2 if len(tokens) else 1, -1, np.int32)  # the last one: any token beyond
        self._rows[tokens] = np.arange(len(tokens), dtype=np.int32)

    def embedded(self, texts: Sequence[Sequence[int]]) -> Floats:
        """Vectors of length 1 from the tokens of each text; zeros where none of these is known.

        A row depends on nothing but its text.
        """
        vectors = np.zeros((len(texts), self._turned.shape[1]), np.float32)
        with _BLAS.limit(limits=1, user_api="blas"):
            for first in range(0, len(texts), _BLOCK):
                rows, weights, ends = _features(texts[first : first + _BLOCK], self._rows, self._weights)
                for number, (start, end) in enumerate(pairwise(ends), first):
                    if start < end:
                        vectors[number] = self._direction(rows[start:end], weights[start:end])
        return _unit(vectors)

    def to_bytes(self) -> bytes:
        """What `from_bytes` reads."""
        own, learned = self._own, self._learned
        return arrays.packed(
            [self._tokens, self._weights, own.numbers, own.scales, learned.numbers, learned.scales, self._turned]
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> StaticFit | None:
        """A fit that was kept; None when it is damaged."""
        match arrays.unpacked(data):
            case [tokens, weights, own, own_scales, learned, learned_scales, turned]:
                return cls(tokens, weights, _Rows(own, own_scales), _Rows(learned, learned_scales), turned)
        return None

    def _direction(self, rows: NDArray[Any], weights: Floats) -> Floats:
        """Of one passage: products of many at once differ in their last bits by how many they are."""
        own = self._own.sum(rows, weights)
        learned = self._learned.sum(rows, weights / _length(weights))
        found: Floats = (own / (_length(own) + _TINY)) @ self._turned
        return found + learned


def fit(sample: Sequence[Sequence[int]], vectors: Floats, counts: NDArray[np.int64], table: Floats) -> StaticFit:
    """An encoder fitted to a vault.

    Args:
        sample: The tokens of some passages of the vault.
        vectors: What the model makes of these, a row a passage.
        counts: How often each token of the vocabulary is in the vault.
        table: The model's vectors of the tokens that are in the vault, in their order.
    """
    tokens = np.flatnonzero(counts).astype(np.int32)
    weights = (_RARE / (_RARE + counts[tokens] / counts.sum())).astype(np.float32)
    centred = table - table.mean(axis=0)
    places = np.full(len(counts) + 1, -1, np.int32)
    places[tokens] = np.arange(len(tokens), dtype=np.int32)

    rows, found, ends = _features(sample, places, weights)
    used, columns = np.unique(rows, return_inverse=True)
    of_tokens = np.zeros((len(sample), len(used)), np.float32)
    of_tokens[np.repeat(np.arange(len(sample)), np.diff(ends)), columns] = found

    with _BLAS.limit(limits=1, user_api="blas"):
        of_sums, of_tokens = _unit(of_tokens @ centred[used]), _unit(of_tokens)
        kernel = of_sums @ of_sums.T + _MU * (of_tokens @ of_tokens.T) + np.eye(len(sample))
        solved = np.linalg.solve(kernel, vectors.astype(np.float64)).astype(np.float32)
        learned = np.zeros((len(tokens), vectors.shape[1]), np.float32)
        learned[used] = _MU * (of_tokens.T @ solved)
        return StaticFit(tokens, weights, _Rows.of(centred), _Rows.of(learned), of_sums.T @ solved)


def counted(texts: Sequence[Sequence[int]], vocabulary: int) -> NDArray[np.int64]:
    """How often each token of a vocabulary is in some texts."""
    return np.bincount(_flat(texts), minlength=vocabulary)


def _features(
    texts: Sequence[Sequence[int]], places: NDArray[np.int32], weights: Floats
) -> tuple[NDArray[Any], Floats, NDArray[Any]]:
    """The tokens of each text by their place, each once: places, weights, and where each text begins and the last ends.

    A token that is there so many times has the root of that as weight, times its own one.
    """
    found = places[np.minimum(_flat(texts), len(places) - 1)]
    of_text = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    numbered, times = np.unique((of_text * len(weights) + found)[found >= 0], return_counts=True)
    ends = np.searchsorted(numbered, np.arange(len(texts) + 1) * len(weights))
    rows = numbered % max(len(weights), 1)
    return rows, np.sqrt(times.astype(np.float32)) * weights[rows], ends


def _flat(texts: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    return np.fromiter(chain.from_iterable(texts), np.int64)


def _length(vector: Floats) -> Any:
    return np.sqrt(vector @ vector)


def _unit(rows: Floats) -> Floats:
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return rows / np.maximum(lengths, _TINY)[:, np.newaxis]  # type: ignore[no-any-return]

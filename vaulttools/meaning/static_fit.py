"""Encodes passages by their tokens alone, as fitted to a model's vectors of some passages.

A hundred times as fast as the model. Of a passage's tokens v, each with a weight `a`, two features are made: `F`, the
direction of the sum of the model's vectors of the tokens, and `A`, the direction of the weights themselves. With the
vectors `Y` of a sample, and K = F Fᵀ + μ A Aᵀ + I, a passage has the direction of F (Fᵀ K⁻¹ Y) + μ A (Aᵀ K⁻¹ Y).
All vectors are shown to the `KEPT` directions in which those of the sample differ most.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from threadpoolctl import ThreadpoolController

from vaulttools.meaning import arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaulttools.meaning.embedder import Floats

    Table: TypeAlias = Callable[[NDArray[np.int64]], Floats]
    """The model's vectors of single tokens, which are given in rising order."""

SAMPLE: Final = 1_000
"""Passages that a fit is made of."""

KEPT: Final = 128
"""Directions that are kept. Of the 10 nearest of 1,953 passages by the model 87 % are among the nearest 50 by 128, 88 %
by all 384."""

_RARE: Final = 1e-3
"""A token with this share of all has half the weight of one that is rare (Arora et al., 2017)."""

_MU: Final = 1.0
"""How much tokens themselves count. Of the 10 nearest passages of 302, 1,559 and 1,800 by the model, .96, .97 and .88
are among the nearest 50 by the fit (0.3: .94, .95 and .83; 3.0: no better)."""

_FEWEST: Final = 20
"""Passages of a sample from which on their mean is taken from all vectors: of fewer little would be left."""

_BLOCK: Final = 64
"""Passages whose tokens are counted together."""

_TINY: Final = np.float32(1e-12)

_BLAS: Final = ThreadpoolController()
"""Lets numpy use one thread. Of products as small as these several would take ten times the CPU, most of it by waiting
in a loop, and the last bits would depend on how many there are."""


class StaticFit:
    """An encoder that was fitted to a vault."""

    def __init__(
        self,
        tokens: NDArray[np.int64],
        weights: Floats,
        learned: Floats,
        turned: Floats,
        mean: Floats,
        middle: Floats,
        basis: Floats,
        sample: NDArray[np.float16] | None = None,
    ) -> None:
        """What `fit` found.

        Args:
            tokens: Those of the sample, in rising order.
            weights: What each weighs; any other weighs 1.
            learned: What each adds to a passage, μ Aᵀ K⁻¹ Y.
            turned: What turns the sum of tokens' vectors into the model's vectors, Fᵀ K⁻¹ Y.
            mean: The mean of the vectors of these tokens, which is taken from all.
            middle: The mean of the model's vectors of the sample, which is taken from all: those of some models differ
                little from it.
            basis: What shows a vector of the model to the directions that are kept.
            sample: The model's own vectors of the passages that it was fitted to, a row each; zeros for one that the
                model does not know. None: there are none.
        """
        self.sample = np.zeros((0, len(middle)), np.float16) if sample is None else sample
        self._tokens, self._weights, self._learned = tokens, weights, learned
        self._turned, self._mean, self._middle, self._basis = turned, mean, middle, basis

    def embedded(self, texts: Sequence[Sequence[int]], table: Table) -> Floats:
        """Vectors of length 1 from the tokens of each text; zeros where it has none. A row depends on nothing but its
        text."""
        vectors = np.zeros((len(texts), self._turned.shape[1]), np.float32)
        with _BLAS.limit(limits=1, user_api="blas"):
            for first in range(0, len(texts), _BLOCK):
                tokens, rows, times, ends = _counted(texts[first : first + _BLOCK])
                weights, learned = self._known(tokens)
                if not len(tokens):
                    continue
                own = table(tokens) - self._mean
                found = np.sqrt(times.astype(np.float32)) * weights[rows]
                for number, (start, end) in enumerate(pairwise(ends), first):
                    if start < end:
                        some, weight = rows[start:end], found[start:end]
                        vectors[number] = self._direction(weight @ own[some], weight @ learned[some], weight)
        return _unit(vectors)

    def question(self, vector: Floats) -> Floats:
        """The model's vector of a question, as vectors of passages are compared with it."""
        asked: Floats = np.asarray((vector - self._middle) @ self._basis, np.float32)
        return asked

    def to_bytes(self) -> bytes:
        """What `from_bytes` reads."""
        return arrays.packed(
            [
                self._tokens,
                self._weights,
                self._learned.astype(np.float16),
                self._turned,
                self._mean,
                self._middle,
                self._basis,
                self.sample,
            ]
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> StaticFit | None:
        """A fit that was kept; None when it is damaged."""
        match arrays.unpacked(data):
            case [tokens, weights, learned, turned, mean, middle, basis, sample]:
                return cls(tokens, weights, learned.astype(np.float32), turned, mean, middle, basis, sample)
        return None

    def _known(self, tokens: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """What some tokens weigh, and what each adds."""
        weights = np.ones(len(tokens), np.float32)
        learned = np.zeros((len(tokens), self._learned.shape[1]), np.float32)
        if len(self._tokens):
            at = np.minimum(np.searchsorted(self._tokens, tokens), len(self._tokens) - 1)
            known = self._tokens[at] == tokens
            weights[known], learned[known] = self._weights[at[known]], self._learned[at[known]]
        return weights, learned

    def _direction(self, own: Floats, learned: Floats, weights: Floats) -> Floats:
        """Of one passage: products of many at once differ in their last bits by how many they are."""
        found: Floats = (own / (_length(own) + _TINY)) @ self._turned + learned / (_length(weights) + _TINY)
        return found


def fit(sample: Sequence[Sequence[int]], vectors: Floats, table: Table) -> StaticFit:
    """An encoder fitted to a vault.

    Args:
        sample: The tokens of some passages of the vault, of one at least.
        vectors: What the model makes of these, a row a passage.
        table: The model's vectors of tokens.
    """
    tokens, rows, times, ends = _counted(sample)
    counts = np.bincount(rows, weights=times, minlength=len(tokens))
    weights = (_RARE / (_RARE + counts / max(counts.sum(), 1))).astype(np.float32)
    own = table(tokens) if len(tokens) else np.zeros((0, vectors.shape[1]), np.float32)
    mean = own.mean(axis=0) if len(tokens) else np.zeros(vectors.shape[1], np.float32)
    found = np.sqrt(times.astype(np.float32)) * weights[rows]
    with _BLAS.limit(limits=1, user_api="blas"):
        few = len(vectors) < _FEWEST
        middle = np.zeros_like(vectors[0]) if few else vectors.mean(axis=0)
        centred = vectors - middle
        basis = np.ascontiguousarray(np.linalg.svd(centred, full_matrices=False)[2][:KEPT].T)
        of_tokens = np.zeros((len(sample), len(tokens)), np.float32)
        of_tokens[np.repeat(np.arange(len(sample)), np.diff(ends)), rows] = found
        of_sums, of_tokens = _unit(of_tokens @ (own - mean)), _unit(of_tokens)
        kernel = of_sums @ of_sums.T + _MU * (of_tokens @ of_tokens.T) + np.eye(len(sample))
        solved = np.linalg.solve(kernel, (centred @ basis).astype(np.float64)).astype(np.float32)
        learned = _MU * (of_tokens.T @ solved)
        return StaticFit(
            tokens, weights, learned.astype(np.float16).astype(np.float32), of_sums.T @ solved, mean, middle, basis
        )


def _counted(
    texts: Sequence[Sequence[int]],
) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """The tokens of some texts in rising order; of each text each of its tokens once, by the place among these, with
    how often it is there; and where each text begins and the last one ends."""
    flat = np.fromiter(chain.from_iterable(texts), np.int64)
    tokens, places = np.unique(flat, return_inverse=True)
    of_text = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    wide = max(len(tokens), 1)
    numbered, times = np.unique(of_text * wide + places, return_counts=True)
    return tokens, numbered % wide, times, np.searchsorted(numbered, np.arange(len(texts) + 1) * wide)


def _length(vector: Floats) -> Any:
    return np.sqrt(vector @ vector)


def _unit(rows: Floats) -> Floats:
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    unit: Floats = rows / np.maximum(lengths, _TINY)[:, np.newaxis]
    return unit

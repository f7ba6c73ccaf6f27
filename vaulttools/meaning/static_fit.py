"""Encodes passages by their tokens alone, fitted to a model's vectors of a sample.

This is a hundred times as fast as the model. A passage has two features: `F`, the direction of the weighted sum of the
model's vectors of its tokens, and `A`, the direction of the tokens' weights themselves. With the vectors `Y` of a
sample, and K = F Fᵀ + μ A Aᵀ + I, a passage has the direction of F (Fᵀ K⁻¹ Y) + μ A (Aᵀ K⁻¹ Y).
All vectors are projected to the `KEPT` directions in which those of the sample differ most.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash
from threadpoolctl import ThreadpoolController

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaulttools.meaning.embedders import EmbedderKey, Floats

SAMPLE: Final = 1_000
"""Passages of the sample."""

KEPT: Final = 128
"""Dimensions of a vector."""

_RARE: Final = 1e-3
"""A token with this share of all tokens has half the weight of a rare one (Arora et al., 2017)."""

_MU: Final = 1.0
"""Weight of the second feature, the tokens themselves."""

_FEWEST: Final = 20
"""The mean of the sample is subtracted if it has at least this many passages: of fewer, little would be left."""

_BLOCK: Final = 64
"""Passages whose tokens are counted together."""

_VERSION: Final = 1
"""Raise it whenever the format or the content of the file of tokens changes."""

_DIGEST_BYTES: Final = 16

_TINY: Final = np.float32(1e-12)

_BLAS: Final = ThreadpoolController()
"""Limits numpy to one thread. Several would take ten times the CPU for such small products, most of it by waiting in a
loop, and the last bits would depend on their number."""


@dataclass
class StaticFit:
    """An encoder that was fitted to a vault."""

    tokens: NDArray[np.int64]
    """The tokens of the sample, ascending."""
    weights: Floats
    """The weight of each of these tokens; any other weighs 1."""
    learned: NDArray[np.float16]
    """By token, the vector that it adds to a passage, μ Aᵀ K⁻¹ Y."""
    turned: Floats
    """The matrix from the sum of tokens' vectors to the model's vectors, Fᵀ K⁻¹ Y."""
    mean: Floats
    """The mean of the vectors of these tokens, which is subtracted from all."""
    middle: Floats
    """The mean of the model's vectors of the sample, which is subtracted: the vectors of some models differ little."""
    basis: Floats
    """The matrix that projects a vector of the model to the `KEPT` directions."""

    def embedded(self, texts: Sequence[Sequence[int]], table: TokenVectors) -> Floats:
        """Returns vectors of length 1 from the tokens of each text; zeros for a text without tokens. A row depends on
        its text alone."""
        vectors = np.zeros((len(texts), self.turned.shape[1]), np.float32)
        with _BLAS.limit(limits=1, user_api="blas"):
            for first in range(0, len(texts), _BLOCK):
                tokens, rows, times, ends = _counted(texts[first : first + _BLOCK])
                weights, learned = self._known(tokens)
                if not len(tokens):
                    continue
                own = table.of(tokens) - self.mean
                found = np.sqrt(times.astype(np.float32)) * weights[rows]
                for number, (start, end) in enumerate(pairwise(ends), first):
                    if start < end:  # one by one: the last bits of a product of many at once depend on their number
                        some, weight = rows[start:end], found[start:end]
                        sums = weight @ own[some]
                        of_tokens = (weight @ learned[some]) / (_length(weight) + _TINY)
                        vectors[number] = (sums / (_length(sums) + _TINY)) @ self.turned + of_tokens
        return _unit(vectors)

    def question(self, vector: Floats) -> Floats:
        """Returns the model's vector of a question in the form that is compared with vectors of passages."""
        asked: Floats = np.asarray((vector - self.middle) @ self.basis, np.float32)
        return asked

    def to_bytes(self) -> bytes:
        """Returns the fit as bytes for `from_bytes`."""
        return packed([getattr(self, each.name) for each in fields(self)])

    @classmethod
    def from_bytes(cls, data: bytes) -> StaticFit:
        """Read a fit from the bytes of `to_bytes`.

        Raises:
            ValueError: it is damaged.
        """
        return cls(*unpacked(data))

    def _known(self, tokens: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Returns the weights of tokens, and the vector that each adds."""
        weights = np.ones(len(tokens), np.float32)
        learned = np.zeros((len(tokens), self.learned.shape[1]), np.float32)
        if len(self.tokens):
            at = np.minimum(np.searchsorted(self.tokens, tokens), len(self.tokens) - 1)
            known = self.tokens[at] == tokens
            weights[known], learned[known] = self.weights[at[known]], self.learned[at[known]]
        return weights, learned


def fit(sample: Sequence[Sequence[int]], vectors: Floats, table: TokenVectors) -> StaticFit:
    """Fit an encoder to a vault.

    Args:
        sample: The tokens of passages of the vault, at least one.
        vectors: The model's vectors of these passages, one row each.
        table: The model's vectors of tokens.
    """
    tokens, rows, times, ends = _counted(sample)
    counts = np.bincount(rows, weights=times, minlength=len(tokens))
    weights = (_RARE / (_RARE + counts / max(counts.sum(), 1))).astype(np.float32)
    own = table.of(tokens) if len(tokens) else np.zeros((0, vectors.shape[1]), np.float32)
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
        turned = of_sums.T @ solved
    return StaticFit(tokens, weights, learned.astype(np.float16), turned, mean, middle, basis)


class TokenVectors:
    """The vectors of a model's tokens, for the tokens asked for so far."""

    def __init__(self, embedded: Callable[[Sequence[int]], Floats], key: EmbedderKey, folder: Path | None) -> None:
        """Read the stored vectors.

        Args:
            embedded: Embeds further tokens, as `TokenEmbedder.embedded_tokens` does.
            key: The key of the embedder, which names the file.
            folder: Folder of the file; None to keep them in memory only.
        """
        self._embedded = embedded
        self._file = None if folder is None else _token_file(key, folder)
        self._tokens, self._rows = stored_tokens(key, folder)
        self._new = 0

    def of(self, tokens: NDArray[Any]) -> Floats:
        """Returns a row for each token; its numbers have the precision of 16 bits, stored or new.

        Raises:
            NoMeaning: the model cannot embed now.
        """
        missing = np.setdiff1d(tokens, self._tokens).astype(np.int32)
        if len(missing):
            new = self._embedded(missing.tolist()).astype(np.float16)
            together = np.concatenate([self._tokens, missing])
            order = np.argsort(together)
            rows = np.concatenate([self._rows, new]) if len(self._tokens) else new
            self._tokens, self._rows = together[order], rows[order]
            self._new += len(missing)
        return self._rows[np.searchsorted(self._tokens, tokens)].astype(np.float32)

    def keep(self, least: int = 1) -> None:
        """Write all vectors to the file if at least `least` are new. The last process that writes wins; vectors that it
        lacks are embedded again."""
        if self._file is None or self._new < least:
            return
        self._new = 0
        new = self._file.with_name(f"{self._file.name}.{os.urandom(4).hex()}.new")
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            new.write_bytes(packed([self._tokens, self._rows]))
            new.replace(self._file)
        except OSError:  # the next process makes them again
            with suppress(OSError):
                new.unlink()


def stored_tokens(key: EmbedderKey, folder: Path | None) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
    """Returns the tokens that `TokenVectors` stored, ascending, and their vectors, one row each; nothing if the file is
    missing or damaged."""
    if folder is not None:
        with suppress(OSError, ValueError):
            tokens, rows = unpacked(_token_file(key, folder).read_bytes())
            return tokens, rows
    return np.empty(0, np.int32), np.empty((0, 0), np.float16)


def _token_file(key: EmbedderKey, folder: Path) -> Path:
    return folder / f"tokens-{key.file_name(_VERSION)}.bin"


def packed(arrays: Sequence[NDArray[Any]]) -> bytes:
    """Returns a digest of arrays followed by the arrays in numpy's own format."""
    file = io.BytesIO()
    for array in arrays:
        np.save(file, array, allow_pickle=False)
    content = file.getvalue()
    return xxhash.xxh3_128_digest(content) + content


def unpacked(data: bytes) -> list[NDArray[Any]]:
    """Returns the arrays that were packed. No code in them is run.

    Raises:
        ValueError: it is damaged.
    """
    content = memoryview(data)[_DIGEST_BYTES:]
    if data[:_DIGEST_BYTES] != xxhash.xxh3_128_digest(content):
        raise ValueError("The arrays were damaged")
    file = io.BytesIO(content)
    arrays = []
    while file.tell() < len(content):
        arrays.append(np.load(file, allow_pickle=False))
    return arrays


def _counted(
    texts: Sequence[Sequence[int]],
) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Returns the distinct tokens of texts, ascending; then, text after text, the places of its distinct tokens among
    these, and their counts; and where each text begins in these two arrays, and the last one ends."""
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

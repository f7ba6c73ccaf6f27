"""Encodes passages by their tokens alone, as fitted to a model's vectors of some passages.

A hundred times as fast as the model. Of a passage's tokens v, each with a weight `a`, two features are made: `F`, the
direction of the sum of the model's vectors of the tokens, and `A`, the direction of the weights themselves. With the
vectors `Y` of a sample, and K = F Fᵀ + μ A Aᵀ + I, a passage has the direction of F (Fᵀ K⁻¹ Y) + μ A (Aᵀ K⁻¹ Y).
All vectors are shown to the `KEPT` directions in which those of the sample differ most.
"""

from __future__ import annotations

import hashlib
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
"""Passages that a fit is made of."""

KEPT: Final = 128
"""Directions that are kept."""

_RARE: Final = 1e-3
"""A token with this share of all has half the weight of one that is rare (Arora et al., 2017)."""

_MU: Final = 1.0
"""How much tokens themselves count."""

_FEWEST: Final = 20
"""Passages of a sample from which on their mean is taken from all vectors: of fewer little would be left."""

_BLOCK: Final = 64
"""Passages whose tokens are counted together."""

_VERSION: Final = 1
"""Raised when the file of tokens changes, or what is in it."""

_DIGEST_BYTES: Final = 16

_TINY: Final = np.float32(1e-12)

_BLAS: Final = ThreadpoolController()
"""Lets numpy use one thread. Of products as small as these several would take ten times the CPU, most of it by waiting
in a loop, and the last bits would depend on how many there are."""


@dataclass
class StaticFit:
    """An encoder that was fitted to a vault."""

    tokens: NDArray[np.int64]
    """Those of the sample, in rising order."""
    weights: Floats
    """What each of them weighs; any other weighs 1."""
    learned: NDArray[np.float16]
    """What each of them adds to a passage, μ Aᵀ K⁻¹ Y."""
    turned: Floats
    """What turns the sum of tokens' vectors into the model's vectors, Fᵀ K⁻¹ Y."""
    mean: Floats
    """The mean of the vectors of these tokens, which is taken from all."""
    middle: Floats
    """The mean of the model's vectors of the sample, which is taken from all: those of some models differ little."""
    basis: Floats
    """What shows a vector of the model to the directions that are kept."""
    sample: NDArray[np.float16]
    """The model's own vectors of the passages that it was fitted to, a row each; zeros for one that the model does not
    know."""

    def embedded(self, texts: Sequence[Sequence[int]], table: TokenVectors) -> Floats:
        """Vectors of length 1 from the tokens of each text; zeros where it has none. A row depends on nothing but its
        text."""
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
                    if start < end:
                        some, weight = rows[start:end], found[start:end]
                        vectors[number] = self._direction(weight @ own[some], weight @ learned[some], weight)
        return _unit(vectors)

    def question(self, vector: Floats) -> Floats:
        """The model's vector of a question, as vectors of passages are compared with it."""
        asked: Floats = np.asarray((vector - self.middle) @ self.basis, np.float32)
        return asked

    def to_bytes(self) -> bytes:
        """What `from_bytes` reads."""
        return packed([getattr(self, each.name) for each in fields(self)])

    @classmethod
    def from_bytes(cls, data: bytes) -> StaticFit:
        """A fit that was kept.

        Raises:
            ValueError: it is damaged.
        """
        return cls(*unpacked(data))

    def _known(self, tokens: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """What some tokens weigh, and what each adds."""
        weights = np.ones(len(tokens), np.float32)
        learned = np.zeros((len(tokens), self.learned.shape[1]), np.float32)
        if len(self.tokens):
            at = np.minimum(np.searchsorted(self.tokens, tokens), len(self.tokens) - 1)
            known = self.tokens[at] == tokens
            weights[known], learned[known] = self.weights[at[known]], self.learned[at[known]]
        return weights, learned

    def _direction(self, own: Floats, learned: Floats, weights: Floats) -> Floats:
        """Of one passage: products of many at once differ in their last bits by how many they are."""
        found: Floats = (own / (_length(own) + _TINY)) @ self.turned + learned / (_length(weights) + _TINY)
        return found


def fit(sample: Sequence[Sequence[int]], vectors: Floats, table: TokenVectors) -> StaticFit:
    """An encoder fitted to a vault, whose `sample` is left empty.

    Args:
        sample: The tokens of some passages of the vault, of one at least.
        vectors: What the model makes of these, a row a passage.
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
    none = np.zeros((0, len(middle)), np.float16)
    return StaticFit(tokens, weights, learned.astype(np.float16), turned, mean, middle, basis, none)


class TokenVectors:
    """The vectors of a model's tokens, those that were asked for so far."""

    def __init__(self, embedded: Callable[[Sequence[int]], Floats], key: EmbedderKey, folder: Path | None) -> None:
        """Read what is kept.

        Args:
            embedded: What embeds tokens that are not kept, as `TokenEmbedder.embedded_tokens`.
            key: The vectors are kept under it.
            folder: They are kept there; None: only in memory.
        """
        name = hashlib.sha256("\0".join((str(_VERSION), key.name, key.version, key.digest)).encode()).hexdigest()[:16]
        self._embedded = embedded
        self._file = folder / f"tokens-{name}.bin" if folder is not None else None
        self._tokens: NDArray[np.int32] = np.empty(0, np.int32)
        self._rows: NDArray[np.float16] = np.empty((0, 0), np.float16)
        if self._file is not None:
            with suppress(OSError, ValueError):  # missing or damaged: then they are made again
                self._tokens, self._rows = unpacked(self._file.read_bytes())
        self._new = 0

    def of(self, tokens: NDArray[Any]) -> Floats:
        """A row for each token, in 16 bits a number whether it was kept or not.

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
        """Keep the new ones, where there are so many: the last process that writes wins, and what it lacks is embedded
        again."""
        if self._file is None or self._new < least:
            return
        self._new = 0
        new = self._file.with_name(f"{self._file.name}.{os.urandom(4).hex()}.new")
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            new.write_bytes(packed([self._tokens, self._rows]))
            new.replace(self._file)
        except OSError:  # then they are made again by the next process
            with suppress(OSError):
                new.unlink()


def packed(arrays: Sequence[NDArray[Any]]) -> bytes:
    """Some arrays behind a digest of them, in numpy's own format."""
    file = io.BytesIO()
    for array in arrays:
        np.save(file, array, allow_pickle=False)
    content = file.getvalue()
    return xxhash.xxh3_128_digest(content) + content


def unpacked(data: bytes) -> list[NDArray[Any]]:
    """What was packed. Nothing in it is run.

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

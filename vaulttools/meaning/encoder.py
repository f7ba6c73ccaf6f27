"""Encodes passages by a fitted encoder, or by the embedder itself.

An embedder whose tokens can be reached is too slow for all passages of a vault, so that a static encoder is fitted to
it. An endpoint, and a model that is static itself, embed all passages.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from vaulttools.meaning import static_fit
from vaulttools.meaning.embedder import Embedder, NoMeaning, TokenEmbedder
from vaulttools.meaning.static_fit import StaticFit
from vaulttools.meaning.token_vectors import TokenVectors

if TYPE_CHECKING:
    from vaulttools.meaning.embedder import Floats


_WORTH_KEEPING: Final = 2_000
"""New tokens that are worth writing all of them: two seconds of work."""


def is_fitted(model: Embedder) -> bool:
    """Whether a static encoder stands for an embedder."""
    return isinstance(model, TokenEmbedder)


class Encoder:
    """Encodes passages of one vault after another."""

    def __init__(self, model: Embedder, folder: Path | None) -> None:
        """Vectors of single tokens are kept in the folder."""
        self._model = model
        self._tokens = TokenVectors(model, model.key, folder) if isinstance(model, TokenEmbedder) else None
        self._fit: StaticFit | None = None

    def fitted(self, texts: Sequence[str]) -> bytes:
        """Fit to a sample of a vault's passages; what `use` reads.

        Raises:
            NoMeaning: the embedder cannot embed now.
        """
        assert isinstance(self._model, TokenEmbedder)
        assert self._tokens is not None
        vectors = self._model.embed_passages(texts)
        sample = vectors.astype(np.float16)
        known = np.flatnonzero(np.any(vectors != 0, axis=1))
        if not len(known):  # all are in languages that it does not know: an encoder that gives zeros
            known, vectors = np.array([0]), np.ones_like(vectors)
        tokens = self._model.tokens([texts[int(number)] for number in known])
        self._fit = static_fit.fit(tokens, vectors[known], self._tokens.of)
        self._fit.sample = sample
        self._tokens.keep()
        return self._fit.to_bytes()

    def use(self, data: bytes) -> None:
        """Encode by a fit that was kept.

        Raises:
            NoMeaning: it is damaged.
        """
        self._fit = StaticFit.from_bytes(data)
        if self._fit is None:
            raise NoMeaning("What encodes the passages was damaged, and is made anew")

    def encoded(self, texts: Sequence[str]) -> Floats:
        """A vector for each passage; zeros for one that the embedder does not know.

        Raises:
            NoMeaning: the embedder cannot embed now.
        """
        if self._tokens is None or not isinstance(self._model, TokenEmbedder):
            return self._model.embed_passages(texts)
        assert self._fit is not None
        knows = getattr(self._model, "knows", None)
        known = [number for number, text in enumerate(texts) if knows is None or knows(text)]
        found = self._fit.embedded(self._model.tokens([texts[number] for number in known]), self._tokens.of)
        self._tokens.keep(least=_WORTH_KEEPING)
        vectors = np.zeros((len(texts), found.shape[1]), np.float32)
        vectors[known] = found
        return vectors

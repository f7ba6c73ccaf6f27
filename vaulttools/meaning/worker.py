"""Encodes passages in a process of its own.

Run it as `python -m vaulttools.meaning.worker NICER`; it ends when its input ends.

`NICER` is how much lower its priority is than its parent's.

Messages have the format of `core.child`. The first request is the choice of an embedder and the folder for files that
all vaults share; the answer says whether the embedder needs a fitted encoder. Each further request is the name of a
method of `Encoder` and its arguments; the answer is its result. If a request fails, the answer is `NoMeaning`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vaulttools.core import child
from vaulttools.core.child import send
from vaulttools.errors import VaultToolsError
from vaulttools.meaning import embedders, static_fit
from vaulttools.meaning.embedders import Embedder, EmbedderKey, NoMeaning, TokenEmbedder
from vaulttools.meaning.static_fit import StaticFit, TokenVectors
from vaulttools.meaning.vectors import in_eight_bits

if TYPE_CHECKING:
    from vaulttools.meaning.embedders import Floats

_WORTH_KEEPING: Final = 2_000
"""The file of tokens is written after this many new ones: two seconds of work."""


class Encoder:
    """Encodes passages by a static encoder that is fitted to the embedder, or by the embedder itself.

    A `TokenEmbedder` is too slow for all passages of a vault, so an encoder is fitted to it. An endpoint embeds
    all passages. Both methods raise `NoMeaning` if the embedder cannot embed now.
    """

    def __init__(self, model: Embedder, key: EmbedderKey, folder: Path | None) -> None:
        """Vectors of single tokens are stored in the folder, under the embedder's key; nowhere if it is None."""
        self._model = model
        self._tokens = TokenVectors(model.embedded_tokens, key, folder) if isinstance(model, TokenEmbedder) else None
        self.is_fitted: Final = self._tokens is not None
        """Whether a static encoder replaces the embedder for passages."""
        self._data = b""
        self._fit: StaticFit | None = None

    def fitted(self, texts: Sequence[str]) -> tuple[bytes, list[bytes | None]]:
        """Returns an encoder fitted to a sample of a vault's passages, as bytes, and the embedder's own vector of each,
        as `encoded` does."""
        assert isinstance(self._model, TokenEmbedder)
        assert self._tokens is not None
        vectors = self._model.embed_passages(texts)
        own = _stored(vectors)
        known = np.flatnonzero(np.any(vectors != 0, axis=1))
        if not len(known):  # the model knows none of the languages: make an encoder that gives zeros
            known, vectors = np.array([0]), np.ones_like(vectors)
        tokens = self._model.tokens([texts[int(number)] for number in known])
        made = static_fit.fit(tokens, vectors[known], self._tokens)
        self._tokens.keep()
        return made.to_bytes(), own

    def encoded(self, fit: bytes, texts: Sequence[str]) -> list[bytes | None]:
        """Returns a vector with 8 bits per number for each passage, by the fitted encoder `fit`; by the embedder itself
        if `fit` is empty. None for a passage that the embedder does not know."""
        return _stored(self._by_fit(fit, texts) if fit else self._model.embed_passages(texts))

    def _by_fit(self, data: bytes, texts: Sequence[str]) -> Any:
        assert isinstance(self._model, TokenEmbedder)
        assert self._tokens is not None
        if self._fit is None or data != self._data:
            self._data, self._fit = data, StaticFit.from_bytes(data)
        known = [number for number, text in enumerate(texts) if self._model.knows(text)]
        found = self._fit.embedded(self._model.tokens([texts[number] for number in known]), self._tokens)
        self._tokens.keep(least=_WORTH_KEEPING)
        vectors = np.zeros((len(texts), found.shape[1]), np.float32)
        vectors[known] = found
        return vectors


def _stored(vectors: Floats) -> list[bytes | None]:
    """Returns each vector with 8 bits per number; None for zeros."""
    return [row.tobytes() if row.any() else None for row in in_eight_bits(vectors)]


def run() -> None:
    """Answer requests until the input ends."""
    child.begin(int(sys.argv[1]))
    requests = child.requests()

    encoder: Encoder | None = None
    while True:
        request = requests.get()
        answer: object
        try:
            if encoder is None:
                choice, folder = request
                encoder = Encoder(embedders.load(choice), embedders.key_of(choice), folder)
                answer = encoder.is_fitted
            else:
                method, *arguments = request
                answer = getattr(encoder, method)(*arguments)
        except VaultToolsError as error:
            answer = NoMeaning(str(error))
        except Exception as error:  # else the process would end silently; the error's text may hold text of a note
            answer = NoMeaning(f"The process that embeds met an error of its own: {type(error).__name__}")
        send(sys.stdout.buffer, answer)


if __name__ == "__main__":
    run()

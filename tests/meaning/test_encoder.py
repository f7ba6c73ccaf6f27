"""The vectors under which passages are kept: by a fitted encoder where the embedder is slow, else by itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vaulttools.meaning.embedder import EmbedderKey, NoMeaning
from vaulttools.meaning.encoder import Encoder, is_fitted
from vaulttools.meaning.static_fit import StaticFit

Floats = NDArray[np.float32]

DIMENSIONS = 12


class Itself:
    """An embedder that encodes every passage itself, by its letters."""

    key = EmbedderKey("letters", "1", "")

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
    """One whose tokens, the letters, can be reached."""

    vocabulary = 0x110000

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        return [[ord(letter) for letter in text] for text in texts]

    def embedded_tokens(self, tokens: Sequence[int]) -> Floats:
        return self.embed_questions([chr(token) for token in tokens])


class Lowercase(Tokens):
    """One that knows no capitals: texts with them are in another language."""

    def knows(self, text: str) -> bool:
        return text == text.lower()

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        vectors = super().embed_passages(texts)
        vectors[[not self.knows(text) for text in texts]] = 0
        return vectors


TEXTS = ["a cat and a dog", "boats in the rain", "tea at five", "the dog ran home", "rain on the roof", "cat naps"]


def test_an_embedder_whose_tokens_cannot_be_reached_encodes_all_passages_itself() -> None:
    model = Itself()
    assert not is_fitted(model)
    assert (Encoder(model, None).encoded(TEXTS) == model.embed_questions(TEXTS)).all()
    assert model.embedded == TEXTS


def test_one_whose_tokens_can_be_reached_embeds_the_sample_alone(tmp_path: Path) -> None:
    model = Tokens()
    assert is_fitted(model)
    encoder = Encoder(model, tmp_path)
    encoder.fitted(TEXTS[:5])
    vectors = encoder.encoded(TEXTS)
    assert model.embedded == TEXTS[:5]
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_what_was_fitted_before_encodes_as_then(tmp_path: Path) -> None:
    before = Encoder(Tokens(), tmp_path)
    data = before.fitted(TEXTS)
    again, elsewhere = Encoder(Tokens(), tmp_path), Encoder(Tokens(), None)
    again.use(data)
    elsewhere.use(data)  # without the vectors of tokens that were kept
    more = [*TEXTS, "words that the sample has not: xyz"]
    assert (again.encoded(more) == before.encoded(more)).all()
    assert (elsewhere.encoded(more) == before.encoded(more)).all()
    assert again.fitted(TEXTS) == data


def test_a_vector_depends_on_its_text_alone() -> None:
    encoder = Encoder(Lowercase(), None)
    encoder.fitted(TEXTS)
    texts = [*TEXTS, "Not Known", "more"]
    together = encoder.encoded(texts)
    assert (np.concatenate([encoder.encoded([text]) for text in texts]) == together).all()


def test_a_passage_that_the_embedder_does_not_know_has_zeros() -> None:
    encoder = Encoder(Lowercase(), None)
    encoder.fitted([*TEXTS[:3], "Not Known", *TEXTS[3:]])
    vectors = encoder.encoded(["a cat", "A Cat", "tea", ""])
    assert vectors.any(axis=1).tolist() == [True, False, True, False]
    alone = Encoder(Lowercase(), None)
    alone.fitted(TEXTS)  # what it does not know says nothing of the others
    assert (alone.encoded(["a cat"]) == vectors[:1]).all()


@pytest.mark.parametrize("texts", [["A Cat"], ["A Cat", "A Dog", "Ö"]])
def test_where_the_embedder_knows_no_passage_all_have_zeros(texts: list[str]) -> None:
    encoder = Encoder(Lowercase(), None)
    encoder.use(encoder.fitted(texts))
    vectors = encoder.encoded(texts)
    assert len(vectors) == len(texts)
    assert not vectors.any()


@pytest.mark.parametrize("texts", [["a cat"], ["a cat", "a cat"]])
def test_a_vault_of_one_passage_can_be_searched(texts: list[str]) -> None:
    model = Tokens()
    encoder = Encoder(model, None)
    fit = StaticFit.from_bytes(encoder.fitted(texts))
    assert fit is not None
    assert encoder.encoded(texts).any(axis=1).all()


def test_no_texts_have_no_vectors() -> None:
    encoder = Encoder(Tokens(), None)
    encoder.fitted(TEXTS)
    assert len(encoder.encoded([])) == 0


@pytest.mark.parametrize("damage", [b"", b"damage", bytes(100)])
def test_a_damaged_fit_is_told(damage: bytes) -> None:
    with pytest.raises(NoMeaning, match=r"^What encodes the passages was damaged, and is made anew$"):
        Encoder(Tokens(), None).use(damage)

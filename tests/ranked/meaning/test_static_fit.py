"""The static encoder: as slow loops compute it, near the model for what it was fitted to, kept and read again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from vaulttools.ranked.meaning import english_model, multilingual_model, static_fit
from vaulttools.ranked.meaning.embedder import Key
from vaulttools.ranked.meaning.static_fit import StaticFit
from vaulttools.ranked.meaning.token_vectors import TokenModel, TokenVectors

Floats = NDArray[np.float32]

VOCABULARY, DIMENSIONS, PASSAGES = 400, 24, 60
KEY = Key("model", "1", "digest")


class Bag:
    """A model whose vector of a text is the direction of the sum of its tokens' numbers."""

    vocabulary = VOCABULARY

    def __init__(self) -> None:
        self.numbers = np.random.default_rng(1).standard_normal((VOCABULARY, DIMENSIONS)) + 0.5
        self.asked: list[int] = []

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        return [[ord(letter) % VOCABULARY for letter in text] for text in texts]

    def embedded_tokens(self, tokens: Sequence[int]) -> Floats:
        self.asked += tokens
        return self.embedded([[token] for token in tokens])

    def embedded(self, texts: Sequence[Sequence[int]]) -> Floats:
        sums = np.array([self.numbers[list(text)].sum(axis=0) for text in texts])
        vectors: Floats = (sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.float32)
        return vectors


def some_texts(seed: int, number: int = PASSAGES) -> list[list[int]]:
    random = np.random.default_rng(seed)
    return [(random.zipf(1.3, random.integers(1, 60)) % VOCABULARY).tolist() for _ in range(number)]


def fitted(sample: list[list[int]]) -> StaticFit:
    model = Bag()
    counts = static_fit.counted(sample, VOCABULARY)
    table = TokenVectors(model, KEY, None).of(np.flatnonzero(counts))
    return static_fit.fit(sample, model.embedded(sample), counts, table)


def slowly(sample: list[list[int]], texts: list[list[int]]) -> NDArray[np.float64]:
    """As the formula has it, token by token."""
    model, counts = Bag(), Counter(token for text in sample for token in text)
    known = sorted(counts)
    table = {token: row.astype(np.float64) for token, row in zip(known, model.embedded_tokens(known), strict=True)}
    mean = sum(table.values()) / len(table)

    def features(text: list[int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        alone = np.zeros(VOCABULARY)
        for token, times in Counter(text).items():
            if token in counts:
                alone[token] = times**0.5 * 1e-3 / (1e-3 + counts[token] / counts.total())
        alone /= alone.sum()
        together: NDArray[np.float64] = sum(alone[token] * (table[token] - mean) for token in known)
        return together / np.linalg.norm(together), alone / np.linalg.norm(alone)

    of_sample = [features(text) for text in sample]
    sums, alone = (np.array(each) for each in zip(*of_sample, strict=True))
    solved = np.linalg.inv(sums @ sums.T + alone @ alone.T + np.eye(len(sample))) @ model.embedded(sample)
    found = []
    for text in texts:
        of_text = features(text)
        vector = of_text[0] @ (sums.T @ solved) + of_text[1] @ (alone.T @ solved)
        found.append(vector / np.linalg.norm(vector))
    return np.array(found)


def test_it_gives_what_slow_loops_give() -> None:
    sample = some_texts(1)
    texts = [text for text in some_texts(2) if set(text) & {token for each in sample for token in each}]
    assert np.abs(fitted(sample).embedded(texts) - slowly(sample, texts)).max() < 0.01


def test_it_comes_near_the_vectors_that_it_was_fitted_to() -> None:
    sample = some_texts(1, 200)
    nearness = (fitted(sample).embedded(sample) * Bag().embedded(sample)).sum(axis=1)
    assert nearness.mean() > 0.9


def test_a_vector_depends_on_its_text_alone() -> None:
    made, texts = fitted(some_texts(1)), some_texts(2, 150)
    together = made.embedded(texts)
    assert (np.concatenate([made.embedded([text]) for text in texts]) == together).all()
    assert (made.embedded(texts[::-1])[::-1] == together).all()
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)


def test_what_is_not_known_is_passed_over() -> None:
    made = fitted([[1, 2, 3], [2, 3, 5], [5, 1]])
    known, mixed, unknown, empty = made.embedded([[1, 5], [1, 4, 5, 399, 10_000], [4, 399], []])
    assert (known == mixed).all()
    assert not unknown.any()
    assert not empty.any()
    assert made.embedded([]).shape == (0, DIMENSIONS)


def test_a_fit_is_kept_as_it_is() -> None:
    made, texts = fitted(some_texts(1)), some_texts(2)
    data = made.to_bytes()
    again = StaticFit.from_bytes(data)
    assert again is not None
    assert (again.embedded(texts) == made.embedded(texts)).all()
    assert again.to_bytes() == data == fitted(some_texts(1)).to_bytes()


def test_a_damaged_fit_is_none() -> None:
    data = fitted(some_texts(1)).to_bytes()
    for damaged in (b"", data[:10], data[:-1], data[:500] + bytes([data[500] ^ 1]) + data[501:]):
        assert StaticFit.from_bytes(damaged) is None


def test_vectors_of_tokens_are_kept_and_added_to(tmp_path: Path) -> None:
    first, second = Bag(), Bag()
    kept = TokenVectors(first, KEY, tmp_path / "cache").of(np.array([7, 3, 9]))
    assert first.asked == [3, 7, 9]
    again = TokenVectors(second, KEY, tmp_path / "cache")
    assert (again.of(np.array([3, 9, 5]))[:2] == kept[1:]).all()
    assert second.asked == [5]
    assert (again.of(np.array([3, 5, 7, 9])) == TokenVectors(Bag(), KEY, None).of(np.array([3, 5, 7, 9]))).all()
    assert len(list((tmp_path / "cache").iterdir())) == 1


@pytest.mark.parametrize("damage", [b"", b"damage" * 20])
def test_a_damaged_file_of_tokens_is_made_anew(damage: bytes, tmp_path: Path) -> None:
    tokens = np.arange(20)
    rows = TokenVectors(Bag(), KEY, tmp_path).of(tokens)
    [file] = tmp_path.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage)
    model = Bag()
    assert (TokenVectors(model, KEY, tmp_path).of(tokens) == rows).all()
    assert model.asked == tokens.tolist()
    assert file.read_bytes() == whole


def test_without_a_place_for_the_file_tokens_are_embedded_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    model = Bag()
    vectors = TokenVectors(model, KEY, tmp_path / "file" / "cache")
    assert (vectors.of(np.arange(5)) == vectors.of(np.arange(5))).all()
    assert model.asked == [0, 1, 2, 3, 4]


def test_another_model_has_vectors_of_its_own(tmp_path: Path) -> None:
    TokenVectors(Bag(), KEY, tmp_path).of(np.arange(3))
    model = Bag()
    TokenVectors(model, Key("model", "2", "digest"), tmp_path).of(np.arange(3))
    assert model.asked == [0, 1, 2]


NOTES = [
    f"{who} {what} {when}."
    for who in ("The cat", "My grandmother", "A neighbour", "The baker")
    for what in ("bakes bread with rye flour", "repairs the old bicycle", "pays the bill of the electrician")
    for when in ("on Sunday morning", "in the rain", "after a long journey to the coast")
]


@pytest.fixture(scope="module")
def multilingual() -> multilingual_model.MultilingualModel:
    return multilingual_model.MultilingualModel()


@pytest.fixture(params=["english", "multilingual"])
def model(request: pytest.FixtureRequest) -> Any:
    if request.param == "multilingual":
        return request.getfixturevalue("multilingual")
    if not english_model.is_installed():
        pytest.skip("its packages are not there")
    return english_model.EnglishModel()


def test_fitted_to_a_model_of_the_extra_it_finds_what_is_about_the_same(model: Any) -> None:
    reached: TokenModel = model
    tokens = reached.tokens(NOTES)
    counts = static_fit.counted(tokens, reached.vocabulary)
    table = TokenVectors(reached, KEY, None).of(np.flatnonzero(counts))
    made = static_fit.fit(tokens[::2], model.embedded(NOTES[::2]), counts, table)
    assert (made.embedded(tokens[1::2]) * model.embedded(NOTES[1::2])).sum(axis=1).mean() > 0.8
    [bread] = model.embedded(["a loaf made of grain"])
    assert all("bread" in NOTES[number] for number in np.argsort(-made.embedded(tokens) @ bread)[:5])


def test_tokens_of_the_multilingual_model_are_those_that_it_embeds(
    multilingual: multilingual_model.MultilingualModel,
) -> None:
    model = multilingual
    texts = ["Wie stelle ich eine gelöschte Datei wieder her?", "a\t b\r\nc  ", "笔记保存在哪里 ﬁne １２", ""]
    tokens = model.tokens(texts)
    assert tokens == [model._pieces.whole.encode(text, add_bos=False, add_eos=False) for text in texts[:-1]] + [[]]
    some = sorted({token for text in tokens for token in text})
    together = model.embedded_tokens(some)
    assert (np.concatenate([model.embedded_tokens([token]) for token in some]) == together).all()
    [alone] = model._pieces.model.encode([tokens[1]])
    assert np.allclose(alone, model.embedded([texts[1]])[0], atol=1e-6)

"""The static encoder: slow loops give the same, it comes near its model, and a file keeps it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from vaulttools.meaning import embedders, static_fit
from vaulttools.meaning.embedders import Choice, EmbedderKey
from vaulttools.meaning.static_fit import StaticFit, TokenVectors

Floats = NDArray[np.float32]

VOCABULARY, DIMENSIONS, PASSAGES = 400, 24, 60
KEY = EmbedderKey("model", "1", "digest")


class Bag:
    """A model whose vector of a text is the direction of the sum of its tokens' numbers."""

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


def fitted(sample: Sequence[Sequence[int]], model: Bag | None = None) -> StaticFit:
    model = model or Bag()
    return static_fit.fit(sample, model.embedded(sample), TokenVectors(model.embedded_tokens, KEY, None))


def embedded(made: StaticFit, texts: Sequence[Sequence[int]]) -> Floats:
    return made.embedded(texts, TokenVectors(Bag().embedded_tokens, KEY, None))


def slowly(
    sample: list[list[int]], texts: list[list[int]], asked: NDArray[np.float32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The formula, computed token by token: the nearness of each text to each question, and the lengths of the texts'
    vectors before they were made 1."""
    model, counts = Bag(), Counter(token for text in sample for token in text)
    every = sorted({token for text in (*sample, *texts) for token in text})
    table = {token: row.astype(np.float64) for token, row in zip(every, model.embedded_tokens(every), strict=True)}
    mean = sum(table[token] for token in counts) / len(counts)

    def features(text: list[int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        alone = np.zeros(VOCABULARY)
        for token, times in Counter(text).items():
            alone[token] = times**0.5 * 1e-3 / (1e-3 + counts[token] / counts.total())
        together: NDArray[np.float64] = sum(alone[token] * (table[token] - mean) for token in Counter(text))
        known = np.array([each if number in counts else 0 for number, each in enumerate(alone)])
        return together / np.linalg.norm(together), known / np.linalg.norm(alone)

    vectors = model.embedded(sample).astype(np.float64)
    middle = vectors.mean(axis=0)
    of_sample = [features(text) for text in sample]
    sums, alone = (np.array(each) for each in zip(*of_sample, strict=True))
    solved = np.linalg.inv(sums @ sums.T + alone @ alone.T + np.eye(len(sample))) @ (vectors - middle)
    found = []
    for text in texts:
        of_text = features(text)
        found.append(of_text[0] @ (sums.T @ solved) + of_text[1] @ (alone.T @ solved))
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    return (np.array(found) / lengths) @ (asked - middle).T, lengths


@pytest.mark.parametrize("seed", range(4))
def test_an_encoder_agrees_with_slow_loops(seed: int) -> None:
    sample, texts = some_texts(seed), some_texts(seed + 10)
    asked = Bag().embedded(some_texts(seed + 20))
    made = fitted(sample)
    similar = embedded(made, texts) @ np.array([made.question(each) for each in asked]).T
    assert np.abs(similar - slowly(sample, texts, asked)[0]).max() < 0.01


def test_an_encoder_comes_near_the_vectors_that_it_was_fitted_to() -> None:
    sample = some_texts(1, 200)
    made, asked = fitted(sample), Bag().embedded(sample)
    similar = embedded(made, sample) @ np.array([made.question(each) for each in asked]).T
    assert (similar.argmax(axis=0) == np.arange(200)).mean() > 0.8


def test_a_vector_depends_on_its_text_alone() -> None:
    made, texts = fitted(some_texts(1)), some_texts(2, 150)
    together = embedded(made, texts)
    assert (np.concatenate([embedded(made, [text]) for text in texts]) == together).all()
    assert (embedded(made, texts[::-1])[::-1] == together).all()
    assert (embedded(made, [[*text[::-1]] for text in texts]) == together).all()  # nor on the order of its tokens
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)


def test_a_maximum_of_directions_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    assert embedded(fitted(some_texts(1)), [[1]]).shape == (1, DIMENSIONS)
    monkeypatch.setattr(static_fit, "KEPT", 5)
    made = fitted(some_texts(1))
    assert embedded(made, [[1], [2, 3]]).shape == (2, 5)
    assert made.question(np.ones(DIMENSIONS, np.float32)).shape == (5,)


def test_a_token_outside_the_sample_counts_by_its_vector() -> None:
    model = Bag()
    sample = [text for text in some_texts(1, 200) if 7 not in text]
    model.numbers[7] = model.numbers[11]  # it means the same as a token of the sample
    made = static_fit.fit(sample, model.embedded(sample), TokenVectors(model.embedded_tokens, KEY, None))
    same, known = made.embedded([[7], [11]], TokenVectors(model.embedded_tokens, KEY, None))
    assert same @ known > 0.3


def test_a_text_without_tokens_has_a_vector_of_zeros() -> None:
    made = fitted([[1, 2, 3], [2, 3, 5], [5, 1]])
    one, empty = embedded(made, [[1, 5], []])
    assert one.any()
    assert not empty.any()
    assert len(embedded(made, [])) == 0


@pytest.mark.parametrize("sample", [[[]], [[], []], [[1]], [[1], [1]], [[1], []]])
def test_an_encoder_can_be_fitted_to_a_tiny_sample(sample: list[list[int]]) -> None:
    vectors = np.ones((len(sample), DIMENSIONS), np.float32) / np.float32(DIMENSIONS**0.5)
    made = static_fit.fit(sample, vectors, TokenVectors(Bag().embedded_tokens, KEY, None))
    assert np.isfinite(embedded(made, [[1], [2, 3], []])).all()
    assert np.isfinite(made.question(vectors[0])).all()


def test_a_fit_is_kept_unchanged_and_damage_is_noticed() -> None:
    made, texts = fitted(some_texts(1)), some_texts(2)
    data = made.to_bytes()
    again = StaticFit.from_bytes(data)
    assert (embedded(again, texts) == embedded(made, texts)).all()
    assert again.to_bytes() == data == fitted(some_texts(1)).to_bytes()
    for damaged in (b"", data[:10], data[:-1], data[:500] + bytes([data[500] ^ 1]) + data[501:]):
        with pytest.raises(ValueError, match="damaged"):
            StaticFit.from_bytes(damaged)


NOTES = [
    f"{who} {what} {when}."
    for who in ("The cat", "My grandmother", "A neighbour", "The baker")
    for what in ("bakes bread with rye flour", "repairs the old bicycle", "pays the bill of the electrician")
    for when in ("on Sunday morning", "in the rain", "after a long journey to the coast")
]


@pytest.fixture(params=["english", "multilingual"])
def model(request: pytest.FixtureRequest) -> Any:
    if request.param == "english" and not embedders._has_english():
        pytest.skip("the packages of the model are missing")
    return embedders.load(Choice(packaged=request.param))


def test_an_encoder_fitted_to_a_model_of_the_extra_finds_related_texts(model: Any) -> None:
    table = TokenVectors(model.embedded_tokens, KEY, None)
    tokens = model.tokens(NOTES)
    made = static_fit.fit(tokens[::2], model.embed_passages(NOTES[::2]), table)
    found = made.embedded(tokens, table)
    for question, word in (("a loaf made of grain", "bread"), ("someone fixes a two-wheeled vehicle", "bicycle")):
        [asked] = model.embed_questions([question])
        assert all(word in NOTES[number] for number in np.argsort(-(found @ made.question(asked)))[:5])


# Vectors of single tokens.
def test_vectors_of_tokens_are_kept_and_added_to(tmp_path: Path) -> None:
    first, second = Bag(), Bag()
    some = TokenVectors(first.embedded_tokens, KEY, tmp_path / "cache")
    kept = some.of(np.array([3, 7, 9]))
    some.keep()
    assert first.asked == [3, 7, 9]
    again = TokenVectors(second.embedded_tokens, KEY, tmp_path / "cache")
    assert (again.of(np.array([3, 5, 9]))[[0, 2]] == kept[[0, 2]]).all()
    assert second.asked == [5]
    tokens = np.array([3, 5, 7, 9])
    assert (again.of(tokens) == TokenVectors(Bag().embedded_tokens, KEY, None).of(tokens)).all()
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_vectors_of_tokens_are_written_when_enough_are_new(tmp_path: Path) -> None:
    vectors = TokenVectors(Bag().embedded_tokens, KEY, tmp_path)
    vectors.keep()
    vectors.of(np.arange(3))
    vectors.keep(least=4)
    assert list(tmp_path.iterdir()) == []
    vectors.of(np.arange(5))
    vectors.keep(least=4)
    [file] = tmp_path.iterdir()
    written = file.stat().st_mtime_ns
    vectors.of(np.arange(5))
    vectors.keep()
    assert file.stat().st_mtime_ns == written
    model = Bag()
    TokenVectors(model.embedded_tokens, KEY, tmp_path).of(np.arange(6))
    assert model.asked == [5]


@pytest.mark.parametrize("damage", [b"", b"damage" * 20])
def test_a_damaged_file_of_tokens_is_made_anew(damage: bytes, tmp_path: Path) -> None:
    tokens = np.arange(20)
    vectors = TokenVectors(Bag().embedded_tokens, KEY, tmp_path)
    rows = vectors.of(tokens)
    vectors.keep()
    [file] = tmp_path.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage)
    model = Bag()
    again = TokenVectors(model.embedded_tokens, KEY, tmp_path)
    assert (again.of(tokens) == rows).all()
    again.keep()
    assert model.asked == tokens.tolist()
    assert file.read_bytes() == whole


def test_tokens_are_embedded_in_memory_when_no_file_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    model = Bag()
    vectors = TokenVectors(model.embedded_tokens, KEY, tmp_path / "file" / "cache")
    assert (vectors.of(np.arange(5)) == vectors.of(np.arange(5))).all()
    vectors.keep()
    assert model.asked == [0, 1, 2, 3, 4]


def test_another_model_has_vectors_of_its_own(tmp_path: Path) -> None:
    vectors = TokenVectors(Bag().embedded_tokens, KEY, tmp_path)
    vectors.of(np.arange(3))
    vectors.keep()
    model = Bag()
    TokenVectors(model.embedded_tokens, EmbedderKey("model", "2", "digest"), tmp_path).of(np.arange(3))
    assert model.asked == [0, 1, 2]

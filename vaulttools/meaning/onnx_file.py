"""Reads the weights out of a model in ONNX format, and writes small graphs.

The `onnx` package does that too, and is too large to be needed by those who search notes.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from vaulttools.meaning.protobuf import content, fields, fixed, number

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KINDS: Final[dict[int, np.dtype[Any]]] = {
    1: np.dtype("<f4"),
    2: np.dtype("u1"),
    3: np.dtype("i1"),
    7: np.dtype("<i8"),
    9: np.dtype("?"),
}
"""What the numbers of a tensor can be, by the number that says so."""

_OPSET: Final = 17
"""The first version of the operators with `LayerNormalization`."""
_IR: Final = 8
"""The version of the format that goes with it."""

CONTRIBUTED: Final = "com.microsoft"
"""Operators that `onnxruntime` adds to those of the standard."""


class OnnxNode(NamedTuple):
    """An operation of a graph."""

    operation: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


class OnnxGraph(NamedTuple):
    """What is read of a model."""

    nodes: list[OnnxNode]
    tensors: dict[str, NDArray[Any]]
    """They lie in the file, which stays mapped: only what is used of them is read."""


def read(file: Path) -> OnnxGraph:
    """The operations and the weights of a model.

    Raises:
        ValueError: it is no model, or is cut, or has weights of another kind.
        OSError: the file cannot be read.
    """
    with file.open("rb") as opened:
        model = memoryview(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))
    graph = OnnxGraph([], {})
    for field, message in _messages(model):
        if field == 7:
            for part, value in _messages(message):
                if part == 1:
                    graph.nodes.append(_read_node(value))
                elif part == 5:
                    name, tensor = _read_tensor(value)
                    graph.tensors[name] = tensor
    return graph


def _messages(message: memoryview) -> list[tuple[int, memoryview]]:
    return [(field, value) for field, value in fields(message) if isinstance(value, memoryview)]


def _read_node(message: memoryview) -> OnnxNode:
    found = _messages(message)
    inputs, outputs = (tuple(str(value, "utf-8") for field, value in found if field == which) for which in (1, 2))
    return OnnxNode("".join(str(value, "utf-8") for field, value in found if field == 4), inputs, outputs)


def _read_tensor(message: memoryview) -> tuple[str, NDArray[Any]]:
    name, kind, shape, data = "", 0, [], memoryview(b"")
    for field, value in fields(message):
        if isinstance(value, int):
            if field == 1:
                shape.append(value)
            elif field == 2:
                kind = value
        elif field == 8:
            name = str(value, "utf-8")
        elif field == 9:
            data = value
    if kind not in _KINDS:
        raise ValueError(f"{name} has numbers of kind {kind}")
    return name, np.frombuffer(data, _KINDS[kind]).reshape(shape)


class Builder:
    """A graph that grows operation by operation."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def tensor(self, name: str, numbers: NDArray[Any]) -> str:
        """Add weights; gives their name."""
        kind = next(kind for kind, numpy_kind in _KINDS.items() if numpy_kind == numbers.dtype)
        shape = b"".join(number(1, length) for length in numbers.shape)
        self._parts.append(content(5, shape + number(2, kind) + content(8, name) + content(9, numbers.tobytes())))
        return name

    def node(
        self,
        operation: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        attributes: Mapping[str, int | float | list[int]] | None = None,
        domain: str = "",
    ) -> str:
        """Add an operation; gives the name of its first output."""
        message = b"".join(content(1, name) for name in inputs) + b"".join(content(2, name) for name in outputs)
        message += content(3, f"{operation} {outputs[0]}") + content(4, operation)
        for name, value in (attributes or {}).items():
            message += content(5, content(1, name) + _attribute(value))
        self._parts.append(content(1, message + (content(7, domain) if domain else b"")))
        return outputs[0]

    def model(self, given: tuple[str, Sequence[int | str]] | None, made: tuple[str, Sequence[int | str]]) -> bytes:
        """The model in ONNX format, with at most one input, and one output of floats, each a name and its shape."""
        inputs = content(11, _declared(*given)) if given is not None else b""
        graph = b"".join((*self._parts, content(2, "graph"), inputs, content(12, _declared(*made))))
        opsets = content(8, content(1, "") + number(2, _OPSET)) + content(8, content(1, CONTRIBUTED) + number(2, 1))
        return b"".join((number(1, _IR), content(7, graph), opsets))


def _attribute(value: float | list[int]) -> bytes:
    if isinstance(value, float):
        return fixed(2, struct.pack("<f", value)) + number(20, 1)
    if isinstance(value, int):
        return number(3, value) + number(20, 2)
    return b"".join(number(8, each) for each in value) + number(20, 7)


def _declared(name: str, shape: Sequence[int | str]) -> bytes:
    lengths = (number(1, length) if isinstance(length, int) else content(2, length) for length in shape)
    return content(1, name) + content(
        2, content(1, number(1, 1) + content(2, b"".join(content(1, length) for length in lengths)))
    )

"""Reads the weights out of a model in ONNX format, and writes small graphs.

The `onnx` package does that too, but it is too large for a tool that searches notes. A model is a message in the
encoding of protocol buffers: numbered fields that hold whole numbers, or bytes with a length, which may be a text or
another message.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONTRIBUTED: Final = "com.microsoft"
"""Operators that `onnxruntime` adds to those of the standard."""

_NUMBER: Final = 0
_BYTES: Final = 2
_FIXED: Final = {1: 8, 5: 4}
"""The kinds of values with a fixed number of bytes."""

_KINDS: Final[dict[int, np.dtype[Any]]] = {
    1: np.dtype("<f4"),
    2: np.dtype("u1"),
    3: np.dtype("i1"),
    7: np.dtype("<i8"),
    9: np.dtype("?"),
}
"""The types of a tensor's numbers, by their code in the file."""

_OPSET: Final = 17
"""The first version of the operators with `LayerNormalization`."""
_IR: Final = 8
"""The version of the format that goes with it."""


class OnnxNode(NamedTuple):
    """An operation of a graph."""

    operation: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


class OnnxGraph(NamedTuple):
    """The operations and weights of a model."""

    nodes: list[OnnxNode]
    tensors: dict[str, NDArray[Any]]
    """The weights by name. They lie in the mapped file, so only those used are read."""


def read(file: Path) -> OnnxGraph:
    """Read the operations and the weights of a model.

    Raises:
        ValueError: the file is no model, is cut, or has weights of another type.
        OSError: the file cannot be read.
    """
    graph = OnnxGraph([], {})
    for message in _all(_mapped(file), 7):
        graph.nodes.extend(map(_read_node, _all(message, 1)))
        graph.tensors.update(map(_read_tensor, _all(message, 5)))
    return graph


def fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yields the number and the value of each field of a message, in order; bytes are not copied.

    Raises:
        ValueError: it is no message, or is cut.
    """
    place = 0
    while place < len(message):
        key, place = _number_at(message, place)
        kind = key & 7
        if kind == _NUMBER:
            value, place = _number_at(message, place)
            yield key >> 3, value
            continue
        if kind == _BYTES:
            length, place = _number_at(message, place)
        elif kind in _FIXED:
            length = _FIXED[kind]
        else:
            raise ValueError(f"no kind of value: {kind}")
        if place + length > len(message):
            raise ValueError("the message is cut")
        yield key >> 3, message[place : place + length]
        place += length


def number(field: int, value: int) -> bytes:
    """Encode a field with a whole number; a negative one as its complement to 2⁶⁴."""
    return _varint(field << 3 | _NUMBER) + _varint(value & (1 << 64) - 1)


def content(field: int, value: bytes | str) -> bytes:
    """Encode a field with bytes, a text, or another message."""
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | _BYTES) + _varint(len(data)) + data


class Builder:
    """A graph that grows operation by operation."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def tensor(self, name: str, numbers: NDArray[Any]) -> str:
        """Add weights; return their name."""
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
        """Add an operation; return the name of its first output."""
        message = b"".join(content(1, name) for name in inputs) + b"".join(content(2, name) for name in outputs)
        message += content(3, f"{operation} {outputs[0]}") + content(4, operation)
        for name, value in (attributes or {}).items():
            message += content(5, content(1, name) + _attribute(value))
        self._parts.append(content(1, message + (content(7, domain) if domain else b"")))
        return outputs[0]

    def model(self, given: tuple[str, Sequence[int | str]] | None, made: tuple[str, Sequence[int | str]]) -> bytes:
        """Returns the model in ONNX format. It has at most one input and one output of floats, each a name and
        shape."""
        inputs = content(11, _declared(*given)) if given is not None else b""
        graph = b"".join((*self._parts, content(2, "graph"), inputs, content(12, _declared(*made))))
        opsets = content(8, content(1, "") + number(2, _OPSET)) + content(8, content(1, CONTRIBUTED) + number(2, 1))
        return b"".join((number(1, _IR), content(7, graph), opsets))


def _mapped(file: Path) -> memoryview:
    with file.open("rb") as opened:
        return memoryview(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))


def _all(message: memoryview, field: int) -> Iterator[memoryview]:
    """Returns the values, other than numbers, of the fields with the number `field`."""
    return (value for found, value in fields(message) if found == field and isinstance(value, memoryview))


def _texts(message: memoryview, field: int) -> tuple[str, ...]:
    return tuple(str(value, "utf-8") for value in _all(message, field))


def _read_node(message: memoryview) -> OnnxNode:
    return OnnxNode("".join(_texts(message, 4)), _texts(message, 1), _texts(message, 2))


def _read_tensor(message: memoryview) -> tuple[str, NDArray[Any]]:
    name = "".join(_texts(message, 8))
    numbers = [(field, value) for field, value in fields(message) if isinstance(value, int)]
    kind = dict(numbers).get(2, 0)
    if kind not in _KINDS:
        raise ValueError(f"{name} has numbers of kind {kind}")
    data = next(_all(message, 9), memoryview(b""))
    return name, np.frombuffer(data, _KINDS[kind]).reshape([value for field, value in numbers if field == 1])


def _number_at(message: memoryview, place: int) -> tuple[int, int]:
    """Returns the number that begins at a place, and the place after it."""
    value = shift = 0
    while shift < 70:
        if place >= len(message):
            raise ValueError("the message is cut")
        byte = message[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
        shift += 7
    raise ValueError("a number is too long")


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _attribute(value: float | list[int]) -> bytes:
    if isinstance(value, float):
        return _varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
    if isinstance(value, int):
        return number(3, value) + number(20, 2)
    return b"".join(number(8, each) for each in value) + number(20, 7)


def _declared(name: str, shape: Sequence[int | str]) -> bytes:
    lengths = (number(1, length) if isinstance(length, int) else content(2, length) for length in shape)
    return content(1, name) + content(
        2, content(1, number(1, 1) + content(2, b"".join(content(1, length) for length in lengths)))
    )

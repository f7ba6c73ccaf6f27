"""Reads and writes messages in the encoding of protocol buffers.

Only what a model in ONNX format needs: whole numbers, and bytes with a length.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_VARINT: Final = 0
_BYTES: Final = 2
_FIXED: Final = {1: 8, 5: 4}
"""Kinds of values with a fixed number of bytes."""


def fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The number and the value of each field, in their order; bytes are not copied.

    Raises:
        ValueError: it is no message, or is cut.
    """
    place = 0
    while place < len(message):
        key, place = _number_at(message, place)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, place = _number_at(message, place)
            yield number, value
            continue
        if kind == _BYTES:
            length, place = _number_at(message, place)
        elif kind in _FIXED:
            length = _FIXED[kind]
        else:
            raise ValueError(f"no kind of value: {kind}")
        if place + length > len(message):
            raise ValueError("the message is cut")
        yield number, message[place : place + length]
        place += length


def number(field: int, value: int) -> bytes:
    """A field with a whole number; a negative one as its complement to 2⁶⁴."""
    return _varint(field << 3 | _VARINT) + _varint(value & (1 << 64) - 1)


def content(field: int, value: bytes | str) -> bytes:
    """A field with bytes, a text, or another message."""
    data = value.encode() if isinstance(value, str) else value
    return b"".join((_varint(field << 3 | _BYTES), _varint(len(data)), data))


def fixed(field: int, four_bytes: bytes) -> bytes:
    """A field with a number of four bytes."""
    return _varint(field << 3 | 5) + four_bytes


def _number_at(message: memoryview, place: int) -> tuple[int, int]:
    """The number that begins at a place, and where it ends."""
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

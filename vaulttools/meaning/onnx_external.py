"""Lists the files in which a model in ONNX format keeps weights outside its own."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from vaulttools.meaning.protobuf import fields

_WITHIN: Final[dict[str, dict[int, str]]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {13: "entry"},
}
"""The messages that can hold a tensor, or that a tensor names its file with, by the number of their field."""

_DEEPEST: Final = 100
"""Messages within messages: a graph within an operation needs three, and no model has many of these."""


def files(model: Path) -> list[Path]:
    """The files beside a model that hold weights of it, each once, sorted.

    Old versions of `onnxruntime` would read any file that a model names.

    Raises:
        ValueError: it is no model, or names a file that is not in its own folder.
        OSError: it cannot be read.
    """
    with model.open("rb") as opened:
        content = memoryview(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))
    found = {_inside(model, location) for location in _locations(content, "model", 0)}
    return sorted(found)


def _locations(message: memoryview, kind: str, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        raise ValueError("its graphs lie too deep in each other")
    if kind == "entry":
        entry = {number: str(value, "utf-8") for number, value in fields(message) if not isinstance(value, int)}
        if entry.get(1) == "location":
            yield entry.get(2, "")
        return
    within = _WITHIN[kind]
    for number, value in fields(message):
        if number in within and not isinstance(value, int):
            yield from _locations(value, within[number], depth + 1)


def _inside(model: Path, location: str) -> Path:
    """A file that a model names. It may be a link to where the model itself is one to, as in a cache of downloads."""
    named = PurePosixPath(location)
    found = (model.parent / location).resolve()
    folders = (model.parent.resolve(), model.resolve().parent)
    if named.is_absolute() or ".." in named.parts or not any(found.is_relative_to(folder) for folder in folders):
        raise ValueError(f"it names {location}, which is not in its folder")
    return found

"""Packs arrays of numbers into bytes, and tells damage when they are read."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DIGEST_BYTES: Final = 16


def packed(arrays: Sequence[NDArray[Any]]) -> bytes:
    """Some arrays behind a digest of them, in numpy's own format."""
    file = io.BytesIO()
    for array in arrays:
        np.save(file, array, allow_pickle=False)
    content = file.getvalue()
    return xxhash.xxh3_128_digest(content) + content


def unpacked(data: bytes) -> list[NDArray[Any]] | None:
    """What was packed; None when it is damaged. Nothing in it is run."""
    content = memoryview(data)[_DIGEST_BYTES:]
    if data[:_DIGEST_BYTES] != xxhash.xxh3_128_digest(content):
        return None
    file = io.BytesIO(content)
    arrays = []
    try:
        while file.tell() < len(content):
            arrays.append(np.load(file, allow_pickle=False))
    except (ValueError, EOFError, OSError):
        return None
    return arrays

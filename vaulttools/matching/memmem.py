"""Tells whether bytes hold a text, by the C library's `memmem` where it is faster."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any, Final

_LEAST_BYTES: Final = 2_048
"""From there on glibc's search takes less time than Python's, the call included: 1 µs against 1.4, and in 64 KiB 14
against 45 (CPython 3.11)."""

_LENGTHS: Final = range(3, 65)
"""Bytes of the texts: glibc compares a longer one in vain more often, and Python looks for one or two as fast."""


def holds(data: bytes, text: bytes) -> bool:
    """What `text in data` says."""
    if len(data) < _LEAST_BYTES or len(text) not in _LENGTHS:
        return text in data
    memmem = _memmem()
    return text in data if memmem is None else memmem(data, len(data), text, len(text)) is not None


@cache
def _memmem() -> Callable[[bytes, int, bytes, int], int | None] | None:
    """The address at which a text begins in bytes, None: nowhere; None where the system has no such function."""
    if sys.platform != "linux":
        return None
    try:
        import ctypes

        memmem: Any = ctypes.PyDLL(None).memmem  # one that kept other threads going would wait for them afterwards
    except (ImportError, OSError, AttributeError):
        return None
    memmem.argtypes = (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
    memmem.restype = ctypes.c_void_p
    found: Callable[[bytes, int, bytes, int], int | None] = memmem
    return found

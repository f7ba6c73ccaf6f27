"""Tags texts with four hex digits, and keeps the newest texts by tag.

What a file holds now is read elsewhere; comparing its tag with an old one tells whether it has changed.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Final

import xxhash

KEPT_BYTES: Final = 64 * 1024 * 1024
"""Bytes of text, as UTF-8, that a store keeps."""

_ENTRY_BYTES: Final = 400
"""Bytes that an entry counts besides its text: path, key and place in the order (measured, a path of 30 letters)."""


def tag(text: str) -> str:
    r"""The tag of a text: the low 16 bits of xxHash32, seeded with 0, as four upper-case hex digits.

    Blanks, tabs and `\r` at the end of a line do not count, so `\r\n` is `\n`; every `\n` counts, the last one too.

    >>> tag(""), tag("a  \n"), tag("a\r\n"), tag("a")
    ('5D05', '9585', '9585', '7456')
    """
    return _tag(text.encode("utf-8", "surrogatepass"))


def _tag(data: bytes) -> str:
    lines = b"\n".join([line.rstrip(b" \t\r") for line in data.split(b"\n")])
    return f"{xxhash.xxh32_intdigest(lines, seed=0) & 0xFFFF:04X}"


class SnapshotStore:
    """The newest texts by path and tag, for any number of threads.

    Texts are held as UTF-8, which makes the bound one of bytes: the entry added longest ago goes first.
    """

    def __init__(self, most_bytes: int = KEPT_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._texts: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._lock = Lock()

    def add(self, path: str, text: str) -> str:
        """Keep the text of a file as its newest and return its tag.

        Under the same path and tag the later text stays (they differ in trailing blanks, or one time in 65,536). A text
        larger than the whole bound is not kept.
        """
        data = text.encode("utf-8", "surrogatepass")
        tag = _tag(data)
        with self._lock:
            self._drop((path, tag))
            if len(data) + _ENTRY_BYTES <= self._most_bytes:
                self._texts[path, tag] = data
                self._bytes += len(data) + _ENTRY_BYTES
                while self._bytes > self._most_bytes:
                    self._drop(next(iter(self._texts)))
        return tag

    def get(self, path: str, tag: str) -> str | None:
        """The text with a tag, or None when there was none or it is no longer kept."""
        with self._lock:
            data = self._texts.get((path, tag))
        return None if data is None else data.decode("utf-8", "surrogatepass")

    def _drop(self, key: tuple[str, str]) -> None:
        data = self._texts.pop(key, None)
        if data is not None:
            self._bytes -= len(data) + _ENTRY_BYTES

"""Tags texts with four hex digits, and keeps the newest texts by tag.

What a file holds now is read elsewhere; comparing its tag with an old one tells whether it has changed.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Final

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
    from xxhash import xxh32_intdigest

    lines = b"\n".join([line.rstrip(b" \t\r") for line in data.split(b"\n")])
    return f"{xxh32_intdigest(lines, seed=0) & 0xFFFF:04X}"


@dataclass(slots=True)
class _Stored:
    """One text, and how many entries of the store share it."""

    data: bytes
    entries: int = 0


class SnapshotStore:
    """The newest texts by path and tag, for any number of threads; a text that several entries share is held once.

    Texts are held as UTF-8, which makes the bound one of bytes: the entry added longest ago goes first.
    """

    def __init__(self, most_bytes: int = KEPT_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._entries: OrderedDict[tuple[str, str], _Stored] = OrderedDict()
        self._stored: dict[bytes, _Stored] = {}
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
                self._keep((path, tag), data)
        return tag

    def get(self, path: str, tag: str) -> str | None:
        """The text that a tag stands for, or None when it never did or is no longer kept."""
        with self._lock:
            stored = self._entries.get((path, tag))
        return None if stored is None else stored.data.decode("utf-8", "surrogatepass")

    def _keep(self, key: tuple[str, str], data: bytes) -> None:
        stored = self._stored.get(data)
        if stored is None:
            stored = self._stored[data] = _Stored(data)
            self._bytes += len(data)
        stored.entries += 1
        self._entries[key] = stored
        self._bytes += _ENTRY_BYTES
        while self._bytes > self._most_bytes:
            self._drop(next(iter(self._entries)))

    def _drop(self, key: tuple[str, str]) -> None:
        stored = self._entries.pop(key, None)
        if stored is None:
            return
        self._bytes -= _ENTRY_BYTES
        stored.entries -= 1
        if stored.entries == 0:
            del self._stored[stored.data]
            self._bytes -= len(stored.data)

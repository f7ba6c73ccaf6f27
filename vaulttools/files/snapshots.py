"""Tags texts with four hex digits, and keeps the newest texts by tag.

What a file holds now is read elsewhere; comparing its tag with an old one tells whether it has changed.
"""

from __future__ import annotations

from typing import Final

import xxhash

from vaulttools.core.recent import Recent

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

    Texts are held as UTF-8, which makes the bound one of bytes: what was used longest ago goes first.
    """

    def __init__(self, most_bytes: int = KEPT_BYTES) -> None:
        self._texts: Recent[tuple[str, str], bytes] = Recent(most_bytes)

    def add(self, path: str, text: str) -> str:
        """Keep the text of a file as its newest and return its tag.

        Under the same path and tag the later text stays (they differ in trailing blanks, or one time in 65,536). A text
        larger than the whole bound is not kept.
        """
        data = text.encode("utf-8", "surrogatepass")
        tag = _tag(data)
        self._texts.put((path, tag), data, len(data) + _ENTRY_BYTES)
        return tag

    def get(self, path: str, tag: str) -> str | None:
        """The text with a tag, or None when there was none or it is no longer kept."""
        data = self._texts.get((path, tag))
        return None if data is None else data.decode("utf-8", "surrogatepass")

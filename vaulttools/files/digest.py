"""Computes a text's digest, which tells whether two texts are the same."""

from __future__ import annotations

import xxhash

from vaulttools.files.document import Document


def digest(text: str) -> bytes:
    """XXH3 (128 bits) of a decoded text: as good as the text itself for telling whether two are the same."""
    return xxhash.xxh3_128_digest(text.encode("utf-8", "surrogatepass"))


def has_digest(document: Document, known: bytes) -> bool:
    """Whether a text has a digest. Most are valid UTF-8, so that their bytes tell, and nothing is decoded."""
    content = document.content
    is_it = isinstance(content, bytes) and xxhash.xxh3_128_digest(content) == known
    return is_it or digest(document.text) == known

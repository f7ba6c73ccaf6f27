"""Divides texts into tokens, each word only once.

A tokenizer needs a quarter of a millisecond or more for a passage; most of its words have been there before.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_CHUNK: Final = re.compile(r"[^ \t\n\r]+")
"""What lies between these is no part of a token for any of the models here; they take more for space."""

_MOST: Final = 100_000
"""Chunks that are kept: about 20 MB. Then it begins anew."""

_LONGEST: Final = 40
"""Characters of a chunk that is kept: a longer one hardly comes again."""


class Chunks:
    """What lies between spaces, and its tokens, by a tokenizer to which no token spans a space."""

    def __init__(self, tokens: Callable[[str], list[int]]) -> None:
        self._tokens = tokens
        self._known: dict[str, list[int]] = {}

    def tokens(self, text: str) -> list[int]:
        """Those of a text, as the tokenizer would give them."""
        known, found = self._known, []
        for chunk in _CHUNK.findall(text):
            tokens = known.get(chunk)
            if tokens is None:
                tokens = self._tokens(chunk)
                if len(chunk) <= _LONGEST:
                    known[chunk] = tokens
            found += tokens
        if len(known) > _MOST:
            self._known = {}
        return found

"""Knows which words are English, and so are spelt as they are meant."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

_FILE: Final = Path(__file__).with_name("english_words.txt")


def is_word(text: str) -> bool:
    """Whether a word of four letters or more, in any case, is one of 64,000 of British and American English, their
    inflections included (`english_words.LICENSE` names their source)."""
    words, wanted = _words(), text.lower()
    low, high = 0, len(words)
    while low < high:  # a search from the beginning takes 0.3 ms, this 0.01
        begin = words.rfind("\n", low, (low + high) // 2) + 1 or low
        end = words.index("\n", begin)
        word = words[begin:end]
        if word == wanted:
            return True
        low, high = (end + 1, high) if word < wanted else (low, begin)
    return False


@cache
def _words() -> str:
    """In their order, each with a line end behind it; a set would take 6 MB, and ten times as long to make."""
    return _FILE.read_text(encoding="ascii")

"""Knows which words are English, and so are spelt as they are meant."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

_FILE: Final = Path(__file__).with_name("english_words.txt")


def is_word(text: str) -> bool:
    """Whether a word of four letters or more, in any case, is one of 64,000 of British and American English, their
    inflections included (`english_words.LICENSE` names their source)."""
    return f"\n{text.lower()}\n" in _words()


@cache
def _words() -> str:
    return f"\n{_FILE.read_text(encoding='ascii')}"  # a set would take 6 MB, and ten times as long to make

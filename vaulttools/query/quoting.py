"""Quotes a value of a query if a bare word would mean something else."""

from __future__ import annotations

import re
from typing import Final

VALUE_WORD: Final = re.compile(r'[^\s()"\]]+')


def of_tag(name: str) -> str:
    """Returns a query for a tag, given without `#`."""
    return f"tag:{plain('#' + name)}"


def plain(text: str) -> str:
    """Returns a value for use after an operator."""
    return text if VALUE_WORD.fullmatch(text) else quoted(text)


def quoted(text: str) -> str:
    """Returns a text as a phrase."""
    return '"' + text.replace("\\", r"\\").replace('"', r"\"") + '"'

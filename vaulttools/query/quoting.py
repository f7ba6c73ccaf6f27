"""Quotes a value of a query where a bare word would mean something else."""

from __future__ import annotations

import re
from typing import Final

VALUE_WORD: Final = re.compile(r'[^\s()"\]]+')


def of_tag(name: str) -> str:
    """What asks for a tag, given without `#`."""
    return f"tag:{plain('#' + name)}"


def plain(text: str) -> str:
    """A value as it stands behind an operator."""
    return text if VALUE_WORD.fullmatch(text) else quoted(text)


def quoted(text: str) -> str:
    """A text as a phrase."""
    return '"' + text.replace("\\", r"\\").replace('"', r"\"") + '"'

"""Finds where bases are written: `.base` files, and `base` blocks in notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from vaulttools.notes.parts import Span

_OPENING: Final = re.compile(r"[ \t>]*(?:[-*+][ \t]+)*(`{3,}|~{3,})[ \t]*base[ \t]*\r?")
_PREFIX: Final = re.compile(r"[ \t]*(?:>[ \t]?)*")


class BaseBlock(NamedTuple):
    """A `base` block of a note."""

    line: int
    """Of its fence, from 1."""
    text: str
    """What stands between its fences."""


def is_base(path: str) -> bool:
    """Whether a file is a base by its name."""
    return path.lower().endswith(".base")


def blocks(lines: Sequence[str], code: Iterable[Span]) -> list[BaseBlock]:
    """The `base` blocks of a note, from its lines and the first and last lines of its code blocks."""
    found = []
    for first, last in code:
        opening = _OPENING.fullmatch(lines[first - 1]) if first <= len(lines) else None
        if opening is None:
            continue
        prefix = _PREFIX.match(lines[first - 1])
        depth = 0 if prefix is None else len(prefix[0])
        body = [line.removesuffix("\r") for line in lines[first:last]]
        if body and body[-1].strip(" \t>").startswith(opening[1]):
            body.pop()
        # A block in a quote or a list has its marks, or as many blanks, before each line.
        found.append(BaseBlock(first, "\n".join(line[min(depth, _marks(line)) :] for line in body)))
    return found


def _marks(line: str) -> int:
    prefix = _PREFIX.match(line)
    return 0 if prefix is None else len(prefix[0])

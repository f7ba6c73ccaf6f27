"""Finds Markdown links among square brackets, as markdown-it's inline parser does.

Linear in the text: each bracket is put on a stack and taken off once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from markdown_it.helpers import parseLinkDestination, parseLinkTitle

_SIMPLE = re.compile(r"\(([^\s()<>\\&\x00-\x1f\x7f]++)\)")
_BLANKS = re.compile(r"[ \t\n]*+")


class MarkdownLink(NamedTuple):
    """`[text](destination)` or `![text](destination)`: its offsets, the text as written, the destination unescaped."""

    start: int
    end: int
    text: str
    destination: str


@dataclass(slots=True)
class Brackets:
    """The open brackets, outermost first."""

    text: str
    end: int
    _open: list[tuple[int, bool]] = field(default_factory=list)
    _dead: int = 0
    """How many of the outermost can no longer begin a link, since one stands in them; an embed still can."""

    def open(self, offset: int, *, embed: bool) -> None:
        """A bracket opens here."""
        self._open.append((offset, embed))

    def link_inside(self) -> None:
        """A link stood here: links hold no links."""
        self._dead = len(self._open)

    def close(self, offset: int) -> MarkdownLink | None:
        """The link that the closing bracket here belongs to, or None."""
        if not self._open:
            return None
        opening, embed = self._open.pop()
        alive = embed or len(self._open) >= self._dead
        self._dead = min(self._dead, len(self._open))
        if not alive or (destination := self._destination(offset + 1)) is None:
            return None
        if not embed:
            self.link_inside()
        return MarkdownLink(opening - embed, destination[1], self.text[opening + 1 : offset], destination[0])

    def _destination(self, offset: int) -> tuple[str, int] | None:
        """Where the link leads whose `(` stands here, and the offset after its `)`."""
        text, end = self.text, self.end
        if simple := _SIMPLE.match(text, offset, end):
            return simple[1], simple.end()
        if offset >= end or text[offset] != "(":
            return None
        position = self._past_blanks(offset + 1)
        found = parseLinkDestination(text, position, end)
        if found.ok:
            after = found.pos
            position = self._past_blanks(after)
            if position > after and (title := parseLinkTitle(text, position, end)).ok:
                position = self._past_blanks(title.pos)
        return (found.str, position + 1) if position < end and text[position] == ")" else None

    def _past_blanks(self, offset: int) -> int:
        blanks = _BLANKS.match(self.text, offset, self.end)
        return blanks.end() if blanks else offset

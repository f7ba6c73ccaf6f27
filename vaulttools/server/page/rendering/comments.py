"""Takes `%%comments%%` out of a text without moving its lines."""

from __future__ import annotations

import re

from vaulttools.notes.markdown.structure import comment_offsets

_SHOWN = re.compile(r"[^\n]+")


def without_comments(text: str, body_line: int) -> str:
    """The text, in which comments from line `body_line` on are gone but for their line ends."""
    parts: list[str] = []
    done = 0
    for start, end in comment_offsets(text, body_line):
        parts += (text[done:start], _SHOWN.sub("", text[start : end + 1]))
        done = end + 1
    return "".join((*parts, text[done:]))

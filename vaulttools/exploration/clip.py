"""Clips lines of the exploration tools to 800 bytes."""

from __future__ import annotations

from typing import Final

from vaulttools.core import render

LINE_BYTES: Final = 800
"""UTF-8 bytes of one line, the marks of a cut included, its end not."""

MARK: Final = "..."
"""What stands where a line was cut."""

_LEAD: Final = 60
"""Characters kept before a first match that begins beyond the clip. An escaped one takes at most ten bytes, so the
match itself always fits behind them."""


def line(text: str) -> str:
    """The text, cut at its end, never inside a character."""
    return text if _size(text) <= LINE_BYTES else f"{cut(text, LINE_BYTES - len(MARK))}{MARK}"


def note_line(head: str, text: str, first_match: int | None = None) -> str:
    """A line of a note behind a head of ours such as `  12:`, escaped, without trailing blanks.

    `first_match` is the character, from 0, where the first match begins; when that lies beyond the clip, the clip is
    made around it.
    """
    text = text.rstrip()
    room = LINE_BYTES - _size(head) - 1
    whole = render.visible(text[: room + 1])
    if _size(whole) <= room:
        return f"{head} {whole}" if whole else head
    start = 0
    if first_match is not None and not _reaches(text, first_match, room - len(MARK)):
        start = max(0, min(first_match, len(text)) - _LEAD)
    room -= len(MARK) if start else 0
    rest = render.visible(text[start : start + room + 1])
    shown = rest if _size(rest) <= room else f"{cut(rest, room - len(MARK))}{MARK}"
    return f"{head} {MARK if start else ''}{shown}"


def cut(text: str, room: int) -> str:
    """The first characters of the text that fit whole into so many bytes."""
    return text.encode("utf-8", "backslashreplace")[:room].decode("utf-8", "ignore")


def _reaches(text: str, first_match: int, room: int) -> bool:
    """Whether the clip at a line's beginning shows the character where the match begins."""
    return first_match < room and _size(render.visible(text[: first_match + 1])) <= room


def _size(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))

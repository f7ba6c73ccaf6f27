r"""Writes the lines of exploration's answers: values and rows in a TOON-like form, clipped lines.

A value is bare if it contains only `A-Z a-z 0-9 _ - . / =`; others are in double quotes, with `"`, `\`, line feeds,
tabs and invisible characters escaped (TOON 7.1; fault-O03).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from vaulttools.core import paths, render

_BARE = re.compile(r"[A-Za-z0-9_\-./=]+")
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True)
class Count:
    """A number of lines or files, exact or a lower bound."""

    number: int
    at_least: bool = False

    def __add__(self, other: Count) -> Count:
        return Count(self.number + other.number, self.at_least or other.at_least)

    @property
    def words(self) -> str:
        """In text: `41`, `at least 50000`."""
        return f"at least {self.number}" if self.at_least else str(self.number)

    @property
    def cell(self) -> str:
        """In a row of `survey`: `41`, `>=50000`."""
        return f">={self.number}" if self.at_least else str(self.number)


def value(text: str, room: int | None = None) -> str:
    """Returns the text as a value; with `room`, cut and marked inside the quotes to at most so many bytes."""
    text = paths.portable(text)
    if room is not None:
        text = _shortened(text, room)
    return text if _BARE.fullmatch(text) else f'"{"".join(map(_escaped, text))}"'


def row(indent: int, *cells: str | int | Count) -> str:
    """Returns one row: texts as values, numbers bare. Long texts are cut, so that the numbers after them stay."""
    texts = [cell for cell in cells if isinstance(cell, str)]
    whole = _joined(indent, cells, None)
    if len(whole.encode()) <= LINE_BYTES:
        return whole
    fixed = len(_joined(indent, ["" if isinstance(cell, str) else cell for cell in cells], None)) - 2 * len(texts)
    return _joined(indent, cells, (LINE_BYTES - fixed) // len(texts))


def _joined(indent: int, cells: list[str | int | Count] | tuple[str | int | Count, ...], room: int | None) -> str:
    return " " * indent + ",".join(_cell(cell, room) for cell in cells)


def _cell(cell: str | int | Count, room: int | None) -> str:
    if isinstance(cell, str):
        return value(cell, room)
    return cell.cell if isinstance(cell, Count) else str(cell)


def _shortened(text: str, room: int) -> str:
    size = 2
    fitting = 0
    for index, character in enumerate(text):
        size += len(_escaped(character).encode())
        if size > room:
            return text[:fitting] + MARK
        if size + len(MARK) <= room:
            fitting = index + 1
    return text


def _escaped(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    if character.isprintable() or paths.shown(character) == character:
        return character
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


LINE_BYTES: Final = 800
"""Most UTF-8 bytes of one line, with the marks of a cut, without its end."""

MARK: Final = "..."
"""Marks the place where a line was cut."""

_LEAD: Final = 60
"""Characters kept before a first match beyond the clip. An escaped one takes at most ten bytes, so the match always
fits after them."""


def clipped(text: str) -> str:
    """Returns the text, cut at the end if it is too long, never inside a character."""
    return text if _size(text) <= LINE_BYTES else f"{_cut(text, LINE_BYTES - len(MARK))}{MARK}"


def note_line(head: str, text: str, first_match: int | None = None) -> str:
    """Returns a line of a note after a head such as `  12:`, escaped, without trailing blanks.

    `first_match` is the character, from 0, where the first match begins; if it lies beyond the clip, the text around it
    is shown.
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
    shown = rest if _size(rest) <= room else f"{_cut(rest, room - len(MARK))}{MARK}"
    return f"{head} {MARK if start else ''}{shown}"


def _cut(text: str, room: int) -> str:
    """Returns the first characters of the text that fit into `room` bytes."""
    return text.encode("utf-8", "backslashreplace")[:room].decode("utf-8", "ignore")


def _reaches(text: str, first_match: int, room: int) -> bool:
    """Whether a clip from the line's beginning shows the first character of the match."""
    return first_match < room and _size(render.visible(text[: first_match + 1])) <= room


def _size(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))

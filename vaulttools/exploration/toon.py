r"""Writes values and rows in the exploration protocol's TOON-like form, one line each.

A value is bare when it holds only `A-Z a-z 0-9 _ - . / =`; any other stands in double quotes, with `"`, `\`, line
feeds, tabs and invisible characters escaped (TOON 7.1; fault-O03).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from vaulttools.core import paths
from vaulttools.exploration import clip

_BARE = re.compile(r"[A-Za-z0-9_\-./=]+")
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True)
class Count:
    """A number of lines or files, exact, or the least it is."""

    number: int
    at_least: bool = False

    def __add__(self, other: Count) -> Count:
        return Count(self.number + other.number, self.at_least or other.at_least)

    @property
    def words(self) -> str:
        """As text has it: `41`, `at least 50000`."""
        return f"at least {self.number}" if self.at_least else str(self.number)

    @property
    def cell(self) -> str:
        """As a row of `survey` has it: `41`, `>=50000`."""
        return f">={self.number}" if self.at_least else str(self.number)


def value(text: str, room: int | None = None) -> str:
    """The text as a value; with `room`, cut and marked within the quotes so that it takes at most so many bytes."""
    text = paths.portable(text)
    if room is not None:
        text = _shortened(text, room)
    return text if _BARE.fullmatch(text) else f'"{"".join(map(_escaped, text))}"'


def row(indent: int, *cells: str | int | Count) -> str:
    """One row: texts as values, numbers bare. Long texts give way, so that the numbers behind them stay."""
    texts = [cell for cell in cells if isinstance(cell, str)]
    line = _joined(indent, cells, None)
    if len(line.encode()) <= clip.LINE_BYTES:
        return line
    fixed = len(_joined(indent, ["" if isinstance(cell, str) else cell for cell in cells], None)) - 2 * len(texts)
    return _joined(indent, cells, (clip.LINE_BYTES - fixed) // len(texts))


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
            return text[:fitting] + clip.MARK
        if size + len(clip.MARK) <= room:
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

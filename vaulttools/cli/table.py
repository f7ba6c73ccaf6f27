"""Lays out the Markdown tables of an answer for the width of a terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

_TABLE: Final = re.compile(r"(?m)^\|.*\|\n\|(?: ?--- ?\|)+\n(?:\|.*\|\n?)*")
"""A table as our tools write it; lines of notes never begin a line of an answer."""

_CELL_END: Final = re.compile(r"(?<!\\) \| ")

WIDEST: Final = 400
"""Upper bound of a table's columns, however wide the terminal is."""

_BETWEEN: Final = "  "


def laid_out(text: str, width: int) -> str:
    """Returns the text with its tables in columns; a cell that is too long continues below."""
    return _TABLE.sub(lambda found: _laid_out(found[0], width), text)


def _laid_out(table: str, width: int) -> str:
    end = "\n" if table.endswith("\n") else ""
    head, _, *rows = (_cells(line) for line in table.rstrip("\n").split("\n"))
    widths = _widths([head, *rows], width)
    if widths is None:
        return "\n\n".join("\n".join(_listed(head, row, width)) for row in rows) + end
    rule = ["-" * each for each in widths]
    return "\n".join(line for row in (head, rule, *rows) for line in _row(row, widths)) + end


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _CELL_END.split(line[1:-1])]


def _widths(rows: Sequence[Sequence[str]], width: int) -> list[int] | None:
    """Returns the width of each column, so that no word is cut; None if the columns do not fit side by side."""
    columns = [*zip(*rows, strict=False)]
    needed = [max(1, *map(_size, column)) for column in columns]
    found = [max(1, *(_size(word) for cell in column for word in cell.split(" "))) for column in columns]
    room = width - len(_BETWEEN) * (len(needed) - 1) - sum(found)
    if room < 0:
        return None
    for done, number in enumerate(sorted(range(len(needed)), key=lambda number: needed[number] - found[number])):
        more = min(needed[number] - found[number], room // (len(needed) - done))
        found[number] += more
        room -= more
    return found


def _row(cells: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    parts = [_wrapped(cell, width) for cell, width in zip(cells, widths, strict=False)]
    for number in range(max(map(len, parts))):
        line = [part[number] if number < len(part) else "" for part in parts]
        padded = (text + " " * (width - _size(text)) for text, width in zip(line, widths, strict=False))
        yield _BETWEEN.join(padded).rstrip()


def _listed(head: Sequence[str], row: Sequence[str], width: int) -> Iterator[str]:
    for name, cell in zip(head, row, strict=False):
        first, *others = _wrapped(f"{name}: {cell}", width - 2)
        yield first
        yield from (f"  {other}" for other in others)


def _wrapped(text: str, width: int) -> list[str]:
    """Wrap a text to a width, at its blanks if possible; no word is lost."""
    lines = [""]
    for word in text.split(" "):
        while _size(word) > width:
            if lines[-1]:
                lines.append("")
            cut = _cut(word, width)
            lines[-1], word = word[:cut], word[cut:]
            lines.append("")
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if _size(joined) <= width:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines if lines[-1] or len(lines) == 1 else lines[:-1]


def _cut(word: str, width: int) -> int:
    return next(number for number in range(len(word), 0, -1) if number == 1 or _size(word[:number]) <= width)


def _size(text: str) -> int:
    """Returns the columns that a terminal needs for a text."""
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text
    )

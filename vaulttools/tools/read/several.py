"""Shows several texts in one answer, which share its room fairly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from vaulttools.answers import answer, reading
from vaulttools.answers.reading import Part, Reading
from vaulttools.core import limits, paths, render
from vaulttools.core.folding.identity import identity
from vaulttools.core.voice import Voice
from vaulttools.notes.properties import values as property_values

MOST: Final = 20
"""Most texts of one answer."""

_NAME_BYTES: Final = 800
"""A path with more bytes is not shown beside others: twice twenty of such paths leave room for the lines."""

_CUT_BYTES: Final = 100
"""Bytes reserved for the sentence that a table was cut."""

_CELL: Final = 200
"""Characters of one cell of a table of properties."""


@dataclass(frozen=True, slots=True)
class ShownText:
    """One of the texts, as far as it is shown."""

    opened: Reading
    part: Part
    lines: Sequence[str]
    """Numbered."""
    cut_at: int | None
    """Characters shown of its only line if that is cut; None: lines are whole."""
    voice: Voice

    @property
    def end(self) -> int:
        """The last line that is shown; one less than the first if no line is."""
        return self.part.start + len(self.lines) - 1

    @property
    def next_line(self) -> int | None:
        """The first requested line that is not shown."""
        return self.end + 1 if self.end < self.part.end else None

    def notices(self) -> list[str]:
        """Returns what is unusual about it, what was cut, and the call that reads on."""
        texts = [*self.part.notices, *self.opened.notices]
        if self.cut_at is not None:
            texts.append(reading.cut(self.end, self.cut_at, len(self.opened.document.lines[self.end - 1]), self.voice))
        if self.next_line is not None:
            texts.append(f"To read on: {self.voice.call('read', self.call(self.next_line))}")
        return texts

    def call(self, line: int) -> dict[str, Any]:
        """Returns the arguments of the call that reads on from a line."""
        call: dict[str, Any] = {"note": paths.portable(self.opened.document.path), "start_line": line}
        return call if self.part.end == len(self.opened.document.lines) else {**call, "end_line": self.part.end}

    def text(self) -> str:
        """Returns its first line, its lines, and its notices."""
        first = f"## {reading.first_line(self.opened, self.part, self.end)}"
        return "\n\n".join(filter(None, [first, "\n".join(self.lines), "\n".join(answer.bracketed(self.notices()))]))


def fitting(
    texts: Sequence[tuple[Reading, Part]], characters: int, notices: Sequence[str], voice: Voice
) -> list[ShownText]:
    """Returns the texts with the lines that fit into `characters` for all together, beside other notices.

    All get the same room; what one does not need goes to the others. Of each text at least the beginning of a line is
    shown.
    """
    room = _room(texts, notices, voice)
    of_lines = shares([_needed(lambda line: len(line) + 1, *each, characters) for each in texts], characters)
    # Each line has a number before it. Escaped characters take more room, and are then cut.
    of_bytes = shares([_needed(lambda line: _bytes(line) + 11, *each, room) for each in texts], room)

    def shown(number: int, more: int = 0) -> ShownText:
        opened, asked = texts[number]
        lines, cut_at = reading.fitting(opened.document, asked, of_lines[number] + more, of_bytes[number])
        return ShownText(opened, asked, lines, cut_at, voice)

    found = [shown(number) for number in range(len(texts))]
    left = characters - sum(map(_used, found))
    for number, each in enumerate(found):  # lines are not cut here, so a share may be more than what it shows
        if (each.next_line is not None or each.cut_at is not None) and left > 0:
            found[number] = shown(number, characters - sum(map(_used, found)) - (of_lines[number] - _used(each)))
    return found


def shares(needs: Sequence[int], room: int) -> list[int]:
    """Shares `room`: each gets what it needs, or as much as the others that need more.

    >>> shares([10, 100, 300], 200)
    [10, 95, 95]
    """
    found = [0] * len(needs)
    left = room
    for done, number in enumerate(sorted(range(len(needs)), key=lambda number: needs[number])):
        found[number] = min(needs[number], left // (len(needs) - done))
        left -= found[number]
    return found


def _room(texts: Sequence[tuple[Reading, Part]], others: Sequence[str], voice: Voice) -> int:
    """Returns the bytes for the lines of texts, beside the rest of the answer and other notices."""
    longest = [
        ShownText(
            opened,
            Part(asked.start, asked.end + 1, asked.label),
            [""],
            9_999_999 if opened.document.lines else None,
            voice,
        )
        for opened, asked in texts
    ]
    return (
        limits.TEXT_BYTES - sum(_bytes(each.text()) + 49 for each in longest) - sum(_bytes(each) + 2 for each in others)
    )


def is_too_long(opened: Reading) -> bool:
    """Whether the name of a text is too long to be shown beside others."""
    return render.size(opened.name) > _NAME_BYTES


def table(texts: Sequence[Reading], characters: int, notices: Sequence[str], voice: Voice) -> tuple[str, list[str]]:
    """Returns the properties of notes as a Markdown table that fits beside other notices, one row a note, and the
    notice about what was left out. A name is written as in the first note."""
    names: dict[str, str] = {}
    for each in texts:
        for name in each.note.properties:
            names.setdefault(identity(name), name)
    rows = [_row(["note", *names.values()]), _row(["---"] * (len(names) + 1))]
    for each in texts:
        held = {identity(name): value for name, value in each.note.properties.items()}
        rows.append(_row([each.name, *(property_values.text(held.get(name)) for name in names)]))
    room = limits.TEXT_BYTES - sum(map(_bytes, notices)) - _CUT_BYTES
    kept: list[str] = []
    for row in rows:
        characters -= len(row) + 1
        room -= _bytes(row)
        if min(characters, room) < 0 and len(kept) > 2:
            break
        kept.append(row)
    left = len(rows) - len(kept)
    return "\n".join(kept), [f"{render.counted(left, 'more note')}; raise {voice.name('max_chars')}."] if left else []


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(text: str) -> str:
    return render.line(" ".join(text.split()), most=_CELL).replace("\\", "\\\\").replace("|", "\\|")


def _needed(size: Callable[[str], int], opened: Reading, asked: Part, most: int) -> int:
    """Returns what all lines of a part take, at most `most`."""
    total = 0
    for line in islice(opened.document.lines, asked.start - 1, asked.end):
        total += size(line)
        if total >= most:
            return most
    return total


def _bytes(line: str) -> int:
    """Returns the bytes of a line with its end."""
    return len(line.encode("utf-8", "surrogatepass")) + 1


def _used(shown: ShownText) -> int:
    if shown.cut_at is not None:
        return shown.cut_at
    return sum(len(line) + 1 for line in shown.opened.document.lines[shown.part.start - 1 : shown.end])

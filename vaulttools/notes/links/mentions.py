"""Finds names in the plain text of a note, outside links, code and properties.

The rules are rule-B02 and rule-A02.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final

from vaulttools.core.folding.identity import identity
from vaulttools.notes.contents import Contents

_BACKTICKS: Final = re.compile("`+")

_UNSPACED: Final = range(0x2E80, 0xD7FF)
"""Scripts of East Asia, which put no blanks between words: any of their characters may be a word (as rule-S08)."""


def mentions(
    note: Contents,
    lines: Sequence[str],
    names: Collection[str],
    wanted: Iterable[int],
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[int]:
    """Yields the lines in `wanted` (from 1) with one of the names as a word of plain text, case ignored.

    ``lines`` are all lines of the note. A line counts once. It ends when `stop` returns true, which it asks for each
    name in each line.
    """
    lines = identity("\n".join(lines)).split("\n")
    folded = [*map(identity, names)]
    in_code = {line for start, end in note.structure.code for line in range(start, end + 1)}
    linked = _linked(note, lines)
    for number in wanted:
        if number < note.body_line or number in in_code:
            continue
        plain = lines[number - 1]
        hidden = bytearray(len(plain))
        for start, end in (*linked.get(number, ()), *code_spans(plain)):
            start = max(start, 0)
            hidden[start:end] = b"\1" * (min(end, len(plain)) - start)
        for name in folded:
            if stop():
                return
            if _occurs(plain, name, hidden):
                yield number
                break


def _occurs(line: str, name: str, hidden: bytearray) -> bool:
    """Whether a name is a word of a line outside the characters that are marked in `hidden`."""
    at = line.find(name)
    while at >= 0:
        end = at + len(name)
        if (
            line[at - 1 : at] != "#"
            and not (at and _joined(line[at - 1], name[0]))
            and not (end < len(line) and _joined(name[-1], line[end]))
            and hidden.find(1, at, end) < 0
        ):
            return True
        at = line.find(name, at + 1)
    return False


def _joined(first: str, second: str) -> bool:
    """Whether two neighbouring characters belong to one word; a mark belongs to what is before it, but to no blank."""
    is_mark = not second.isascii() and not first.isspace() and _is_mark(second)
    return is_mark or (_is_of_word(first) and _is_of_word(second))


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def _is_of_word(character: str) -> bool:
    if ord(character) in _UNSPACED:
        return False
    return character.isalnum() or character == "_" or _is_mark(character)


def _linked(note: Contents, lines: Sequence[str]) -> dict[int, list[tuple[int, int]]]:
    """Returns by line the start and end columns of links and embeds, or of their parts in it; the lines are folded."""
    text = "\n".join(lines)
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    found: dict[int, list[tuple[int, int]]] = {}
    position = 0
    for reference in note.structure.references:
        written = identity(reference.written)
        begin = text.find(written, max(position, starts[reference.line - 1]))
        if begin < 0:
            begin = text.find(written, starts[reference.line - 1])
        if begin < 0:
            continue
        end = begin + len(written)
        # The next reference may be nested in this one, such as an image in a link.
        position = begin + 1
        line = reference.line
        while line <= len(lines) and starts[line - 1] < end:
            found.setdefault(line, []).append((begin - starts[line - 1], end - starts[line - 1]))
            line += 1
    return found


def code_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end offsets of code spans in a line or a paragraph, backticks included."""
    runs = [(run.start(), run.end()) for run in _BACKTICKS.finditer(text)]
    last = {end - start: place for place, (start, end) in enumerate(runs)}
    place = 0
    while place < len(runs):
        start, end = runs[place]
        if last[end - start] > place:
            place = next(each for each in range(place + 1, len(runs)) if runs[each][1] - runs[each][0] == end - start)
            yield start, runs[place][1]
        place += 1

"""Splits a note's body into passages: the pieces of text that can answer a question.

A passage is, from the parsed structure: a heading with all that follows it up to the next heading, where that is short;
else each paragraph, list item with its children, code block, callout, and each row of a table, whose header row is a
passage that the others name as their parent. The heading of a long section belongs to the first passage of it. What is
longer than `LONGEST` is split at the ends of sentences, else of lines, else of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import xxhash

from vaulttools.notes.markdown.source import Source
from vaulttools.notes.note import Note
from vaulttools.notes.parts import Block

LONGEST: Final = 600
"""Characters of one passage: four of five that are shown may have 400, the first 800."""

SHORT_SECTION: Final = 400
"""Characters of a section that is one passage as a whole."""

_SENTENCE_END: Final = re.compile(r"""[.!?]["'”’)\]*_]*\s+(?=[^\W_a-z]|[`"'“‘(\[*_-])|[。！？؟।]\s*""")
"""Where a sentence ends: behind the blank after the sign stands no small letter."""
_ABBREVIATED: Final = re.compile(
    r"(?<![^\W\d_])(?:[^\W\d_]{1,2}|Mrs|deg|etc|fig|vols?|cf|approx|incl|viz|Rev|Gen|Col|Capt)\Z"
)
"""What a full stop ends no sentence after, though a capital may follow: `Mr.`, `S.E.`, `vol.`."""
_LONGEST_ABBREVIATED: Final = 8
_SLACK: Final = 0.6
"""How far from where a piece would end, in pieces, the end of a sentence is looked for."""


class Passage(NamedTuple):
    """One piece of a note's text. Offsets count characters of the text with `\\n` for `\\r\\n`, lines count from 1."""

    start: int
    end: int
    """Behind its last character."""
    start_line: int
    end_line: int
    heading: int
    """Which heading of the note it stands under, or begins with, from 0; -1: none."""
    parent: int = -1
    """Which passage holds the header row of this row of a table, from 0; -1: it is no such row."""


class _Unit(NamedTuple):
    """Lines that belong together."""

    kind: str
    start_line: int
    end_line: int


def split(note: Note) -> list[Passage]:
    """The passages of a note, in order; they do not overlap, and blank lines and lines of dashes lie between them."""
    source = Source(note.text)
    by_line = {heading.line: number for number, heading in enumerate(note.headings)}
    passages: list[Passage] = []
    for heading, units in _sections(_units(source, note.blocks), by_line):
        start, end = units[0].start_line, units[-1].end_line
        if heading >= 0 and _length(source, start, end) <= SHORT_SECTION:
            passages += _pieces(source, _Unit("section", start, end), heading)
            continue
        if units[0].kind == "heading" and len(units) > 1 and units[1].kind != "table":
            units[:2] = [units[1]._replace(start_line=start)]
        for unit in units:
            if unit.kind == "table":
                passages += _rows(source, unit, heading, len(passages))
            else:
                passages += _pieces(source, unit, heading)
    return passages


def folded(text: str) -> str:
    """A passage's text without regard to case and to how it is wrapped: equal for copies."""
    return " ".join(text.split()).casefold()


def digest(text: str) -> int:
    """XXH3 (64 bits, signed) of the folded text."""
    number = xxhash.xxh3_64_intdigest(folded(text).encode("utf-8", "surrogatepass"))
    return number - (1 << 64) if number >> 63 else number


def cut(text: str, most: int) -> int:
    """Where to cut a text so that at most so many characters stay: at the end of a sentence if that keeps half of them,
    else of a line, else of a word; never inside a number."""
    if len(text) <= most:
        return len(text)
    least = most // 2
    sentences = [end for end in _sentence_ends(text[: most + 1]) if least <= end <= most]
    if sentences:
        return sentences[-1]
    line = text.rfind("\n", least, most + 1)
    if line >= 0:
        return line
    blank = max(text.rfind(sign, least, most + 1) for sign in " \t")
    if blank >= 0:
        return blank
    end = most
    while end > least and text[end - 1].isalnum() and text[end].isalnum() and text[end].isascii():
        end -= 1
    return end if end > least else most


def sentence_starts(text: str) -> list[int]:
    """Where the sentences and the lines of a text begin."""
    lines = (found.end() for found in re.finditer(r"\n", text))
    return sorted({0, *(end for end in (*_sentence_ends(text), *lines) if end < len(text))})


def _units(source: Source, blocks: Sequence[Block]) -> Iterator[_Unit]:
    """The blocks, each list item with what is nested in it."""
    item: _Unit | None = None
    indent = 0
    for kind, start, end in blocks:
        if item is not None:
            if _indent(source.lines[start - 1]) > indent and kind != "heading":
                item = item._replace(end_line=end)
                continue
            yield item
            item = None
        if kind == "list_item":
            item, indent = _Unit(kind, start, end), _indent(source.lines[start - 1])
        elif kind != "thematic_break":
            yield _Unit(kind, start, end)
    if item is not None:
        yield item


def _indent(line: str) -> int:
    wide = line.expandtabs(4)
    return len(wide) - len(wide.lstrip())


def _sections(units: Iterator[_Unit], headings: dict[int, int]) -> Iterator[tuple[int, list[_Unit]]]:
    """The units by the heading that they stand under, its own included; a page of an attachment begins without one."""
    heading, section = -1, list[_Unit]()
    for unit in units:
        if unit.start_line in headings:
            if section:
                yield heading, section
            heading, section = headings[unit.start_line], []
        section.append(unit)
    if section:
        yield heading, section


def _length(source: Source, start: int, end: int) -> int:
    return source.offset(end + 1) - source.offset(start)


def _rows(source: Source, table: _Unit, heading: int, number: int) -> Iterator[Passage]:
    """The header row of a table, and each other row; `number` is that of the first passage."""
    header = _Unit("row", table.start_line, min(table.start_line + 1, table.end_line))
    yield from _pieces(source, header, heading, most=None)
    for line in range(table.start_line + 2, table.end_line + 1):
        yield from _pieces(source, _Unit("row", line, line), heading, parent=number, most=None)


def _pieces(
    source: Source, unit: _Unit, heading: int, parent: int = -1, most: int | None = LONGEST
) -> Iterator[Passage]:
    """A unit as one passage, or as several of about the same length; without `most` it stays whole."""
    start, end = source.offset(unit.start_line), source.offset(unit.end_line + 1)
    text = source.text[start:end].rstrip()
    done = 0
    for length in _cuts(text, LONGEST if most is None else most, whole=most is None, by_line=unit.kind in _BY_LINE):
        piece = text[done:length].rstrip()
        if piece.strip():
            first, last = start + done, start + done + len(piece)
            yield Passage(first, last, source.line_of(first), source.line_of(last - 1), heading, parent)
        done = length


_BY_LINE: Final = frozenset({"code", "html", "list_item"})
"""What is split between lines rather than between sentences."""


def _cuts(text: str, most: int, *, whole: bool, by_line: bool) -> list[int]:
    """Where the pieces of a text end."""
    count = -(-len(text) // most)
    if whole or count <= 1:
        return [len(text)]
    length = len(text) / count
    lines = [found.end() for found in re.finditer(r"\n", text)]
    sentences = _sentence_ends(text)
    cuts: list[int] = []
    while len(text) - (cuts[-1] if cuts else 0) > most:
        done = cuts[-1] if cuts else 0
        wanted = done + length
        least, furthest = int(done + length * (1 - _SLACK)) + 1, done + most
        for ends in (lines, sentences) if by_line else (sentences, lines):
            fitting = [end for end in ends if least <= end <= furthest]
            if fitting:
                cuts.append(min(fitting, key=lambda end: abs(end - wanted)))
                break
        else:
            blank = max(text.rfind(sign, least, furthest) for sign in " \t")
            cuts.append(blank + 1 if blank >= 0 else done + cut(text[done : furthest + 1], most))
    return [*cuts, len(text)]


def _sentence_ends(text: str) -> list[int]:
    """Where the sentences of a text end, each behind the blanks after it."""
    return [
        found.end()
        for found in _SENTENCE_END.finditer(text)
        if not _ABBREVIATED.search(text, max(0, found.start() - _LONGEST_ABBREVIATED), found.start())
    ]

"""Splits a note's body into passages: the pieces of text that can answer a question.

A note of up to `SHORT_NOTE` characters is one passage. In a longer one, blocks under one heading are joined until they
have `USUAL` characters: paragraphs, list items with their children, code, callouts, tables. The heading belongs to the
first passage of its section; a block that a colon or a heading introduces belongs to the same passage. A long table has
a passage for its header row, which is the parent of the passages of its rows. A passage longer than `LONGEST` is split
at the ends of sentences, else of lines, else of words. Link definitions, tables of contents and rows of links are no
passages, nor is what `said` leaves out of a note.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

import xxhash

from vaulttools.notes.links.brackets import WIKILINK
from vaulttools.notes.note import Note
from vaulttools.notes.parts import Block, Source
from vaulttools.notes.properties.values import in_one_line

SHORT_NOTE: Final = 1_000
"""A note of up to this many characters is one passage."""

LONGEST: Final = 800
"""Upper bound of the characters of a passage, unless it introduces the next block."""

USUAL: Final = 500
"""A passage of this many characters takes in no further block, unless it introduces that block."""

_LINK_DEFINITION: Final = re.compile(r"\s*\[[^\]^][^\]]*\]:\s*\S+(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^)]*\)))?\s*\Z")
# Each part must end soon if it is not closed: reading from every bracket to the line's end would be quadratic.
_LINK: Final = re.compile(
    rf"!?{WIKILINK.pattern}"
    r"|!?\[[^\[\]\n]*\]\([^)\n]{0,1000}\)|<https?://[^<>\s]*>|https?://\S+"
)
_LINK_TO_HEADING: Final = re.compile(r"\[\[#[^\]\n]*\]\]|\[[^\]\n]*\]\(#[^)\n]*\)")
_SAYS_SOMETHING: Final = re.compile(r"[^\W\d_]")
_LICENCE: Final = re.compile(r"\b(?:licen[sc]ed under|all rights reserved|copyright (?:©|\(c\)|\d{4}))", re.IGNORECASE)
_LONGEST_LICENCE: Final = 300
_FEWEST_LINKS: Final = 3
"""A line of nothing but links is a row of links from this many on; one or two may be a sentence."""
_INTRODUCES: Final = re.compile(r"[:：]\W*\Z|\b(?:as follows|like this|for example)\W*\Z", re.IGNORECASE)

# It begins with one set of characters, which takes Python an eighth of the time of two alternatives.
_SENTENCE_END: Final = re.compile(
    r"""[.!?。！？؟।](?:(?<=[.!?])["'”’)\]*_]*\s+(?=[^\W_a-z]|[`"'“‘(\[*_-])|(?<=[。！？؟।])\s*)"""
)
"""The end of a sentence, with the blanks after it; the next character is no small letter."""
_ABBREVIATED: Final = re.compile(
    r"(?<![^\W\d_])(?:[^\W\d_]{1,2}|Mrs|deg|etc|fig|vols?|cf|approx|incl|viz|Rev|Gen|Col|Capt)\Z"
)
"""An abbreviation: a full stop after it ends no sentence, even before a capital: `Mr.`, `S.E.`, `vol.`."""
_LONGEST_ABBREVIATED: Final = 8
_SLACK: Final = 0.6
"""A cut may lie this part of a piece before the ideal place, to fall on the end of a sentence."""


class NotePassage(NamedTuple):
    """One piece of a note's text. Offsets count characters of the text with `\\n` for `\\r\\n`, lines count from 1."""

    start: int
    end: int
    """Offset after its last character."""
    start_line: int
    end_line: int
    heading: int
    """Number of the heading above it or at its beginning, from 0; -1 if there is none."""
    parent: int = -1
    """Number of the passage with the header row if it is rows of a long table, from 0; else -1."""


class _Unit(NamedTuple):
    """Lines that belong together."""

    kind: str
    start_line: int
    end_line: int


def split(note: Note) -> list[NotePassage]:
    """Returns the passages of a note, in order. They do not overlap; they leave out blank lines, lines of dashes, and
    blocks that say nothing."""
    source = note.said
    by_line = {heading.line: number for number, heading in enumerate(note.headings)}
    units = list(_saying(source, list(_units(source, note.structure.blocks))))
    if units and _is_short(note, source, units):
        whole = _Unit("note", units[0].start_line, units[-1].end_line)
        return list(_pieces(source, whole, by_line.get(whole.start_line, -1)))
    passages: list[NotePassage] = []
    for heading, section in _sections(note, iter(units), by_line):
        _add_section(source, passages, section, heading)
    return passages


def _is_short(note: Note, source: Source, units: Sequence[_Unit]) -> bool:
    start, end = units[0].start_line, units[-1].end_line
    return _length(source, start, end) <= SHORT_NOTE and note.page_of(start) == note.page_of(end)


def _saying(source: Source, units: Sequence[_Unit]) -> Iterator[_Unit]:
    """Yields the units except link definitions, tables of contents, rows of links, and a licence at the end; each from
    its first to its last line that says something."""
    for number, whole in enumerate(units):
        unit = _trimmed(source, whole)
        lines = [line for line in source.lines[unit.start_line - 1 : unit.end_line] if line.strip()]
        if not lines or all(map(_LINK_DEFINITION.match, lines)) or all(map(_is_of_links, lines)):
            continue
        is_last = number == len(units) - 1
        if is_last and number and sum(map(len, lines)) <= _LONGEST_LICENCE and _LICENCE.search("\n".join(lines)):
            continue
        yield unit


def _trimmed(source: Source, unit: _Unit) -> _Unit:
    lines, first, last = source.lines, unit.start_line, unit.end_line
    if lines[first - 1].strip() and lines[last - 1].strip():  # nearly all: a new unit for each took a third more time
        return unit
    while first < last and not lines[first - 1].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return unit._replace(start_line=first, end_line=last)


def _is_of_links(line: str) -> bool:
    """Whether a line holds nothing but links, either to headings of the note or several of any kind."""
    if "[" not in line and "http" not in line:  # most lines
        return False
    links = _LINK.findall(line)
    if not links or _SAYS_SOMETHING.search(_LINK.sub("", line)):
        return False
    return len(links) >= _FEWEST_LINKS or all(map(_LINK_TO_HEADING.fullmatch, links))


def _add_section(source: Source, passages: list[NotePassage], units: Sequence[_Unit], heading: int) -> None:
    """Add the passages of the units under one heading."""
    waiting: list[_Unit] = []

    def flush() -> None:
        if waiting:
            passages.extend(_pieces(source, _Unit("blocks", waiting[0].start_line, waiting[-1].end_line), heading))
            waiting.clear()

    def together(unit: _Unit) -> int:
        """Returns the characters of the waiting units with one more."""
        return _length(source, waiting[0].start_line, unit.end_line)

    for unit in units:
        if waiting and _says(source, waiting[-1].end_line + 1, unit.start_line - 1):
            flush()  # a unit between them was left out
        introduces = bool(waiting) and _introduces(source, waiting[-1])
        if introduces and len(waiting) > 1 and together(unit) > LONGEST and waiting[-2].kind != "heading":
            last = waiting.pop()  # it stays with the unit that it introduces
            flush()
            waiting.append(last)
        if waiting and not introduces and (together(waiting[-1]) >= USUAL or together(unit) > LONGEST):
            flush()
        first = waiting[0].start_line if waiting else unit.start_line
        is_long = _length(source, first, unit.end_line) > LONGEST
        if is_long:
            waiting.clear()
        if is_long and unit.kind == "table":
            passages.extend(_rows(source, unit, first, heading, len(passages)))
        elif is_long:
            passages.extend(_pieces(source, unit._replace(start_line=first), heading))
        else:
            waiting.append(unit)
    flush()


def _says(source: Source, first: int, last: int) -> bool:
    """Whether the lines `first` to `last` hold any letters."""
    return any(_SAYS_SOMETHING.search(line) for line in source.lines[first - 1 : last])


def _introduces(source: Source, unit: _Unit) -> bool:
    """Whether a unit introduces the next one: it is a heading, or its text ends with a colon."""
    return unit.kind == "heading" or _INTRODUCES.search(source.lines[unit.end_line - 1]) is not None


def in_context(note: Note, text: str, under: int, *, is_first: bool) -> str:
    """Returns a passage's text after its context: the note's name, the heading with number `under` and those above it,
    and the properties for the first passage of a note. Models embed this text."""
    return context(note, under, is_first=is_first) + text


def context(note: Note, under: int, *, is_first: bool) -> str:
    """Returns the context that `in_context` writes before a passage's text; it ends with a line feed."""
    properties = in_one_line(note.properties, _PROPERTIES) if is_first else ""
    return f"{' > '.join((note.title, *note.said_trail(under)))}\n{properties}{chr(10) if properties else ''}"


_PROPERTIES: Final = 300
"""Upper bound of the characters of the properties."""


def folded(text: str) -> str:
    """Returns a passage's text without case and line breaks, so that copies are equal."""
    if not text.isascii():
        return " ".join(text.split()).casefold()
    line = text.encode().translate(_IN_LINE).strip(b" ")
    while b"  " in line:
        line = line.replace(b"  ", b" ")
    return line.decode()


_IN_LINE: Final = bytes(32 if chr(code).isspace() else code for code in range(128)).lower().ljust(256)
"""By ASCII character: a blank for white space, else the character in lower case."""


def digest(text: str) -> int:
    """Returns XXH3-64 of the folded text, as a signed number."""
    return digest_of_folded(folded(text))


def digest_of_folded(text: str) -> int:
    """Returns `digest` of a text that is already folded."""
    number = xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))
    return number - (1 << 64) if number >> 63 else number


def cut(text: str, most: int) -> int:
    """Returns the offset at which to cut a text to at most `most` characters: at the end of a sentence if that keeps
    half of them, else of a line, else of a word; never inside a number."""
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
    """Returns the offsets at which the sentences and the lines of a text begin."""
    return sorted({0} | {*_sentence_ends(text), *_line_ends(text)} - {len(text)})


def _units(source: Source, blocks: Sequence[Block]) -> Iterator[_Unit]:
    """Yields the blocks, each list item with its nested blocks."""
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


def _sections(note: Note, units: Iterator[_Unit], headings: dict[int, int]) -> Iterator[tuple[int, list[_Unit]]]:
    """Yields the units by section: the number of its heading, and its units, the heading's own included. A heading
    without text belongs to the section below it; a page of an attachment begins a section."""
    heading, section = -1, list[_Unit]()
    page: int | None = None
    is_only_heading = True
    for unit in units:
        is_titled = unit.start_line in headings
        of_page = note.page_of(unit.start_line)
        if section and (of_page != page or (is_titled and not is_only_heading)):
            yield heading, section
            section, is_only_heading = [], True
        if is_titled:
            heading = headings[unit.start_line]
        page = of_page
        section.append(unit)
        is_only_heading &= unit.kind == "heading"
    if section:
        yield heading, section


def _length(source: Source, start: int, end: int) -> int:
    return source.offset(end + 1) - source.offset(start)


def _rows(source: Source, table: _Unit, first: int, heading: int, number: int) -> Iterator[NotePassage]:
    """Yields the passages of a long table: its header row with the lines from `first` on, then its other rows. `number`
    is that of the first passage."""
    header = _Unit("row", first, min(table.start_line + 1, table.end_line))
    yield from _pieces(source, header, heading)
    for start, end in _grouped(source, range(table.start_line + 2, table.end_line + 1)):
        yield from _pieces(source, _Unit("row", start, end), heading, parent=number)


def _grouped(source: Source, lines: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Group lines up to `USUAL` characters; yield the first and the last line of each group."""
    start = end = size = 0
    for line in lines:
        length = _length(source, line, line)
        if start and size + length > USUAL:
            yield start, end
            start = size = 0
        start, end, size = start or line, line, size + length
    if start:
        yield start, end


def _pieces(source: Source, unit: _Unit, heading: int, parent: int = -1) -> Iterator[NotePassage]:
    """Yields a unit as one passage, or as several of about equal length; rows are never split."""
    start, end = source.offset(unit.start_line), source.offset(unit.end_line + 1)
    text = source.text[start:end].rstrip()
    most = {"note": SHORT_NOTE, "row": len(text)}.get(unit.kind, LONGEST)
    done = 0
    for length in _cuts(text, most, by_line=unit.kind in _BY_LINE):
        piece = text[done:length].rstrip()
        if piece.strip():
            first, last = start + done, start + done + len(piece)
            yield NotePassage(first, last, source.line_of(first), source.line_of(last - 1), heading, parent)
        done = length


_BY_LINE: Final = frozenset({"code", "html", "list_item", "math"})
"""Kinds that are split between lines rather than between sentences."""


def _cuts(text: str, most: int, *, by_line: bool) -> list[int]:
    """Returns the offsets at which the pieces of a text end."""
    if len(text) <= most:
        return [len(text)]
    count = -(-len(text) // most)
    length = len(text) / count
    looks = (_line_ends, _sentence_ends) if by_line else (_sentence_ends, _line_ends)
    ends: list[list[int]] = []  # made on demand: the second is rarely needed
    cuts: list[int] = []
    while len(text) - (cuts[-1] if cuts else 0) > most:
        done = cuts[-1] if cuts else 0
        wanted = done + length
        least, furthest = int(done + length * (1 - _SLACK)) + 1, done + most
        for number, look in enumerate(looks):
            if number == len(ends):
                ends.append(look(text))
            found = ends[number]
            fitting = found[bisect_left(found, least) : bisect_right(found, furthest)]
            if fitting:
                cuts.append(min(fitting, key=lambda end: abs(end - wanted)))
                break
        else:
            blank = max(text.rfind(sign, least, furthest) for sign in " \t")
            cuts.append(blank + 1 if blank >= 0 else done + cut(text[done : furthest + 1], most))
    return [*cuts, len(text)]


def _line_ends(text: str) -> list[int]:
    return [*accumulate(len(line) + 1 for line in text.split("\n")[:-1])]


def _sentence_ends(text: str) -> list[int]:
    """Returns the offsets at which the sentences of a text end, each after its trailing blanks."""
    return [
        found.end()
        for found in _SENTENCE_END.finditer(text)
        if text[found.start()] != "."
        or not _ABBREVIATED.search(text, max(0, found.start() - _LONGEST_ABBREVIATED), found.start())
    ]

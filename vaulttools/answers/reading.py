"""Opens the text that `read` or `outline` names, and finds the part meant."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vaulttools.answers import answer
from vaulttools.call import Call
from vaulttools.core import paths, render
from vaulttools.core.folding.identity import is_same
from vaulttools.core.voice import Voice
from vaulttools.errors import BadArgument
from vaulttools.files.document import Document
from vaulttools.notes import canvas
from vaulttools.notes.note import Note
from vaulttools.resources.archives import MemberUnreadable
from vaulttools.resources.path_entries import Target

_OTHERS: Final = 5
"""How many other headings of the same name the answer names."""

MOST_CHARACTERS: Final = 50_000
"""Upper bound of `max_chars`: about the room of an answer's text."""

_LABEL_CHARACTERS: Final = 120
"""Characters of one heading in the first line: six such headings leave room for the text."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One text, opened."""

    target: Target
    """What the caller named: the text, and a part of it."""
    document: Document
    note: Note
    """The same text as a note; a text that is no note has no properties."""
    notices: Sequence[str]
    """What was unusual about it."""

    @property
    def name(self) -> str:
        """Its path as text shows it."""
        return paths.shown(self.document.path)


def opened(call: Call, given: str) -> Reading:
    """Opens the text that the argument `note` names.

    Raises:
        BadArgument: `given` names no text, several, or one that cannot be read as text.
    """
    return read(call, call.named(given))


def read(call: Call, target: Target) -> Reading:
    """Opens a named text; a canvas becomes its cards and connections.

    Raises:
        BadArgument: it cannot be read as text.
    """
    work = call.work
    try:
        document, warnings = call.text_of(target)
    except MemberUnreadable as error:
        raise BadArgument(f"Cannot read {target.given}: {error.reason}") from error
    if document.is_binary:
        raise BadArgument(f"Cannot read {target.given}: binary")
    notices = list(warnings)
    if canvas.is_canvas(document.path) and (text := canvas.readable(document.text)) is not None:
        document = Document(document.path, text)
        notices.append("The canvas is shown as text; its lines are not those of the file.")
    if not document.is_whole:
        notices.append("This is not all of the text: a page could not be read, or there was no time or room for all.")
    work.remaining()  # a call that was cancelled meanwhile gets no answer
    work.searched = 1
    note = call.notes().note(document)
    notices += answer.told(work, found=True, shown=[document.path])
    return Reading(target, document, note, notices)


def lines(count: int) -> str:
    """Returns `1 line`, `2,310 lines`."""
    return render.counted(count, "line")


@dataclass(frozen=True, slots=True)
class Part:
    """The requested lines, from 1, end inclusive."""

    start: int
    end: int
    label: str = ""
    """What the lines are, for the first line of the text; `""` for plain lines."""
    argument: str = ""
    """The argument that selects the part; a call that continues by lines leaves it out."""
    notices: Sequence[str] = ()


def of_target(opened: Reading, start: int | None = None, end: int | None = None) -> Part:
    """Returns the part that the target names; otherwise the lines from `start` to `end`, or all.

    Raises:
        BadArgument: there is no such heading, block or line, or several ranges of lines are named.
    """
    target = opened.target
    if target.block is not None:
        return of_block(opened, target.block)
    if target.headings:
        return of_section(opened, target.headings)
    if target.ranges is None:
        return of_lines(opened, start, end)
    (first, last), *others = target.ranges
    if others:
        raise BadArgument(f"read takes one range of lines, got {target.given}; search takes several")
    return of_lines(opened, first, last)


def of_lines(opened: Reading, start: int | None, end: int | None) -> Part:
    """Returns the lines from `start` to `end` (default: first, last); an `end` past the last line means the last."""
    total = len(opened.document.lines)
    first, last = start or 1, total if end is None else end
    if first > max(total, 1):
        has = f"has {lines(total)}" if total else "is empty"
        raise BadArgument(f"start_line {first} is past the end: {opened.name} {has}")
    if end is not None and end < first:
        raise BadArgument(f"end_line {end} is before start_line {first}")
    return Part(first, min(last, total))


def of_pages(opened: Reading, start: int | None, end: int | None) -> Part:
    """Returns the lines of the pages `start` to `end` of a PDF file (from 1, end inclusive)."""
    parts = [part for part in opened.document.parts if part.page is not None]
    if not parts:
        raise BadArgument(f"start_page and end_page are for PDF files; {opened.name} has no pages")
    first, last = start or 1, len(parts) if end is None else min(end, len(parts))
    if first > len(parts):
        raise BadArgument(f"start_page {first} is past the end: {opened.name} has {len(parts):,} pages")
    if end is not None and end < first:
        raise BadArgument(f"end_page {end} is before start_page {first}")
    total = len(opened.document.lines)
    start_line, end_line = parts[first - 1].line, parts[last].line - 1 if last < len(parts) else total
    which = f"page {first}" if first == last else f"pages {first}-{last}"
    notices = [] if end_line >= start_line else ["There is no text on them." if first < last else "It has no text."]
    return Part(start_line, end_line, f"{which} of {len(parts)}", "start_page and end_page", notices)


def of_frontmatter(opened: Reading) -> Part:
    """Returns the properties block."""
    block = opened.note.frontmatter
    if block is None:
        raise BadArgument(f"{opened.name} has no properties at its top")
    return Part(1, block.end_line, "properties", "frontmatter", opened.note.warnings)


def of_block(opened: Reading, block_id: str, argument: str = "") -> Part:
    """Returns the block with an id."""
    found = opened.note.required_block(block_id, opened.name)
    return Part(found.start_line, found.end_line, f"block ^{found.id}", argument)


def of_section(opened: Reading, chain: Sequence[str], argument: str = "") -> Part:
    """Returns the section of a heading, or of the last heading of a chain."""
    found = opened.note.required_section(chain, opened.name)
    others = [each.line for each in opened.note.headings if each != found and is_same(each.text, found.text)]
    notices = [_others(others)] if others and len(chain) == 1 else []
    headings = map(render.visible, opened.note.breadcrumb(found.line))
    trail = " > ".join(render.shortened(each, _LABEL_CHARACTERS) for each in headings)
    return Part(found.line, found.end_line, f"section {trail}", argument, notices)


def _others(lines: Sequence[int]) -> str:
    """Says on which lines other headings of the same name are."""
    if len(lines) == 1:
        return f"Another heading of this name is on line {lines[0]}."
    more = f" and {len(lines) - _OTHERS:,} more" if len(lines) > _OTHERS else ""
    return f"Other headings of this name are on lines {', '.join(map(str, lines[:_OTHERS]))}{more}."


def chain_of(opened: Reading, heading: Sequence[str]) -> Sequence[str]:
    """Returns the chain of headings that is meant. A single text may hold the parts, between `#` or ` > `."""
    if len(heading) > 1:
        return heading
    readings = [heading, *([part.strip() for part in heading[0].split(sign) if part.strip()] for sign in ("#", " > "))]
    fitting = (chain for chain in readings if chain and opened.note.section(chain) is not None)
    return next(fitting, readings[1] or heading)


def fitting(document: Document, part: Part, characters: int, room: int) -> tuple[list[str], int | None]:
    """Returns the numbered lines that fit into `characters` of the note and `room` bytes of the answer. Above the first
    line of a page is a row with the page number.

    At least one line is returned if there is any. The number is how many of its characters are shown if it was cut.
    """
    lines = document.lines
    shown: list[str] = []
    for number in range(part.start, part.end + 1):
        text = lines[number - 1]
        if len(text) > characters:
            break
        line = f"{_page_row(document, number)}{numbered(number, text.rstrip())}"
        if (octets := render.size(line) + 1) > room:
            break
        shown.append(line)
        characters -= len(text) + 1
        room -= octets
    if shown or part.start > part.end:
        return shown, None
    text = lines[part.start - 1][:characters]
    mark = render.ELLIPSIS

    def size(end: int) -> int:
        return render.size(numbered(part.start, text[:end] + mark)) + 1

    end = max(0, bisect_right(range(len(text) + 1), room, key=size) - 1)
    return [numbered(part.start, text[:end] + mark)], end


def numbered(number: int, text: str) -> str:
    """Returns a line as `search` shows a line of context: the text of a note never begins a line."""
    return f" {number}|{render.visible(text)}"


def _page_row(document: Document, line: int) -> str:
    """Returns the row with the page number above the first line of a page; `""` above others."""
    part = document.part_of(line)
    return f"page {part.page}:\n" if part is not None and part.page is not None and part.line == line else ""


def first_line(opened: Reading, part: Part, end: int) -> str:
    """Says what is shown: `Projects/plan.md, section Tasks, lines 3-9 of 40`."""
    total = len(opened.document.lines)
    if not total:
        return f"{opened.name} is empty"
    which = f"{render.line_range(part.start, end)} of {total}"
    return ", ".join(filter(None, [opened.name, part.label, which]))


def cut(line: int, shown: int, length: int, voice: Voice) -> str:
    """Says that a line is not shown whole."""
    return (
        f"Line {line} is cut after {shown:,} of {length:,} characters; raise {voice.name('max_chars')} "
        f"(at most {MOST_CHARACTERS:,}), or search for a text in it."
    )

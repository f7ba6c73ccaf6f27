"""Addresses a note's text by lines, and defines the parts of its body.

All lines count from 1 at the top of the file, and ranges include their end. Only a line feed ends a line (fault-C06,
fault-C07).
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple, TypeAlias

from vaulttools.notes.links.references import Reference

BlockKind: TypeAlias = Literal[
    "paragraph", "heading", "list_item", "quote", "table", "code", "html", "thematic_break", "footnote", "math"
]
Span: TypeAlias = tuple[int, int]
"""First and last line."""


class Heading(NamedTuple):
    """An ATX or setext heading of the outline: not in a quote, a list, code or HTML (rule-F01, rule-H01)."""

    level: int
    text: str
    line: int
    last_line: int
    """Last line of the heading itself; the underline of a setext heading."""
    end_line: int
    """Last line of its section: the line before the next heading of the same or a higher level."""


class Block(NamedTuple):
    """A range of lines that forms one unit; blocks do not overlap, and each line with text lies in one.

    A list item ends before the first item nested in it; text after the nested list is a block of its own. A quote is
    one block with all its contents. Each definition of a footnote is one block.
    """

    kind: BlockKind
    start_line: int
    end_line: int


class BlockId(NamedTuple):
    """A name that links use for a block, `[[Note#^id]]` (rule-L06, rule-L07), and the lines that it names.

    The lines of a list item include its nested items. An id on a line of its own below a list names the whole list.
    """

    id: str
    """The id as written, without `^`; case does not matter."""
    line: int
    """The line of the id itself."""
    start_line: int
    end_line: int


class Task(NamedTuple):
    """A list item with a checkbox, at any depth, in quotes too, never in code (rule-D01)."""

    status: str
    """The character between the brackets; anything but a blank means done."""
    text: str
    line: int
    end_line: int
    """Last line without nested items."""
    last_line: int
    """Last line with nested items."""


class DatedLine(NamedTuple):
    """A heading, list item or table row that gives the date of its own text or of the text below it."""

    line: int
    day: str
    """`2026-05-12`; `2026-05` for a month, `2026` for a year."""


class Tag(NamedTuple):
    """A tag in the body, as written, without `#`."""

    name: str
    line: int


@dataclass(frozen=True)  # not slotted: a subclass decodes each part at its first use
class Structure:
    """All parts of a body, each in the order of lines."""

    headings: tuple[Heading, ...] = ()
    blocks: tuple[Block, ...] = ()
    block_ids: tuple[BlockId, ...] = ()
    code: tuple[Span, ...] = ()
    """The lines of each code block, fences included; an unclosed fence runs to the end."""
    comments: tuple[Span, ...] = ()
    """The lines that each `%%…%%` touches."""
    tasks: tuple[Task, ...] = ()
    tags: tuple[Tag, ...] = ()
    references: tuple[Reference, ...] = ()


class Source:
    """A note's text, with ``\\n`` for ``\\r\\n`` and without byte order mark, and its lines."""

    def __init__(self, text: str) -> None:
        self.text = text.removeprefix("\ufeff").replace("\r\n", "\n")
        self.lines = self.text.split("\n")
        self.starts = list(accumulate(map((1).__add__, map(len, self.lines)), initial=0))
        self.count = len(self.lines) - (not self.lines[-1])
        """Lines of the file; an empty file has none."""

    def offset(self, line: int) -> int:
        """Returns the offset of a line's beginning, in characters; the end of the text for lines after the last."""
        return min(self.starts[line - 1], len(self.text)) if line <= len(self.starts) else len(self.text)

    def line_of(self, offset: int) -> int:
        """Returns the line that holds an offset."""
        return bisect_right(self.starts, offset)

    def trimmed(self, start: int, end: int) -> int:
        """Returns the last line of a range that holds more than blanks and quote signs; at least `start`."""
        while end > start and not self.lines[end - 1].strip(" \t>"):
            end -= 1
        return end

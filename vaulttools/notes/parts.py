"""Addresses a note's text by lines, and defines the parts of its body.

All lines count from 1 from the top of the file, and ranges include their end. A line feed ends a line, nothing else
does (fault-C06, fault-C07).
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple, TypeAlias

from vaulttools.notes.links.references import Reference

BlockKind: TypeAlias = Literal[
    "paragraph", "heading", "list_item", "quote", "table", "code", "html", "thematic_break", "footnote"
]
Span: TypeAlias = tuple[int, int]
"""First and last line."""


class Heading(NamedTuple):
    """An ATX or setext heading of the outline: not in a quote, a list, code or HTML (rule-F01, rule-H01)."""

    level: int
    text: str
    line: int
    last_line: int
    """Of the heading itself; a setext heading has an underline."""
    end_line: int
    """Of its section: the line before the next heading of the same or a higher level."""


class Block(NamedTuple):
    """A stretch of lines that reads as one thing; blocks do not overlap, and each line with text lies in one.

    A list item ends before the first item nested in it; what follows that list is a block of its own. A quote is
    one block with all it holds. Each definition of a footnote is one.
    """

    kind: BlockKind
    start_line: int
    end_line: int


class BlockId(NamedTuple):
    """A name that links use for a block, `[[Note#^id]]` (rule-L06, rule-L07), and the lines it names.

    Those of a list item with all that is nested in it; of a whole list, when the id stands below it on its own.
    """

    id: str
    """As written, without `^`; case does not matter."""
    line: int
    """Where the id stands."""
    start_line: int
    end_line: int


class Task(NamedTuple):
    """A list item with a checkbox, at any depth, in quotes too, never in code (rule-D01)."""

    status: str
    """The character between the brackets; anything but a blank means done."""
    text: str
    line: int
    end_line: int
    """Without the items nested in it."""
    last_line: int
    """With them."""


class DatedLine(NamedTuple):
    """A heading, list item or row of a table that says when what stands in it or under it was."""

    line: int
    day: str
    """`2026-05-12`, or `2026-05` or `2026` of a month or a year."""


class Tag(NamedTuple):
    """A tag in the body, as written, without `#`."""

    name: str
    line: int


@dataclass(frozen=True)  # not slotted: an index decodes each part when it is asked for
class Structure:
    """All of it, each part in the order of lines."""

    headings: tuple[Heading, ...] = ()
    blocks: tuple[Block, ...] = ()
    block_ids: tuple[BlockId, ...] = ()
    code: tuple[Span, ...] = ()
    """Code blocks; the lines of their fences belong to them, an unclosed fence runs to the end."""
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
        """Where a line begins; the end of the text for lines after the last."""
        return min(self.starts[line - 1], len(self.text)) if line <= len(self.starts) else len(self.text)

    def line_of(self, offset: int) -> int:
        """The line that holds an offset."""
        return bisect_right(self.starts, offset)

    def trimmed(self, start: int, end: int) -> int:
        """The last line of a range that holds more than blanks and quote signs."""
        while end > start and not self.lines[end - 1].strip(" \t>"):
            end -= 1
        return end

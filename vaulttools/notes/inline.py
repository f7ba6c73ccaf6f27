"""What stands inside lines: tags and comments, found past code spans, links, HTML and math.

Works on the raw lines of text regions (paragraphs, headings, table rows) that `structure` knows; only regions with a
`#` or `%%` worth a look are read. Linear in the text: an opener's closer is looked up, never searched for twice.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from vaulttools.notes.tags import CHARACTER, tag_name


class InlineTag(NamedTuple):
    """A tag as written, without `#`, and the offset of its `#`."""

    name: str
    offset: int


class Mark(NamedTuple):
    """A `%%` outside code: its offset, whether it begins its line, and the end of the region it stands in."""

    offset: int
    begins_line: bool
    region_end: int


_TAG_START = re.compile(rf"#{CHARACTER}")

_PERCENTS = "%%(?<!%%%)(?!%)"  # exactly two (release note 1.13)
_COMMENT_MARK = re.compile(_PERCENTS)
_TOKEN = re.compile(
    rf"""
      (?P<escape> \\[!-/:-@\[-`{{-~] )
    | (?P<code>   `+ )
    | (?P<mark>   {_PERCENTS} )
    | (?P<html>   <!-- )
    | (?P<tag>    \#{CHARACTER}++ )
    | (?P<math>   \$\$ )
    | (?P<past>
          \[\[ [^\[\]\n]*+ \]\]                                                # wikilink
        | \]\( [^()\n]*+ (?: \([^()\n]*+\) [^()\n]*+ )*+ \)                    # where a Markdown link leads
        | ^ [ ]{{0,3}}+ \[ (?!\^) [^\]\n]++ \]: [ \t]*+ \S++                     # a link definition
        | \$ (?![\s$]) [^$\n]*+ (?<![\s\\]) \$ (?!\d)                          # inline math
        | </?[A-Za-z][\w-]*+                                                    # HTML tag
          (?: \s++ [A-Za-z_:][\w.:-]*+ (?: \s*+ = \s*+ (?: "[^"]*+" | '[^']*+' | [^\s"'=<>`]++ ) )?+ )*+ \s*+ /?>
      )
    """,
    re.VERBOSE | re.MULTILINE,
)
_BACKTICKS = re.compile("`+")


@dataclass(slots=True)
class _Closers:
    """Where the constructs of one region may end."""

    text: str
    end: int
    runs: dict[int, list[int]] | None = None
    missing: set[str] = field(default_factory=set)

    def after_code(self, opening: re.Match[str]) -> int:
        """The offset after the code span that begins here; after the backticks when nothing closes it."""
        if self.runs is None:
            self.runs = {}
            for run in _BACKTICKS.finditer(self.text, opening.start(), self.end):
                self.runs.setdefault(len(run[0]), []).append(run.start())
        same_length = self.runs.get(len(opening[0]), [])
        index = bisect_left(same_length, opening.end())
        return same_length[index] + len(opening[0]) if index < len(same_length) else opening.end()

    def after(self, opening: re.Match[str], closer: str) -> int:
        """The offset after the next ``closer`` in the region; after the opening when there is none."""
        found = -1 if closer in self.missing else self.text.find(closer, opening.end(), self.end)
        if found < 0:
            self.missing.add(closer)
            return opening.end()
        return found + len(closer)


def candidates(text: str, start: int) -> Iterator[int]:
    """Offsets, in no order, one of which each tag or comment of the text from ``start`` on has in each of its lines."""
    # Two passes, each led by a literal, take a third of the time of one (measured).
    for hit in chain(_TAG_START.finditer(text, start), _COMMENT_MARK.finditer(text, start)):
        yield hit.start()


def scan(text: str, start: int, end: int, *, table: bool) -> Iterator[InlineTag | Mark]:
    """The tags and comment marks of one region of whole lines, by offset.

    A tag begins its line (behind quote signs too), a table cell, follows a blank, or another tag at once. Found by
    reading Obsidian 1.13.7's own cache (cyanheads/obsidian-mcp-server issues 138 and 140): other punctuation before it
    hides it, as do code, HTML and math; the text of a link does not.
    """
    closers = _Closers(text, end)
    position = start
    tag_end = -1
    while token := _TOKEN.search(text, position, end):
        position = token.end()
        match token.lastgroup:
            case "code":
                position = closers.after_code(token)
            case "html":
                position = closers.after(token, "-->")
            case "math":
                position = closers.after(token, "$$")
            case "mark":
                yield Mark(token.start(), _begins_line(text, token.start()), end)
            case "tag":
                name = tag_name(token[0][1:])
                if name and (token.start() == tag_end or _may_begin(text, token.start(), table=table)):
                    tag_end = token.end()
                    yield InlineTag(name, token.start())


def scan_marks(text: str, start: int, end: int) -> Iterator[Mark]:
    """The comment marks of an HTML block, where nothing else is read: a comment may end in one."""
    for mark in _COMMENT_MARK.finditer(text, start, end):
        yield Mark(mark.start(), _begins_line(text, mark.start()), end)


def comment_spans(marks: list[Mark], end: int) -> Iterator[tuple[int, int]]:
    """First and last offset of each comment (rule M01).

    One that begins its line runs to the next mark, over any lines, or to the end of the note (release notes 0.10.12,
    1.13); another ends in its own region, or is none.
    """
    index = 0
    while index < len(marks):
        mark = marks[index]
        closing = marks[index + 1] if index + 1 < len(marks) else None
        if closing and (mark.begins_line or closing.offset < mark.region_end):
            yield mark.offset, closing.offset + 1
            index += 1
        elif mark.begins_line:
            yield mark.offset, end
        index += 1


def _begins_line(text: str, offset: int) -> bool:
    while offset and text[offset - 1] in " \t>":
        offset -= 1
    return offset == 0 or text[offset - 1] == "\n"


def _may_begin(text: str, offset: int, *, table: bool) -> bool:
    if offset == 0 or (before := text[offset - 1]).isspace() or (table and before == "|"):
        return True
    return before == ">" and _begins_line(text, offset)

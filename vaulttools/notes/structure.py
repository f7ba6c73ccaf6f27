"""The Markdown structure of a note's body: headings, blocks, code, comments, tasks and tags, by line.

markdown-it-py reads the blocks (`blocks`); what stands inside lines is read from the lines themselves (`inline`), so
that no depth and no oddity of a parser can hide it. All lines count from 1 from the top of the file, ranges include
their end.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from vaulttools.notes import inline
from vaulttools.notes.blocks import Block, Heading, Region, Span, Walk
from vaulttools.notes.source import Source

_CHECKBOX = re.compile(r"\[(.)\](?=[ \t\n]|\Z)")
_TASK_PREFIX = re.compile(r"(?:[ \t>]*+(?:[-*+]|[0-9]{1,9}[.)])[ \t])++[ \t]*+")


class Task(NamedTuple):
    """A list item with a checkbox, at any depth, in quotes too, never in code (rule D01)."""

    status: str
    """The character between the brackets; anything but a blank means done."""
    text: str
    line: int
    end_line: int
    """Without the items nested in it."""


class Tag(NamedTuple):
    """A tag in the body, as written, without `#`."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Structure:
    """All of it, each part in the order of lines."""

    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]
    code: tuple[Span, ...]
    """Code blocks; the lines of their fences belong to them, an unclosed fence runs to the end."""
    comments: tuple[Span, ...]
    """The lines that each `%%…%%` touches."""
    tasks: tuple[Task, ...]
    tags: tuple[Tag, ...]


def parse(text: str, body_line: int = 1) -> Structure:
    """The structure of ``text`` from line ``body_line`` on; never raises."""
    source = Source(text)
    walk = Walk(source, body_line)
    in_code = bytearray(source.count + 2)
    for start, end in walk.code:
        in_code[start : end + 1] = b"\1" * (end + 1 - start)
    tags, comments = _inline(source, walk, in_code, source.offset(body_line))
    return Structure(
        headings=tuple(_sections(walk.headings, source.count)),
        blocks=tuple(sorted(walk.blocks, key=lambda block: block.start_line)),
        code=tuple(walk.code),
        comments=comments,
        tasks=tuple(_tasks(source, walk.item_ends, in_code, source.offset(body_line))),
        tags=tags,
    )


def _sections(headings: list[Heading], last_line: int) -> Iterator[Heading]:
    """The headings with the ends of their sections, in order."""
    ends: list[int] = []
    following: list[tuple[int, int]] = []  # level and line of the headings below that can still end a section
    for heading in reversed(headings):
        while following and following[-1][0] > heading.level:
            following.pop()
        ends.append(following[-1][1] - 1 if following else last_line)
        following.append((heading.level, heading.line))
    for heading, end in zip(headings, reversed(ends), strict=True):
        yield heading._replace(end_line=end)


def _tasks(source: Source, item_ends: dict[int, int], in_code: bytearray, start: int) -> Iterator[Task]:
    seen = 0
    for box in _CHECKBOX.finditer(source.text, start):
        line = source.line_of(box.start())
        if line == seen:
            continue
        seen = line
        if not in_code[line] and _TASK_PREFIX.fullmatch(source.text, source.offset(line), box.start()):
            text = source.text[box.end() : source.offset(line + 1)].strip()
            yield Task(box[1], text, line, item_ends.get(line, line))


def _inline(source: Source, walk: Walk, in_code: bytearray, start: int) -> tuple[tuple[Tag, ...], tuple[Span, ...]]:
    """The tags, and the lines of the comments, from offset ``start`` on."""
    tags: list[Tag] = []
    marks: list[inline.Mark] = []
    done = 0
    for line in sorted({source.line_of(offset) for offset in inline.candidates(source.text, start)}):
        if line <= done or in_code[line]:
            continue
        html = _around(walk.html, line)
        first, done, table = html or _around(walk.regions, line) or (line, line, False)
        begin, end = source.offset(first), source.offset(done + 1)
        if html:
            marks += inline.scan_marks(source.text, begin, end)
            continue
        for hit in inline.scan(source.text, begin, end, table=table):
            if isinstance(hit, inline.Mark):
                marks.append(hit)
            else:
                tags.append(Tag(hit.name, source.line_of(hit.offset)))
    spans = inline.comment_spans(marks, len(source.text) - 1)
    return tuple(tags), tuple((source.line_of(first), source.line_of(last)) for first, last in spans)


def _around(regions: list[Region], line: int) -> Region | None:
    """The region, of those in order, that holds a line."""
    index = bisect_right(regions, line, key=lambda region: region.start_line) - 1
    return regions[index] if index >= 0 and regions[index].end_line >= line else None

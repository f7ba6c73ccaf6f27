"""Reads the Markdown structure of a note's body, by line.

markdown-it-py reads the blocks (`blocks`). `inline` reads tags, links and comments from the lines themselves, so no
depth and no oddity of a parser can hide them. Import this late: it loads the parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from vaulttools.notes import logseq
from vaulttools.notes.links.brackets import whole_link
from vaulttools.notes.links.references import Reference, markdown_link, wikilink
from vaulttools.notes.markdown import inline
from vaulttools.notes.markdown.blocks import BlockWalk, block_ids, region_at
from vaulttools.notes.parts import Heading, Source, Span, Structure, Tag, Task

if TYPE_CHECKING:
    from vaulttools.notes.properties.values import Value

_CHECKBOX = re.compile(r"\[(.)\](?=[ \t\n]|\Z)")
_TASK_PREFIX = re.compile(r"(?:[ \t>]*+(?:[-*+]|[0-9]{1,9}[.)])[ \t])+[ \t]*+")
_BLOCK_PREFIX = re.compile(_TASK_PREFIX.pattern + r"(?:#{1,6}[ \t]+)?")


def parse(text: str, body_line: int = 1, *, is_logseq: bool = False) -> Structure:
    """Read the structure of ``text`` from line ``body_line`` on; never raises.

    ``is_logseq``: words such as TODO make tasks, too, and lines that are set in are no code: lists below a heading are.
    """
    source = Source(text)
    walk = BlockWalk(source, body_line, has_indented_code=not is_logseq)
    in_code = _lines_in(walk.code, source)
    start = source.offset(body_line)
    tags, references, spans = _inline(walk, in_code, start)
    in_code_or_math = _lines_in([*walk.code, *walk.math], source) if walk.math else in_code
    blocks = tuple(sorted(walk.blocks, key=attrgetter("start_line")))
    return Structure(
        headings=tuple(_with_sections(walk.headings, source.count)),
        blocks=blocks,
        block_ids=tuple(block_ids(walk, blocks, start)),
        code=tuple(walk.code),
        comments=tuple((source.line_of(first), source.line_of(last)) for first, last in spans),
        tasks=tuple((_logseq_tasks if is_logseq else _tasks)(source, walk.items, in_code_or_math, start)),
        tags=tags,
        references=references,
    )


def comment_offsets(text: str, body_line: int = 1) -> list[Span]:
    """Returns the offsets of the first and last character of each `%%…%%` in ``text`` from line ``body_line`` on, in
    order; ``text`` has ``\\n`` for ``\\r\\n`` and no byte order mark."""
    if "%%" not in text:
        return []
    source = Source(text)
    walk = BlockWalk(source, body_line)
    return _inline(walk, _lines_in(walk.code, source), source.offset(body_line))[2]


def _lines_in(spans: list[Span], source: Source) -> bytearray:
    """Returns for each line, from 1, whether it lies in one of the spans."""
    held = bytearray(source.count + 2)
    for start, end in spans:
        held[start : end + 1] = b"\1" * (end + 1 - start)
    return held


def _tasks(source: Source, items: dict[int, tuple[int, int]], hidden: bytearray, start: int) -> Iterator[Task]:
    seen = 0
    for box in _CHECKBOX.finditer(source.text, start):
        line = source.line_of(box.start())
        if line == seen:
            continue
        seen = line
        if not hidden[line] and _TASK_PREFIX.fullmatch(source.text, source.offset(line), box.start()):
            text = source.text[box.end() : source.offset(line + 1)].strip()
            yield Task(box[1], text, line, *items.get(line, (line, line)))


def _logseq_tasks(source: Source, items: dict[int, tuple[int, int]], in_code: bytearray, start: int) -> Iterator[Task]:
    """Yields the tasks with a checkbox and those with a word such as TODO, also behind the signs of a heading."""
    found = {task.line: task for task in _tasks(source, items, in_code, start)}
    for marker in logseq.MARKER.finditer(source.text, start):
        line = source.line_of(marker.start())
        if line in found or in_code[line]:
            continue
        if _BLOCK_PREFIX.fullmatch(source.text, source.offset(line), marker.start()):
            own, whole = items.get(line, (line, line))
            text = source.text[marker.end() : source.offset(line + 1)].strip()
            found[line] = Task(*logseq.task(marker[0], text, source.lines[line:own]), line, own, whole)
    return (found[line] for line in sorted(found))


def _inline(
    walk: BlockWalk, in_code: bytearray, start: int
) -> tuple[tuple[Tag, ...], tuple[Reference, ...], list[Span]]:
    """Returns the tags, the links, and the offsets of the comments, from offset ``start`` on."""
    source = walk.source
    text = source.text
    tags: list[Tag] = []
    links: list[inline.Wikilink | inline.MarkdownLink] = []
    marks: list[inline.Mark] = []
    done = 0
    for line in sorted({source.line_of(found.start()) for found in inline.CANDIDATE.finditer(text, start)}):
        if line <= done or in_code[line]:
            continue
        html = region_at(walk.html, line)
        first, done, table = html or region_at(walk.regions, line) or (line, line, False)
        begin, end = source.offset(first), source.offset(done + 1)
        if html:
            marks += inline.scan_marks(text, begin, end)
            continue
        for hit in inline.scan(text, begin, end, table=table):
            if isinstance(hit, inline.InlineTag):
                tags.append(Tag(hit.name, source.line_of(hit.start)))
            elif isinstance(hit, inline.Mark):
                marks.append(hit)
            else:
                links.append(hit)
    links.sort(key=attrgetter("start"))  # a nested link ends before the outer one
    references = (_reference(link, text[link.start : link.end], source.line_of(link.start)) for link in links)
    return tuple(tags), tuple(filter(None, references)), list(inline.comment_spans(marks, len(text) - 1))


def _reference(link: inline.Wikilink | inline.MarkdownLink, written: str, line: int) -> Reference | None:
    if isinstance(link, inline.MarkdownLink):
        return markdown_link(written, line, link.text, link.destination)
    return wikilink(written, line)


def _with_sections(headings: Sequence[Heading], last_line: int) -> Iterator[Heading]:
    """Yields the headings with the ends of their sections, in order, in a note of ``last_line`` lines."""
    ends: list[int] = []
    following: list[tuple[int, int]] = []  # level and line of the headings below that can still end a section
    for heading in reversed(headings):
        while following and following[-1][0] > heading.level:
            following.pop()
        ends.append(following[-1][1] - 1 if following else last_line)
        following.append((heading.level, heading.line))
    for heading, end in zip(headings, reversed(ends), strict=True):
        yield type(heading)(*heading[:4], end)


def in_properties(properties: Mapping[str, Value], raw: str, first_line: int) -> Iterator[Reference]:
    """Yields the links in the values of a block (rule-P05), in the order of properties.

    ``raw`` is the text of the block, from line ``first_line`` on. A link's line is that of
    its next occurrence after the links before it; the first line of the block if it does not occur as written.
    """
    position = 0
    for name, value in properties.items():
        for text in _texts_of(value):
            if reference := property_link(text, name):
                offset = raw.find(reference.written, position)
                position = offset + len(reference.written) if offset >= 0 else position
                yield reference._replace(line=raw.count("\n", 0, max(offset, 0)) + first_line)


def property_link(text: str, name: str) -> Reference | None:
    """Returns the link that a text of the property `name` is, with line 0. None if there is text around the link, as
    reported of Obsidian 1.12.7; each element of a list is a text of its own."""
    whole = text.strip()
    if whole_link(whole.removeprefix("!")) is not None:
        return wikilink(whole, 0, name)
    if whole.startswith(("[", "![")) and whole.endswith(")") and "](" in whole:
        for hit in inline.scan(whole, 0, len(whole), table=False):
            if isinstance(hit, inline.MarkdownLink) and hit.start == 0 and hit.end == len(whole):
                return markdown_link(whole, 0, hit.text, hit.destination, name)
    return None


def _texts_of(value: Value) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for element in value.values() if isinstance(value, dict) else value:
            yield from _texts_of(element)

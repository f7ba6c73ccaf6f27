"""Reads the block structure of a body: headings, blocks, their ids, code, running text.

`block_parser` parses the blocks; `inline` reads the text inside lines.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

from markdown_it.token import Token

from vaulttools.notes.markdown.block_parser import tokens
from vaulttools.notes.parts import Block, BlockId, BlockKind, Heading, Source, Span

_KINDS: dict[str, BlockKind] = {
    "paragraph_open": "paragraph",
    "heading_open": "heading",
    "blockquote_open": "quote",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
    "math_block": "math",
    "hr": "thematic_break",
}
_FOOTNOTE = re.compile(r"[ \t]*\[\^[^\]\s]+\]:")
_ID = re.compile(r"\^([A-Za-z0-9-]++)[ \t]*$", re.MULTILINE)


class Region(NamedTuple):
    """Lines of running text, of a formula, or of HTML."""

    start_line: int
    end_line: int
    table: bool
    """Whether it is a table row."""


@dataclass(slots=True)
class _OpenItem:
    start: int
    end: int
    own_end: int
    """Its last line before the first nested list."""
    quotes: int


@dataclass(slots=True)
class BlockWalk:
    """The parts found in one pass over the tokens of a text from line ``first_line`` on. Each part is in the order of
    lines, except that in ``blocks`` a list item follows its nested blocks."""

    source: Source
    first_line: int
    has_indented_code: bool = True
    headings: list[Heading] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    code: list[Span] = field(default_factory=list)
    math: list[Span] = field(default_factory=list)
    html: list[Region] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    lists: list[Span] = field(default_factory=list)
    """The outermost lists, without those in quotes."""
    items: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By first line of a list item, its last line without and with nested items."""

    def __post_init__(self) -> None:
        self._read(tokens(self.source, self.first_line, has_indented_code=self.has_indented_code))

    def _read(self, tokens: list[Token]) -> None:
        quotes = 0
        in_table = False
        in_item = False  # in the lines of a list item's own block
        items: list[_OpenItem] = []
        for index, token in enumerate(tokens):
            name = token.type
            if token.map is None:  # something ends
                if name == "list_item_close":
                    self._add_item(items.pop())
                    in_item &= bool(quotes)
                elif name == "blockquote_close":
                    quotes -= 1
                elif name == "table_close":
                    in_table = False
                continue
            first, end = token.map
            start = first + 1
            end = max(start, end)
            if name in _KINDS:
                kind = _KINDS[name]
                if kind == "paragraph":
                    self.regions.append(Region(start, end, table=False))
                elif kind == "code":
                    self.code.append((start, end))
                elif kind == "math":  # reading it as a region finds only the text after it
                    self.math.append((start, end))
                    self.regions.append(Region(start, end, table=False))
                elif kind == "html":
                    self.html.append(Region(start, end, table=False))
                elif kind == "quote":
                    quotes += 1
                elif kind == "table":
                    in_table = True
                elif kind == "heading" and token.level == 0:
                    text = tokens[index + 1].content.replace("\n", " ")
                    self.headings.append(Heading(int(token.tag[1]), text, start, end, end))
                if not in_item and quotes <= (name == "blockquote_open"):
                    self._add_block(kind, start, end)
            elif name == "list_item_open":
                items.append(_OpenItem(start, end, end, quotes))
                in_item |= not quotes
            elif name == "inline":  # in a heading or a cell: all cells of a row are one region
                if not self.regions or self.regions[-1].start_line != start:
                    self.regions.append(Region(start, end, in_table))
            else:  # a list begins
                if items and items[-1].quotes == quotes and items[-1].own_end >= start:
                    items[-1].own_end = start - 1
                if not (items or quotes):
                    self.lists.append((start, self.source.trimmed(start, end)))
                in_item &= bool(quotes)

    def _add_item(self, item: _OpenItem) -> None:
        if item.own_end < item.start:  # `- - text`: the inner item is the whole outer one
            return
        own_end = self.source.trimmed(item.start, item.own_end)
        whole = own_end if item.own_end == item.end else self.source.trimmed(item.start, item.end)
        self.items[item.start] = (own_end, whole)
        if not item.quotes:
            self.blocks.append(Block("list_item", item.start, own_end))

    def _add_block(self, kind: BlockKind, start: int, end: int) -> None:
        if kind == "paragraph" and _FOOTNOTE.match(self.source.lines[start - 1]):
            self._add_footnotes(start, end)
        else:
            self.blocks.append(Block(kind, start, end if kind == "code" else self.source.trimmed(start, end)))

    def _add_footnotes(self, start: int, end: int) -> None:
        """Add the definitions in a paragraph; each ends where the next begins."""
        starts = [line for line in range(start, end + 1) if _FOOTNOTE.match(self.source.lines[line - 1])]
        for first, following in zip(starts, [*starts[1:], end + 1], strict=True):
            self.blocks.append(Block("footnote", first, self.source.trimmed(first, following - 1)))


def region_at(regions: Sequence[Region], line: int) -> Region | None:
    """Returns the region that holds a line, or None."""
    index = bisect_right(regions, line, key=itemgetter(0)) - 1
    return regions[index] if index >= 0 and regions[index].end_line >= line else None


def block_ids(walk: BlockWalk, blocks: Sequence[Block], start: int) -> Iterator[BlockId]:
    """Yields the ids from offset ``start`` on that end the text of a paragraph, a list item or a heading (rule-L07).

    An id at the end of a text in a quote names the whole quote, since its parts have no names (rule-L08). An id that is
    the whole text names the block before it: a whole list, a quote, a table, any block.
    """
    source = walk.source
    starts = [block.start_line for block in blocks]
    for found in _ID.finditer(source.text, start):
        offset = found.start()
        if offset and source.text[offset - 1] not in " \t\n>":
            continue
        line = source.line_of(offset)
        region = region_at(walk.regions, line)
        index = bisect_right(starts, line) - 1
        if region is None or region.end_line != line or index < 0:
            continue
        alone = source.text[source.offset(line) : offset].strip(" \t>") == ""
        if span := _named(walk, blocks, index, region, alone=alone):
            yield BlockId(found[1], line, *span)


def _named(walk: BlockWalk, blocks: Sequence[Block], index: int, region: Region, *, alone: bool) -> Span | None:
    block = blocks[index]
    if region.table:
        return (block.start_line, region.start_line - 1) if alone else None
    if alone and block.kind == "paragraph" and region.start_line == region.end_line == block.start_line:
        return _before(walk, blocks, index)
    if block.kind == "list_item":
        return block.start_line, walk.items[block.start_line][1]
    return block.start_line, block.end_line


def _before(walk: BlockWalk, blocks: Sequence[Block], index: int) -> Span | None:
    """Returns the block before the one at ``index``; if it is the last item of a list, the whole list."""
    if index == 0:
        return None
    block = blocks[index - 1]
    if block.kind == "list_item":
        listed = bisect_right(walk.lists, (block.start_line, len(walk.source.lines))) - 1
        if listed >= 0 and walk.lists[listed][1] >= block.start_line:
            return walk.lists[listed][0], block.end_line
    return block.start_line, block.end_line

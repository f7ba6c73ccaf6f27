"""Decides which `^id`s count as ids of blocks, and which lines they name."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from vaulttools.notes.markdown.blocks import BlockWalk, Region, RegionIndex
from vaulttools.notes.parts import Block, BlockId, Span

_ID = re.compile(r"\^([A-Za-z0-9-]++)[ \t]*$", re.MULTILINE)


def block_ids(walk: BlockWalk, regions: RegionIndex, blocks: Sequence[Block], start: int) -> Iterator[BlockId]:
    """The ids from offset ``start`` on that end a text: that of a paragraph, a list item, a heading (rule-L07).

    One that ends a text of a quote or callout names the whole of that, since parts of it have no names (rule-L08). One
    that is all of its text names what stands before: a whole list, a quote, a table, any block.
    """
    source = walk.source
    starts = [block.start_line for block in blocks]
    for found in _ID.finditer(source.text, start):
        offset = found.start()
        if offset and source.text[offset - 1] not in " \t\n>":
            continue
        line = source.line_of(offset)
        region = regions.at(line)
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
    """The block before that at ``index``, or the whole list whose last item that is."""
    if index == 0:
        return None
    block = blocks[index - 1]
    if block.kind == "list_item":
        listed = bisect_right(walk.lists, (block.start_line, len(walk.source.lines))) - 1
        if listed >= 0 and walk.lists[listed][1] >= block.start_line:
            return walk.lists[listed][0], block.end_line
    return block.start_line, block.end_line

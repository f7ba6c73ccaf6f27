"""Adds to the passages of an answer the blocks and sections that they embed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final

from vaulttools.notes.links.references import Reference
from vaulttools.notes.links.targets import LinkIndex
from vaulttools.notes.note import Note
from vaulttools.notes.passages import cut
from vaulttools.ranked.candidates import Reader
from vaulttools.ranked.showing import ELLIPSIS, Embedded, ShownNote, ShownPassage, compact, embedded_lines

PART: Final = re.compile(r"!\[(?:\[[^\]\n]*#|[^\]\n]*\]\([^)\n]*#)")
"""What a text holds if it embeds a part of a note."""
_MOST: Final = 2
"""Embedded parts of one answer."""
_CHARACTERS: Final = 350
"""Upper bound of the characters of one."""


def with_embeds(
    shown: Sequence[ShownNote], among: AbstractSet[str], read: Reader, links: Callable[[], LinkIndex], room: int
) -> list[ShownNote]:
    """Return notes whose passages also have the text of the blocks and sections that they embed, at most two in all, as
    far as `room` characters suffice.

    Only notes in `among` are read. Embeds of whole notes, and parts that the answer shows already, are left out.
    """
    left = _MOST
    found = []
    for note in shown:
        passages = []
        for passage in note.passages:
            parts: list[Embedded] = []
            if left and PART.search(passage.shown):
                for part in _parts(note, passage, shown, among, read, links):
                    size = sum(len(line) + 1 for line in embedded_lines(part))
                    if len(parts) < left and size <= room:
                        parts.append(part)
                        room -= size
            left -= len(parts)
            passages.append(replace(passage, embedded=parts))
        found.append(replace(note, passages=passages))
    return found


def _parts(
    note: ShownNote,
    passage: ShownPassage,
    shown: Sequence[ShownNote],
    among: AbstractSet[str],
    read: Reader,
    links: Callable[[], LinkIndex],
) -> Iterator[Embedded]:
    source = read(note.note.path)
    first, last = passage.shown_lines
    for each in () if source is None else source.references:
        if not each.embed or each.kind == "external" or not (each.block or each.headings):
            continue
        if not first <= each.line <= last or each.written not in passage.shown:
            continue
        path = links().resolve(each.target, note.note.path)
        if path is None or path not in among:
            continue
        embedded = read(path)
        lines = None if embedded is None else _lines(embedded, each)
        if embedded is None or lines is None:
            continue
        start, end = lines
        if not any(_holds(other, path, start) for other in shown):
            text = compact("\n".join(embedded.source.lines[start - 1 : end]))
            place = cut(text, _CHARACTERS)
            yield Embedded(path, start, end, text[:place].rstrip() + ELLIPSIS * (place < len(text)))


def _lines(note: Note, reference: Reference) -> tuple[int, int] | None:
    """Return the first and the last line of the part that an embed names; None if the note has no such part."""
    if reference.block is not None:
        block = note.block(reference.block)
        return None if block is None else (block.start_line, block.end_line)
    section = note.section(reference.headings)
    return None if section is None else (section.line, section.end_line)


def _holds(shown: ShownNote, path: str, line: int) -> bool:
    """Whether a shown note shows a line of the note at a path."""
    return shown.note.path == path and any(
        each.shown_lines[0] <= line <= each.shown_lines[1] for each in shown.passages
    )

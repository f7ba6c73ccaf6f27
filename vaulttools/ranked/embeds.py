"""Adds to the passages of an answer the blocks and sections that they embed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import islice
from typing import Final

from vaulttools.core import paths
from vaulttools.notes.links.references import Reference
from vaulttools.notes.links.resolution import LinkIndex
from vaulttools.notes.note import Note
from vaulttools.notes.passages import cut
from vaulttools.ranked.candidates import Reader
from vaulttools.ranked.copies import Deduplicator
from vaulttools.ranked.showing import ELLIPSIS, Embedded, ShownNote, ShownPassage, compact, embedded_lines

PART: Final = re.compile(r"!\[(?:\[[^\n]{0,300}#|[^\[\]\n]{0,300}\]\([^()\n]{0,300}#)")
"""What a text holds if it embeds a part of a note; bounded, since each `![` of a text is tried."""
_MOST: Final = 2
"""Embedded parts of one answer."""
_TRIED: Final = 8
"""Embeds of one answer whose notes are read: each takes up to a tenth of a second."""
_CHARACTERS: Final = 350
"""Upper bound of the characters of one part."""


def with_embeds(
    shown: Sequence[ShownNote], answer: Deduplicator, links: Callable[[], LinkIndex], characters: int
) -> list[ShownNote]:
    """Returns notes whose passages also have the text of the blocks and sections that they embed, at most two in all,
    as far as the `characters` of all notes and the seconds of the `answer` suffice.

    Only notes of its scope are read. Embeds of whole notes, embeds in comments, and parts that the answer shows already
    are left out.
    """
    found = list(shown)
    known = [(note.note.path, *each.shown_lines) for note in shown for each in note.passages]  # path, first, last line
    room = characters - sum(len(line) + 1 for note in shown for line in (note.heading, *note.lines))
    left = _MOST
    for at, place, part in islice(_parts(shown, answer.among, answer.read, links), _TRIED):
        if not left or answer.remaining() <= 0:
            break
        size = sum(len(line) + 1 for line in embedded_lines(part)) if part is not None else 0
        if part is None or size > room or any(_overlap(part, *each) for each in known):
            continue
        passages = list(found[at].passages)
        passages[place] = replace(passages[place], embedded=[*passages[place].embedded, part])
        found[at] = replace(found[at], passages=passages)
        known.append((part.path, part.start_line, part.end_line))
        room -= size
        left -= 1
    return found


def _parts(
    shown: Sequence[ShownNote], among: AbstractSet[str], read: Reader, links: Callable[[], LinkIndex]
) -> Iterator[tuple[int, int, Embedded | None]]:
    """Yields the embeds of the shown passages in order: the places of the note and of its passage, and the embedded
    part; None for it if there is no such part."""
    names: LinkIndex | None = None
    for at, note in enumerate(shown):
        for place, passage in enumerate(note.passages):
            for reference in _references(note.note.path, passage, read) if PART.search(passage.shown) else ():
                names = links() if names is None else names
                path = names.resolve(reference.target, note.note.path)
                is_read = path is not None and path in among and paths.is_note(path)
                yield at, place, _part(path, reference, read) if path is not None and is_read else None


def _references(path: str, passage: ShownPassage, read: Reader) -> Iterator[Reference]:
    """Yields the embeds of parts of notes in the shown lines of a passage, except those in comments."""
    note = read(path)
    if note is None:
        return
    first, last = passage.shown_lines
    comments = note.lines_in("comments")
    for each in note.references:
        if (
            each.embed
            and each.kind != "external"
            and (each.block or each.headings)
            and each.in_property is None
            and first <= each.line <= last
            and each.written in passage.shown
            and each.line not in comments
        ):
            yield each


def _part(path: str, reference: Reference, read: Reader) -> Embedded | None:
    """Returns the part of the note at a path that an embed names; None if the note has no such part."""
    note = read(path)
    lines = None if note is None else _lines(note, reference)
    if note is None or lines is None:
        return None
    start, end = lines
    text = compact(note.says(note.source.offset(start), note.source.offset(end + 1)))
    place = cut(text, _CHARACTERS)
    return Embedded(path, start, end, text[:place].rstrip() + ELLIPSIS * (place < len(text)))


def _lines(note: Note, reference: Reference) -> tuple[int, int] | None:
    if reference.block is not None:
        block = note.block(reference.block)
        return None if block is None else (block.start_line, block.end_line)
    section = note.section(reference.headings)
    return None if section is None else (section.line, section.end_line)


def _overlap(part: Embedded, path: str, first: int, last: int) -> bool:
    """Whether a part has a line between two lines, inclusive, of the note at a path."""
    return part.path == path and part.start_line <= last and first <= part.end_line

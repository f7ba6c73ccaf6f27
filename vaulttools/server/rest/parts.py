"""Maps a note's headings, blocks and properties, and extracts one of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

from vaulttools.notes.note import Note
from vaulttools.notes.parts import Heading
from vaulttools.server.rest.answering import NotThere

_MARK: Final = "\U000fc750"
_DIGIT: Final = 0xF6440
"""markdown-patch 2 marks the second and later headings of the same name with a sign and private-use hex digits."""


def flat(note: Note) -> dict[str, Any]:
    """Returns the map of version 1: headings by the path to them."""
    return {
        "headings": ["::".join(way) for way, _ in _heading_paths(note.headings)],
        "blocks": [each.id for each in note.structure.block_ids],
        "frontmatterFields": list(note.properties),
    }


def tree(note: Note) -> dict[str, Any]:
    """Returns the map of version 2: nested headings, and a hash of the text as its version."""
    top: dict[str, Any] = {}
    levels: list[tuple[int, dict[str, Any]]] = [(0, top)]
    for heading in note.headings:
        while levels[-1][0] >= heading.level:
            levels.pop()
        below: dict[str, Any] = {}
        levels[-1][1][_unused(heading.text, levels[-1][1])] = below
        levels.append((heading.level, below))
    version = hashlib.sha256(note.text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return {**flat(note), "headings": top, "version": version}


def part(note: Note, kind: str, target: Sequence[str]) -> Any:
    """Returns the Markdown below a heading or of a block, or the value of a property.

    Raises:
        NotThere: the note has no such part.
    """
    lines = note.text.split("\n")
    if kind == "frontmatter" and len(target) == 1 and target[0] in note.properties:
        return note.properties[target[0]]
    if kind == "block" and len(target) == 1 and (block := note.block(target[0])) is not None:
        return "\n".join(lines[block.start_line - 1 : block.end_line])
    if kind == "heading" and target and (heading := _heading(note, target)) is not None:
        return "\n".join(lines[heading.last_line : heading.end_line])
    raise NotThere(f"The note has no such {kind}: {' > '.join(target)}")


def _heading(note: Note, target: Sequence[str]) -> Heading | None:
    """Returns the heading at the end of a path of full names; otherwise the one that a link would find."""
    exact = next((heading for way, heading in _heading_paths(note.headings) if way == tuple(target)), None)
    return exact or note.section(target)


def _heading_paths(headings: Sequence[Heading]) -> Iterator[tuple[tuple[str, ...], Heading]]:
    trail: list[Heading] = []
    for heading in headings:
        while trail and trail[-1].level >= heading.level:
            trail.pop()
        trail.append(heading)
        yield tuple(each.text for each in trail), heading


def _unused(name: str, taken: dict[str, Any]) -> str:
    number, given = 0, name
    while given in taken:
        given = name + _MARK + "".join(chr(_DIGIT + int(digit, 16)) for digit in f"{number:x}")
        number += 1
    return given

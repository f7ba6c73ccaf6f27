"""Draws the notes that link to a note, and those it links to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final
from unicodedata import east_asian_width

from vaulttools.core import paths, render
from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.searching import title

MOST: Final = 14
"""Notes on either side."""

WIDTH: Final = 360
_ROW: Final = 26
_TOP: Final = 30
_MARGIN: Final = 138
"""Pixels on either side for the names."""
_CHARACTERS: Final = 16
"""Characters of a name; longer ones would leave the margin. One of Chinese counts as two."""


@dataclass(frozen=True, slots=True)
class DiagramNode:
    """A note in the picture."""

    address: str
    name: str
    path: str
    x: int
    y: int
    is_source: bool
    """Whether it stands on the left."""
    curve: str
    """The line to the note in the middle, as SVG has it."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """The picture of a neighbourhood; lengths are pixels."""

    nodes: Sequence[DiagramNode]
    height: int
    centre: tuple[int, int]
    left_out: tuple[int, int]
    """Notes on the left and on the right for which there is no room."""
    width: int = WIDTH


def drawn(sources: Sequence[str], targets: Sequence[str], addresses: Addresses) -> Diagram | None:
    """The picture of the notes that link to one, and of those that it links to; None where there are neither."""
    if not sources and not targets:
        return None
    rows = max(min(len(sources), MOST), min(len(targets), MOST))
    height = _TOP + rows * _ROW + _ROW // 2
    centre = (WIDTH // 2, _TOP + rows * _ROW // 2)

    def side(notes: Sequence[str], *, is_source: bool) -> list[DiagramNode]:
        shown = notes[:MOST]
        first = centre[1] - (len(shown) - 1) * _ROW // 2
        x = _MARGIN if is_source else WIDTH - _MARGIN
        nodes = []
        for index, path in enumerate(shown):
            y = first + index * _ROW
            bend = (x + centre[0]) // 2
            curve = f"M{x} {y} C{bend} {y} {bend} {centre[1]} {centre[0]} {centre[1]}"
            nodes.append(DiagramNode(addresses.note(path), _name(path), paths.shown(path), x, y, is_source, curve))
        return nodes

    nodes = [*side(sources, is_source=True), *side(targets, is_source=False)]
    left_out = (max(0, len(sources) - MOST), max(0, len(targets) - MOST))
    return Diagram(nodes, height, centre, left_out)


def _name(path: str) -> str:
    name = paths.shown(title(path))
    ends = list(accumulate(1 + (east_asian_width(character) in "WF") for character in name))
    if bisect_right(ends, _CHARACTERS) == len(name):
        return name
    return f"{name[: bisect_right(ends, _CHARACTERS - 1)]}{render.ELLIPSIS}"

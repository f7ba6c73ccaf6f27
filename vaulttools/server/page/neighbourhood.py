"""Draws the notes that are one or two links away from a note."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from threading import Event
from typing import Final
from unicodedata import east_asian_width

from vaulttools.core import paths, render
from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.asking import NOT_YET, ask
from vaulttools.server.page.vault_notes import Soon, in_time
from vaulttools.tools.links import LinksAnswer, NoteReached
from vaulttools.vault import Vault

MOST: Final = 14
"""Notes one link away, on each side."""

MOST_BEYOND: Final = 6
"""Notes two links away through the same note."""

_ASKED: Final = 500
"""Notes on each side that are counted, drawn or not."""

_SECONDS: Final = 3.0
"""Seconds for the links of all notes. It takes longer only while the vault is indexed for the first time."""

WIDTH: Final = 360
_STEP: Final = 190
"""Pixels between notes one link away and those two away: room for a name."""
_ROW: Final = 26
_TOP: Final = 30
_MARGIN: Final = 138
"""Pixels on each side for the names."""
_CHARACTERS: Final = 16
"""Characters of a name; longer ones would leave the margin. A wide (Chinese) character counts as two."""


@dataclass(frozen=True, slots=True)
class DiagramNode:
    """A note in the diagram."""

    address: str
    name: str
    path: str
    x: int
    y: int
    is_source: bool
    """Whether it is on the left."""
    curve: str
    """The line to the note in the middle, as an SVG path."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """The diagram of a neighbourhood; lengths are pixels."""

    nodes: Sequence[DiagramNode]
    height: int
    centre: tuple[int, int]
    left_out: tuple[int, int]
    """Notes on the left and on the right that do not fit."""
    width: int = WIDTH


def drawn(sources: Sequence[NoteReached], targets: Sequence[NoteReached], addresses: Addresses) -> Diagram | None:
    """Draw the notes that link to one note, and those that it links to; None if there are none."""
    if not sources and not targets:
        return None
    width = WIDTH + 2 * _STEP * any(each.distance > 1 for each in (*sources, *targets))
    sides = [_side(sources), _side(targets)]
    rows = [sum(max(1, len(beyond)) for _, beyond in side) for side in sides]
    centre = (width // 2, _TOP + max(rows) * _ROW // 2)
    nodes: list[DiagramNode] = []
    for side, height, direction in zip(sides, rows, (-1, 1), strict=True):
        x = centre[0] + direction * (WIDTH // 2 - _MARGIN)
        y = centre[1] - (height - 1) * _ROW // 2

        def node(note: NoteReached, x: int, y: int, to: tuple[int, int], direction: int = direction) -> DiagramNode:
            bend = (x + to[0]) // 2
            curve = f"M{x} {y} C{bend} {y} {bend} {to[1]} {to[0]} {to[1]}"
            shown = _name(note.path), paths.shown(note.path)
            return DiagramNode(addresses.note(note.path), *shown, x, y, direction < 0, curve)

        for note, beyond in side:
            middle = y + max(0, len(beyond) - 1) * _ROW // 2
            nodes.append(node(note, x, middle, centre))
            for place, each in enumerate(beyond):
                nodes.append(node(each, x + direction * _STEP, y + place * _ROW, (x, middle)))
            y += max(1, len(beyond)) * _ROW
    shown = [sum(1 + len(beyond) for _, beyond in side) for side in sides]
    left_out = (len(sources) - shown[0], len(targets) - shown[1])
    return Diagram(nodes, _TOP + max(rows) * _ROW + _ROW // 2, centre, left_out, width)


def _side(notes: Sequence[NoteReached]) -> list[tuple[NoteReached, list[NoteReached]]]:
    """Returns the notes of one side to draw, each with the notes two links away that it leads to."""
    beyond: dict[str, list[NoteReached]] = defaultdict(list)
    for each in notes:
        if each.distance > 1:
            beyond[each.via[0]].append(each)
    return [(each, beyond[each.path][:MOST_BEYOND]) for each in notes if each.distance == 1][:MOST]


def nearby(vault: Vault, addresses: Addresses, path: str, cancel: Event) -> tuple[Diagram | None, Sequence[str]]:
    """Returns the diagram of the notes within two links of one, and the tool's sentences that count them.

    Raises:
        VaultToolsError: there is no such note.
    """
    asked = {"note": path, "depth": 2, "limit": _ASKED}
    soon = Soon(cancel, _SECONDS)

    def both() -> tuple[LinksAnswer, LinksAnswer]:
        back: LinksAnswer = ask(vault, "links", {**asked, "direction": "back"}, soon)
        return back, ask(vault, "links", {**asked, "direction": "out"}, soon)

    answers = in_time(both, cancel)
    if answers is None:
        return None, [NOT_YET]
    back, out = answers
    summaries = [each.text.rstrip(":.") for each in (back, out)]
    return drawn(back.notes, out.notes, addresses), summaries


def _name(path: str) -> str:
    name = paths.shown(paths.title(path))
    ends = list(accumulate(1 + (east_asian_width(character) in "WF") for character in name))
    if bisect_right(ends, _CHARACTERS) == len(name):
        return name
    return f"{name[: bisect_right(ends, _CHARACTERS - 1)]}{render.ELLIPSIS}"

"""Finds the notes one link away from those that an answer shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from vaulttools.answers import all_notes
from vaulttools.answers.incremental import NoteProjection
from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.notes.links import graph
from vaulttools.notes.links.graph import Graph

if TYPE_CHECKING:
    from vaulttools.notes.note import Note

PROJECTION: Final = NoteProjection("links", graph.written, Graph(), Graph.changed, Graph.plain, Graph.of_plain)
"""What counts of each note: its links."""


_AT_ONCE: Final = 256
"""Links that are resolved between two checks of the time."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """One note that a link leads to, or comes from."""

    path: str
    direction: Literal["out", "back"]
    """out: the note shown links to it; back: it links to the note shown."""
    note: str
    """The first of the shown notes that it is linked with."""


@dataclass(frozen=True, slots=True)
class ShownLines:
    """A note that an answer shows, and which of its lines (from 1, ends inclusive)."""

    note: Note
    lines: Sequence[tuple[int, int]]


def linked(
    call: Call, shown: Sequence[ShownLines], among: AbstractSet[str], *, with_backlinks: bool
) -> list[Neighbour]:
    """Returns the notes in `among` that are linked with `shown`, without these. First those that the shown lines link
    to, then those linked with the most shown notes, then in the order of the shown notes, then by path. Notes whose
    links there is no time to read are skipped."""
    work = call.work
    links = call.links()
    all_links = all_notes.answered(call, PROJECTION, all_notes.scope_of(call)).answer if with_backlinks else None
    own = {each.note.path for each in shown}
    first: dict[str, tuple[int, Literal["out", "back"]]] = {}
    """By note: the index of the first shown note that it is linked with, and the direction."""
    in_lines: set[str] = set()
    times: dict[str, int] = defaultdict(int)
    for place, each in enumerate(shown):
        found: dict[str, Literal["out", "back"]] = {}
        for number, (line, written) in enumerate(() if work.is_over() else graph.written(each.note)):
            if number % _AT_ONCE == 0 and work.is_over():
                break
            target = links.resolve(written, each.note.path)
            if target is not None:
                found.setdefault(target, "out")
                if any(start <= line <= end for start, end in each.lines):
                    in_lines.add(target)
        if work.is_over():
            work.pass_over(each.note.path, "time limit")
        for edge in () if all_links is None else all_links.to(each.note.path, links):
            found.setdefault(edge.source, "back")
        for path, direction in found.items():
            if path in among and path not in own:
                times[path] += 1
                first.setdefault(path, (place, direction))

    def order(path: str) -> tuple[bool, int, int, bool, bytes]:
        place, direction = first[path]
        return path not in in_lines, -times[path], place, direction == "back", paths.order(path)

    return [Neighbour(path, first[path][1], shown[first[path][0]].note.path) for path in sorted(first, key=order)]

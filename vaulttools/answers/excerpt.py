"""Cuts windows of lines around hits, and merges windows that touch or overlap."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise
from operator import sub
from typing import Final, NamedTuple

_LINES_OF_SEVERAL: Final = 8
"""Lines of one excerpt of places that lie side by side; one place, such as a block, may be longer."""

_LINES_OF_ONE: Final = 60
"""Lines shown of one place (as of an excerpt of `search_files`); a notice counts the rest."""


class HitWindow(NamedTuple):
    """A run of lines of one text, from 1, end inclusive; `hits` are the matching lines in it, in order."""

    start: int
    end: int
    hits: tuple[int, ...]


def around(hits: Iterable[int], before: int, after: int, last_line: int) -> Iterator[HitWindow]:
    """The windows around matching lines (ascending, from 1), within 1 to `last_line`.

    >>> list(around([3, 6, 20], 1, 2, 20))
    [HitWindow(start=2, end=8, hits=(3, 6)), HitWindow(start=19, end=20, hits=(20,))]
    """
    numbers = [*hits]
    farthest = before + after + 1
    starts = [place for place, gap in enumerate(map(sub, numbers[1:], numbers), 1) if gap > farthest]
    for start, end in pairwise((0, *starts, len(numbers))) if numbers else ():
        inside = tuple(numbers[start:end])
        yield HitWindow(max(1, inside[0] - before), min(last_line, inside[-1] + after), inside)


def shortened(excerpt: HitWindow, lines: int) -> HitWindow:
    """The excerpt's first lines, at most so many."""
    end = min(excerpt.end, excerpt.start + lines - 1)
    return HitWindow(excerpt.start, end, excerpt.hits[: bisect_right(excerpt.hits, end)])


class Window(NamedTuple):
    """A run of lines that holds places, from 1, end inclusive."""

    start: int
    end: int
    places: int
    """How many begin in it."""
    reach: int
    """The last line of all of them, which may lie beyond."""


def of_places(places: Iterable[tuple[int, int]]) -> list[Window]:
    """The lines to show of places, each from its first to its last line: no line twice, and places that touch as one
    while it is short."""
    windows: list[Window] = []
    for start, reach in sorted(places, key=lambda place: (place[0], -place[1])):
        end = min(reach, start + _LINES_OF_ONE - 1)
        last = windows[-1] if windows else Window(0, -1, 0, -1)
        if end <= last.end or (start <= last.end + 1 and end < last.start + _LINES_OF_SEVERAL):
            windows[-1] = Window(last.start, max(end, last.end), last.places + 1, max(reach, last.reach))
        else:
            windows.append(Window(max(start, last.end + 1), end, 1, reach))
    return windows

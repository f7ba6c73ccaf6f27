"""Cuts windows of lines around places in a text, and names where they stand."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from operator import sub
from typing import Final, NamedTuple

from vaulttools.core import paths, render
from vaulttools.files.document import Document, DocumentPart

_LINES_OF_SEVERAL: Final = 8
"""Lines of one excerpt of places that lie side by side; one place, such as a block, may be longer."""

_LINES_OF_ONE: Final = 60
"""Lines shown of one place (as of an excerpt of `search_files`); a notice counts the rest."""

_NAME_CHARACTERS: Final = 80
"""Characters of headings in a place that are shown: it stands beside the path, on every row of `grep`."""


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


def named(path: str, part: DocumentPart | None) -> str:
    """A file and the part of it, as text shows them: `report.pdf, page 3`, `letter.docx, Risks > Damp`."""
    return f"{paths.shown(path)}{_suffix(part)}"


def suffix(document: Document, start: int, end: int) -> str:
    """Where some lines stand, from 1, end inclusive: `, page 3`, `, pages 3-4`, `, Risks > Damp`; `""` in a note."""
    first, last = document.part_of(start), document.part_of(end)
    if first is not None and last is not None and first.page is not None and first.page != last.page:
        return f", pages {first.page}-{last.page}"
    return _suffix(first or last)


def page_of(document: Document, line: int) -> int | None:
    """The page in which a line stands; None where there are no pages."""
    part = document.part_of(line)
    return part.page if part is not None else None


def windows(
    document: Document, hits: Iterable[int], before: int, after: int, last_line: int | None = None
) -> Iterator[tuple[DocumentPart | None, HitWindow]]:
    """As `around`, of the lines up to the last, each window with its part of the document: none goes over the
    border of a page or section."""
    last_line = len(document.lines) if last_line is None else last_line
    if not document.parts:
        for window in around(hits, before, after, last_line):
            yield None, window
        return
    for part, inside in groupby(hits, key=document.part_of):
        first, last = _bounds(document, part)
        for window in around(inside, before, after, min(last, last_line)):
            yield part, HitWindow(max(window.start, first), window.end, window.hits)


def _bounds(document: Document, part: DocumentPart | None) -> tuple[int, int]:
    """The first and the last line of a part, or of what stands before the first part."""
    following = document.parts[0 if part is None else document.parts.index(part) + 1 :]
    return (1 if part is None else part.line), (following[0].line - 1 if following else len(document.lines))


def _suffix(part: DocumentPart | None) -> str:
    if part is None or not part.name:
        return ""
    name = render.visible(part.name)
    return f", {name if len(name) <= _NAME_CHARACTERS else name[:_NAME_CHARACTERS] + render.ELLIPSIS}"

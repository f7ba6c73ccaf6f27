"""Names where lines of an attachment stand: its page, or the headings above them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from vaulttools.answers import excerpt
from vaulttools.answers.excerpt import HitWindow
from vaulttools.core import paths, render
from vaulttools.files.document import Document, DocumentPart

_NAME_CHARACTERS: Final = 80
"""Characters of headings in a place that are shown: it stands beside the path, on every row of `grep`."""


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
    """As `excerpt.around`, of the lines up to the last, each window with its part of the document: none goes over the
    border of a page or section."""
    last_line = len(document.lines) if last_line is None else last_line
    if not document.parts:
        yield from ((None, window) for window in excerpt.around(hits, before, after, last_line))
        return
    for part, inside in groupby(hits, key=document.part_of):
        first, last = _bounds(document, part)
        for window in excerpt.around(inside, before, after, min(last, last_line)):
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

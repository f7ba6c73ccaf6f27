"""Shows lines of a text: windows around places, excerpts, and their page or section."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice, pairwise
from operator import attrgetter, sub
from types import TracebackType
from typing import Any, Final, NamedTuple, overload

from vaulttools.answers import answer
from vaulttools.answers.answer import is_none
from vaulttools.answers.cut import Section
from vaulttools.core import limits, paths, render
from vaulttools.core.work import Work
from vaulttools.files.document import Document, DocumentPart
from vaulttools.matching.search import FileHits
from vaulttools.models import BaseModel, Field
from vaulttools.notes.reader import NoteReader

_LINES_OF_SEVERAL: Final = 8
"""Lines of one excerpt that covers adjacent places; a single place, such as a block, may be longer."""

_LINES_OF_ONE: Final = 60
"""Lines shown of one place (like an excerpt of `search_files`); a notice counts the rest."""

_NAME_CHARACTERS: Final = 80
"""Characters of headings shown beside the path, on every row of `grep`."""


class HitWindow(NamedTuple):
    """A run of lines of one text, from 1, end inclusive; `hits` are the matching lines in it, in order."""

    start: int
    end: int
    hits: tuple[int, ...]


def around(hits: Iterable[int], before: int, after: int, last_line: int) -> Iterator[HitWindow]:
    """Yields the windows around matching lines (ascending, from 1), within 1 to `last_line`.

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
    """Returns the excerpt's first lines, at most `lines`."""
    end = min(excerpt.end, excerpt.start + lines - 1)
    return HitWindow(excerpt.start, end, excerpt.hits[: bisect_right(excerpt.hits, end)])


class Window(NamedTuple):
    """A run of lines that covers places, from 1, end inclusive."""

    start: int
    end: int
    places: int
    """How many places begin in it."""
    reach: int
    """The last line of all these places; it may be after `end`."""


def of_places(places: Iterable[tuple[int, int]]) -> list[Window]:
    """Returns the lines to show of places, each given by its first and last line. No line is shown twice; places that
    touch share a window while it is short."""
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
    """Returns a file and the part of it, as text shows them: `report.pdf, page 3`, `letter.docx, Risks > Damp`."""
    return f"{paths.shown(path)}{_suffix(part)}"


def suffix(document: Document, start: int, end: int) -> str:
    """Returns where lines (from 1, end inclusive) are: `, page 3`, `, pages 3-4`, `, Risks > Damp`; `""` in a note."""
    first, last = document.part_of(start), document.part_of(end)
    if first is not None and last is not None and first.page is not None and first.page != last.page:
        return f", pages {first.page}-{last.page}"
    return _suffix(first or last)


def page_of(document: Document, line: int) -> int | None:
    """Returns the page that a line is on; None if there are no pages."""
    part = document.part_of(line)
    return part.page if part is not None else None


def windows(
    document: Document, hits: Iterable[int], before: int, after: int, last_line: int | None = None
) -> Iterator[tuple[DocumentPart | None, HitWindow]]:
    """Like `around`, up to `last_line`; yields each window with its part of the document. No window crosses the border
    of a page or section."""
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
    """Returns the first and the last line of a part; for None, of the lines before the first part."""
    following = document.parts[0 if part is None else document.parts.index(part) + 1 :]
    return (1 if part is None else part.line), (following[0].line - 1 if following else len(document.lines))


def _suffix(part: DocumentPart | None) -> str:
    if part is None or not part.name:
        return ""
    return f", {render.shortened(render.visible(part.name), _NAME_CHARACTERS)}"


EXCERPT_LINES: Final = 60
"""Lines of one excerpt."""


class LineAbove(BaseModel):
    """A line further up in the file."""

    line: int = Field(description="Its number, from 1.")
    text: str = Field(description="The whole line without its end.")


class Excerpt(BaseModel):
    """Consecutive lines of one file."""

    start_line: int = Field(description="Number of the first line, from 1.")
    lines: list[str] = Field(description="Whole lines without their ends.")
    matching_lines: list[int] = Field(description="Numbers of the matching lines among them.")
    heading: list[str] = Field(description="Headings above the first match, outermost first.")
    page: int | None = Field(None, description="The page of a PDF file, from 1; null elsewhere.")
    above: list[LineAbove] | None = Field(
        None,
        exclude_if=is_none,
        description="For a table row, the heading above the table and the header row, unless shown before.",
    )


class FileMatch(BaseModel):
    """One matching file."""

    path: str
    match_count: int = Field(description="Matching lines in the file, shown or not.")
    excerpts: list[Excerpt] = Field(description="None with output paths or counts.")
    properties: dict[str, Any] | None = Field(
        None, exclude_if=is_none, description="With `columns`: those that the file has."
    )


@dataclass(frozen=True, slots=True)
class ExcerptRows(Sequence[str]):
    """The rows of a file in the text. A row is rendered on access: of many files, only a few rows are shown."""

    excerpts: Sequence[Excerpt] = ()
    leads: Sequence[Sequence[str]] = ()
    """By excerpt, the rows that begin it: the name of another page or section of the file, or lines from above."""
    columns: Mapping[int, int] = field(default_factory=dict)
    """By line, where the first match begins in a line that is cut."""
    firsts: Sequence[int] = ()
    """By excerpt, the row of its first line (from 0)."""
    matching: int = 0
    """How many matching lines the excerpts hold."""

    def __len__(self) -> int:
        return self.firsts[-1] + len(self.excerpts[-1].lines) if self.excerpts else 0

    @overload
    def __getitem__(self, row: int) -> str: ...

    @overload
    def __getitem__(self, row: slice) -> list[str]: ...

    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            return [*map(self._row, range(*row.indices(len(self))))]
        return self._row(range(len(self))[row])

    def up_to(self, kept: int) -> list[Excerpt]:
        """Returns the excerpts within the first `kept` rows, with only the lines that these rows show."""
        shown: list[Excerpt] = []
        for each, first in zip(self.excerpts, self.firsts, strict=True):
            if kept <= first:
                break
            last = each.start_line + kept - first - 1
            matching = [line for line in each.matching_lines if line <= last]
            shown.append(each.model_copy(update={"lines": each.lines[: kept - first], "matching_lines": matching}))
        return shown

    def _row(self, row: int) -> str:
        following = bisect_right(self.firsts, row)
        if following:
            shown = self.excerpts[following - 1]
            offset = row - self.firsts[following - 1]
            if offset < len(shown.lines):
                line = shown.start_line + offset
                mark = ">" if line in shown.matching_lines else " "
                return f"Line {line}: {mark} {render.line(shown.lines[offset], self.columns.get(line))}".rstrip(" ")
        lead = self.leads[following]
        before = self.firsts[following] - row
        return lead[-before] if before <= len(lead) else ""  # a blank row separates two excerpts


def excerpted(found: FileHits, context: int, most: int, reader: NoteReader) -> ExcerptRows:
    """Returns the first excerpts of a file, at most `most`."""
    text = found.document.lines
    first = [*islice(windows(found.document, found.hits.numbers, context, context), most)]
    if paths.is_note(found.document.path):
        under = _headings(reader, found.document, [window.hits[0] for _, window in first])
    else:
        under = [part.heading if part else () for part, _ in first]
    excerpts: list[Excerpt] = []
    leads: list[list[str]] = []
    seen: set[int] = set()
    columns: dict[int, int] = {}
    firsts: list[int] = []
    row = matching = 0
    before = first[0][0]
    for (part, window), heading in zip(first, under, strict=True):
        shown = shortened(window, EXCERPT_LINES)
        lines = text[shown.start - 1 : shown.end]
        page = part.page if part else None
        above: list[LineAbove] = []
        lead = [f"## {named(found.document.path, part)}"] if part != before else []
        for number in above_row(found.document, shown, reader, seen):
            above.append(LineAbove(line=number, text=text[number - 1]))
            lead.append(f"Line {number}:   {render.line(text[number - 1])}".rstrip(" "))
        excerpts.append(
            Excerpt(
                start_line=shown.start,
                lines=lines,
                matching_lines=[*shown.hits],
                heading=[*heading],
                page=page,
                above=above or None,
            )
        )
        leads.append(lead)
        before = part
        row += bool(firsts) + len(leads[-1])
        firsts.append(row)
        row += len(lines)
        matching += len(shown.hits)
        if max(map(len, lines), default=0) > limits.LINE_CHARACTERS:
            cut = (line for line in shown.hits if len(lines[line - shown.start]) > limits.LINE_CHARACTERS)
            columns |= {line: found.hits.column(line) or 0 for line in cut}
    return ExcerptRows(excerpts, leads, columns, firsts, matching)


def _headings(reader: NoteReader, document: Document, lines: list[int]) -> Sequence[tuple[str, ...]]:
    """Returns the headings above each line (lines from 1)."""
    note = reader.stored(document)
    if note is not None:
        return [note.breadcrumb(line) for line in lines]
    from vaulttools.notes.note import breadcrumbs

    return breadcrumbs(document.lines, lines)


def above_row(document: Document, window: HitWindow, reader: NoteReader, seen: set[int]) -> list[int]:
    """Returns the lines above a window that explain a table row in it: the heading above the table, and its header row.
    Leaves out lines in `seen`, then adds the lines of the window to it."""
    needed: list[int] = []
    may_be_row = "|" in document.lines[window.hits[0] - 1] and paths.is_note(document.path)
    if may_be_row and (header := _header_row(document.lines, window.hits[0])) is not None:
        headings = reader.note(document).headings
        place = bisect_right(headings, header, key=attrgetter("line"))
        needed = [*(heading.line for heading in headings[place - 1 : place]), header]
        needed = [line for line in needed if line < window.start and line not in seen]
    seen.update(needed, range(window.start, window.end + 1))
    return needed


def _header_row(lines: Sequence[str], number: int) -> int | None:
    """Returns the header row of the table that a line is a row of (both lines from 1); None if it is no such row."""
    header = None
    for above in range(number, 1, -1):
        line = lines[above - 1].strip("> \t")
        if not line:
            break
        if "-" in line and "|" in line and _DELIMITERS.issuperset(line):  # the top one counts: data may be dashes
            header = above - 1
    return header if header is not None and lines[header - 1].strip("> \t") else None


_DELIMITERS: Final = frozenset("|-: \t")
"""The characters of the delimiter row below a header row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFile(Section):
    """What is shown of one matching file."""

    lines: ExcerptRows
    file: FileMatch

    def up_to(self, count: int) -> list[FileMatch]:
        """Returns the file with what the first `count` rows of its excerpts show."""
        if count >= len(self.lines):
            return [self.file]
        return [self.file.model_copy(update={"excerpts": self.lines.up_to(count)})]


class FileStream(Iterator[FileMatch]):
    """The matching files of `Vault.iter_search_files`, each as soon as it is found."""

    def __init__(self, files: Generator[FileMatch, None, None], work: Work, notices: Sequence[str] = ()) -> None:
        self._files = files
        self._work = work
        self._notices = notices
        self._found = False

    def __next__(self) -> FileMatch:
        file = next(self._files)
        self._found = True
        return file

    def close(self) -> None:
        """Ends the search; so does the end of a `with` block or of the last reference."""
        self._files.close()

    def __enter__(self) -> FileStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def complete(self) -> bool:
        """Like `Answer.complete`, for the files searched so far; after the last one, for all."""
        return self._work.complete

    @property
    def notices(self) -> list[str]:
        """What an answer would say about the pattern, and about files skipped so far."""
        return [*self._notices, *answer.told(self._work, found=self._found)]

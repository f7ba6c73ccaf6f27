"""Makes the matching files of `search_files`: excerpts as details, rows of text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from types import TracebackType
from typing import Any, Final, overload

from vaulttools.answers import answer, place
from vaulttools.answers.answer import is_none
from vaulttools.answers.page import Section
from vaulttools.core import limits, paths, render
from vaulttools.core.work import Work
from vaulttools.matching.search import FileCount, FileHits
from vaulttools.models import BaseModel, Field

EXCERPT_LINES: Final = 60
"""Lines of one excerpt."""


class Excerpt(BaseModel):
    """Consecutive lines of one file."""

    start_line: int = Field(description="Number of the first line, from 1.")
    lines: list[str] = Field(description="Whole lines without their ends.")
    matching_lines: list[int] = Field(description="Numbers of the matching lines among them.")
    heading: list[str] = Field(description="The headings that the first match stands under, outermost first.")
    page: int | None = Field(None, description="The page of a PDF file, from 1; null elsewhere.")


class FileMatch(BaseModel):
    """One matching file."""

    path: str
    match_count: int = Field(description="Matching lines in the file, shown or not.")
    excerpts: list[Excerpt] = Field(description="None with output paths or counts.")
    properties: dict[str, Any] | None = Field(
        None, exclude_if=is_none, description="With `columns`: those of them that it has, as it writes them."
    )


@dataclass(frozen=True, slots=True)
class ExcerptRows(Sequence[str]):
    """The rows of a file in the text; none is rendered before it is asked for, since few of many files are shown."""

    excerpts: Sequence[Excerpt] = ()
    titles: Sequence[str] = ()
    """By excerpt: the row before it that names another page or section of the file; `""`: there is none."""
    columns: Mapping[int, int] = field(default_factory=dict)
    """Where the first match begins in lines that are cut, by line."""
    firsts: Sequence[int] = ()
    """By excerpt: its first row, from 0."""

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
        """The excerpts that the first so many rows show, with the lines that they show."""
        shown: list[Excerpt] = []
        for each, first in zip(self.excerpts, self.firsts, strict=True):
            if kept <= first:
                break
            last = each.start_line + kept - first - 1
            matching = [line for line in each.matching_lines if line <= last]
            shown.append(each.model_copy(update={"lines": each.lines[: kept - first], "matching_lines": matching}))
        return shown

    def _row(self, row: int) -> str:
        number = bisect_right(self.firsts, row) - 1
        shown = self.excerpts[number]
        offset = row - self.firsts[number]
        if offset >= len(shown.lines):  # between two excerpts: a blank row, and then the title, if any
            return self.titles[number + 1] if offset > len(shown.lines) else ""
        line = shown.start_line + offset
        mark = ">" if line in shown.matching_lines else " "
        return f"Line {line}: {mark} {render.line(shown.lines[offset], self.columns.get(line))}".rstrip(" ")


def excerpted(
    found: FileHits, context: int, most: int, headings: Callable[[list[int]], Sequence[Sequence[str]]]
) -> ExcerptRows:
    """The first excerpts of a file, at most so many; `headings` tells what lines, from 1, stand under."""
    text = found.document.lines
    windows = [*islice(place.windows(found.document, found.hits.numbers, context, context), most)]
    if paths.is_note(found.document.path):
        under = headings([window.hits[0] for _, window in windows])
    else:
        under = [part.heading if part else () for part, _ in windows]
    excerpts: list[Excerpt] = []
    titles: list[str] = []
    columns: dict[int, int] = {}
    firsts: list[int] = []
    row = 0
    before = windows[0][0]
    for (part, window), heading in zip(windows, under, strict=True):
        shown = place.shortened(window, EXCERPT_LINES)
        lines = text[shown.start - 1 : shown.end]
        page = part.page if part else None
        excerpts.append(
            Excerpt(start_line=shown.start, lines=lines, matching_lines=[*shown.hits], heading=[*heading], page=page)
        )
        titles.append(f"## {place.named(found.document.path, part)}" if part != before else "")
        before = part
        row += bool(firsts) + bool(titles[-1])
        firsts.append(row)
        row += len(lines)
        if max(map(len, lines), default=0) > limits.LINE_CHARACTERS:
            cut = (line for line in shown.hits if len(lines[line - shown.start]) > limits.LINE_CHARACTERS)
            columns |= {line: found.hits.column(line) or 0 for line in cut}
    return ExcerptRows(excerpts, titles, columns, firsts)


def section(match: FileCount, found: FileHits, rows: ExcerptRows, suffix: str) -> Section:
    """The excerpts of a file as text, and how many matching lines they leave out."""
    left = match.count - sum(len(shown.matching_lines) for shown in rows.excerpts)
    closing = f"({left:,} more match{'es' if left != 1 else ''} in this file)" if left > 0 else ""
    part = found.document.part_of(found.hits.numbers[0])
    return Section(f"## {place.named(match.path, part)}{suffix}", rows, closing)


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
        """End the search; the end of a `with` block or of the last reference does so too."""
        self._files.close()

    def __enter__(self) -> FileStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def complete(self) -> bool:
        """As `Answer.complete`, for the files looked at so far; after the last one, for all."""
        return self._work.complete

    @property
    def notices(self) -> list[str]:
        """What an answer would say of the pattern, and of files that were passed over so far."""
        return [*self._notices, *answer.passed_over(self._work, found=self._found)]

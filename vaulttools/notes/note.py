"""Holds a note's path and text, and reads each part of its Markdown on demand."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING

from vaulttools.core import limits, paths, render
from vaulttools.core.cached import cached_property
from vaulttools.files.document import Document, DocumentPart
from vaulttools.notes import logseq, said
from vaulttools.notes.contents import Contents, Part
from vaulttools.notes.parts import Block, Heading, Source, Structure
from vaulttools.notes.properties.frontmatter import FrontmatterBlock, Properties, load, split

if TYPE_CHECKING:
    from vaulttools.notes.links.references import Reference
    from vaulttools.notes.packing import PackedNote
    from vaulttools.notes.parts import DatedLine, Span
    from vaulttools.notes.properties.values import Value
    from vaulttools.notes.said import LeftOut


def breadcrumbs(lines: Sequence[str], wanted: Sequence[int]) -> list[tuple[str, ...]]:
    """Returns the headings above each line in `wanted` (line numbers from 1, ascending), as `Note.breadcrumb` does.

    Only the text up to the last wanted line is parsed, and on to the next blank line or the end of the properties:
    later text changes no heading before it, unless it ends a formula. That halves the cost of an excerpt on average.
    """
    if not wanted:
        return []
    end = next((index for index in range(wanted[-1], len(lines)) if not lines[index].strip()), len(lines))
    if lines[0].startswith("---"):
        end = max(end, Note("", "\n".join(lines)).body_line - 1)
    text = "\n".join(lines[:end])
    note = Note("", text if "$$" not in text else "\n".join(lines))
    return [note.breadcrumb(line) for line in wanted]


@dataclass(frozen=True)  # not slotted: the instance caches its parts
class Note(Contents):
    """A note's decoded text, without byte order mark; reading a part never raises, whatever the text holds."""

    path: str
    text: str
    stored: PackedNote | None = field(default=None, compare=False, repr=False)
    """The parts as parsed earlier from the same text; without them the text is parsed."""
    is_logseq: bool = False
    """Whether it is read as Logseq reads it."""

    @property
    def title(self) -> str:
        """Obsidian's name of the note: the file name without extension."""
        return paths.stem(self.path)

    @cached_property
    def frontmatter(self) -> FrontmatterBlock | None:
        """The properties block, or None."""
        return split(self.text)

    @cached_property
    def source(self) -> Source:
        """The text with its lines."""
        return Source(self.text)

    @cached_property
    def said(self) -> Source:
        """What the note says, at its place: the rest is blank. It is `source` itself if the note says all of it."""
        return said.blanked(self.source, self._left_out)

    @cached_property
    def _left_out(self) -> Sequence[LeftOut]:
        return said.left_out(self, self.path, self.source)

    def says(self, start: int, end: int) -> str:
        """Returns what a part of the note says, without the blanks of `said`; offsets in characters."""
        return said.shortened(self.said.text, self._left_out, start, end)

    def said_breadcrumb(self, line: int) -> tuple[str, ...]:
        """Returns the headings above a line as `breadcrumb` does, without those that say nothing."""
        if self.said is self.source:
            return self.breadcrumb(line)
        return self.said_trail(bisect_right(self.headings, line, key=attrgetter("line")) - 1)

    def said_trail(self, number: int) -> tuple[str, ...]:
        """Returns a heading after those above it as `trail` does, without those that say nothing."""
        if self.said is self.source:
            return self.trail(number)
        found: list[str] = []
        while number >= 0:
            found.append(render.shortened(self.said_headings[number], limits.LINE_CHARACTERS))
            number = self.above[number]
        return tuple(filter(None, reversed(found)))

    @cached_property
    def said_headings(self) -> Sequence[str]:
        """By heading, what it says; `""` for one that says nothing."""
        found = []
        for heading in self.headings:
            line = self.said.lines[heading.line - 1]
            is_whole = line == self.source.lines[heading.line - 1]
            found.append(heading.text if is_whole else " ".join(line.strip(" \t#").split()))
        return found

    @property
    def data_lines(self) -> AbstractSet[int]:
        """The lines that hold nothing but what a plugin keeps there: a drawing, or other data."""
        line_of = self.source.line_of
        lines = _lines((line_of(start), line_of(end - 1)) for start, end, is_data in self._left_out if is_data)
        return {line for line in lines if self.source.lines[line - 1].strip() and not self.said.lines[line - 1].strip()}

    @cached_property
    def structure(self) -> Structure:
        """The parts of the body with their lines. The first parse in a process loads the Markdown parser."""
        if self.stored:
            return self.stored.structure
        from vaulttools.notes.markdown.structure import parse

        return parse(self.text, self.body_line, is_logseq=self.is_logseq)

    @cached_property
    def dated_lines(self) -> tuple[DatedLine, ...]:
        """The headings, list items and table rows that give the date of what they hold."""
        if self.stored:
            return self.stored.dated_lines
        from vaulttools.notes import dated_lines

        return dated_lines.of(self, self.text)

    @cached_property
    def _loaded(self) -> Properties:
        found = load(self.frontmatter) if self.frontmatter else Properties()
        if not self.is_logseq:
            return found
        of_page = logseq.page_properties(self.source.lines, self.body_line)
        return Properties({**found.values, **of_page}, found.warnings)

    @property
    def properties(self) -> Mapping[str, Value]:
        """The values of the properties block by name as written; empty if there is no block or it cannot be read."""
        return self.stored.properties if self.stored else self._loaded.values

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about what is wrong with the properties block."""
        return self.stored.warnings if self.stored else self._loaded.warnings

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """The links and embeds, first those in the properties (rule-P05)."""
        return self.stored.references if self.stored else (*self._property_references(), *self.structure.references)

    def _property_references(self) -> tuple[Reference, ...]:
        if not (self.frontmatter and ("[[" in self.frontmatter.raw or "](" in self.frontmatter.raw)):
            return ()
        from vaulttools.notes.markdown.structure import in_properties

        return tuple(in_properties(self.properties, self.frontmatter.raw, first_line=2))

    def page_of(self, line: int) -> int | None:
        """Returns the page of a line: None, since notes have no pages."""
        return None

    @property
    def body_line(self) -> int:
        """The first line after the properties block, from 1; one past the end if nothing follows."""
        return self.frontmatter.body_line if self.frontmatter else 1

    @cached_property
    def line_count(self) -> int:
        """Lines of the file; a line ends at ``\\n``, and an empty file has none."""
        return self.text.count("\n") + (not self.text.endswith("\n")) if self.text else 0

    def lines_in(self, part: Part) -> Collection[int]:
        """Returns the lines of one part. Code includes its fences, a heading its underline, a task only its own lines.

        Only the last four parts parse the body.
        """
        match part:
            case "anywhere":
                return range(1, self.line_count + 1)
            case "frontmatter":
                return range(1, self.body_line)
            case "body":
                return range(self.body_line, self.line_count + 1)
            case "headings":
                return _lines((heading.line, heading.last_line) for heading in self.structure.headings)
            case "code":
                return _lines(self.structure.code)
            case "tasks":
                return _lines((task.line, task.end_line) for task in self.structure.tasks)
            case "comments":
                return _lines(self.structure.comments)


def _lines(spans: Iterable[Span]) -> AbstractSet[int]:
    return {line for first, last in spans for line in range(first, last + 1)}


_LEVELS = 6
"""Number of heading levels in a note."""


@dataclass(frozen=True)
class ExtractedNote(Note):
    """The text of one attachment; its pages or headings are the sections. It has no properties, tags or links, even if
    its text looks like that."""

    parts: tuple[DocumentPart, ...] = ()
    """The parts of the `Document`."""

    @classmethod
    def of(cls, document: Document) -> ExtractedNote:
        """Make a note of the text of an attachment."""
        return cls(document.path, document.text, parts=document.parts)

    @cached_property
    def frontmatter(self) -> None:
        """Always None: a line of dashes at the beginning is text."""
        return

    @property
    def _left_out(self) -> Sequence[LeftOut]:
        return ()

    @cached_property
    def structure(self) -> Structure:
        """The headings and blocks. A page is the section of a heading without text. The text of a page is not Markdown;
        that of a DOCX is."""
        if self.parts and self.parts[0].page is not None:
            return Structure(headings=tuple(self._headings()), blocks=tuple(self._paragraphs()))
        from vaulttools.notes.markdown.structure import parse

        return Structure(headings=tuple(self._headings()), blocks=parse(self.text).blocks)

    def page_of(self, line: int) -> int | None:
        """Returns the page of a line, from 1; None if there are no pages."""
        part = Document(self.path, "", parts=self.parts).part_of(line)
        return part.page if part is not None else None

    def breadcrumb(self, line: int) -> tuple[str, ...]:
        """Returns the headings above a line, outermost first; empty on a page."""
        part = Document(self.path, "", parts=self.parts).part_of(line)
        return part.heading if part is not None else ()

    def _headings(self) -> Iterator[Heading]:
        """Yields a heading for each part that holds text, on its first line with text."""
        lines = self.text.split("\n")
        for part, following in pairwise((*self.parts, None)):
            assert part is not None
            end = following.line - 1 if following is not None else self.line_count
            first = next((line for line in range(part.line, end + 1) if lines[line - 1].strip()), None)
            if first is not None:
                level = min(max(len(part.heading), 1), _LEVELS)
                yield Heading(level, part.heading[-1] if part.heading else "", first, first, end)

    def _paragraphs(self) -> Iterator[Block]:
        """Yields the runs of lines with text; each ends at the end of its page."""
        borders = {part.line for part in self.parts}
        start = 0
        for number, line in enumerate((*self.text.split("\n"), ""), 1):
            if start and (not line.strip() or number in borders):
                yield Block("paragraph", start, number - 1)
                start = 0
            if not start and line.strip():
                start = number

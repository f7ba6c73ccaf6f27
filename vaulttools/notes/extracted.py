"""Reads an attachment's text as a note; its pages or headings are the sections."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from vaulttools.core.cached import cached_property
from vaulttools.files.document import Document, DocumentPart
from vaulttools.notes.note import Note
from vaulttools.notes.parts import Block, Heading, Structure

_LEVELS = 6
"""Levels of headings that a note has."""


@dataclass(frozen=True)
class ExtractedNote(Note):
    """The text of one attachment. It has no properties, tags and links, whatever looks like one."""

    parts: tuple[DocumentPart, ...] = ()
    """As `Document` has them."""

    @classmethod
    def of(cls, document: Document) -> ExtractedNote:
        """The note that the text of an attachment is."""
        return cls(document.path, document.text, parts=document.parts)

    @cached_property
    def frontmatter(self) -> None:
        """None: a line of dashes at the beginning is text."""
        return

    @cached_property
    def structure(self) -> Structure:
        """The headings and blocks. A page is the section of a heading without words; the text of a page is no Markdown,
        that of a DOCX is."""
        if self.parts and self.parts[0].page is not None:
            return Structure(headings=tuple(self._headings()), blocks=tuple(self._paragraphs()))
        from vaulttools.notes.markdown.structure import parse

        return Structure(headings=tuple(self._headings()), blocks=parse(self.text).blocks)

    def page_of(self, line: int) -> int | None:
        """The page on which a line stands, from 1; None where there are no pages."""
        part = Document(self.path, "", parts=self.parts).part_of(line)
        return part.page if part is not None else None

    def breadcrumb(self, line: int) -> tuple[str, ...]:
        """The headings that a line stands under, outermost first; none of a page."""
        part = Document(self.path, "", parts=self.parts).part_of(line)
        return part.heading if part is not None else ()

    def _headings(self) -> Iterator[Heading]:
        """One for each part that holds text, on its first line with text."""
        lines = self.text.split("\n")
        for part, following in pairwise((*self.parts, None)):
            assert part is not None
            end = following.line - 1 if following is not None else self.line_count
            first = next((line for line in range(part.line, end + 1) if lines[line - 1].strip()), None)
            if first is not None:
                level = min(max(len(part.heading), 1), _LEVELS)
                yield Heading(level, part.heading[-1] if part.heading else "", first, first, end)

    def _paragraphs(self) -> Iterator[Block]:
        """The runs of lines with text, none over the border of a page."""
        borders = {part.line for part in self.parts}
        start = 0
        for number, line in enumerate((*self.text.split("\n"), ""), 1):
            if start and (not line.strip() or number in borders):
                yield Block("paragraph", start, number - 1)
                start = 0
            if not start and line.strip():
                start = number

"""Extracts the text of a DOCX as Markdown: headings, paragraphs, lists, tables and notes.

The XML is read as a stream, and a document type is refused, so that no entity is expanded and no other file is read.
Runs only in the child process.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Final, TypeAlias
from xml.parsers import expat

from vaulttools.attachments.extracted import CHARACTERS, Extracted, TooMuchText
from vaulttools.attachments.kinds import OLE
from vaulttools.attachments.plain import plain
from vaulttools.files.document import DocumentPart

_BODY: Final = "word/document.xml"
_NOTES: Final = ("word/footnotes.xml", "word/endnotes.xml", "word/comments.xml")
"""Parts with text beside the body. Headers and footers repeat on each page and are left out."""

_PART_BYTES: Final = 256 * 1024 * 1024
"""Most uncompressed bytes of one part; a thousand pages of text take 20 MB with markup."""

_CHUNK: Final = 64 * 1024

_DAMAGED: Final = (
    *(zipfile.BadZipFile, zlib.error, expat.ExpatError),
    *(EOFError, KeyError, ValueError, NotImplementedError, OSError),
)
"""Errors from reading a damaged file."""

_DEPTH: Final = 1_000
"""Most nested elements; text boxes in tables in tables have about 60."""

_SEPARATOR: Final = "\x01"
"""Separates an element's namespace, which is ignored, from its name."""

_HEADING: Final = re.compile(r"heading ([1-9])", re.IGNORECASE)
_LEVELS: Final = 6
"""Heading levels of Markdown; Word's deeper ones become the sixth."""

_BREAKS: Final = {"br": "\n", "cr": "\n", "tab": "\t", "noBreakHyphen": "-"}
_PASSED_OVER: Final = frozenset(("Fallback", "moveFrom", "del"))
"""Elements whose text is shown elsewhere or not at all: replacements of text boxes, moved and deleted text."""


def extract(file: IO[bytes]) -> Extracted:
    """Extracts the text of an opened DOCX, up to the limit of characters.

    Raises:
        MemoryError: the file exceeds the limits.
    """
    if file.read(len(OLE)) == OLE:
        return Extracted(failure="encrypted")
    file.seek(0)
    try:
        with zipfile.ZipFile(file) as archive:
            body, is_whole = _read(archive)
    except _DAMAGED:
        return Extracted(failure="damaged")
    except RuntimeError:  # an encrypted member
        return Extracted(failure="encrypted")
    text = "".join(f"{line}\n" for line in body.lines)
    if not text.strip():
        return Extracted(failure="no text" if is_whole else "extraction too costly")
    return Extracted(text, tuple(DocumentPart(line, None, heading) for line, heading in body.sections), is_whole)


def _read(archive: zipfile.ZipFile) -> tuple[Body, bool]:
    """Returns the body, and whether it holds the complete text."""
    present = set(archive.namelist())
    styles, numbering = Styles(), Numbering()
    if "word/styles.xml" in present:
        _parse(archive, "word/styles.xml", styles.start)
    if "word/numbering.xml" in present:
        _parse(archive, "word/numbering.xml", numbering.start)
    body = Body(styles.levels(), numbering)
    try:
        for name in (_BODY, *_NOTES):
            if name in present or name == _BODY:
                _parse(archive, name, body.start, body.end, body.characters)
    except TooMuchText:
        return body, False
    return body, True


def _parse(
    archive: zipfile.ZipFile,
    part: str,
    on_start: Callable[[str, Mapping[str, str]], None],
    on_end: Callable[[str], None] | None = None,
    on_text: Callable[[str], None] | None = None,
) -> None:
    """Parse the XML of a part, and call back for the start (with attributes) and end of elements, and for text.

    Raises:
        ValueError: it has a document type, or elements are nested too deep.
        expat.ExpatError: it is not XML.
    """
    parser = expat.ParserCreate(namespace_separator=_SEPARATOR)
    depth = 0

    def start(name: str, attributes: Mapping[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEPTH:
            raise ValueError("too deep")
        on_start(_local(name), {_local(key): value for key, value in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        if on_end is not None:
            on_end(_local(name))

    def refuse(*declaration: object) -> None:
        raise ValueError("a document type")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = on_text
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    for chunk in _chunks(archive, part):
        parser.Parse(chunk, False)
    parser.Parse(b"", True)


def _local(name: str) -> str:
    return name.rpartition(_SEPARATOR)[2]


def _chunks(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    read = 0
    with archive.open(name) as member:
        while chunk := member.read(_CHUNK):
            read += len(chunk)
            if read > _PART_BYTES:
                raise MemoryError
            yield chunk


class Styles:
    """Reads `word/styles.xml`: which styles are headings, and their levels."""

    def __init__(self) -> None:
        self._own: dict[str, int] = {}
        self._based_on: dict[str, str] = {}
        self._style = ""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        value = attributes.get("val", "")
        if name == "style":
            self._style = attributes.get("styleId", "")
        elif name == "name":
            if match := _HEADING.fullmatch(value):
                self._own[self._style] = int(match[1])
            elif value.casefold() == "title":
                self._own[self._style] = 1
        elif name == "basedOn":
            self._based_on[self._style] = value
        elif name == "outlineLvl" and self._style and value.isdecimal() and int(value) < 9:
            self._own.setdefault(self._style, int(value) + 1)

    def levels(self) -> dict[str, int]:
        """Returns the level, from 1, of each style that is a heading or based on one."""
        return {style: level for style in {*self._own, *self._based_on} if (level := self._level(style)) is not None}

    def _level(self, style: str) -> int | None:
        seen: set[str] = set()
        while style not in self._own:
            seen.add(style)
            style = self._based_on.get(style, "")
            if not style or style in seen:
                return None
        return self._own[style]


class Numbering:
    """Reads `word/numbering.xml`: the levels of each list that have numbers instead of bullets."""

    def __init__(self) -> None:
        self._numbered: set[tuple[str, str]] = set()
        self._abstract: dict[str, str] = {}
        self._of = self._level = self._list = ""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        value = attributes.get("val", "")
        if name == "abstractNum":
            self._of = attributes.get("abstractNumId", "")
        elif name == "lvl":
            self._level = attributes.get("ilvl", "")
        elif name == "numFmt" and value not in ("bullet", "none"):
            self._numbered.add((self._of, self._level))
        elif name == "num":
            self._list = attributes.get("numId", "")
        elif name == "abstractNumId":
            self._abstract[self._list] = value

    def has_numbers(self, list_id: str, level: int) -> bool:
        """Whether items of a list have numbers at a level (from 0)."""
        return (self._abstract.get(list_id, ""), str(level)) in self._numbered


class Body:
    """Reads `word/document.xml` and its notes: the text, line by line."""

    def __init__(self, levels: Mapping[str, int], numbering: Numbering) -> None:
        self.lines: list[str] = []
        self.sections: list[tuple[int, tuple[str, ...]]] = []
        """The line (from 1) of each heading, and the headings from the outermost to itself."""
        self._levels = levels
        self._numbering = numbering
        self._characters = 0
        self._trail: list[tuple[int, str]] = []
        self._numbers: dict[tuple[str, int], int] = {}
        self._passed_over = 0
        self._is_text = False
        self._last = ""
        """Kind of the last block: `list`, `table`, `text` or `heading`."""
        self._paragraphs: list[_Paragraph] = []
        """The open paragraphs; a paragraph in a text box lies inside another."""
        self._tables: list[_Table] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        value = attributes.get("val", "")
        if self._passed_over or name in _PASSED_OVER:
            self._passed_over += 1
        elif name == "p":
            self._paragraphs.append(_Paragraph())
        elif name == "tbl":
            self._tables.append([])
        elif name == "tr" and self._tables:
            self._tables[-1].append([])
        elif name == "tc" and self._tables and self._tables[-1]:
            self._tables[-1][-1].append([])
        elif self._paragraphs:
            self._within_paragraph(self._paragraphs[-1], name, value)

    def _within_paragraph(self, paragraph: _Paragraph, name: str, value: str) -> None:
        if name == "t":
            self._is_text = True
        elif name in _BREAKS and (name != "tab" or paragraph.in_run):
            paragraph.text.append(_BREAKS[name])
        elif name == "r":
            paragraph.in_run = True
        elif name == "pStyle":
            paragraph.level = self._levels.get(value, 0)
        elif name == "outlineLvl" and value.isdecimal() and int(value) < 9:
            paragraph.level = int(value) + 1
        elif name == "ilvl" and value.isdecimal():
            paragraph.depth = min(int(value), 8)
        elif name == "numId":
            paragraph.list_id = value if value != "0" else ""

    def characters(self, text: str) -> None:
        """Text inside the innermost open element."""
        if self._is_text and not self._passed_over and self._paragraphs:
            self._characters += len(text)
            if self._characters > CHARACTERS:
                raise TooMuchText
            self._paragraphs[-1].text.append(text)

    def end(self, name: str) -> None:
        """An element ends."""
        if self._passed_over:
            self._passed_over -= 1
        elif name == "t":
            self._is_text = False
        elif name == "p" and self._paragraphs:
            self._put(self._paragraphs.pop())
        elif name == "tbl" and self._tables:
            self._put_table(self._tables.pop())

    def _put(self, paragraph: _Paragraph) -> None:
        text = plain("".join(paragraph.text)).strip()
        if not text:
            return
        if self._tables and self._tables[-1] and self._tables[-1][-1]:
            self._tables[-1][-1][-1].append(text)
        elif paragraph.level:
            self._put_heading(min(paragraph.level, _LEVELS), " ".join(text.split()))
        elif paragraph.list_id:
            self._separate("list")
            mark = self._mark(paragraph.list_id, paragraph.depth)
            first, *others = text.split("\n")
            indent = "  " * paragraph.depth
            self.lines += [f"{indent}{mark} {first}", *(f"{indent}  {line}" for line in others)]
        else:
            self._separate("text")
            # Plain text of Word must not look like a heading.
            self.lines += [f"\\{line}" if line.startswith("#") else line for line in text.split("\n")]

    def _put_heading(self, level: int, text: str) -> None:
        self._separate("heading")
        self.lines.append(f"{'#' * level} {text}")
        self._trail = [each for each in self._trail if each[0] < level]
        self._trail.append((level, text))
        self.sections.append((len(self.lines), tuple(each for _, each in self._trail)))

    def _mark(self, list_id: str, depth: int) -> str:
        if not self._numbering.has_numbers(list_id, depth):
            return "-"
        number = self._numbers.get((list_id, depth), 0) + 1
        self._numbers[list_id, depth] = number
        for deeper in range(depth + 1, 9):
            self._numbers.pop((list_id, deeper), None)
        return f"{number}."

    def _put_table(self, table: _Table) -> None:
        rows = [[" ".join(" ".join(cell).split()) for cell in row] for row in table]
        if self._tables:  # a table in a cell: its text belongs to the cell
            if self._tables[-1] and self._tables[-1][-1]:
                self._tables[-1][-1][-1] += [text for row in rows for text in row if text]
            return
        rows = [row for row in rows if any(row)]
        if not rows:
            return
        self._separate("table")
        escaped = [[text.replace("|", "\\|") for text in row] for row in rows]
        first, *others = [f"| {' | '.join(row)} |" for row in escaped]
        self.lines += [first, f"|{' --- |' * len(rows[0])}", *others]

    def _separate(self, block: str) -> None:
        """Add a blank line between two blocks, but not between two items of a list."""
        if self.lines and not (block == self._last == "list"):
            self.lines.append("")
        self._last = block


@dataclass(slots=True)
class _Paragraph:
    """An open paragraph."""

    text: list[str] = field(default_factory=list)
    level: int = 0
    """Heading level from 1; 0: no heading."""
    list_id: str = ""
    depth: int = 0
    """Depth of a list item, from 0."""
    in_run: bool = False
    """Whether its properties have ended: a `tab` in them is not a character."""


_Table: TypeAlias = list[list[list[str]]]
"""An open table: the texts of paragraphs, by row and cell."""

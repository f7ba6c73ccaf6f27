"""Extracts the text of a DOCX as Markdown: headings, paragraphs, lists, tables and notes.

Its XML is read as a stream, without a document type, so that no entity is expanded and nothing outside is looked up.
Runs in the child process alone.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Final
from xml.parsers import expat

from vaulttools.attachments.extracted import Extracted, TooMuchText
from vaulttools.attachments.kinds import OLE
from vaulttools.attachments.word import Body, Numbering, Styles
from vaulttools.files.document import DocumentPart

_BODY: Final = "word/document.xml"
_NOTES: Final = ("word/footnotes.xml", "word/endnotes.xml", "word/comments.xml")
"""The parts with text that stands beside the body. Headers and footers repeat on each page and are left out."""

_PART_BYTES: Final = 256 * 1024 * 1024
"""Uncompressed bytes of one part that are read; the text of a thousand pages has 20 MB with its marks."""

_CHUNK: Final = 64 * 1024

_DAMAGED: Final = (
    *(zipfile.BadZipFile, zlib.error, expat.ExpatError),
    *(EOFError, KeyError, ValueError, NotImplementedError, OSError),
)
"""What reading a damaged file raises."""

_DEPTH: Final = 1_000
"""Elements within each other; a document with text boxes in tables in tables has about 60."""

_SEPARATOR: Final = "\x01"
"""Between the namespace of an element, which is not looked at, and its name."""


def extract(file: IO[bytes]) -> Extracted:
    """The text of an opened DOCX, as far as there is room for it.

    Raises:
        MemoryError: it is beyond the limits.
    """
    if file.read(len(OLE)) == OLE:
        return Extracted(failure="encrypted")
    file.seek(0)
    try:
        with zipfile.ZipFile(file) as archive:
            body, is_whole = _read(archive)
    except _DAMAGED:
        return Extracted(failure="damaged")
    except RuntimeError:  # a member that is encrypted
        return Extracted(failure="encrypted")
    text = "".join(f"{line}\n" for line in body.lines)
    if not text.strip():
        return Extracted(failure="no text" if is_whole else "extraction too costly")
    return Extracted(text, tuple(DocumentPart(line, None, heading) for line, heading in body.sections), is_whole)


def _read(archive: zipfile.ZipFile) -> tuple[Body, bool]:
    """The body, and whether it is all of the text."""
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
    """Read the XML of a part, and tell of each element's begin, with its attributes, and end, and of each piece of
    text.

    Raises:
        ValueError: there is a document type, or elements lie too deep.
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

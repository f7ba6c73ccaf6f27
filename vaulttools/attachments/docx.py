"""Extracts the text of a DOCX as Markdown: headings, paragraphs, lists, tables and notes.

Its XML is read as a stream, without a document type, so that no entity is expanded and nothing outside is looked up.
Runs in the child process alone.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Final
from xml.parsers.expat import ExpatError

from vaulttools.attachments.extracted import Extracted, TooMuchText
from vaulttools.attachments.kinds import OLE
from vaulttools.attachments.plain import plain
from vaulttools.attachments.word import Body, Numbering, Styles
from vaulttools.attachments.xml_stream import parse
from vaulttools.files.document import DocumentPart

_BODY: Final = "word/document.xml"
_NOTES: Final = ("word/footnotes.xml", "word/endnotes.xml", "word/comments.xml")
"""The parts with text that stands beside the body. Headers and footers repeat on each page and are left out."""

_PART_BYTES: Final = 256 * 1024 * 1024
"""Uncompressed bytes of one part that are read; the text of a thousand pages has 20 MB with its marks."""

_CHUNK: Final = 64 * 1024


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
    except (zipfile.BadZipFile, zlib.error, ExpatError, EOFError, KeyError, ValueError, NotImplementedError, OSError):
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
        parse(_chunks(archive, "word/styles.xml"), styles)
    if "word/numbering.xml" in present:
        parse(_chunks(archive, "word/numbering.xml"), numbering)
    body = Body(styles.levels(), numbering, plain)
    try:
        for name in (_BODY, *_NOTES):
            if name in present or name == _BODY:
                parse(_chunks(archive, name), body)
    except TooMuchText:
        return body, False
    return body, True


def _chunks(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    read = 0
    with archive.open(name) as member:
        while chunk := member.read(_CHUNK):
            read += len(chunk)
            if read > _PART_BYTES:
                raise MemoryError
            yield chunk

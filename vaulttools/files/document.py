"""Reads the text of one file, decodes it and splits it into lines like ripgrep.

No other code in the package opens a file of the vault for its content.
"""

from __future__ import annotations

import codecs
import os
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import xxhash

from vaulttools.core.cached import cached_property
from vaulttools.core.work import GONE, Reason
from vaulttools.errors import VaultToolsError
from vaulttools.files import disk
from vaulttools.files.root import Root

_CHUNK = 1 << 20
_SMALL = 1 << 12


class NotRead(Exception):
    """A file could not be read; `reason` is the word for the tally of skipped files. Never leaves the package."""

    def __init__(self, reason: Reason) -> None:
        self.reason = reason
        super().__init__(reason)


class DocumentPart(NamedTuple):
    """The start of a page, or of a heading's section, in the text of an attachment."""

    line: int
    """From 1."""
    page: int | None
    """From 1; None if the attachment has no pages."""
    heading: tuple[str, ...]
    """Headings above the lines, outermost first."""

    @property
    def name(self) -> str:
        """Its name in answers: `page 3`, `Risks > Damp`."""
        return f"page {self.page}" if self.page is not None else " > ".join(self.heading)


@dataclass(frozen=True)
class Document:
    """A text with its lines. `path` is vault-relative, or the name of a virtual text."""

    path: str
    content: str | bytes = field(repr=False)
    """The text, or UTF-8 without byte order mark, which is decoded when needed."""
    parts: tuple[DocumentPart, ...] = ()
    """Pages or sections of an attachment's text, in the order of lines."""
    is_whole: bool = True
    """False if the text of an attachment is incomplete."""

    @cached_property
    def text(self) -> str:
        """The decoded text with its original line ends; invalid bytes become U+FFFD."""
        return self.content if isinstance(self.content, str) else self.content.decode("utf-8", "replace")

    @cached_property
    def lines(self) -> list[str]:
        r"""Lines without their ends: `\n` and `\r\n` end a line, a lone `\r` is text."""
        if "\r" not in self.text:
            lines = self.text.split("\n")
        else:
            *ended, last = self.text.split("\n")
            lines = [line[:-1] if line.endswith("\r") else line for line in ended]
            lines.append(last)
        if not lines[-1]:
            lines.pop()
        return lines

    @cached_property
    def normalised(self) -> str:
        r"""The text with every line end as `\n`."""
        # Searching for one character takes a fifth of the time for two.
        return self.text.replace("\r\n", "\n") if "\r" in self.text else self.text

    @property
    def searchable(self) -> bytes:
        r"""The input for ripgrep when it does not read the file itself: UTF-8 with every line end as `\n`.

        Invalid bytes stay: for ripgrep such a byte is no character, not even U+FFFD.
        """
        raw = self.content if isinstance(self.content, bytes) else self.text.encode("utf-8", "surrogatepass")
        return raw.replace(b"\r\n", b"\n")

    def part_of(self, line: int) -> DocumentPart | None:
        """Returns the page or section of a line (from 1); None before the first part or without parts."""
        place = bisect_right(self.parts, line, key=lambda part: part.line)
        return self.parts[place - 1] if place else None

    @property
    def is_binary(self) -> bool:
        """Whether the decoded text holds a NUL."""
        return b"\0" in self.content if isinstance(self.content, bytes) else "\0" in self.content


UTF16: Final = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
"""Byte order marks of UTF-16 with their encodings."""


def decode(path: str, data: bytes) -> Document:
    """Decode bytes like ripgrep: UTF-16 by its mark, everything else as UTF-8, with U+FFFD for invalid bytes.

    ripgrep converts UTF-16 to UTF-8 and then drops a UTF-8 mark, too, so two marks both disappear (measured, 15.2).
    """
    for mark, encoding in UTF16:
        if data.startswith(mark):
            return Document(path, data[2:].decode(encoding, "replace").removeprefix("\ufeff"))
    return Document(path, data.removeprefix(codecs.BOM_UTF8))


def digest(text: str) -> bytes:
    """Returns the XXH3-128 of a decoded text, which identifies the text."""
    return xxhash.xxh3_128_digest(text.encode("utf-8", "surrogatepass"))


def has_digest(document: Document, known: bytes) -> bool:
    """Whether a text has this digest. Most texts are valid UTF-8: their bytes are checked first, without decoding."""
    content = document.content
    is_it = isinstance(content, bytes) and xxhash.xxh3_128_digest(content) == known
    return is_it or digest(document.text) == known


def read(root: Root, path: str, max_bytes: int) -> Document:
    """Read the document at a path from `Root.locate` or a walk.

    Raises:
        NotRead: the file is unreadable, too large, not downloaded, or kept changing.
    """
    return decode(path, read_bytes(root, path, max_bytes)[0])


def read_bytes(root: Root, path: str, max_bytes: int) -> tuple[bytes, os.stat_result]:
    """Read the bytes of a file, with its status before and after.

    A file that changed meanwhile (`fstat` before and after), or could not be read, is read once more.

    Raises:
        NotRead: the file is unreadable, too large, not downloaded, or kept changing; from the last error.
    """
    reason: Reason = "unreadable"
    cause: OSError | None = None
    for _ in range(2):
        try:
            descriptor = root.open(path)
        except VaultToolsError as error:
            raise NotRead("unreadable") from error
        except OSError as error:
            reason, cause = "unreadable", error
            continue
        try:
            before = disk.fstat(descriptor)
            if before.st_size > max_bytes:
                raise NotRead("too large")
            if disk.is_elsewhere(before):
                raise NotRead("not downloaded")
            data = _read_all(descriptor, before.st_size, max_bytes)
            after = disk.fstat(descriptor)
        except OSError as error:  # EIO, EAGAIN, ETIMEDOUT, EDEADLK: often gone at once (fault-S05)
            reason, cause = "unreadable", error
            continue
        finally:
            disk.close(descriptor)
        if (before.st_size, before.st_mtime_ns, before.st_ctime_ns) == (
            after.st_size,
            after.st_mtime_ns,
            after.st_ctime_ns,
        ):
            return data, after
        reason, cause = "changed while read", None
    if isinstance(cause, FileNotFoundError | NotADirectoryError):
        reason = GONE
    raise NotRead(reason) from cause


def _read_all(descriptor: int, likely: int, max_bytes: int) -> bytes:
    """Read to the end of the file: `likely` may be wrong (fault-P19), and mapping it may crash (fault-C11)."""
    chunk_size = min(max(likely, _SMALL), _CHUNK)  # each read allocates the full chunk
    chunks = []
    size = 0
    while chunk := disk.read(descriptor, chunk_size):
        chunks.append(chunk)
        size += len(chunk)
        if size > max_bytes:  # the file grows
            raise NotRead("too large")
    return b"".join(chunks)

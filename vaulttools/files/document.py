"""Reads one file's text, which decodes and splits into lines as ripgrep does.

Nothing else in the package opens a file of the vault for its content.
"""

from __future__ import annotations

import codecs
import os
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import xxhash

from vaulttools.core.cached import cached_property
from vaulttools.core.work import Reason
from vaulttools.errors import VaultToolsError
from vaulttools.files import disk
from vaulttools.files.root import Root

_CHUNK = 1 << 20
_SMALL = 1 << 12


class NotRead(Exception):
    """A file could not be read; `reason` says why, in the words of the tally. Never leaves the package."""

    def __init__(self, reason: Reason) -> None:
        self.reason = reason
        super().__init__(reason)


class DocumentPart(NamedTuple):
    """Where a page, or the section of a heading, begins in a text that was extracted from an attachment."""

    line: int
    """From 1."""
    page: int | None
    """From 1; None where the attachment has no pages of its own."""
    heading: tuple[str, ...]
    """The headings that the lines stand under, outermost first."""

    @property
    def name(self) -> str:
        """How text names it: `page 3`, `Risks > Damp`."""
        return f"page {self.page}" if self.page is not None else " > ".join(self.heading)


@dataclass(frozen=True)
class Document:
    """A text with its lines. `path` is vault-relative, or whatever a virtual text is called."""

    path: str
    content: str | bytes = field(repr=False)
    """The text, or UTF-8 without byte order mark that is decoded as far as it is asked for."""
    parts: tuple[DocumentPart, ...] = ()
    """The pages or sections of a text that was extracted from an attachment, in the order of lines."""
    is_whole: bool = True
    """False when it is not all of the text of an attachment."""

    @cached_property
    def text(self) -> str:
        """Decoded, line ends as they stand; bytes that are no text are U+FFFD."""
        return self.content if isinstance(self.content, str) else self.content.decode("utf-8", "replace")

    @cached_property
    def lines(self) -> list[str]:
        r"""The lines without their ends: `\n` and `\r\n` end a line, a lone `\r` is text."""
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
        # One character is looked for in a fifth of the time of two.
        return self.text.replace("\r\n", "\n") if "\r" in self.text else self.text

    @property
    def searchable(self) -> bytes:
        r"""What ripgrep searches when it is not given the file itself: UTF-8 with every line end as `\n`.

        Bytes that are no UTF-8 stay: to ripgrep such a byte is no character, not even U+FFFD.
        """
        raw = self.content if isinstance(self.content, bytes) else self.text.encode("utf-8", "surrogatepass")
        return raw.replace(b"\r\n", b"\n")

    def part_of(self, line: int) -> DocumentPart | None:
        """The page or section in which a line stands, from 1; None before the first, and of a text without parts."""
        place = bisect_right(self.parts, line, key=lambda part: part.line)
        return self.parts[place - 1] if place else None

    @property
    def is_binary(self) -> bool:
        """Whether it holds a NUL after decoding."""
        return b"\0" in self.content if isinstance(self.content, bytes) else "\0" in self.content


UTF16: Final = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
"""The marks of UTF-16, each with the encoding that it tells."""


def decode(path: str, data: bytes) -> Document:
    """Bytes as ripgrep reads them: UTF-16 by its mark, everything else UTF-8, U+FFFD for what is neither.

    ripgrep turns UTF-16 into UTF-8 and drops the mark of that too, so of two marks none stays (measured, 15.2).
    """
    for mark, encoding in UTF16:
        if data.startswith(mark):
            return Document(path, data[2:].decode(encoding, "replace").removeprefix("\ufeff"))
    return Document(path, data.removeprefix(codecs.BOM_UTF8))


def digest(text: str) -> bytes:
    """XXH3 (128 bits) of a decoded text: as good as the text itself for telling whether two are the same."""
    return xxhash.xxh3_128_digest(text.encode("utf-8", "surrogatepass"))


def has_digest(document: Document, known: bytes) -> bool:
    """Whether a text has a digest. Most are valid UTF-8, so that their bytes tell, and nothing is decoded."""
    content = document.content
    is_it = isinstance(content, bytes) and xxhash.xxh3_128_digest(content) == known
    return is_it or digest(document.text) == known


def read(root: Root, path: str, max_bytes: int) -> Document:
    """The document at a path that `Root.locate` or a walk gave.

    Raises:
        NotRead: it is unreadable, too large, not downloaded, or kept changing.
    """
    return decode(path, read_bytes(root, path, max_bytes)[0])


def read_bytes(root: Root, path: str, max_bytes: int) -> tuple[bytes, os.stat_result]:
    """The bytes of a file, as `read`, with the status that it had before and after.

    The file is stated before and after it is read; one that changed meanwhile, or could not be read, is read once more.

    Raises:
        NotRead: it is unreadable, too large, not downloaded, or kept changing; from the last error met.
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
    raise NotRead(reason) from cause


def _read_all(descriptor: int, likely: int, max_bytes: int) -> bytes:
    """All bytes to the end of the file: its likely size is not trusted (fault-P19), nothing is mapped (fault-C11)."""
    chunk_size = min(max(likely, _SMALL), _CHUNK)  # memory is taken for all of a chunk, also at the end
    chunks = []
    size = 0
    while chunk := disk.read(descriptor, chunk_size):
        chunks.append(chunk)
        size += len(chunk)
        if size > max_bytes:  # it grows
            raise NotRead("too large")
    return b"".join(chunks)

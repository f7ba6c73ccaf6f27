"""Holds the matching lines of one file, and decodes each on demand."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import overload

from vaulttools.files.document import Document


@dataclass(frozen=True, slots=True)
class Hit:
    """A matching line. `line` counts from 1; `column` is the start of its first match in characters from 0; `text` is
    the line as ripgrep read it, without its end."""

    line: int
    column: int
    text: str


@dataclass(slots=True)
class FileLines(Sequence[Hit]):
    """The matching lines of one file in order. Most lines of many files are never shown, so each is decoded on demand:
    decoding is most of the cost of a search for a common word."""

    numbers: Sequence[int] = ()
    """Line numbers, ascending from 1."""
    starts: Sequence[int] = ()
    """Start of the first match in each line, in bytes from 0."""
    raw: Sequence[bytes] = ()
    """The lines without their ends."""
    data: bytes | None = None
    """The searched bytes, without the UTF-8 mark; None if they are not known here."""

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> Hit: ...

    @overload
    def __getitem__(self, place: slice) -> FileLines: ...

    def __getitem__(self, place: int | slice) -> Hit | FileLines:
        if isinstance(place, slice):
            return FileLines(self.numbers[place], self.starts[place], self.raw[place], self.data)
        column = len(self.raw[place][: self.starts[place]].decode("utf-8", "replace"))
        return Hit(self.numbers[place], column, self.raw[place].decode("utf-8", "replace"))

    def column(self, line: int) -> int | None:
        """Returns the column (as `Hit.column`) of a line number; None if the line does not match."""
        place = bisect_left(self.numbers, line)
        is_there = place < len(self.numbers) and self.numbers[place] == line
        return self[place].column if is_there else None

    def only(self, wanted: Callable[[int], bool]) -> FileLines:
        """Returns the lines whose numbers are wanted."""
        is_wanted = [*map(wanted, self.numbers)]
        starts, raw = [*compress(self.starts, is_wanted)], [*compress(self.raw, is_wanted)]
        return FileLines([*compress(self.numbers, is_wanted)], starts, raw, self.data)

    def of(self, document: Document) -> FileLines | None:
        """Returns these lines as in the document; None if they are not lines of it."""
        if self.data is not None and document.content is self.data:
            return self
        lines = document.lines
        if not self.numbers or self.numbers[-1] > len(lines):
            return None if self.numbers else self
        read = b"\n".join(self.raw).decode("utf-8", "replace")
        if "\n".join([lines[number - 1] for number in self.numbers]) == read:
            return self
        last = self.raw[-1]
        is_unended = self.numbers[-1] == len(lines) and not document.text.endswith("\n")
        if is_unended and lines[-1] == last.decode("utf-8", "replace") + "\r":
            # ripgrep adds the missing end of a last line, so its lone CR looks like part of the end.
            return FileLines(self.numbers, self.starts, [*self.raw[:-1], last + b"\r"]).of(document)
        return None

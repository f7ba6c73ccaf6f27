"""Splits UTF-8 into lines, and decodes each when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload


class RawLines(Sequence[str]):
    r"""The lines of a text without their ends: `\n` and `\r\n` end a line, a lone `\r` is text.

    Of most texts only the lines around a match are shown, and to decode and split the others is most of what an
    excerpt costs. No sequence of UTF-8 goes over a line feed, so that a line decodes alone as it does in its text.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._raw = data.split(b"\n")
        self._is_ended = not self._raw[-1]
        if self._is_ended:
            self._raw.pop()
        self._has_returns = b"\r" in data

    def __len__(self) -> int:
        return len(self._raw)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            raw = [*map(self.raw, range(*place.indices(len(self._raw))))] if self._has_returns else self._raw[place]
            return b"\n".join(raw).decode("utf-8", "replace").split("\n") if raw else []
        return self.raw(range(len(self._raw))[place]).decode("utf-8", "replace")

    def __iter__(self) -> Iterator[str]:
        return iter(self[:])

    def raw(self, place: int) -> bytes:
        """A line as it is written, without its end."""
        line = self._raw[place]
        if self._has_returns and line.endswith(b"\r") and (self._is_ended or place < len(self._raw) - 1):
            return line[:-1]
        return line

    def are(self, numbers: Sequence[int], raw: Sequence[bytes]) -> bool:
        """Whether the lines with these numbers, from 1, ascending, are written so."""
        if not numbers or numbers[-1] > len(self._raw):
            return not numbers
        line = self.raw if self._has_returns else self._raw.__getitem__
        return [line(number - 1) for number in numbers] == [*raw]

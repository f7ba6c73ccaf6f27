"""Splits UTF-8 into lines, and decodes each when it is asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import overload

from vaulttools.core.cached import cached_property


class RawLines(Sequence[str]):
    r"""The lines of a text without their ends: `\n` and `\r\n` end a line, a lone `\r` is text.

    Of most texts only the lines around a match are shown, and to decode and split the others is most of what an
    excerpt costs. No sequence of UTF-8 goes over a line feed, so that a line decodes alone as it does in its text.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._is_ended = not data or data.endswith(b"\n")
        self._has_returns = b"\r" in data
        self._split: Sequence[bytes] | None = None
        self._numbers: Sequence[int] = ()
        self._starts: Sequence[int] = ()

    def learn(self, split: Sequence[bytes]) -> None:
        """Take these for what `data.split` gives, from whoever has split the same bytes."""
        self._split = split

    def mark(self, numbers: Sequence[int], starts: Sequence[int]) -> None:
        """Take it that lines with these numbers, from 1, ascending, begin at these bytes, from 0: the lines around them
        are found from there, and the others are not split."""
        self._numbers, self._starts = numbers, starts

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    def __getitem__(self, place: int | slice) -> str | list[str]:
        places = range(self._length)[place]
        if isinstance(places, int):
            return self.raw(places).decode("utf-8", "replace")
        if places.step == 1 and self._numbers and self._split is None:
            raw = self._between(places.start, places.stop)
        elif self._has_returns or places.step != 1:
            raw = b"\n".join(map(self.raw, places))
        else:
            raw = b"\n".join(self._all[places.start : places.stop])
        return raw.decode("utf-8", "replace").split("\n") if places else []

    def __iter__(self) -> Iterator[str]:
        return iter(self[:])

    def raw(self, place: int) -> bytes:
        """A line as it is written, from 0, without its end."""
        line = self._all[place]
        if self._has_returns and line.endswith(b"\r") and (self._is_ended or place < self._length - 1):
            return line[:-1]
        return line

    def are(self, numbers: Sequence[int], raw: Sequence[bytes]) -> bool:
        """Whether the lines with these numbers, from 1, ascending, are written so."""
        if not numbers or numbers[-1] > self._length:
            return not numbers
        line = self.raw if self._has_returns else self._all.__getitem__
        return [line(number - 1) for number in numbers] == [*raw]

    @property
    def _all(self) -> Sequence[bytes]:
        """What `data.split` gives: after a last line that is ended comes an empty one."""
        if self._split is None:
            self._split = self._data.split(b"\n")
        return self._split

    @cached_property
    def _length(self) -> int:
        if self._numbers:
            return self._numbers[-1] - 1 + self._data.count(b"\n", self._starts[-1]) + (not self._is_ended)
        return len(self._all) - self._is_ended

    def _between(self, start: int, stop: int) -> bytes:
        """Some lines, by their places, as one text with the end of each as a line feed, without the last of these."""
        raw = self._data[self._start(start) : self._start(stop)]
        raw = raw.replace(b"\r\n", b"\n") if self._has_returns else raw
        return raw.removesuffix(b"\n")

    def _start(self, place: int) -> int:
        """Where a line begins, or the text ends: found from the nearest mark."""
        numbers, number = self._numbers, place + 1
        mark = max(0, bisect_right(numbers, number) - 1)
        mark += mark + 1 < len(numbers) and numbers[mark + 1] - number < number - numbers[mark]
        start = self._starts[mark]
        for _ in range(number - numbers[mark]):
            start = self._data.find(b"\n", start) + 1 or len(self._data)
        for _ in range(numbers[mark] - number):
            start = self._data.rfind(b"\n", 0, start - 1) + 1
        return start

"""Splits a line range such as `:50-100` from a path, and parses it.

Callers first check whether the vault has a file of this literal name (fault-N09).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from vaulttools.errors import BadArgument

Span = tuple[int, int | None]
"""First and last line of a range, from 1, both inclusive; None: to the end of the file."""

_RANGE = r"L?([0-9]+)(?:(?:-|\.\.)(?:L?([0-9]+))?|\+L?([0-9]+))?"
_ONE = re.compile(_RANGE, re.IGNORECASE | re.ASCII)
_LIST = re.compile(f"{_RANGE}(?:,{_RANGE})*", re.IGNORECASE | re.ASCII)

_DIGITS: Final = 18
_BEYOND: Final = 10**_DIGITS
"""Replaces every number with more digits: no file has so many lines, and `int` refuses over 4,300 digits."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """A set of lines as ascending ranges that neither overlap nor touch.

    >>> list(parse("9-10,2-3,3-5,20-"))
    [(2, 5), (9, 10), (20, None)]
    """

    spans: tuple[Span, ...]

    def __iter__(self) -> Iterator[Span]:
        return iter(self.spans)

    def contains(self, line: int) -> bool:
        """Whether a line (from 1) is in the set."""
        index = bisect_right(self.spans, line, key=lambda span: span[0])
        if index == 0:
            return False
        end = self.spans[index - 1][1]
        return end is None or line <= end

    def union(self, other: Ranges) -> Ranges:
        """Returns the lines of either set."""
        return Ranges(_merged((*self.spans, *other.spans)))


def split(path: str) -> tuple[str, str | None]:
    """Returns the path and its selector: the text after the last `:` if it is a selector, else None.

    >>> split("a.md:L1-L50,60-"), split("foo:../bar.md"), split("a.md:3+")
    (('a.md', 'L1-L50,60-'), ('foo:../bar.md', None), ('a.md:3+', None))
    """
    start, colon, selector = path.rpartition(":")
    if start and colon and _LIST.fullmatch(selector):
        return start, selector
    return path, None


def parse(selector: str) -> Ranges:
    """Parses a selector without its colon: `50-100`, `50..100`, `50+10`, `50-`, `50`.

    `50` alone and `50-` reach to the end; `50+10` is ten lines; `L` may precede a number; commas join ranges.

    Raises:
        BadArgument: line 0, an end before its start, a count of 0, or not a selector.
    """
    if _LIST.fullmatch(selector) is None:
        raise BadArgument(
            f"Invalid line selector {selector[:60]}: use :50-100, :50+10, :50- or several as :5-16,960-973."
        )
    return Ranges(_merged(_span(part) for part in selector.split(",")))


def _span(part: str) -> Span:
    match = _ONE.fullmatch(part)
    assert match is not None, part
    start, end, count = (None if digits is None else _number(digits) for digits in match.groups())
    assert start is not None, part
    if start == 0:
        raise BadArgument("Line selector 0 is invalid; lines are 1-indexed. Use :1.")
    if count is not None:
        if count == 0:
            raise BadArgument(f"Invalid range {start}+0: count must be >= 1.")
        return start, start + count - 1
    if end is not None and end < start:
        raise BadArgument(f"Invalid range {start}-{end}: end must be >= start.")
    return start, end


def _number(digits: str) -> int:
    significant = digits.lstrip("0") or "0"
    return int(significant) if len(significant) <= _DIGITS else _BEYOND


def _merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    merged: list[Span] = []
    for start, end in sorted(spans, key=lambda span: span[0]):
        if merged:
            first, last = merged[-1]
            if last is None:
                break
            if start <= last + 1:
                merged[-1] = first, None if end is None else max(last, end)
                continue
        merged.append((start, end))
    return tuple(merged)

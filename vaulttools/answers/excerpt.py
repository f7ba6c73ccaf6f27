"""Cuts windows of lines around hits, and merges windows that touch or overlap."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A run of lines of one text, from 1, end inclusive; `hits` are the matching lines in it, in order."""

    start: int
    end: int
    hits: tuple[int, ...]


def around(hits: Iterable[int], before: int, after: int, last_line: int) -> Iterator[Excerpt]:
    """The excerpts around matching lines (ascending, from 1), within 1 to `last_line`.

    >>> list(around([3, 6, 20], 1, 2, 20))
    [Excerpt(start=2, end=8, hits=(3, 6)), Excerpt(start=19, end=20, hits=(20,))]
    """
    farthest = before + after + 1
    inside: list[int] = []
    for hit in hits:
        if inside and hit - inside[-1] > farthest:
            yield Excerpt(max(1, inside[0] - before), min(last_line, inside[-1] + after), tuple(inside))
            inside = []
        inside.append(hit)
    if inside:
        yield Excerpt(max(1, inside[0] - before), min(last_line, inside[-1] + after), tuple(inside))


def shortened(excerpt: Excerpt, lines: int) -> Excerpt:
    """The excerpt's first lines, at most so many."""
    end = min(excerpt.end, excerpt.start + lines - 1)
    return Excerpt(excerpt.start, end, excerpt.hits[: bisect_right(excerpt.hits, end)])

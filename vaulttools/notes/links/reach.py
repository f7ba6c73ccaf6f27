"""Finds the notes within some links of a note, nearest first, with their paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from vaulttools.core import paths


class Reached(NamedTuple):
    """A note, and how it is reached."""

    path: str
    distance: int
    """Links between it and the first note, from 1."""
    via: tuple[str, ...]
    """The notes on the way, from the first note on, without the two ends."""


def reach(
    start: str, depth: int, next_to: Callable[[str], Iterable[str]], stop: Callable[[], bool]
) -> tuple[list[Reached], bool]:
    """The notes within `depth` links of one, nearest first and then by path, and whether `stop` ended it before.

    If several ways to a note have the same length, the first by path is given.
    """
    seen = {start}
    found: list[Reached] = []
    frontier = [Reached(start, 0, ())]
    for distance in range(1, depth + 1):
        beyond: dict[str, Reached] = {}
        is_stopped = False
        for each in frontier:
            if is_stopped := stop():
                break
            via = (*each.via, each.path) if distance > 1 else ()
            for path in next_to(each.path):
                if path not in seen and path not in beyond:
                    beyond[path] = Reached(path, distance, via)
        frontier = sorted(beyond.values(), key=lambda each: paths.order(each.path))
        seen.update(beyond)
        found += frontier
        if is_stopped:
            return found, True
    return found, False

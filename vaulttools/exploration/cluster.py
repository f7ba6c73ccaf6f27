"""Groups matching lines of one file that lie close together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

DISTANCE: Final = 2
"""Lines from one matching line to the next within a cluster, at most: 10 and 12 are one, 10 and 13 are two."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Matching lines, from 1, ascending, at least one."""

    lines: tuple[int, ...]

    @property
    def start(self) -> int:
        """The first matching line."""
        return self.lines[0]

    @property
    def end(self) -> int:
        """The last matching line."""
        return self.lines[-1]


def clusters(lines: Iterable[int]) -> list[Cluster]:
    """The clusters of ascending line numbers, in order.

    >>> [cluster.lines for cluster in clusters([10, 12, 14, 30, 31, 55])]
    [(10, 12, 14), (30, 31), (55,)]
    """
    found: list[Cluster] = []
    inside: list[int] = []
    for line in lines:
        if inside and line - inside[-1] > DISTANCE:
            found.append(Cluster(tuple(inside)))
            inside = []
        inside.append(line)
    if inside:
        found.append(Cluster(tuple(inside)))
    return found

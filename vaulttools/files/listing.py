"""Holds what a walk met, in path order; immutable, so that it can be kept."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Final

from vaulttools.core.work import Reason
from vaulttools.files.catalogue import Entry

MAY_BE_LARGE: Final[tuple[Reason, ...]] = ("ignored", "default excludes")
"""Why a folder is left out that ripgrep would walk, and that may be far larger than the vault."""

_SORTED: Final = 5
"""To sort one in so many paths takes as long as to look at all (0.2 ms of 10,000)."""


class Listing:
    """Entries by their place, from 0, in path order."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = tuple(entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    @cached_property
    def files(self) -> list[str]:
        """The paths of what is in."""
        return [entry.path for entry in self.entries if entry.left_out is None]

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each that is in, by its path."""
        return {entry.path: place for place, entry in enumerate(self.entries) if entry.left_out is None}

    def of(self, some: AbstractSet[str]) -> list[str]:
        """Those of some paths that are in, in path order."""
        if len(some) * _SORTED < len(self.entries):
            return sorted(filter(self.places.__contains__, some), key=self.places.__getitem__)
        return [path for path in self.files if path in some]

    @cached_property
    def holds_ignored_folders(self) -> bool:
        """Whether a folder is left out that may be far larger than all that is in."""
        entries = (self.entries[place] for place in self._left_out)
        return any(entry.kind == "folder" and entry.left_out in MAY_BE_LARGE for entry in entries)

    @property
    def left_out(self) -> list[Entry]:
        """What is not in."""
        return [self.entries[place] for place in self._left_out]

    def places_of_interest(self, start: int, end: int, files: Iterable[str]) -> list[int]:
        """From one place to before another: where something is left out, and where the given files are, in order."""
        first, last = (bisect_left(self._left_out, place) for place in (start, end))
        found = {place for path in files if (place := self.places.get(path, -1)) >= start and place < end}
        return sorted(found.union(self._left_out[first:last]))

    @cached_property
    def _left_out(self) -> list[int]:
        return [place for place, entry in enumerate(self.entries) if entry.left_out is not None]

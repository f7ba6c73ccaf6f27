"""Holds the entries of a walk in path order; they never change."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from vaulttools.core.cached import cached_property
from vaulttools.core.work import Reason
from vaulttools.files.catalogue import Entry, Run

MAY_BE_LARGE: Final[tuple[Reason, ...]] = ("ignored", "default excludes", "Logseq backup")
"""Reasons for leaving out a folder that ripgrep would walk and that may be far larger than the vault."""

_SORTED: Final = 5
"""Sorting one in so many paths takes as long as looking at all (0.2 ms for 10,000)."""


class Listing:
    """Entries by place (from 0) in path order.

    Included files, nearly all entries, are stored as paths only: an `Entry` for each would double the memory, and
    creating them would take half the time of a walk.
    """

    def __init__(self, met: Iterable[Run]) -> None:
        self._paths: list[str] = []
        self._others: dict[int, Entry] = {}
        """By place, the entries that are not included files."""
        for run in met:
            if isinstance(run, list):
                self._paths += run
                continue
            if run.kind != "file" or run.left_out is not None:
                self._others[len(self._paths)] = run
            self._paths.append(run.path)

    def __len__(self) -> int:
        return len(self._paths)

    def __getitem__(self, place: int) -> Entry:
        return self._others.get(place) or Entry(self._paths[place], "file")

    def __iter__(self) -> Iterator[Entry]:
        others = self._others
        return (others.get(place) or Entry(path, "file") for place, path in enumerate(self._paths))

    @cached_property
    def files(self) -> list[str]:
        """Paths of the included entries."""
        if not self._left_out:
            return self._paths
        left_out = set(self._left_out)
        return [path for place, path in enumerate(self._paths) if place not in left_out]

    @cached_property
    def places(self) -> dict[str, int]:
        """Places of the included entries by path."""
        if not self._left_out:
            return dict(zip(self._paths, range(len(self)), strict=True))
        left_out = set(self._left_out)
        return {path: place for place, path in enumerate(self._paths) if place not in left_out}

    def places_of(self, some: Collection[str]) -> list[int]:
        """Returns the places of the included paths among some, in the order given."""
        if not some:
            return []  # avoids `places`: a listing of several walks lives for one call only
        return [place for place in map(self.places.get, some) if place is not None]

    def of(self, some: AbstractSet[str]) -> list[str]:
        """Returns the included paths among some, in path order."""
        if len(some) * _SORTED < len(self):
            return self.at(sorted(self.places_of(some)))
        return [*filter(some.__contains__, self.places)]

    def at(self, places: Iterable[int]) -> list[str]:
        """Returns the paths at some places."""
        return [*map(self._paths.__getitem__, places)]

    @cached_property
    def is_searched_by_name(self) -> bool:
        """Whether ripgrep must get file names instead of folders: a folder left out may be far larger than all included
        files, or reading a file would download it."""
        return any(
            entry.left_out == "not downloaded" or (entry.kind == "folder" and entry.left_out in MAY_BE_LARGE)
            for entry in self.left_out
        )

    @property
    def left_out(self) -> list[Entry]:
        """The entries that are left out."""
        return [self._others[place] for place in self._left_out]

    def places_of_interest(self, start: int, end: int, files: Collection[str]) -> list[int]:
        """Returns the places from `start` to before `end` that hold left-out entries or the given files, in order."""
        first, last = bisect_left(self._left_out, start), bisect_left(self._left_out, end)
        found = {place for place in self.places_of(files) if start <= place < end}
        return sorted(found.union(self._left_out[first:last]))

    @cached_property
    def _left_out(self) -> list[int]:
        return [place for place, entry in self._others.items() if entry.left_out is not None]

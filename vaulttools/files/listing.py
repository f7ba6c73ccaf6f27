"""Holds what a walk met, in path order; its entries never change."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from vaulttools.core.cached import cached_property
from vaulttools.core.work import Reason
from vaulttools.files.catalogue import Entry, Run

MAY_BE_LARGE: Final[tuple[Reason, ...]] = ("ignored", "default excludes")
"""Why a folder is left out that ripgrep would walk, and that may be far larger than the vault."""

_SORTED: Final = 5
"""To sort one in so many paths takes as long as to look at all (0.2 ms of 10,000)."""


class Listing:
    """Entries by their place, from 0, in path order.

    Files that are in, nearly all there is, are held as paths alone: an `Entry` each would take twice the memory, and
    making them half the time of a walk.
    """

    def __init__(self, met: Iterable[Run]) -> None:
        self._paths: list[str] = []
        self._others: dict[int, Entry] = {}
        """By place, the entries that are no included files."""
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
        """The paths of what is in."""
        if not self._left_out:
            return self._paths
        left_out = set(self._left_out)
        return [path for place, path in enumerate(self._paths) if place not in left_out]

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each that is in, by its path."""
        if not self._left_out:
            return dict(zip(self._paths, range(len(self)), strict=True))
        left_out = set(self._left_out)
        return {path: place for place, path in enumerate(self._paths) if place not in left_out}

    def places_of(self, some: Collection[str]) -> list[int]:
        """The places of those of some paths that are in, in the order given."""
        if not some:
            return []  # without a map of all, which a listing that several walks made has only for one call
        return [place for place in map(self.places.get, some) if place is not None]

    def of(self, some: AbstractSet[str]) -> list[str]:
        """Those of some paths that are in, in path order."""
        if len(some) * _SORTED < len(self):
            return [self._paths[place] for place in sorted(self.places_of(some))]
        return [path for path in self.files if path in some]

    def at(self, places: Iterable[int]) -> list[str]:
        """The paths at some places."""
        return [*map(self._paths.__getitem__, places)]

    @cached_property
    def is_searched_by_name(self) -> bool:
        """Whether ripgrep must be kept out of what is left out: a folder that may be far larger than all that is in, or
        a file that reading would download."""
        return any(
            entry.left_out == "not downloaded" or (entry.kind == "folder" and entry.left_out in MAY_BE_LARGE)
            for entry in self.left_out
        )

    @property
    def left_out(self) -> list[Entry]:
        """What is not in."""
        return [self._others[place] for place in self._left_out]

    def places_of_interest(self, start: int, end: int, files: Collection[str]) -> list[int]:
        """From one place to before another: where something is left out, and where the given files are, in order."""
        first, last = bisect_left(self._left_out, start), bisect_left(self._left_out, end)
        found = {place for place in self.places_of(files) if start <= place < end}
        return sorted(found.union(self._left_out[first:last]))

    @cached_property
    def _left_out(self) -> list[int]:
        return [place for place, entry in self._others.items() if entry.left_out is not None]

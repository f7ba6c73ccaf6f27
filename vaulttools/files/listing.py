"""Holds what a walk met, in path order; its entries never change."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, overload

from vaulttools.core import paths
from vaulttools.core.cached import cached_property
from vaulttools.core.work import Reason
from vaulttools.files.catalogue import Entry, Run

MAY_BE_LARGE: Final[tuple[Reason, ...]] = ("ignored", "default excludes")
"""Why a folder is left out that ripgrep would walk, and that may be far larger than the vault."""

_SORTED: Final = 5
"""To sort one in so many paths takes as long as to look at all (0.2 ms of 10,000)."""

_SEARCHED: Final = 100
"""One search takes as long as noting the places of so many paths (6 µs among 10,000)."""


class Selection(Sequence[str]):
    """Some paths of all, by their places, which ascend; each is looked up when it is asked for, since a page shows few
    of many."""

    def __init__(self, paths: Sequence[str], places: Sequence[int]) -> None:
        self._paths = paths
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, number: int) -> str: ...

    @overload
    def __getitem__(self, number: slice) -> list[str]: ...

    def __getitem__(self, number: int | slice) -> str | list[str]:
        if isinstance(number, slice):
            return [*map(self._paths.__getitem__, self._places[number])]
        return self._paths[self._places[number]]


class Listing:
    """Entries by their place, from 0, in path order.

    Files that are in, nearly all there is, are held as paths alone: an `Entry` each would take twice the memory, and
    making them half the time of a walk.
    """

    def __init__(self, met: Iterable[Run]) -> None:
        self._paths: list[str] = []
        self._others: dict[int, Entry] = {}
        """By place what is no file that is in."""
        self._searches = 0
        """How many paths `places_of` was asked for."""
        self._is_unique = False
        """Whether no path is in twice, as far as is known: none is in runs of files that a walk met."""
        for run in met:
            if isinstance(run, list):
                self._paths += run
                self._is_unique = True
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

    def runs(self) -> Iterator[Run]:
        """The entries, as `catalogue.runs` gives them."""
        start = 0
        for place, other in self._others.items():
            yield self._paths[start:place]
            yield other
            start = place + 1
        yield self._paths[start:]

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

    def narrowed(self, met: Iterable[Run]) -> Listing:
        """A listing of some of these entries; this one where they are all, so that it is not held twice."""
        found = Listing(met)
        is_all = found._paths == self._paths and found._others == self._others
        return self if is_all else found

    def places_of(self, some: Collection[str]) -> list[int]:
        """The places of those of some paths that are in, in the order given."""
        if not some:
            return []  # without a map of all, which a listing that several walks made has only for one call
        self._searches += len(some)
        if self._is_unique and "places" not in vars(self) and self._searches * _SEARCHED < len(self):
            searched = [place for path in some if (place := self._searched(path)) is not None]
            if len(searched) == len(some):
                return searched
        return [place for place in map(self.places.get, some) if place is not None]

    def _searched(self, path: str) -> int | None:
        """The place of a path that is in, or None. It may be in all the same: a file that is not downloaded comes
        where its stub does, so that not all paths are in path order."""
        place = bisect_left(self._paths, paths.order(path), key=paths.order)
        is_met = place < len(self) and self._paths[place] == path
        return place if is_met and self[place].left_out is None else None

    def of(self, some: AbstractSet[str]) -> list[str]:
        """Those of some paths that are in, in path order."""
        if len(some) * _SORTED < len(self):
            return [self._paths[place] for place in sorted(self.places_of(some))]
        return [path for path in self.files if path in some]

    def at(self, places: Sequence[int]) -> Selection:
        """Those at some places, ascending."""
        return Selection(self._paths, places)

    @cached_property
    def holds_ignored_folders(self) -> bool:
        """Whether a folder is left out that may be far larger than all that is in."""
        return any(entry.kind == "folder" and entry.left_out in MAY_BE_LARGE for entry in self.left_out)

    @property
    def left_out(self) -> list[Entry]:
        """What is not in."""
        return [self._others[place] for place in self._left_out]

    def places_of_interest(self, start: int, end: int, files: Collection[str]) -> list[int]:
        """From one place to before another: where something is left out, and where the given files are, in order."""
        first, last = (bisect_left(self._left_out, place) for place in (start, end))
        found = {place for place in self.places_of(files) if start <= place < end}
        return sorted(found.union(self._left_out[first:last]))

    @cached_property
    def _left_out(self) -> list[int]:
        return [place for place, entry in self._others.items() if entry.left_out is not None]

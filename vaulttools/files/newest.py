"""Keeps what a walk found in the order of its times of modification."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Final

from vaulttools.files.listing import Listing
from vaulttools.files.names import FileNames

_SORTED: Final = 20
"""To move one in so many takes as long as to sort all: both are a millisecond for 500 of 10,000."""

_Key = tuple[int, int]
"""Nanoseconds before 1970, and the place in the listing: what is equally old stays in path order."""


class Newest:
    """Paths of a listing, newest first, for calls from any number of threads."""

    def __init__(self, listing: Listing, places: Iterable[int]) -> None:
        """`places`: those of the entries to be ordered, folders and links among them, in rising order."""
        self._entries: Final = listing
        self._places: Final = {listing[place].path: place for place in places}
        self._timed: Final = [place for place in self._places.values() if listing[place].kind != "file"]
        """What has no place in the log of changed files: its times are looked up at each call."""
        self._lock: Final = Lock()
        self._moment = -1
        self._keys: list[_Key] = []
        self._by_place: dict[int, _Key] = {}
        self._shown: list[str] = []

    def at(self, names: FileNames) -> Sequence[str]:
        """The paths, newest first, as of the moment of `names` or later; folders end in `/`, and what is not there any
        more is left out."""
        with self._lock:
            changed = None if names.moment is None or self._moment < 0 else names.changed_since(self._moment)
            due = None if changed is None else {*self._timed, *self._among(changed)}
            if due is None or len(due) * _SORTED > len(self._places):
                self._by_place = self._keys_of(names, self._places.values())
                self._keys = sorted(self._by_place.values())
                self._shown = [self._shown_as(place) for _, place in self._keys]
            else:
                self._move(self._keys_of(names, due), due)
            self._moment = -1 if names.moment is None else names.moment
            return self._shown

    def _among(self, changed: Iterable[str]) -> Iterable[int]:
        return (self._places[path] for path in changed if path in self._places)

    def _keys_of(self, names: FileNames, places: Iterable[int]) -> dict[int, _Key]:
        times = ((place, names.modified(self._entries[place].path)) for place in places)
        return {place: (-modified, place) for place, modified in times if modified is not None}

    def _move(self, now: dict[int, _Key], due: Iterable[int]) -> None:
        """Put some places where they belong now."""
        otherwise = [place for place in due if self._by_place.get(place) != now.get(place)]
        shown = list(self._shown) if otherwise else self._shown  # a call may still read what it was given
        for place in otherwise:
            if (before := self._by_place.pop(place, None)) is not None:
                at = bisect_left(self._keys, before)
                del self._keys[at], shown[at]
            if (key := now.get(place)) is not None:
                self._by_place[place] = key
                at = bisect_left(self._keys, key)
                self._keys.insert(at, key)
                shown.insert(at, self._shown_as(place))
        self._shown = shown

    def _shown_as(self, place: int) -> str:
        entry = self._entries[place]
        return f"{entry.path}/" if entry.kind == "folder" else entry.path

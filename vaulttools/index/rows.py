"""Holds what an index has of every file, in columns.

A row is never changed: a newer one of the same file stands behind it, and takes its place at once for readers in other
threads, who need no lock.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, count, filterfalse, repeat
from operator import gt, le, sub
from struct import Struct
from typing import Any, Final

from vaulttools.core import paths
from vaulttools.files.key import GRANULARITY, Key, is_racy
from vaulttools.index.content import DIGEST_BYTES, HAS_FAILED, STATES
from vaulttools.index.folder import STAMP, Stamped
from vaulttools.index.store import Row

_DIGEST: Final = Struct(f"{DIGEST_BYTES}s")
_TEXT: Final = STATES.index("text")
_NO_TEXT: Final = bytes(state != _TEXT for state in range(256))
"""By the number of a state: 0 for text, 1 for any other."""
_UNREAD: Final = STATES.index("unread")

_SPARE: Final = 1_000
"""Rows that others took the place of are thrown away when they are more than this and than those that hold."""


def is_current(row: Row, key: Key, now: int) -> bool:
    """Whether a row holds what its file holds, as far as its key tells.

    What could not be read is a candidate anyway; it is read again when it has changed, or the reason may have passed.
    """
    if key != row.key or row.flags & HAS_FAILED:
        return False
    return row.state == "unread" or not (row.checked > now or is_racy(row.key, row.checked))


class _Columns:
    """Rows by their place, each new one behind the last."""

    __slots__ = ("checked", "digests", "flags", "ids", "loaded", "long", "names", "newer", "places", "stamps", "states")

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        """By path, of the row that holds."""
        self.names: list[str | None] = []
        """None: another row took the place of this one."""
        self.ids = array("q")
        self.loaded = 0
        """The first rows, whose ids ascend."""
        self.newer: dict[int, int] = {}
        """The places of the others, by id."""
        self.stamps = bytearray()
        self.checked = array("q")
        self.states = bytearray()
        self.flags = array("H")
        self.digests = bytearray()
        self.long: dict[int, bytes] = {}
        """Digests of another length, by place."""

    def load(self, columns: Sequence[Sequence[Any]]) -> None:
        """Add rows as the table has them, by id in ascending order."""
        encoded, ids, sizes, modified, changed, inodes, checked, states, flags, digests = columns
        first = len(self.names)
        names = os.fsdecode(b"\0".join(encoded)).split("\0")  # at once, in a fifth of the time
        self.names += names
        self.places.update(zip(names, range(first, first + len(names)), strict=True))
        self.ids.extend(ids)
        stamps = array("q", bytes(STAMP.size * len(names)))
        for place, column in enumerate((sizes, modified, changed, inodes)):
            stamps[place::4] = array("q", column)
        self.stamps += stamps.tobytes()
        self.checked.extend(checked)
        self.states += bytes(states)
        self.flags.extend(flags)
        if set(map(len, digests)) == {DIGEST_BYTES}:
            self.digests += b"".join(digests)
        else:
            for place, digest in enumerate(digests, first):
                self._add_digest(place, digest)
        self.loaded = len(self.names)

    def add(self, row: Row) -> None:
        place = len(self.names)
        self.ids.append(row.id)
        self.stamps += STAMP.pack(*row.key)
        self.checked.append(row.checked)
        self.states.append(STATES.index(row.state))
        self.flags.append(row.flags)
        self._add_digest(place, row.digest)
        self.names.append(row.path)
        self.drop(row.path)
        self.newer[row.id] = place
        self.places[row.path] = place

    def drop(self, path: str) -> None:
        place = self.places.pop(path, None)
        if place is not None:
            self.names[place] = None
            self.newer.pop(self.ids[place], None)

    def _add_digest(self, place: int, digest: bytes) -> None:
        if len(digest) == DIGEST_BYTES:
            self.digests += digest
        else:
            self.digests += bytes(DIGEST_BYTES)
            self.long[place] = digest

    def digest(self, place: int) -> bytes:
        if place in self.long:
            return self.long[place]
        return bytes(self.digests[place * DIGEST_BYTES : (place + 1) * DIGEST_BYTES])

    def each_digest(self) -> Sequence[bytes]:
        """The digest of every row by its place; of all at once each costs a fifth of what it costs alone."""
        long = list(self.long.items())  # before the others, so that there are places for all of them
        digests = [digest for (digest,) in _DIGEST.iter_unpack(bytes(self.digests))]
        for place, digest in long:
            digests[place] = digest
        return digests

    def row(self, path: str, place: int) -> Row:
        key = Key._make(STAMP.unpack_from(self.stamps, place * STAMP.size))
        state = STATES[self.states[place]]
        return Row(path, self.ids[place], key, self.checked[place], state, self.flags[place], self.digest(place))

    def place(self, id_: int) -> int | None:
        """Where the row with an id is; it need not hold any more."""
        place = self.newer.get(id_)
        if place is None:
            place = id_ - self.ids[0] if self.loaded else -1  # as long as no file before it has gone
            if not (0 <= place < self.loaded and self.ids[place] == id_):
                place = bisect_left(self.ids, id_, 0, self.loaded)
                if place == self.loaded or self.ids[place] != id_:
                    return None
        return place

    def named(self, ids: Iterable[int]) -> set[str]:
        """The files with these ids."""
        names, first, is_dense = self.names, 0, False
        if self.loaded and not self.newer:
            first = self.ids[0]
            is_dense = self.ids[self.loaded - 1] - first == self.loaded - 1
        if is_dense:  # the case of most vaults, in a tenth of the time
            last = first + self.loaded
            found = {names[id_ - first] for id_ in ids if first <= id_ < last}
        else:
            found = {names[place] for id_ in ids if (place := self.place(id_)) is not None}
        return {path for path in found if path is not None}


class Rows:
    """The rows of one store; changed by one thread at a time, read by any."""

    def __init__(self, chunks: Iterable[Sequence[Sequence[Any]]] = ()) -> None:
        """From what `IndexStore.columns` gives."""
        self._columns = _Columns()
        for _ in self.loading(chunks):
            pass

    def loading(self, chunks: Iterable[Sequence[Sequence[Any]]]) -> Iterator[None]:
        """Take what `IndexStore.columns` gives, a chunk at each step."""
        for chunk in chunks:
            self._columns.load(chunk)
            yield

    def __len__(self) -> int:
        return len(self._columns.places)

    def __contains__(self, path: str) -> bool:
        return path in self._columns.places

    def __iter__(self) -> Iterator[str]:
        """The paths."""
        return iter(self._columns.places)

    @property
    def newest(self) -> int:
        """The largest id; 0 when there is none."""
        return max(self._columns.ids, default=0)

    def get(self, path: str) -> Row | None:
        """What is known of a file."""
        columns = self._columns
        place = columns.places.get(path)
        return None if place is None else columns.row(path, place)

    def id(self, path: str) -> int | None:
        """The id of a file's row."""
        columns = self._columns
        place = columns.places.get(path)
        return None if place is None else columns.ids[place]

    def path(self, id_: int) -> str | None:
        """The file of a row."""
        columns = self._columns
        place = columns.place(id_)
        return None if place is None else columns.names[place]

    def named(self, ids: Iterable[int]) -> set[str]:
        """The files of rows; ids that are not known are passed over."""
        return self._columns.named(ids)

    def by_id(self, numbers: Mapping[str, int], nowhere: int) -> array[int]:
        """The number of each row's file, by the row's id; `nowhere` where it has none or there is no row."""
        columns = self._columns
        ids = columns.ids
        found = array("i", [nowhere]) * (max(ids, default=-1) + 1)
        for place, number in zip(map(columns.places.get, numbers), numbers.values(), strict=True):
            if place is not None:
                found[ids[place]] = number
        return found

    def lacking(self, files: Iterable[str]) -> list[str]:
        """Those of some files that have no row."""
        return [*filterfalse(self._columns.places.__contains__, files)]

    def texts(self, files: Iterable[str]) -> dict[str, bytes]:
        """By file the digest of its text, of those that have one."""
        columns = self._columns
        places, states = columns.places, columns.states
        known = [(path, place) for path in files if (place := places.get(path)) is not None]
        digests = columns.each_digest()
        return {path: digests[place] for path, place in known if states[place] == _TEXT}

    def unusual(self) -> list[Row]:
        """The rows that are not of a plain text."""
        columns = self._columns
        unusual = {*compress(count(), columns.states.translate(_NO_TEXT)), *compress(count(), columns.flags)}
        return [columns.row(path, place) for place in sorted(unusual) if (path := columns.names[place]) is not None]

    def holds_just(self, number: int, total: int) -> bool:
        """Whether there are so many rows, with so much as the sum of their ids."""
        columns = self._columns
        return len(columns.ids) == number and sum(columns.ids) == total

    def put(self, row: Row) -> None:
        """Have this row hold."""
        self._columns.add(row)
        columns = self._columns
        if len(columns.names) > 2 * len(columns.places) + _SPARE:
            again = _Columns()
            for path, place in columns.places.items():
                again.add(columns.row(path, place))
            self._columns = again

    def drop(self, path: str) -> None:
        """Forget a file."""
        self._columns.drop(path)

    def differences(
        self, present: Iterable[Stamped], now: int, unlisted: Collection[str] = ()
    ) -> tuple[list[str], list[str]]:
        """The paths whose rows are missing or may be outdated, and the paths of rows whose files are gone.

        Both in path order. Only before the first change of these rows.

        Args:
            present: Every file of the vault that was listed.
            now: Nanoseconds since 1970; a row from a later time proves nothing.
            unlisted: Folders that could not be listed: rows below them stay (fault-I14).
        """
        columns = self._columns
        places, size, held = columns.places, STAMP.size, bytes(columns.stamps)
        doubtful = self._doubtful(now)
        met: list[Sequence[int | None]] = []
        stale: list[str] = []
        for files, stamps in present:
            found = [*map(places.get, files)]
            met.append(found)
            if None not in found and doubtful.isdisjoint(found):
                known = [held[place * size : place * size + size] for place in found if place is not None]
                if known == stamps:  # nearly always: all are as they were
                    continue
            stale += [
                path
                for path, place, stamp in zip(files, found, stamps, strict=True)
                if place is None or place in doubtful or stamp != held[place * size : place * size + size]
            ]
        return sorted(stale, key=paths.order), sorted(self._gone(met, unlisted), key=paths.order)

    def _gone(self, met: Sequence[Sequence[int | None]], unlisted: Collection[str]) -> list[str]:
        """The paths of the rows that are not at these places."""
        places = self._columns.places
        if sum(len(found) - found.count(None) for found in met) == len(places):
            return []
        there = set(chain.from_iterable(met))
        gone = [path for path, place in places.items() if place not in there]
        return [path for path in gone if not any(paths.is_below(folder, path) for folder in unlisted)]

    def _doubtful(self, now: int) -> set[int]:
        """The rows that prove nothing, whatever the keys are, as `is_current` has it."""
        columns = self._columns
        checked, states = columns.checked, columns.states
        numbers = array("q", bytes(columns.stamps))
        found: set[int] = set()
        # Each step is a call that Python need not interpret: a third of the time of one loop over rows (measured).
        for times in (numbers[1::4], numbers[2::4]):
            found.update(compress(count(), map(le, map(sub, checked, times), repeat(GRANULARITY))))
        if max(checked, default=0) > now:
            found.update(compress(count(), map(gt, checked, repeat(now))))
        found = {place for place in found if states[place] != _UNREAD}
        if any(columns.flags):
            found.update(place for place, flags in enumerate(columns.flags) if flags & HAS_FAILED)
        return found

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
from vaulttools.files.disk import GRANULARITY, Key, is_racy
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


class Rows:
    """The rows of one store, each new one behind the last; changed by one thread at a time, read by any."""

    def __init__(self, chunks: Iterable[Sequence[Sequence[Any]]] = ()) -> None:
        """From what `IndexStore.columns` gives."""
        self._places: dict[str, int] = {}
        """By path, of the row that holds."""
        self._names: list[str | None] = []
        """None: another row took the place of this one."""
        self._ids = array("q")
        self._loaded = 0
        """The first rows, whose ids ascend."""
        self._newer: dict[int, int] = {}
        """The places of the others, by id."""
        self._stamps = bytearray()
        self._checked = array("q")
        self._states = bytearray()
        self._flags = array("H")
        self._digests = bytearray()
        self._long: dict[int, bytes] = {}
        """Digests of another length, by place."""
        for _ in self.loading(chunks):
            pass

    def loading(self, chunks: Iterable[Sequence[Sequence[Any]]]) -> Iterator[None]:
        """Take what `IndexStore.columns` gives, a chunk at each step."""
        for chunk in chunks:
            self._load(chunk)
            yield

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, path: str) -> bool:
        return path in self._places

    def __iter__(self) -> Iterator[str]:
        """The paths."""
        return iter(self._places)

    @property
    def newest(self) -> int:
        """The largest id; 0 when there is none."""
        return max(self._ids, default=0)

    def get(self, path: str) -> Row | None:
        """What is known of a file."""
        place = self._places.get(path)
        return None if place is None else self._row(path, place)

    def id(self, path: str) -> int | None:
        """The id of a file's row."""
        place = self._places.get(path)
        return None if place is None else self._ids[place]

    def path(self, id_: int) -> str | None:
        """The file of a row."""
        place = self._place(id_)
        return None if place is None else self._names[place]

    def by_id(self, numbers: Mapping[str, int], nowhere: int) -> array[int]:
        """The number of each row's file, by the row's id; `nowhere` where it has none or there is no row."""
        ids = self._ids
        found = array("i", [nowhere]) * (max(ids, default=-1) + 1)
        for place, number in zip(map(self._places.get, numbers), numbers.values(), strict=True):
            if place is not None:
                found[ids[place]] = number
        return found

    def lacking(self, files: Iterable[str]) -> list[str]:
        """Those of some files that have no row."""
        return [*filterfalse(self._places.__contains__, files)]

    def texts(self, files: Iterable[str]) -> dict[str, bytes]:
        """By file the digest of its text, of those that have one."""
        places, states = self._places, self._states
        known = [(path, place) for path in files if (place := places.get(path)) is not None]
        digests = self._each_digest()
        return {path: digests[place] for path, place in known if states[place] == _TEXT}

    def unusual(self) -> list[Row]:
        """The rows that are not of a plain text."""
        unusual = {*compress(count(), self._states.translate(_NO_TEXT)), *compress(count(), self._flags)}
        return [self._row(path, place) for place in sorted(unusual) if (path := self._names[place]) is not None]

    def holds_just(self, number: int, total: int) -> bool:
        """Whether there are so many rows, with so much as the sum of their ids."""
        return len(self._ids) == number and sum(self._ids) == total

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
        places, size, held = self._places, STAMP.size, bytes(self._stamps)
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
        places = self._places
        if sum(len(found) - found.count(None) for found in met) == len(places):
            return []
        there = set(chain.from_iterable(met))
        gone = [path for path, place in places.items() if place not in there]
        return [path for path in gone if not any(paths.is_below(folder, path) for folder in unlisted)]

    def _doubtful(self, now: int) -> set[int]:
        """The rows that prove nothing, whatever the keys are, as `is_current` has it."""
        checked, states = self._checked, self._states
        numbers = array("q", bytes(self._stamps))
        found: set[int] = set()
        # Each step is a call that Python need not interpret: a third of the time of one loop over rows (measured).
        for times in (numbers[1::4], numbers[2::4]):
            found.update(compress(count(), map(le, map(sub, checked, times), repeat(GRANULARITY))))
        if max(checked, default=0) > now:
            found.update(compress(count(), map(gt, checked, repeat(now))))
        found = {place for place in found if states[place] != _UNREAD}
        if any(self._flags):
            found.update(place for place, flags in enumerate(self._flags) if flags & HAS_FAILED)
        return found

    @property
    def is_loose(self) -> bool:
        """Whether many rows are held that others took the place of."""
        return len(self._names) > 2 * len(self._places) + _SPARE

    def again(self) -> Rows:
        """The same without these."""
        again = Rows()
        for path, place in self._places.items():
            again.put(self._row(path, place))
        return again

    def _load(self, columns: Sequence[Sequence[Any]]) -> None:
        """Add rows as the table has them, by id in ascending order."""
        encoded, ids, sizes, modified, changed, inodes, checked, states, flags, digests = columns
        first = len(self._names)
        names = os.fsdecode(b"\0".join(encoded)).split("\0")  # at once, in a fifth of the time
        self._names += names
        self._places.update(zip(names, range(first, first + len(names)), strict=True))
        self._ids.extend(ids)
        stamps = array("q", bytes(STAMP.size * len(names)))
        for place, column in enumerate((sizes, modified, changed, inodes)):
            stamps[place::4] = array("q", column)
        self._stamps += stamps.tobytes()
        self._checked.extend(checked)
        self._states += bytes(states)
        self._flags.extend(flags)
        if set(map(len, digests)) == {DIGEST_BYTES}:
            self._digests += b"".join(digests)
        else:
            for place, digest in enumerate(digests, first):
                self._add_digest(place, digest)
        self._loaded = len(self._names)

    def put(self, row: Row) -> None:
        """Have this row hold."""
        place = len(self._names)
        self._ids.append(row.id)
        self._stamps += STAMP.pack(*row.key)
        self._checked.append(row.checked)
        self._states.append(STATES.index(row.state))
        self._flags.append(row.flags)
        self._add_digest(place, row.digest)
        self._names.append(row.path)
        self.drop(row.path)
        self._newer[row.id] = place
        self._places[row.path] = place

    def drop(self, path: str) -> None:
        """Forget a file."""
        place = self._places.pop(path, None)
        if place is not None:
            self._names[place] = None
            self._newer.pop(self._ids[place], None)

    def _add_digest(self, place: int, digest: bytes) -> None:
        if len(digest) == DIGEST_BYTES:
            self._digests += digest
        else:
            self._digests += bytes(DIGEST_BYTES)
            self._long[place] = digest

    def _digest(self, place: int) -> bytes:
        if place in self._long:
            return self._long[place]
        return bytes(self._digests[place * DIGEST_BYTES : (place + 1) * DIGEST_BYTES])

    def _each_digest(self) -> Sequence[bytes]:
        """The digest of every row by its place; of all at once each costs a fifth of what it costs alone."""
        long = list(self._long.items())  # before the others, so that there are places for all of them
        digests = [digest for (digest,) in _DIGEST.iter_unpack(bytes(self._digests))]
        for place, digest in long:
            digests[place] = digest
        return digests

    def _row(self, path: str, place: int) -> Row:
        key = Key._make(STAMP.unpack_from(self._stamps, place * STAMP.size))
        state = STATES[self._states[place]]
        return Row(path, self._ids[place], key, self._checked[place], state, self._flags[place], self._digest(place))

    def _place(self, id_: int) -> int | None:
        """Where the row with an id is; it need not hold any more."""
        place = self._newer.get(id_)
        if place is None:
            place = id_ - self._ids[0] if self._loaded else -1  # as long as no file before it has gone
            if not (0 <= place < self._loaded and self._ids[place] == id_):
                place = bisect_left(self._ids, id_, 0, self._loaded)
                if place == self._loaded or self._ids[place] != id_:
                    return None
        return place

    def named(self, ids: Iterable[int]) -> set[str]:
        """The files with these ids."""
        names, first, is_dense = self._names, 0, False
        if self._loaded and not self._newer:
            first = self._ids[0]
            is_dense = self._ids[self._loaded - 1] - first == self._loaded - 1
        if is_dense:  # the case of most vaults, in a tenth of the time
            last = first + self._loaded
            found = {names[id_ - first] for id_ in ids if first <= id_ < last}
        else:
            found = {names[place] for id_ in ids if (place := self._place(id_)) is not None}
        return {path for path in found if path is not None}

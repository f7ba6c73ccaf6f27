"""Keeps the passages of notes that were ranked last, by row, in bounded memory.

A question asked in other words, its next page and `context` after `query` look at the same notes: to read their
passages from the database is a fifth of what a ranked question takes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Final

from vaulttools.core import forks
from vaulttools.index.store import Row

if TYPE_CHECKING:
    from vaulttools.index.passages import Passages

MOST: Final = 16_384
"""Passages that are kept, those of a note together: 2.5 MiB (measured), of 650 notes of an encyclopaedia."""


class KeptPassages:
    """Of one vault's notes, for any number of threads; what was used longest ago goes first."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self.reset_after_fork()
        forks.renew(self)

    def reset_after_fork(self) -> None:
        """Be as one that keeps nothing."""
        self._lock = Lock()
        self._notes: OrderedDict[Row, Passages] = OrderedDict()
        self.size = 0
        """Passages that are kept."""

    def of(self, rows: Iterable[Row]) -> dict[str, Passages]:
        """By path those that are kept: of notes that had the very same row."""
        found: dict[str, Passages] = {}
        with self._lock:
            for row in rows:
                if (kept := self._notes.get(row)) is not None:
                    self._notes.move_to_end(row)
                    found[row.path] = kept
        return found

    def keep(self, read: Mapping[Row, Passages]) -> None:
        """Keep those of notes with these rows, as far as they fit."""
        with self._lock:
            for row, passages in read.items():
                if len(passages.lengths) > self._most or row in self._notes:
                    continue
                self._notes[row] = passages
                self.size += len(passages.lengths)
                while self.size > self._most:
                    self.size -= len(self._notes.popitem(last=False)[1].lengths)

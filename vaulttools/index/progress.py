"""Says how far an index is, as one number that only grows."""

from __future__ import annotations

import time
from typing import Final, NamedTuple

_FACTS: Final = 0.25
"""The part of the work of a build that reads the structure of notes, which comes first (measured)."""

_SURE_SHARE: Final = 0.03
"""The part of the work after which its pace is told."""


class Progress(NamedTuple):
    """How much of a vault an index holds."""

    facts: int
    """Notes whose properties, tags, links, tasks and headings are known."""
    notes: int
    indexed: int
    """Files that are held whole, so that their words find them."""
    files: int
    seconds: float | None = None
    """How long the rest takes, by the pace so far; None: nothing tells yet."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left to do."""
        return self.indexed >= self.files

    @property
    def share(self) -> float:
        """The part of the work that is done, from 0 to 1."""
        facts, whole = (done / total if total else 1.0 for done, total in (self[:2], self[2:4]))
        return _FACTS * facts + (1 - _FACTS) * whole

    @property
    def sentence(self) -> str:
        """What a person is told."""
        left = "" if self.seconds is None else f", about {max(1, round(self.seconds)):,} s are left"
        return f"Indexing: {self.facts:,} of {self.notes:,} notes are read, {self.share:.0%} of the work is done{left}."

    @property
    def done(self) -> int:
        """The same as a number of files."""
        return self.files if self.is_whole else int(self.share * self.files)


class Meter:
    """Follows a build: no number goes down before all is done, whatever is edited meanwhile."""

    def __init__(self) -> None:
        self._last: Progress | None = None
        self._since = self._first = 0.0

    def shown(self, now: Progress) -> Progress:
        """What is shown of the present state."""
        last, moment = self._last, time.monotonic()
        if now.is_whole:
            self._last = None
            return now._replace(seconds=0.0)
        if last is None:
            self._since, self._first = moment, now.share
        else:
            facts, indexed = max(now.facts, last.facts), max(now.indexed, last.indexed)
            now = Progress(facts, max(now.notes, facts), indexed, max(now.files, last.files))
        gained = now.share - self._first
        if gained >= _SURE_SHARE:
            now = now._replace(seconds=(moment - self._since) / gained * (1 - now.share))
        self._last = now
        return now

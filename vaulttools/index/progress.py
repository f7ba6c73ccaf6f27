"""Computes the progress of an index as one number that only grows."""

from __future__ import annotations

import time
from typing import Final, NamedTuple

_FACTS: Final = 0.25
"""Share of a build's work for the structure of notes, which comes first (measured)."""

_SURE_SHARE: Final = 0.03
"""Share of the work after which the remaining time is estimated."""


class Progress(NamedTuple):
    """How much of a vault is indexed."""

    facts: int
    """Notes whose properties, tags, links, tasks and headings are known."""
    notes: int
    indexed: int
    """Completely indexed files, words included."""
    files: int
    seconds: float | None = None
    """Estimated seconds for the rest, at the pace so far; None: not known yet."""

    @property
    def is_whole(self) -> bool:
        """Whether all files are indexed."""
        return self.indexed >= self.files

    @property
    def share(self) -> float:
        """Share of the work that is done, from 0 to 1."""
        facts, whole = (done / total if total else 1.0 for done, total in (self[:2], self[2:4]))
        return _FACTS * facts + (1 - _FACTS) * whole

    @property
    def sentence(self) -> str:
        """The progress as a sentence for people."""
        left = "" if self.seconds is None else f", about {max(1, round(self.seconds)):,} s are left"
        return f"Indexing: {self.facts:,} of {self.notes:,} notes are read, {self.share:.0%} of the work is done{left}."

    @property
    def done(self) -> int:
        """The share as a number of files."""
        return self.files if self.is_whole else int(self.share * self.files)


class Meter:
    """Follows a build: no number decreases before the build is done, even if files are edited meanwhile."""

    def __init__(self) -> None:
        self._last: Progress | None = None
        self._since = self._first = 0.0

    def shown(self, now: Progress) -> Progress:
        """Returns the progress to show for the current state."""
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

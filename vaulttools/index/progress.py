"""Computes the progress of an index, in numbers that only grow, and the time left."""

from __future__ import annotations

import time
from typing import Final, NamedTuple

from vaulttools.core import units

_FACTS: Final = 1 / 3
"""Share of a build's time for the structure of notes, which comes first: .38 for 6,000 notes of 5 KB, .29 for 10,000 of
7 KB, on two cores."""

_SURE_SHARE: Final = 0.03
"""Share of the work after which the remaining time is estimated."""

_LATE: Final = 0.2
"""Least share of an estimate that stays while the next commit is overdue."""


class Progress(NamedTuple):
    """How much of a vault is indexed."""

    facts: int
    """Notes whose properties, tags, links, tasks and headings are known."""
    notes: int
    indexed: int
    """Completely indexed files, words included."""
    files: int
    seconds: float | None = None
    """Estimated seconds for the rest; None: not known yet."""
    facts_seconds: float | None = None
    """Estimated seconds until all structures are known; None: not known yet."""

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
        left = "" if self.seconds is None else f", {units.time_left(self.seconds)}"
        return f"Indexing: {self.facts:,} of {self.notes:,} notes are read, {self.share:.0%} of the work is done{left}."

    @property
    def done(self) -> int:
        """The share as a number of files."""
        return self.files if self.is_whole else int(self.share * self.files)


class Meter:
    """Follows a build: no number decreases before the build is done, even if files are edited meanwhile."""

    def __init__(self) -> None:
        self._last: Progress | None = None
        self._pace = Pace()

    def shown(self, now: Progress) -> Progress:
        """Returns the progress to show for the current state."""
        last, moment = self._last, time.monotonic()
        if now.is_whole:
            self._last = None
            return now._replace(seconds=0.0, facts_seconds=0.0)
        if last is None:
            self._pace = Pace()
        else:
            facts, indexed = max(now.facts, last.facts), max(now.indexed, last.indexed)
            now = Progress(facts, max(now.notes, facts), indexed, max(now.files, last.files))
        self._last = now
        seconds, of_facts = self._pace.left(moment, now)
        return now._replace(seconds=seconds, facts_seconds=of_facts)


class Pace:
    """Estimates the time that is left of a build, from the moments at which something was committed.

    Between two commits, which are seconds apart, the last estimate runs down. Structures come first, at a pace of their
    own; from it the time for the words is foretold, and what the words have shown replaces that little by little.
    """

    def __init__(self) -> None:
        self._first: Progress | None = None
        self._begun = self._words_begun = self._at = 0.0
        self._facts = self._indexed = 0
        self._foretold: float | None = None
        """Seconds for all words, by the pace of the structures."""
        self._left: tuple[float | None, float | None] = None, None

    def left(self, moment: float, now: Progress) -> tuple[float | None, float | None]:
        """Returns the estimated seconds for the rest, and for the rest of the structures; None: not known yet."""
        first = self._first
        if first is None:
            self._first, self._begun, self._words_begun = now, moment, moment
            self._facts, self._indexed = now.facts, now.indexed
            return None, None
        if (now.facts, now.indexed) != (self._facts, self._indexed):
            self._left = self._estimated(moment, first, now)
            self._facts, self._indexed, self._at = now.facts, now.indexed, moment
        if now.share - first.share < _SURE_SHARE:
            return None, None
        passed = moment - self._at
        whole, facts = (None if left is None else max(left - passed, left * _LATE) for left in self._left)
        return whole, facts

    def _estimated(self, moment: float, first: Progress, now: Progress) -> tuple[float, float]:
        files = max(1, now.files - first.indexed)
        if now.indexed > first.indexed:
            share = (now.indexed - first.indexed) / files
            whole = (moment - self._words_begun) / share * (1 - share)
            if self._foretold is not None:
                whole = share * whole + (1 - share) * self._foretold * (1 - share)
            return whole, 0.0
        notes = max(1, now.notes - first.facts)
        share = (now.facts - first.facts) / notes
        facts = (moment - self._begun) / share
        self._foretold = facts / _FACTS * (1 - _FACTS) * files / notes
        self._words_begun = moment
        return facts * (1 - share) + self._foretold, facts * (1 - share)

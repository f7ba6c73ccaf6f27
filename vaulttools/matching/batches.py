"""Plans a search of candidates: how many next, by name or by folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from vaulttools.core import limits

PROBE: Final = 192
"""Files searched by name before the whole folder is: a word in six of ten notes fills its page from them."""

FIRST: Final = 24
"""Nominated files searched first: they fill a page of ten."""

LEAST: Final = 64
"""Files searched together at least, but for the first ones."""

CHUNK: Final = 128
"""Matching files looked at together for what rules them out; a page is full after about 100."""

NEAR: Final = 8
MOST_NAMED: Final = 2_048
"""While one in so many candidates matches, a page of 100 is near; so many are named before the folder is walked."""

WANTED: Final = limits.COUNTED_FILES + 1
"""Matching files that a search wants, unless its tool says otherwise: one more than are counted exactly."""


@dataclass(slots=True)
class Batches:
    """The candidates of one search in the order in which they are looked at, in batches that grow."""

    candidates: int
    wanted: int
    """Matching files, or matching lines, after which the tool stops."""
    is_narrowed: bool
    """Whether an index nominated the candidates."""
    looked_at: int = 0
    matched: int = 0
    """Files."""
    found: int = 0
    """Of what is wanted."""

    def next_size(self) -> int:
        """How many candidates to look at next: as many as give what is wanted, if they match as those before."""
        if self.looked_at == 0:
            return FIRST if self.is_narrowed and self.candidates > CHUNK else PROBE
        if self.found >= self.wanted:
            return MOST_NAMED
        return max(LEAST, min(self._needed, self.looked_at * 16, MOST_NAMED))

    @property
    def _needed(self) -> int:
        """Candidates that hold what is left of what is wanted, if they match as those before."""
        return (self.wanted - self.found) * self.looked_at // self.found if self.found else self.candidates

    def record(self, looked_at: int, matched: int, found: int) -> None:
        """Add a batch that was looked at, with its matching files and what was found in them of what is wanted."""
        self.looked_at += looked_at
        self.matched += matched
        self.found += found

    def walks_folder(self, entries_left: int) -> bool:
        """Whether walking the folder is cheaper than naming the candidates that are left, two thirds of its entries."""
        is_page_near = self.looked_at < CHUNK or (self.looked_at < MOST_NAMED and self.matched * NEAR > self.looked_at)
        is_end_near = self.found < self.wanted and self._needed * 2 < entries_left
        return not (is_page_near or is_end_near) and (self.candidates - self.looked_at) * 3 > entries_left * 2

"""Counts matching lines in path order, up to the scan limit.

`Search` defines the matching lines, as for every other tool; this module only decides where counting stops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from vaulttools.core import paths
from vaulttools.core.work import Reason
from vaulttools.exploration.toon import Count
from vaulttools.files.root import Kind
from vaulttools.matching.search import FileCount, Search
from vaulttools.patterns import pattern
from vaulttools.patterns.pattern import Pattern

SCAN_LINES: Final = 50_000
"""Counting one query in one place stops after so many matching lines."""

KEPT_LINES: Final = 5_000
"""Most matching lines kept of a file for clusters."""

BROAD_LINES: Final = 1_000
BROAD_FILES: Final = 100
"""A query with more matching lines, or more matching files, is called broad."""


@dataclass(frozen=True, slots=True)
class Scan:
    """Result of counting one query in one place."""

    files: tuple[FileCount, ...] = ()
    """In path order; the count of the last one may be cut at the scan limit."""
    limited: bool = False
    """Whether there are more matching lines than the scan limit."""
    out_of_time: bool = False
    """Whether files were left uncounted because time ran out."""

    @property
    def matches(self) -> Count:
        """Matching lines."""
        return Count(sum(file.count for file in self.files), self.limited or self.out_of_time)

    @property
    def file_count(self) -> Count:
        """Files with a matching line."""
        return Count(len(self.files), self.limited or self.out_of_time)


def is_broad(matches: Count, files: Count) -> bool:
    """Whether the query should be narrowed before a closer look."""
    return matches.number > BROAD_LINES or files.number > BROAD_FILES


def one(search: Search) -> Scan:
    """Count the search's pattern in its scope."""
    scanned = _up_to_limit(search.matching())
    return replace(scanned, out_of_time=_ran_out(search.work.skipped))


def several(search: Search, patterns: Sequence[Pattern]) -> list[Scan]:
    """Count each of several patterns in the scope of a search, whose own pattern is ignored.

    One search finds the files with any of them; then each is counted in the files that may contain it.
    """
    if len(patterns) == 1:
        return [one(replace(search, pattern=patterns[0]))]
    nominated = [file.path for file in replace(search, pattern=pattern.any_of(patterns)).matching()]
    cut_short = _ran_out(search.work.skipped)
    not_counted: dict[str, Reason] = {}
    scans = []
    for each in patterns:
        counts, missed = _counted(replace(search, pattern=each), nominated)
        not_counted |= missed
        found = (FileCount(path, counts[path]) for path in nominated if path in counts)
        scans.append(replace(_up_to_limit(found), out_of_time=cut_short or _ran_out(missed.values())))
    for path in nominated:
        if path in not_counted:
            search.work.searched -= 1
            search.work.pass_over(path, not_counted[path])
    return scans


def _counted(search: Search, nominated: Sequence[str]) -> tuple[dict[str, int], dict[str, Reason]]:
    """Returns the matching lines of a pattern in nominated files, and the files that were not counted."""
    files = search.narrowed(nominated)
    if not files:
        return {}, {}
    counts = search.counts_of(files)
    missed = {path: counts.failed[path] for path in files if path in counts.failed}
    if counts.stopped is not None:
        reason = counts.stopped
        missed |= {path: reason for path in files if path not in counts.matching and path not in missed}
    return counts.matching, missed


def by_folder(files: Iterable[FileCount], base: str) -> list[tuple[str, int]]:
    """Returns matching lines by folder, relative to the searched path; most first, then by path."""
    sums: Counter[str] = Counter()
    for file in files:
        sums[relative(file.path, base).rpartition("/")[0] or "."] += file.count
    return ranked(sums.items())


def ranked(counts: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Sorts counts: most first, then by path."""
    return sorted(counts, key=lambda pair: (-pair[1], paths.portable(pair[0])))


def relative(path: str, base: str) -> str:
    """Returns a path relative to the searched one; the name if a file itself was searched."""
    if path == base:
        return path.rpartition("/")[2]
    return path[len(base) + 1 :] if base else path


def within(base: str, relative: str, kind: Kind | None) -> str:
    """Returns the vault-relative path for a result of `relative` or `by_folder`."""
    if kind == "file":
        return base.rpartition("/")[0] if relative == "." else base
    return base if relative == "." else paths.join(base, relative)


def _up_to_limit(counted: Iterable[FileCount]) -> Scan:
    files: list[FileCount] = []
    room = SCAN_LINES
    for file in counted:
        if file.count > room:
            if room:
                files.append(FileCount(file.path, room))
            return Scan(tuple(files), limited=True)
        files.append(file)
        room -= file.count
    return Scan(tuple(files))


def _ran_out(reasons: Iterable[Reason]) -> bool:
    return not {"time limit", "ripgrep died"}.isdisjoint(reasons)

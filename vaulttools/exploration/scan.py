"""Counts matching lines in path order, up to the scan limit.

What a matching line is, is `Search`'s to say, as for every other tool; here it is decided only where counting stops.
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
from vaulttools.matching import literal
from vaulttools.matching.batches import EVERYTHING
from vaulttools.matching.ripgrep import Counts
from vaulttools.matching.search import MANY, FileCount, Search
from vaulttools.patterns import pattern
from vaulttools.patterns.pattern import Pattern

SCAN_LINES: Final = 50_000
"""Matching lines of one query in one place after which counting stops."""

KEPT_LINES: Final = 5_000
"""Matching lines kept of a file for clusters."""

TOGETHER_LINES: Final = 200_000
TOGETHER_CHARACTERS: Final = range(4, 101)
"""Matching lines, and characters of a term, within which the matches of several terms are printed by one run: what a
vault holds more of, or a letter, would print more than it costs to count it apart."""

BROAD_LINES: Final = 1_000
BROAD_FILES: Final = 100
"""A query with more matching lines, or in more files, is called broad."""


@dataclass(frozen=True, slots=True)
class Scan:
    """What counting one query in one place brought."""

    files: tuple[FileCount, ...] = ()
    """In path order; the count of the last one ends at the scan limit."""
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
    """Whether the query should be narrowed before it is looked at closer."""
    return matches.number > BROAD_LINES or files.number > BROAD_FILES


def one(search: Search) -> Scan:
    """Count the search's pattern in its scope."""
    scanned = _up_to_limit(search.matching())
    return replace(scanned, out_of_time=_ran_out(search.work.skipped))


def several(search: Search, patterns: Sequence[Pattern]) -> list[Scan]:
    """Count each of several patterns in the scope of a search, whose own pattern is of no matter.

    One walk and one run of ripgrep find the files in which any of them occurs; where an index knows the files, that run
    counts plain texts one by one. Of the other patterns those that an index finds in few files are counted there; a
    second run prints the matches of all others that cannot overlap, and only what is left is counted apart.
    """
    if len(patterns) == 1:
        return [one(replace(search, pattern=patterns[0]))]
    texts = [text for text in map(literal.of, patterns) if text is not None]
    is_plain = len(texts) == len(patterns) and search.candidates is not None
    any_of = replace(search, pattern=pattern.any_of(patterns))
    if is_plain:
        any_of = replace(any_of, each=tuple(texts), wanted=EVERYTHING)
    before = search.work.searched
    counted = list(any_of.matching())
    counted_each = any_of.counts_each
    searched = search.work.searched - before
    cut_short = _ran_out(search.work.skipped)
    left = [file for file in counted if file.path not in counted_each]
    counts = _counted(search, patterns, left, searched)
    rows = [
        counted_each.get(file.path) or [found.matching.get(file.path, 0) for found, _ in counts] for file in counted
    ]
    not_counted: dict[str, Reason] = {}
    scans = []
    for number, (_, missed) in enumerate(counts):
        not_counted |= missed
        files = (FileCount(file.path, row[number]) for file, row in zip(counted, rows, strict=True) if row[number])
        scans.append(replace(_up_to_limit(files), out_of_time=cut_short or _ran_out(missed.values())))
    for file in left:
        if file.path in not_counted:
            search.work.searched -= 1
            search.work.pass_over(file.path, not_counted[file.path])
    return scans


def _counted(
    search: Search, patterns: Sequence[Pattern], files: Sequence[FileCount], searched: int
) -> list[tuple[Counts, dict[str, Reason]]]:
    """For each pattern its counts in files in which any of them occurs, and the files that were not counted to their
    end."""
    if not files:
        return [(Counts(), {})] * len(patterns)
    nominated = [file.path for file in files]
    extracts = search.scope.extracts
    is_all_plain = extracts is None or not any(map(extracts.holds, nominated))
    is_little = sum(file.count for file in files) <= TOGETHER_LINES
    searches = {each.given: replace(search, pattern=each) for each in patterns}
    narrowed = {given: each.narrowed(nominated) for given, each in searches.items()}
    common = [each for each in patterns if len(narrowed[each.given]) * MANY >= len(nominated)]
    together = _together(common) if is_all_plain and is_little else []
    counts = _counted_together(search, together, nominated, searched)
    for given, each in searches.items():
        if given not in counts:
            counts[given] = each.counts_of(narrowed[given], searched)
    return [(counts[each.given], _missed(narrowed[each.given], counts[each.given])) for each in patterns]


def _together(patterns: Sequence[Pattern]) -> list[Pattern]:
    """The patterns whose matches one run can print, each line of output telling which of them it is."""
    chosen: list[Pattern] = []
    for each in patterns:
        fits = each.normalise == "never" and not each.multiline and len(each.given) in TOGETHER_CHARACTERS
        if fits and not any(pattern.may_overlap(each.given, other.given) for other in chosen):
            chosen.append(each)
    return chosen


def _counted_together(
    search: Search, together: Sequence[Pattern], nominated: Sequence[str], searched: int
) -> dict[str, Counts]:
    if len(together) < 2 or not nominated:
        return {}
    texts = [each.given for each in together]
    counts = replace(search, pattern=pattern.any_of(together)).counts_by_text(texts, nominated, searched)
    return dict(zip(texts, counts, strict=True))


def by_folder(files: Iterable[FileCount], base: str) -> list[tuple[str, int]]:
    """Matching lines by the folder that holds them, relative to the searched path; most first, then by path."""
    sums: Counter[str] = Counter()
    for file in files:
        sums[relative(file.path, base).rpartition("/")[0] or "."] += file.count
    return ranked(sums.items())


def ranked(counts: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Most first; ties by path."""
    return sorted(counts, key=lambda pair: (-pair[1], paths.portable(pair[0])))


def relative(path: str, base: str) -> str:
    """A path as seen from the searched one: what follows it, or the name when a file itself was searched."""
    if path == base:
        return path.rpartition("/")[2]
    return path[len(base) + 1 :] if base else path


def within(base: str, relative: str, kind: Kind | None) -> str:
    """The vault-relative path of what `relative` or `by_folder` named as seen from a searched folder or file."""
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


def _missed(nominated: Sequence[str], counts: Counts) -> dict[str, Reason]:
    """The files that were not counted to their end, and why."""
    missed = {path: counts.failed[path] for path in nominated if path in counts.failed}
    if counts.stopped is not None:
        reason = counts.stopped
        missed |= {path: reason for path in nominated if path not in counts.matching and path not in missed}
    return missed


def _ran_out(reasons: Iterable[Reason]) -> bool:
    return not {"time limit", "ripgrep died"}.isdisjoint(reasons)

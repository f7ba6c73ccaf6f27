"""Searches text for a tool: counts the matches, then reads those that are shown.

A tool makes the scope, and prints what `page` or `first_lines` yield; `hints` says what it might have meant instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from vaulttools.call import Call
from vaulttools.core import limits, paths
from vaulttools.core.work import UNREAD, Work
from vaulttools.files.scope import Scope
from vaulttools.matching.search import FileCount, FileHits, Search
from vaulttools.patterns.pattern import Pattern


class TextSearch:
    """One pattern in one scope, from its counts to the lines that an answer shows."""

    def __init__(
        self,
        call: Call,
        pattern: Pattern,
        scope: Scope,
        most: int = limits.COUNTED_FILES,
        *,
        counts_lines: bool = False,
        passing: Callable[[TextSearch], Iterator[FileCount]] | None = None,
    ) -> None:
        """`most`: files, or with `counts_lines` matching lines, up to which counts are exact. `passing` yields the
        matches of a tool that filters those of the scope, or adds to them; None: they are all, and no others."""
        self.call = call
        self.work: Work = call.work
        self.search: Search = call.search(pattern, scope, most + 1, wants_lines=counts_lines)
        self.counted: Sequence[FileCount] = ()
        """The first matching files; after the page was read, without those that vanished meanwhile."""
        self.is_exact = True
        """Whether `counted` are all."""
        self._most = most
        self._counts_lines = counts_lines
        self._passing = passing

    def again(self, pattern: Pattern, *, is_filtered: bool = True) -> TextSearch:
        """Returns a second look in the same call, with a tally of its own: another pattern in the same scope. Without
        `is_filtered`, files pass that no filter or date lets pass.

        Raises:
            Cancelled: the caller has stopped the call.
        """
        call, scope = self.call.again(), self.search.scope
        same = call.session.scope(scope.rules, scope.walks, scope.named, call.snapshot, call.work)
        same = replace(same, extracts=scope.extracts, times=scope.times if is_filtered else None)
        passing = self._passing if is_filtered else None
        return TextSearch(call, pattern, same, self._most, counts_lines=self._counts_lines, passing=passing)

    def matching(self) -> Iterator[FileCount]:
        """Yields the matching files, in path order if nothing passes that the scope lacks."""
        return self.search.matching() if self._passing is None else self._passing(self)

    def count(self, matches: Iterator[FileCount] | None = None) -> None:
        """Counts the matching files, in the order of `matches` if that is given."""
        first = [*islice(self.matching() if matches is None else matches, self._most + 1)]
        self.counted, self.is_exact = first[: self._most], len(first) <= self._most

    def count_lines(self) -> None:
        """Counts the matching lines, and the files as far as these go."""
        counted: list[FileCount] = []
        left = self._most
        for file in self.matching():
            counted.append(file)
            left -= file.count
            if left < 0:
                break
        self.counted, self.is_exact = counted, left >= 0

    def page(self, start: int, files: int, lines: int) -> Iterator[tuple[FileCount, FileHits]]:
        """Yields so many counted files from the place `start`, each with its first `lines` matching lines; later files
        replace those that vanished."""
        vanished = self.search.vanished
        while wanted := self.counted[start : start + files]:
            yield from self.shown(wanted, lines)
            start += len(wanted)
            files = sum(match.path in vanished for match in wanted) if vanished else 0
        if vanished:
            self._leave_out(vanished)

    def first_lines(self, lines: int) -> Iterator[tuple[FileHits, int]]:
        """Yields the counted files with the first `lines` matching lines of all, each with its own of these and the
        last line that their context may show; later files replace those that vanished."""
        rest, vanished = iter(self.counted), self.search.vanished
        while lines > 0 and (needed := _files_with(rest, lines)):
            for found in self.search.located(needed, lines + 1, UNREAD):
                first, last_line = found.first(lines)
                yield first, last_line
                lines -= len(first.hits)
            if vanished.isdisjoint(needed):
                break
        if vanished:
            self._leave_out(vanished)

    def shown(self, matches: Sequence[FileCount], lines: int) -> Iterator[tuple[FileCount, FileHits]]:
        """Yields matches with their first lines; uses the lines that a match already has."""
        located = self.search.located([match.path for match in matches if match.found is None], lines, UNREAD)
        following = next(located, None)
        for match in matches:
            if match.found is not None:
                if self.work.is_over():
                    self.work.pass_over(match.path, UNREAD)
                else:
                    yield match, match.found
            elif following is not None and following.document.path == match.path:
                yield match, following
                following = next(located, None)

    def _leave_out(self, vanished: set[str]) -> None:
        """Leaves vanished files out of the counts. If nothing is left of counts that were not all, `work` gets these
        files: others may match."""
        self.counted = [match for match in self.counted if match.path not in vanished]
        if not self.counted and not self.is_exact:
            self.work.pass_over_all(sorted(vanished, key=paths.order), "changed while read")


def _files_with(rest: Iterator[FileCount], lines: int) -> list[str]:
    """Returns the next files that together hold so many matching lines."""
    needed, held = [], 0
    while held < lines and (file := next(rest, None)) is not None:
        needed.append(file.path)
        held += file.count
    return needed

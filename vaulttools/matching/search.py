"""Searches one scope for one pattern: finds matching files in path order, and their lines.

Files are counted first, and lines are read only for shown files: parsing all of ripgrep's JSON for a common letter
takes seconds in Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from vaulttools.attachments.kinds import kind_of
from vaulttools.core import limits, paths
from vaulttools.core.work import GONE, Reason, Work
from vaulttools.errors import VaultToolsError
from vaulttools.files import disk
from vaulttools.files.catalogue import Entry
from vaulttools.files.content_caches import ContentCache, KeptCounts
from vaulttools.files.document import Document, NotRead
from vaulttools.files.globs import has_magic
from vaulttools.files.listing import Listing
from vaulttools.files.providers import Candidates
from vaulttools.files.scope import Scope
from vaulttools.matching.hits import FileLines
from vaulttools.matching.matcher import Matcher
from vaulttools.matching.ripgrep import Counts, Ripgrep
from vaulttools.patterns import literals
from vaulttools.patterns.pattern import Pattern

PROBE: Final = 192
"""Files searched by name before the whole folder is: enough to fill the page for a word in six of ten notes."""

FIRST: Final = 24
"""Nominated files searched first: enough to fill a page of ten."""

LEAST: Final = 64
"""Fewest files searched together, after the first batch."""

CHUNK: Final = 128
"""Matching files checked together for reasons to exclude them; a page is full after about 100."""

NEAR: Final = 8
MOST_NAMED: Final = 2_048
"""While one in `NEAR` candidates matches, a page of 100 is near: up to `MOST_NAMED` files are named before a walk."""

READ_TOGETHER: Final = 64
"""Files in the first batch of reading lines: most pages are small."""

MOST_TOGETHER: Final = 512
"""Most files in later batches: a process costs 4 ms. Their lines take some megabytes."""

_MET_TOGETHER: Final = 4_096
"""Entries of a walk between two checks of the time, some 30 ms."""

_HEAD_BYTES: Final = 64 * 1024
"""Bytes read from a file that is too large to search, to distinguish a film from a text."""


@dataclass(slots=True)
class FileHits:
    """A matching file's text and the matching lines of exactly this text. Not frozen, like `FileCount`."""

    document: Document
    hits: FileLines

    def first(self, count: int) -> tuple[FileHits, int]:
        """Returns the file with only its first hits, and the last line that their context may show.

        The context ends before the next match: a match must not look like context.
        """
        if len(self.hits) <= count:
            return self, len(self.document.lines)
        return FileHits(self.document, self.hits[:count]), self.hits[count].line - 1


_CHANGED: Final = FileHits(Document("", ""), FileLines())
"""Stands for a file that changed after its lines were found."""


@dataclass(slots=True)
class FileCount:
    """A matching file: its vault-relative path and its number of matching lines. Not frozen: an answer may create
    thousands, and a frozen one takes five times as long (0.7 µs)."""

    path: str
    count: int
    found: FileHits | None = None
    """Its lines, if they were needed to know that it matches."""


@dataclass(slots=True)
class Search:
    """A search for one pattern in one scope; `work` counts every searched or skipped file."""

    ripgrep: Ripgrep
    pattern: Pattern
    scope: Scope
    work: Work
    max_bytes: int = limits.FILE_BYTES
    candidates: Candidates | None = None
    """The vault's index; None: search every file of the scope."""
    wanted: int = limits.COUNTED_FILES + 1
    """The caller stops after so many matching files, which decides the sizes of batches; default: one more than are
    counted exactly."""
    wants_lines: bool = False
    """Whether `wanted` counts matching lines instead."""
    contents: ContentCache | None = None
    """Cached bytes of files; None: read every file."""
    kept_counts: KeptCounts = field(default_factory=KeptCounts)
    """Cached numbers of matching lines."""
    may_match: int | None = field(default=None, init=False)
    """Number of files that may match ignoring case, after `matching` has begun; None: not known."""
    vanished: set[str] = field(default_factory=set, init=False)
    """Counted files that were gone or did not match any more when their lines were read."""
    _sees_attachments: bool = field(init=False)
    _matcher: Matcher = field(init=False)
    _warned: int = field(default=0, init=False)
    """Number of the scope's warnings that `work` has."""

    def __post_init__(self) -> None:
        self._sees_attachments = not all(walk.notes_only for walk in self.scope.walks)
        extracts = self.scope.extracts if self._sees_attachments or self.scope.named else None
        self._matcher = Matcher(
            self.ripgrep,
            self.scope.root,
            self.pattern,
            self.work,
            self.max_bytes,
            self.candidates,
            extracts,
            self.contents,
            self.kept_counts,
        )

    def matching(self) -> Iterator[FileCount]:
        """Yields the matching files in path order.

        Lazy: `work` counts only files that the caller takes, so that a search that stops at its hundredth file always
        reports the same numbers, however far ripgrep was ahead.
        """
        listing = self.scope.listing()
        if listing is None or self.candidates is None:
            self._matcher.candidates = None  # the matcher would need all files before it starts
            yield from self._walked()
        else:
            yield from self._looked_up(listing, self.candidates)
        self._warn(None)

    def _walked(self) -> Iterator[FileCount]:
        """Yields the matching files of a walk, while it runs."""
        entries = self.scope.entries()
        if self._sees_attachments:
            entries = map(self._fitting, entries)
        probe = Listing(islice(entries, PROBE))
        counts = self._matcher.counts_of(probe.files)
        yield from self._tallied(probe, counts, probe.files)
        if len(probe) < PROBE:
            return
        entries = self._met_in_time(entries)
        where = self._folder()
        if counts.stopped == "time limit":
            rest = Listing(entries)
            yield from self._tallied(rest, Counts(stopped=counts.stopped), rest.files)
        elif where is None:
            rest = Listing(entries)
            yield from self._tallied(rest, self._matcher.counts_of(rest.files), rest.files)
        else:
            yield from self._over_folder(entries, where)

    def _met_in_time(self, entries: Iterator[Entry]) -> Iterator[Entry]:
        """Yields the entries of a walk until time runs out; then cuts `work`."""
        batch = [*islice(entries, _MET_TOGETHER)]
        while batch:
            yield from batch
            batch = [*islice(entries, _MET_TOGETHER)]
            if batch and self.work.remaining() == 0:
                self.work.cut()
                return

    def _over_folder(self, entries: Iterator[Entry], where: tuple[str, Sequence[str]]) -> Iterator[FileCount]:
        """Yields the matching files among the entries, by one run of ripgrep over their folder."""
        # ripgrep searches the folder while the walk goes on, on two cores. If files may be in the cloud, the walk comes
        # first: ripgrep would download them.
        started = None if disk.MAY_BE_ELSEWHERE else self._matcher.start((), where)
        try:
            rest = Listing(entries)
        except BaseException:
            if started is not None:
                started.abandon()
            raise
        if rest.is_searched_by_name:
            if started is not None:
                started.abandon()
            yield from self._tallied(rest, self._matcher.counts_of(rest.files), rest.files)
            return
        counts = self._matcher.counts(started or self._matcher.start((), where), rest.files)
        yield from self._tallied(rest, counts, rest.files)

    def _looked_up(self, listing: Listing, index: Candidates) -> Iterator[FileCount]:
        """Yields the matching files of a listing; searches only files that may match, few at first."""
        too_large = self._known_as_too_large(listing, index)
        if self.scope.extracts is None and self._sees_attachments:
            self.work.unextracted += index.kept((listing, "attachments"), lambda: _attachments(listing))
        requirement = literals.required(self.pattern)
        candidates: Sequence[str] = listing.files
        nominated = None
        if requirement is not None:
            nominated = index.nominated(requirement)
        if nominated is not None:
            candidates = listing.of({*nominated, *too_large, *index.unknown(self.scope.named)})
            self.may_match = len(candidates)  # the index ignores case
        plan = _Batches(len(candidates), self.wanted, is_narrowed=requirement is not None)
        done = 0
        while plan.looked_at < len(candidates):
            asked = candidates[plan.looked_at : plan.looked_at + plan.next_size()]
            named = [path for path in asked if path not in too_large]
            counts = self._matcher.counts_of(named)
            found = sum(counts.matching.values()) if self.wants_lines else len(counts.matching)
            plan.looked_at += len(asked)
            plan.matched += len(counts.matching)
            plan.found += found
            place = listing.places_of(asked[-1:])[0] + 1 if plan.looked_at < len(candidates) else len(listing)
            counts.failed.update(too_large)
            yield from self._tallied(listing, counts, asked, done, place)
            done = place
            if counts.stopped == "time limit":
                yield from self._tallied(listing, Counts(stopped=counts.stopped), candidates[plan.looked_at :], done)
                return
            may_walk = plan.looked_at < len(candidates) and not listing.is_searched_by_name
            if may_walk and plan.walks_folder(len(listing) - done) and (where := self._folder()) is not None:
                rest = candidates[plan.looked_at :]
                counts = self._matcher.counts(self._matcher.start(rest, where), rest)
                counts.failed.update(too_large)
                yield from self._tallied(listing, counts, rest, done)
                return
        if not candidates:
            yield from self._tallied(listing, Counts(), ())

    def located(
        self, files: Sequence[str], limit: int | None = limits.KEPT_HITS, late: Reason = "time limit"
    ) -> Iterator[FileHits]:
        """Yields the texts of matching files and their first `limit` matching lines, in the order given.

        A file that changed after it was counted is read again. Files that keep changing, cannot be read any more, or
        for which no time is left, are skipped; files that are gone or no longer match are added to `vanished`. `late`
        is the reason for `work` when no time is left.
        """
        start, size = 0, READ_TOGETHER
        while chunk := files[start : start + size]:
            start, size = start + size, min(size * 2, MOST_TOGETHER)
            hits: dict[str, FileLines] = {}
            stopped: Reason | None = None
            if not self.work.is_over():
                hits, stopped = self._matcher.hits(chunk, limit)
            for path in chunk:
                if self.work.is_over():  # the caller's time counts, too
                    self.work.pass_over(path, late)
                    continue
                found = self._with_lines(path, hits.pop(path, None), stopped, late)
                if found is _CHANGED:
                    again, stopped_again = self._matcher.hits([path], limit)
                    found = self._with_lines(path, again.get(path), stopped_again, late, is_again=True)
                if found is _CHANGED:
                    self.work.pass_over(path, "changed while read")
                elif found is not None:
                    yield found

    def _with_lines(
        self, path: str, lines: FileLines | None, stopped: Reason | None, late: Reason, *, is_again: bool = False
    ) -> FileHits | None:
        """Returns a text with its found lines, or `_CHANGED`; None if it was recorded in `work` or `vanished`."""
        try:
            document = self._matcher.read(path)
        except NotRead as error:
            self.work.pass_over(path, error.reason)
            if error.reason == GONE:
                self.vanished.add(path)
            return None
        if lines is None:
            if stopped is not None:
                self.work.pass_over(path, late if stopped == "time limit" else stopped)
            elif not is_again:
                return _CHANGED  # perhaps it was gone for a moment only
            else:
                self.vanished.add(path)
            return None
        lines = lines.of(document)
        return _CHANGED if lines is None else FileHits(document, lines)

    def counts_of(self, files: Sequence[str]) -> Counts:
        """Returns the counts of files that a search of the same scope found neither binary nor too large. Nothing is
        recorded in `work`."""
        counts = self._matcher.counts_of(files)
        if self.pattern.multiline:
            self._matcher.count_lines(list(counts.matching), counts)
        return counts

    def narrowed(self, files: Sequence[str]) -> Sequence[str]:
        """Returns the files among some that may match, according to the index."""
        index, requirement = self.candidates, literals.required(self.pattern)
        if index is None or requirement is None:
            return files
        nominated = index.nominated(requirement)
        if nominated is None:
            return files
        possible = nominated | {*index.unknown(files)}
        return [path for path in files if path in possible]

    def _tallied(
        self,
        listing: Listing,
        counts: Counts,
        asked: Sequence[str],
        start: int = 0,
        end: int | None = None,
    ) -> Iterator[FileCount]:
        """Yields the matching files in a range of a listing; `work` counts each entry.

        `asked` are the files in the range that may match, in order; `counts` are their results.
        """
        end = len(listing) if end is None else end
        matched = [path for path in asked if path in counts.matching]
        chunks = _growing(matched)
        examined: set[str] = set()
        done = start
        cut_short = self._matcher.cut_short
        unsearched = frozenset(asked if counts.stopped else ())
        for place in (*listing.places_of_interest(start, end, (*matched, *counts.failed, *cut_short)), end):
            late = [path for path in listing.at(range(done, place)) if path in unsearched] if unsearched else []
            self.work.searched += place - done - len(late)
            if counts.stopped and late:
                self.work.pass_over_all(late, counts.stopped)
            if place == end:
                return
            path, kind, left_out = listing[place]
            done = place + 1
            self._warn(path)
            if left_out is not None:
                self.work.pass_over(path, left_out, is_folder=kind == "folder")
                continue
            if path not in examined and path in counts.matching:
                chunk = next(chunks)
                examined.update(chunk)
                self._examine(chunk, counts)
            if path in counts.failed:
                self.work.pass_over(path, counts.failed[path])
                continue
            if counts.stopped and path not in examined:
                self.work.pass_over(path, counts.stopped)
                continue
            self.work.searched += 1
            if path in cut_short:
                self.work.pass_over(path, "not extracted whole")
            if path in counts.matching:
                yield FileCount(path, counts.matching[path])

    def _warn(self, path: str | None) -> None:
        """Record the warnings for folders up to a path; None: all."""
        warnings = self.scope.warnings
        while self._warned < len(warnings):
            folder, sentence = warnings[self._warned]
            if path is not None and paths.order(folder) > paths.order(path):
                break
            self.work.warn(sentence)
            self._warned += 1

    def _examine(self, matched: Sequence[str], counts: Counts) -> None:
        """Correct the counts of matching files: binary and too large files do not match, whatever ripgrep says.

        Only matching files are checked, since others do not change the answer: so a walk needs no `stat`.
        """
        index = self._matcher.candidates
        unknown = matched if index is None else index.unknown(matched)
        if self.pattern.multiline:
            self._matcher.count_lines(matched, counts)
        binary, stopped = self._matcher.binary(matched, unknown)
        large = set(unknown) if index is None else index.large | set(unknown)
        if stopped is None and not binary and large.isdisjoint(matched):
            return
        for path in matched:
            if path in counts.matching:
                reason = "binary" if path in binary else stopped or (path in large and self._too_large(path)) or None
                if reason is not None:
                    counts.failed[path] = reason

    def _fitting(self, entry: Entry) -> Entry:
        """Returns the entry, left out if its file is too large: one film could take the whole time limit.

        Not used for notes only: they are never so large, and 6,000 calls of `stat` take half the time of a walk.
        """
        reason = self._too_large(entry.path) if entry.left_out is None else entry.left_out
        if self.scope.extracts is None and reason is None:
            self.work.unextracted += kind_of(entry.path) is not None
        return entry if reason is None else entry._replace(left_out=reason)

    def _too_large(self, path: str) -> Reason | None:
        try:
            size = disk.stat(self.scope.root.absolute(path)).st_size
        except OSError:
            return None  # gone or unreadable since it was searched: reading it gives the reason
        if size <= self.max_bytes:
            return None
        is_text = (
            self.scope.extracts is not None and self.scope.extracts.is_attachment(path)
        ) or not self._begins_binary(path)
        return "too large" if is_text else "binary"

    def _known_as_too_large(self, listing: Listing, index: Candidates) -> dict[str, Reason]:
        """Returns the files that `_fitting` would leave out, without a `stat` of every file."""
        if not self._sees_attachments:
            return {}
        suspects = listing.of({*index.large, *self.scope.named})
        reasons = ((path, self._too_large(path)) for path in suspects)
        return {path: reason for path, reason in reasons if reason is not None}

    def _begins_binary(self, path: str) -> bool:
        try:
            with disk.fdopen(self.scope.root.open(path), "rb") as file:
                return b"\0" in file.read(_HEAD_BYTES)
        except (OSError, VaultToolsError):
            return False

    def _folder(self) -> tuple[str, Sequence[str]] | None:
        """Returns a folder and ripgrep's options for one run that covers the walk; None: files must be named.

        A walk with a glob names its files, so that ripgrep never reads attachments that the glob excludes. So does a
        search that backtracks, so that a costly file is known.
        """
        if len(self.scope.walks) != 1 or self.scope.walks[0].glob is not None or self.pattern.backtracks:
            return None
        folder = self.scope.walks[0].folder
        notes = (f"--max-filesize={self.max_bytes}",) if self._sees_attachments else ("--iglob=*.md",)
        if not self.scope.rules.hidden:
            return folder, (*notes, "--no-hidden")
        closed = (
            name for name in self.scope.root.protection.names.values() if not has_magic(name) and "\\" not in name
        )
        return folder, (*notes, *(f"--iglob=!**/{name}" for name in closed))


def _attachments(listing: Listing) -> int:
    """Returns how many files of a listing are attachments by name."""
    return sum(kind_of(path) is not None for path in listing.files)


def _growing(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yields the paths in runs of 128, 512, 2,048, …: few paths if the page is soon full, few runs if not."""
    start, size = 0, CHUNK
    while start < len(paths):
        yield paths[start : start + size]
        start, size = start + size, size * 4


@dataclass(slots=True)
class _Batches:
    """Plans growing batches of one search's candidates."""

    candidates: int
    wanted: int
    """Matching files, or lines, after which the tool stops."""
    is_narrowed: bool
    """Whether an index nominated the candidates."""
    looked_at: int = 0
    matched: int = 0
    """Matching files so far."""
    found: int = 0
    """Matching files, or lines, so far, in the unit of `wanted`."""

    def next_size(self) -> int:
        """Returns the size of the next batch: enough to reach `wanted`, if candidates match at the rate so far."""
        if self.looked_at == 0:
            return FIRST if self.is_narrowed and self.candidates > CHUNK else PROBE
        if self.found >= self.wanted:
            return MOST_NAMED
        return max(LEAST, min(self._needed, self.looked_at * 16, MOST_NAMED))

    @property
    def _needed(self) -> int:
        """Candidates needed to reach `wanted`, if they match at the rate so far."""
        return (self.wanted - self.found) * self.looked_at // self.found if self.found else self.candidates

    def walks_folder(self, entries_left: int) -> bool:
        """Whether a walk is cheaper than naming the remaining candidates, more than two thirds of the entries."""
        is_page_near = self.looked_at < CHUNK or (self.looked_at < MOST_NAMED and self.matched * NEAR > self.looked_at)
        is_end_near = self.found < self.wanted and self._needed * 2 < entries_left
        return not (is_page_near or is_end_near) and (self.candidates - self.looked_at) * 3 > entries_left * 2

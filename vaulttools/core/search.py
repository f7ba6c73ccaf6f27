"""One pattern over one scope: which files match, in path order, and where in them.

Counting comes first and lines are fetched only for what is shown: parsing all of ripgrep's JSON for a common letter
costs seconds in Python.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from vaulttools.core import document as documents
from vaulttools.core import limits, paths, scratch
from vaulttools.core.catalogue import Entry
from vaulttools.core.document import Document, NotRead
from vaulttools.core.globs import has_magic
from vaulttools.core.pattern import Pattern
from vaulttools.core.process import Runs
from vaulttools.core.ripgrep import Counts, Hit, Ripgrep
from vaulttools.core.root import Root
from vaulttools.core.scope import Scope
from vaulttools.core.work import Reason, Work
from vaulttools.errors import VaultToolsError

PROBE: Final = 192
"""Files searched by name before the whole folder is: a word in six of ten notes fills its page from them. Measured on
6,289 notes: 5 ms for the probe against 50 ms for the vault."""

CHUNK: Final = 128
"""Matching files looked at together for what rules them out (2 ms a process); a page is full after about 100."""

MANY: Final = 4
"""One in so many files counts as many: from there on a walk is cheaper than their names. Measured on 6,289 notes."""

READ_TOGETHER: Final = 64
"""Files whose lines are read at once."""

_HEAD_BYTES: Final = 64 * 1024
"""What is read of a file that is too large to search, to tell a film from a text."""

NUL: Final = r"\x00"
CARRIAGE_RETURNS: Final = {"lone": r"(?-u:\r(?:[^\n]|\z))", "all": r"\r"}
"""By `Pattern.normalise`: what a file holds whose line ends are normalised before it is searched."""


@dataclass(frozen=True, slots=True)
class FileHits:
    """A matching file's text and its matching lines, the two read so that they belong together."""

    document: Document
    hits: tuple[Hit, ...]

    def first(self, count: int) -> tuple[FileHits, int]:
        """The file with its first hits only, and the last line that their context may show.

        A match that is not shown as one must not look like context, so the context ends before it.
        """
        if len(self.hits) <= count:
            return self, len(self.document.lines)
        return FileHits(self.document, self.hits[:count]), self.hits[count].line - 1


@dataclass(frozen=True, slots=True)
class FileCount:
    """A matching file: its vault-relative path and its number of matching lines."""

    path: str
    count: int
    found: FileHits | None = None
    """Its lines, where they had to be read to know that it matches."""


@dataclass(slots=True)
class Search:
    """One pattern over one scope; `work` is told of every file that is searched or passed over."""

    ripgrep: Ripgrep
    root: Root
    pattern: Pattern
    scope: Scope
    work: Work
    max_bytes: int = limits.FILE_BYTES
    loose: Pattern | None = None
    """A pattern that matches wherever `pattern` does, such as the same text with case ignored. The whole folder is
    searched for it, and what it finds for `pattern`: a word that occurs nowhere is then known to occur in no spelling
    after one run instead of two."""
    matches_loosely: bool = True
    """False when a whole run for `loose` found nothing."""
    vanished: int = 0
    """Files that were counted as matching and were gone, or matched no longer, when their lines were read."""
    _normalised: set[str] = field(default_factory=set, init=False)
    """Files whose carriage returns ripgrep would misread: their text is normalised first (`Pattern.normalise`)."""

    def matching(self) -> Iterator[FileCount]:
        """The matching files in path order.

        Lazy: what a caller does not take is not counted in `work`, so that a search which stops at its hundredth
        file tells the same numbers however far ripgrep had run ahead.
        """
        entries = self.scope.entries()
        if self._sees_attachments:
            entries = map(self._fitting, entries)
        probe = list(islice(entries, PROBE))
        counts = self._counts_by_name(probe)
        yield from self._tallied(probe, counts)
        if len(probe) < PROBE:
            return
        if counts.stopped == "time limit":
            yield from self._tallied(list(entries), Counts(stopped=counts.stopped))
            return
        globs = self._folder_globs()
        if globs is None:
            rest = list(entries)
            yield from self._tallied(rest, self._counts_by_name(rest))
            return
        # The walk goes on while ripgrep runs over the whole folder: two cores, two jobs.
        runs = self._start(None, globs, loosely=self.loose is not None)
        try:
            rest = list(entries)
        except BaseException:
            runs.abandon()
            raise
        if any(_is_ignored_folder(entry) for entry in rest):
            # What is ignored may be far larger than the vault (`target`), so ripgrep is kept out of it by names.
            runs.abandon()
            yield from self._tallied(rest, self._counts_by_name(rest))
            return
        counts = self._counts(runs, _files(rest))
        self.matches_loosely = self.loose is None or bool(counts.matching)
        yield from self._tallied(rest, counts, loosely=self.loose is not None)

    def located(self, files: Sequence[str], limit: int | None = limits.KEPT_HITS) -> Iterator[FileHits]:
        """The texts of matching files and their first `limit` matching lines, in the order given.

        A file that changed since it was counted is read again; one that keeps changing, cannot be read any more, or
        that there is no time left for, is passed over; one that is gone or no longer matches is in `vanished`.
        """
        for start in range(0, len(files), READ_TOGETHER):
            chunk = files[start : start + READ_TOGETHER]
            found = self._located(chunk, limit)
            for path in chunk:
                if path not in found:
                    continue
                if self.work.is_over():  # the time of whoever uses what was yielded counts too
                    self.work.pass_over(path, "time limit")
                else:
                    yield found[path]

    def _located(self, files: Sequence[str], limit: int | None) -> dict[str, FileHits]:
        found: dict[str, FileHits] = {}
        wanted = list(files)
        for last_try in (False, True):
            if self.work.is_over():
                for path in wanted:
                    self.work.pass_over(path, "time limit")
                break
            hits, stopped = self._hits(wanted, limit)
            changed = []
            for path in wanted:
                read = self._read(path)
                if read is None:
                    continue
                if path not in hits:
                    if stopped is not None:
                        self.work.pass_over(path, stopped)
                    else:
                        self.vanished += 1
                elif all(_stands(read, hit) for hit in hits[path]):
                    found[path] = FileHits(read, tuple(hits[path]))
                elif last_try:
                    self.work.pass_over(path, "changed while read")
                else:
                    changed.append(path)
            wanted = changed
            if not wanted:
                break
        return found

    def shown(self, matches: Sequence[FileCount], limit: int) -> Iterator[tuple[FileCount, FileHits]]:
        """Matches with their first lines, as `located`; those that carry their lines already are taken as they are."""
        located = self.located([match.path for match in matches if match.found is None], limit)
        following = next(located, None)
        for match in matches:
            if match.found is not None:
                if self.work.is_over():
                    self.work.pass_over(match.path, "time limit")
                else:
                    yield match, match.found
            elif following is not None and following.document.path == match.path:
                yield match, following
                following = next(located, None)

    def counts_of(self, files: Sequence[str], searched: int) -> Counts:
        """The counts of files that a search of the same scope has settled as neither binary nor too large.

        `searched` is how many files that search saw. When the given ones are many of them, ripgrep walks the folder
        instead, and the counts hold other files too. `work` is not told of any.
        """
        runs = self._start(*self._cheapest(files, searched))
        counts = self._counts(runs, files)
        if self.pattern.multiline:
            self._count_lines(list(counts.matching), counts)
        return counts

    def counts_by_text(self, texts: Sequence[str], files: Sequence[str], searched: int) -> list[Counts]:
        """As `counts_of` for each of the texts that the pattern is made of, after one run for them all.

        No two of them may be able to overlap (`pattern.may_overlap`), or ripgrep would miss the second.
        """
        named, globs = self._cheapest(files, searched)
        folder = "" if named is not None else self.scope.walks[0].folder
        runs = self.ripgrep.start_matches(self.pattern, self.root.absolute(folder), named, globs)
        counts = self.ripgrep.counts_by_text(runs, texts, self.work)
        if any(each.stopped == "time limit" for each in counts):
            self.work.finish()
        return [each.below(folder) for each in counts]

    def _cheapest(self, files: Sequence[str], searched: int) -> tuple[Sequence[str] | None, tuple[str, ...]]:
        """The files to name to ripgrep; or None, and the options with which it walks the folder instead."""
        globs = self._folder_globs()
        left_out = any(entry.folders for reason, entry in self.work.skipped.items() if reason in _MAY_BE_LARGE)
        if globs is None or left_out or len(files) * MANY < searched:
            return files, ()
        return None, globs

    def _hits(self, files: Sequence[str], limit: int | None) -> tuple[dict[str, list[Hit]], Reason | None]:
        """The first hits of each file, and why a file without may have some."""
        plain = [path for path in files if path not in self._normalised]
        hits, stopped = self.ripgrep.hits(self.pattern, self.root.folder, plain, self.work, limit)
        unread: dict[str, Reason] = {}  # told by whoever reads them to show them
        copied = [path for path in files if path in self._normalised]
        for group in scratch.grouped(self._searchable(copied, unread)):
            with scratch.copies(group) as (folder, names):
                found, cut = self.ripgrep.hits(self.pattern, folder, list(names), self.work, limit, normalised=True)
            stopped = stopped or cut
            hits.update((names[name], lines) for name, lines in found.items())
        if "time limit" in unread.values():
            stopped = stopped or "time limit"
        return hits, stopped

    def _read(self, path: str) -> Document | None:
        try:
            return documents.read(self.root, path, self.max_bytes)
        except NotRead as error:
            if self._is_there(path):
                self.work.pass_over(path, error.reason)
            else:
                self.vanished += 1
            return None

    def _is_there(self, path: str) -> bool:
        """False when a file is gone since it was listed: that is no failure to read it (`faults.md` T03)."""
        return os.path.lexists(self.root.absolute(path))

    def _start(self, files: Sequence[str] | None, globs: Sequence[str] = (), *, loosely: bool = False) -> _Runs:
        """Start counting, and looking for files that must be normalised first, in files or in the walk's folder."""
        folder = self.root.folder if files is not None else self.root.absolute(self.scope.walks[0].folder)
        pattern, limit = (self.loose, 1) if loosely and self.loose is not None else (self.pattern, None)
        counting = self.ripgrep.start_count(pattern, folder, files, globs, limit)
        listing = None
        if self.pattern.normalise != "never":
            expression = CARRIAGE_RETURNS[self.pattern.normalise]
            listing = self.ripgrep.start_listing(expression, folder, files, globs)
        return _Runs(counting, listing, "" if files is not None else self.scope.walks[0].folder)

    def _counts_by_name(self, entries: Sequence[Entry]) -> Counts:
        files = _files(entries)
        return self._counts(self._start(files), files)

    def _counts(self, runs: _Runs, files: Sequence[str]) -> Counts:
        """Wait for what was started, and settle those of the files whose carriage returns ripgrep misreads."""
        try:
            counts = self.ripgrep.counts(runs.counting, self.work).below(runs.folder)
            if runs.listing is not None:
                listed, stopped = self.ripgrep.listed(runs.listing, self.work)
                counts.stopped = counts.stopped or stopped
                self._count_normalised({paths.join(runs.folder, path) for path in listed}.intersection(files), counts)
        finally:
            runs.abandon()
        if counts.stopped == "time limit" or "time limit" in counts.failed.values():
            self.work.finish()
        return counts

    def _count_normalised(self, files: set[str], counts: Counts) -> None:
        """Replace what was counted of files whose carriage returns ripgrep misreads."""
        self._normalised |= files
        for path in files:
            counts.matching.pop(path, None)
        for group in scratch.grouped(self._searchable(sorted(files), counts.failed)):
            with scratch.copies(group) as (folder, names):
                found = self.ripgrep.start_count(self.pattern, folder, list(names), normalised=True)
                copied = self.ripgrep.counts(found, self.work)
                numbers, stopped = copied.matching, copied.stopped
                if self.pattern.multiline:  # ripgrep counts multiline matches; what counts here is the lines they touch
                    hits, cut = self.ripgrep.hits(self.pattern, folder, list(numbers), self.work, normalised=True)
                    numbers, stopped = {name: len(lines) for name, lines in hits.items()}, stopped or cut
            counts.matching.update((names[name], number) for name, number in numbers.items())
            counts.failed.update((names[name], reason) for name, reason in copied.failed.items())
            if stopped is not None:
                missed = (path for name, path in names.items() if name not in numbers and path not in counts.failed)
                counts.failed.update(dict.fromkeys(missed, stopped))

    def _searchable(self, files: Sequence[str], failed: dict[str, Reason]) -> Iterator[tuple[str, bytes]]:
        """The normalised texts of files; why one has none goes to `failed`."""
        for path in files:
            if self.work.remaining() <= 0:
                failed[path] = "time limit"
                continue
            try:
                yield path, documents.read(self.root, path, self.max_bytes).searchable
            except NotRead as error:
                if self._is_there(path):
                    failed[path] = error.reason

    def _tallied(self, entries: Sequence[Entry], counts: Counts, *, loosely: bool = False) -> Iterator[FileCount]:
        """The matching ones of the entries, each entry told to `work` as it is passed."""
        matched = [entry.path for entry in entries if entry.left_out is None and entry.path in counts.matching]
        chunks = _growing(matched)
        examined: set[str] = set()
        for entry in entries:
            path = entry.path
            if path in counts.matching and path not in examined and entry.left_out is None:
                chunk = next(chunks)
                examined.update(chunk)
                self._examine(chunk, counts, loosely=loosely)
            if entry.left_out is not None:
                self.work.pass_over(path, entry.left_out, is_folder=entry.kind == "folder")
            elif path in counts.failed:
                self.work.pass_over(path, counts.failed[path])
            elif path in counts.matching:
                self.work.searched += 1
                yield FileCount(path, counts.matching[path])
            elif counts.stopped and path not in examined:
                self.work.pass_over(path, counts.stopped)
            else:
                self.work.searched += 1

    def _examine(self, matched: Sequence[str], counts: Counts, *, loosely: bool) -> None:
        """Settle the counts of files that match: what is binary or too large does not, whatever ripgrep says.

        Asked only of files that would have matched, which is what spec 3 wants told; a walk thus needs no `stat`.
        """
        listing = self.ripgrep.start_listing(NUL, self.root.folder, matched)
        try:
            if loosely:
                self._count_strictly(matched, counts)
            if self.pattern.multiline:
                self._count_lines(matched, counts)
            binary, stopped = self.ripgrep.listed(listing, self.work)
        finally:
            listing.abandon()
        for path in matched:
            if path in counts.matching:
                reason = "binary" if path in binary else stopped or self._too_large(path)
                if reason is not None:
                    counts.failed[path] = reason

    def _count_strictly(self, matched: Sequence[str], counts: Counts) -> None:
        """Replace what was counted for the loose pattern."""
        strict = self._counts(self._start(matched), matched)
        for path in matched:
            counts.matching.pop(path)
            if strict.stopped is not None:
                counts.failed[path] = strict.stopped
        for path, number in strict.matching.items():
            counts.matching[path] = number
            counts.failed.pop(path, None)
        counts.failed.update(strict.failed)

    @property
    def _sees_attachments(self) -> bool:
        return not all(walk.notes_only for walk in self.scope.walks)

    def _fitting(self, entry: Entry) -> Entry:
        """The entry, left out when its file is too large; among attachments one film would take the whole time limit.

        Notes alone are not asked: they are never so large, and 6,000 times `stat` is half of what a walk costs.
        """
        reason = self._too_large(entry.path) if entry.left_out is None else entry.left_out
        return entry if reason is None else entry._replace(left_out=reason)

    def _too_large(self, path: str) -> Reason | None:
        try:
            size = os.stat(self.root.absolute(path)).st_size
        except OSError:
            return None  # gone or closed since it was searched: reading it will tell
        if size <= self.max_bytes:
            return None
        return "binary" if self._begins_binary(path) else "too large"

    def _begins_binary(self, path: str) -> bool:
        try:
            with os.fdopen(self.root.open(path), "rb") as file:
                return b"\0" in file.read(_HEAD_BYTES)
        except (OSError, VaultToolsError):
            return False

    def _count_lines(self, matched: Sequence[str], counts: Counts) -> None:
        """Replace ripgrep's number of multiline matches by the number of lines they touch."""
        plain = [path for path in matched if path in counts.matching and path not in self._normalised]
        hits, stopped = self._hits(plain, None)
        for path in plain:
            if path in hits:
                counts.matching[path] = len(hits[path])
            elif stopped is not None:
                counts.failed[path] = stopped

    def _folder_globs(self) -> tuple[str, ...] | None:
        """ripgrep's options for one run over the walk's folder, seeing at least what the walk sees; None: name files.

        A walk with a glob names its files, so that attachments the glob leaves out are never read.
        """
        if len(self.scope.walks) != 1 or self.scope.walks[0].glob is not None:
            return None
        notes = (f"--max-filesize={self.max_bytes}",) if self._sees_attachments else ("--iglob=*.md",)
        if not self.scope.rules.hidden:
            return (*notes, "--no-hidden")
        closed = (name for name in self.root.protection.names.values() if not has_magic(name) and "\\" not in name)
        return (*notes, *(f"--iglob=!**/{name}" for name in closed))


@dataclass(frozen=True, slots=True)
class _Runs:
    """Processes under way; the paths they print are relative to `folder`."""

    counting: Runs
    listing: Runs | None
    """Files that must be normalised first; None when carriage returns do not matter."""
    folder: str

    def abandon(self) -> None:
        self.counting.abandon()
        if self.listing is not None:
            self.listing.abandon()


_MAY_BE_LARGE: Final[tuple[Reason, ...]] = ("ignored", "default excludes")
"""Why a folder is left out that ripgrep would walk, and that may be far larger than the vault."""


def _is_ignored_folder(entry: Entry) -> bool:
    return entry.kind == "folder" and entry.left_out in _MAY_BE_LARGE


def _growing(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """The paths in runs of 128, 512, 2,048, …: few when the page is soon full, few runs when it is not."""
    start, size = 0, CHUNK
    while start < len(paths):
        yield paths[start : start + size]
        start, size = start + size, size * 4


def _files(entries: Sequence[Entry]) -> list[str]:
    return [entry.path for entry in entries if entry.left_out is None]


def _stands(document: Document, hit: Hit) -> bool:
    """Whether the line that ripgrep matched is the line that the document has there."""
    return hit.line <= len(document.lines) and document.lines[hit.line - 1] == hit.text

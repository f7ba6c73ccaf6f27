"""Searches files for one pattern, and decides which engine finds the lines.

All engines find the same lines.

1. Cached counts are reused (`kept_counts`).
2. Plain text is searched for in this process if an index knows the files (`literal`).
3. A text that ripgrep would misread because of its carriage returns (`Pattern.normalise`), or that must be extracted
   (`Extracts`), is copied, and ripgrep searches the copy.
4. ripgrep searches everything else in place.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from vaulttools.core import limits
from vaulttools.core.work import Reason, Work
from vaulttools.files import document as documents
from vaulttools.files.content_caches import LARGEST, ContentCache, KeptCounts
from vaulttools.files.disk import Key
from vaulttools.files.document import Document, NotRead
from vaulttools.files.providers import Candidates, Extracts, Trait, timeout
from vaulttools.files.root import Root
from vaulttools.files.temporary import TemporaryFolder
from vaulttools.matching import literal
from vaulttools.matching.hits import FileLines
from vaulttools.matching.literal import LiteralPattern
from vaulttools.matching.process import Runs
from vaulttools.matching.ripgrep import Counts, Ripgrep
from vaulttools.patterns.pattern import Pattern

NUL: Final = r"\x00"
CARRIAGE_RETURNS: Final = {"lone": r"(?-u:\r(?:[^\n]|\z))", "all": r"\r"}
"""By `Pattern.normalise`: matches in files whose line ends must be normalised before the search."""

_READ_HERE: Final = 256
"""Most files to read and search in this process; ripgrep is faster with more (20 µs of CPU each, 3 ms to start)."""

_READ_BYTES: Final = 32 * 1024 * 1024
"""Most bytes of the files that are read in this process: so many may be in memory at once."""

GROUP_FILES: Final = 500
GROUP_BYTES: Final = 32 * 1024 * 1024
"""Most texts copied for one process, and their bytes without the last text. One process per text took 3 ms."""

_TRAITS: Final[dict[str, Trait]] = {"lone": "lone return", "all": "return"}


@dataclass(frozen=True, slots=True)
class CountingRuns:
    """Running processes."""

    counting: Runs
    listing: Runs | None
    """Finds files that must be normalised first; None if carriage returns do not matter or all such files are known."""
    normalised: Collection[str]
    """Files already known to need normalising, perhaps with files outside the question."""

    def abandon(self) -> None:
        """Kill the processes that still run."""
        self.counting.abandon()
        if self.listing is not None:
            self.listing.abandon()


@dataclass(slots=True)
class Matcher:
    """Searches for one pattern; `work` limits the time, and records when it runs out."""

    ripgrep: Ripgrep
    root: Root
    pattern: Pattern
    work: Work
    max_bytes: int = limits.FILE_BYTES
    candidates: Candidates | None = None
    """The index; None without one."""
    extracts: Extracts | None = None
    """Extracts the text of attachments; None: treat them as other files."""
    contents: ContentCache | None = None
    """Cached bytes of files; None: ripgrep searches everything."""
    kept_counts: KeptCounts = field(default_factory=KeptCounts)
    """Cached numbers of matching lines."""
    cut_short: set[str] = field(default_factory=set, init=False)
    """Attachments that were searched only in part."""
    _searched: dict[str, bytes] = field(default_factory=dict, init=False)
    """The bytes in which lines were found, until `read` takes them: so text and lines agree."""
    _normalised: set[str] = field(default_factory=set, init=False)
    """Files that ripgrep searches as copies."""
    _extracted: set[str] = field(default_factory=set, init=False)
    """Files whose text was extracted."""
    _literal: LiteralPattern | None = field(init=False)
    """The texts of the pattern, if it is plain text."""

    def __post_init__(self) -> None:
        self._literal = literal.of(self.pattern)

    def start(self, files: Sequence[str], where: tuple[str, Sequence[str]] | None = None) -> CountingRuns:
        """Start counting in the named files, or with `where` in everything below a folder that the options include."""
        folder, globs = where or ("", ())
        named = [path for path in files if not self._is_attachment(path)] if where is None else None
        counting = self.ripgrep.start_count(self.pattern, self.root.folder, named, globs, below=folder)
        listing = None
        normalised: Collection[str] = ()
        if self.pattern.normalise != "never":
            expression = CARRIAGE_RETURNS[self.pattern.normalise]
            if self.candidates is None:
                listing = self.ripgrep.start_listing(expression, self.root.folder, named, globs, below=folder)
            else:
                normalised = self.candidates.with_trait(_TRAITS[self.pattern.normalise])
                if unknown := self.candidates.unknown(files):
                    listing = self.ripgrep.start_listing(expression, self.root.folder, unknown)
        return CountingRuns(counting, listing, normalised)

    def counts(self, started: CountingRuns, files: Sequence[str]) -> Counts:
        """Wait for the processes, then count again the files whose carriage returns ripgrep misreads."""
        try:
            counts = self.ripgrep.counts(started.counting, self.work)
            misread = {*started.normalised, *filter(self._is_attachment, files)}
            if started.listing is not None:
                listed, stopped = self.ripgrep.listed(started.listing, self.work)
                counts.stopped = counts.stopped or stopped
                misread.update(listed)
            if misread:
                self._count_normalised(misread.intersection(files), counts)
        finally:
            started.abandon()
        if counts.stopped == "time limit" or "time limit" in counts.failed.values():
            self.work.finish()
        return counts

    def counts_of(self, files: Sequence[str]) -> Counts:
        """Returns the counts of named files; uses cached ones."""
        if self.candidates is None:
            return self.counts(self.start(files), files)
        checked = time.time_ns()
        keys = self.candidates.keys(files)
        kept = self.kept_counts.of(self.pattern, files, keys)
        known: dict[str, int] = {}
        unknown: dict[str, Key | None] = {}
        for path, key, number in zip(files, keys, kept, strict=True):
            if number is None:
                unknown[path] = key
            elif number:
                known[path] = number
        counts = self._counted_anew(unknown, checked) if unknown else Counts()
        counts.matching.update(known)
        return counts

    def _counted_anew(self, files: Mapping[str, Key | None], checked: int) -> Counts:
        """Returns the counts of files whose keys were looked up at a time, and caches them."""
        here: dict[str, int] = {}
        left: list[str] = []
        if self._literal is None:
            left += files
        else:
            for path, data in self._read_here([*files], left):
                if number := self._literal.count(data):
                    here[path] = number
        counts = self.counts(self.start(left), left) if left else Counts()
        counts.matching.update(here)
        if counts.stopped is None:
            # Normalised files are counted each time: finding their lines needs the records of the counting.
            sure = ((path, key) for path, key in files.items() if key is not None and path not in self._normalised)
            self.kept_counts.keep(
                self.pattern,
                checked,
                (
                    (path, key, counts.matching.get(path, 0))
                    for path, key in sure
                    if path not in counts.unsure and path not in counts.failed and not self._is_attachment(path)
                ),
            )
        return counts

    def count_lines(self, matched: Sequence[str], counts: Counts) -> None:
        """Replace ripgrep's numbers of multiline matches by the numbers of lines that they touch."""
        plain = [path for path in matched if path in counts.matching and path not in self._normalised]
        found, stopped = self.hits(plain, None)
        for path in plain:
            if path in found:
                counts.matching[path] = len(found[path])
            elif stopped is not None:
                counts.failed[path] = stopped

    def hits(self, files: Sequence[str], limit: int | None) -> tuple[dict[str, FileLines], Reason | None]:
        """Returns the first hits of counted files, and why a file without hits may have some."""
        copied = []
        if self._normalised or self.extracts is not None:
            copied = [path for path in files if path in self._normalised or self._is_attachment(path)]
        left = [path for path in files if path not in copied] if copied else [*files]
        lines: dict[str, FileLines] = {}
        stopped: Reason | None = None
        if self._literal is not None:
            plain, left = left, []
            for path, data in self._read_here(plain, left, current=True):
                if found := self._literal.hits(data, limit):
                    lines[path] = found
                    self._searched[path] = data
        if left:
            more, failed, stopped = self.ripgrep.hits(self.pattern, self.root.folder, left, self.work, limit)
            lines.update(more)
            if len(left) == 1:  # of several files the reason is that of one
                stopped = stopped or failed.get(left[0])
        if copied:
            unread: dict[str, Reason] = {}  # reported later, when they are read to be shown
            for folder, names in _copies(self._searchable(copied, unread)):
                more, _, ended = self.ripgrep.hits(self.pattern, folder, list(names), self.work, limit, normalised=True)
                stopped = stopped or ended
                lines.update((names[name], each) for name, each in more.items())
            if "time limit" in unread.values():
                stopped = stopped or "time limit"
        return lines, stopped

    def binary(self, files: Sequence[str], unknown: Sequence[str]) -> tuple[set[str], Reason | None]:
        """Returns the files that hold a NUL, and why there may be more; only `unknown` files are read."""
        found = set[str]() if self.candidates is None else {*self.candidates.with_trait("nul")} & {*files}
        if not unknown:
            return found, None
        left: list[str] = []
        plain = [path for path in unknown if path not in self._extracted]
        found.update(path for path, data in self._read_here(plain, left) if b"\0" in data)
        listed, stopped = self.ripgrep.listed(self.ripgrep.start_listing(NUL, self.root.folder, left), self.work)
        return found | listed, stopped

    def _is_attachment(self, path: str) -> bool:
        return self.extracts is not None and self.extracts.is_attachment(path)

    def read(self, path: str) -> Document:
        """Returns the text of a file, extracted from an attachment.

        Raises:
            NotRead: there is no text.
        """
        if self.extracts is not None and self._is_attachment(path):
            digest = None if self.candidates is None else partial(self.candidates.digest, path)
            document = self.extracts.read(path, timeout(self.work), digest)
            if document is not None:
                self._extracted.add(path)
                if not document.is_whole:
                    self.cut_short.add(path)
                return document
        if (searched := self._searched.pop(path, None)) is not None:
            return documents.decode(path, searched)
        if self.contents is None:
            return documents.read(self.root, path, self.max_bytes)
        return documents.decode(path, self.contents.current(self.root, path, self.max_bytes))

    def _read_here(
        self, files: Sequence[str], left: list[str], *, current: bool = False
    ) -> Iterator[tuple[str, bytes]]:
        """Yields the files to search in this process, unordered, with their bytes; adds the others to `left`.

        The bytes are as of the beginning of the call; with `current`, as of now.
        """
        if self.contents is None or self.candidates is None:
            left += files
            return
        unread: list[str] = []
        to_read = 0
        most_bytes = min(LARGEST, self.max_bytes)
        keys = self.candidates.keys(files)
        kept = [None] * len(files) if current else self.contents.kept(files, keys)
        for path, key, held in zip(files, keys, kept, strict=True):
            if key is None or key.size > most_bytes or self._is_attachment(path):
                left.append(path)
            elif held is None:
                unread.append(path)
                to_read += key.size
            elif literal.is_utf8(held):
                yield path, held
            else:
                left.append(path)
        # With `current`, the texts are read next anyway: ripgrep would read them twice.
        if to_read > _READ_BYTES or (len(unread) > _READ_HERE and not current):
            left += unread
            return
        look = self.contents.current if current else self.contents.read
        for path in unread:
            try:
                data = look(self.root, path, most_bytes) if self.work.remaining() > 0 else None
            except NotRead:
                data = None  # ripgrep reports the reason
            if data is not None and literal.is_utf8(data):
                yield path, data
            else:
                left.append(path)

    def _count_normalised(self, files: set[str], counts: Counts) -> None:
        """Replace the counts of files that ripgrep misreads."""
        self._normalised |= files
        for path in files:
            counts.matching.pop(path, None)
        for folder, names in _copies(self._searchable(sorted(files), counts.failed)):
            started = self.ripgrep.start_count(self.pattern, folder, list(names), normalised=True)
            copied = self.ripgrep.counts(started, self.work)
            numbers, stopped = copied.matching, copied.stopped
            if self.pattern.multiline:  # ripgrep counts multiline matches, not the lines they touch
                found = self.ripgrep.hits(self.pattern, folder, list(numbers), self.work, normalised=True)
                numbers = {name: len(lines) for name, lines in found.lines.items()}
                stopped = stopped or found.stopped
            counts.matching.update((names[name], number) for name, number in numbers.items())
            counts.failed.update((names[name], reason) for name, reason in copied.failed.items())
            if stopped is not None:
                missed = (path for name, path in names.items() if name not in numbers and path not in counts.failed)
                counts.failed.update(dict.fromkeys(missed, stopped))

    def _searchable(self, files: Sequence[str], failed: dict[str, Reason]) -> Iterator[tuple[str, bytes]]:
        """Yields the normalised texts of files; adds the reasons of unreadable ones to `failed`."""
        for path in files:
            if self.work.remaining() <= 0:
                failed[path] = "time limit"
                continue
            try:
                yield path, self.read(path).searchable
            except NotRead as error:
                failed[path] = error.reason


def _copies(texts: Iterator[tuple[str, bytes]]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yields private folders with copies of some of the texts, and the path of each text by the name of its copy.

    Removes a folder when the caller asks for the next one.
    """
    for first in texts:
        folder = TemporaryFolder()
        try:
            names: dict[str, str] = {}
            size = 0
            for path, text in chain([first], texts):
                name = str(len(names))
                names[name] = path
                Path(folder.path, name).write_bytes(text)
                size += len(text)
                if len(names) >= GROUP_FILES or size >= GROUP_BYTES:
                    break
            yield folder.path, names
        finally:
            folder.remove()

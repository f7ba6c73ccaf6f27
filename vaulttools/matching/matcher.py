"""Puts one pattern to files, and decides which engine finds the lines.

They are the same whichever engine does.

1. Numbers of lines that were counted before are taken as they are (`kept_counts`).
2. Plain text is looked for in this process, where an index knows the files (`literal`).
3. A text that ripgrep would misread, because of its carriage returns (`Pattern.normalise`), or that must be extracted
   first (`Extracts`), is copied, and ripgrep searches the copy.
4. Everything else ripgrep searches in place.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from vaulttools.core import limits, paths
from vaulttools.core.work import Reason, Work
from vaulttools.files import disk
from vaulttools.files import document as documents
from vaulttools.files.document import Document, NotRead
from vaulttools.files.kept import LARGEST, ContentCache, KeptCounts
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
"""By `Pattern.normalise`: what a file holds whose line ends are normalised before it is searched."""

_READ_HERE: Final = 256
"""Files read in this process to be searched in it; ripgrep reads more of them faster (20 µs each, and 3 ms to start
it, of CPU)."""

_COUNTED_ANEW: Final = 512
"""Files in which plain text is counted again sooner than it is looked up what was counted before."""

_READ_BYTES: Final = 32 * 1024 * 1024
"""Bytes of such files: as many may be held at a time."""

GROUP_FILES: Final = 500
GROUP_BYTES: Final = 32 * 1024 * 1024
"""Texts copied for one process, and their bytes, one more text not counted. A process for each text took 3 ms."""

_TRAITS: Final[dict[str, Trait]] = {"lone": "lone return", "all": "return"}


@dataclass(frozen=True, slots=True)
class CountingRuns:
    """Processes under way; the paths they print are relative to `folder`."""

    counting: Runs
    listing: Runs | None
    """Looks for files that must be normalised first; None when carriage returns do not matter, or all are known."""
    normalised: Collection[str]
    """Files that must be normalised first, known without looking; also others than those asked about."""
    folder: str

    def abandon(self) -> None:
        """Kill what still runs."""
        self.counting.abandon()
        if self.listing is not None:
            self.listing.abandon()


@dataclass(slots=True)
class Matcher:
    """One pattern; `work` gives the time, and records when it runs out."""

    ripgrep: Ripgrep
    root: Root
    pattern: Pattern
    work: Work
    max_bytes: int = limits.FILE_BYTES
    candidates: Candidates | None = None
    """What an index knows of the files."""
    extracts: Extracts | None = None
    """What gives the text of attachments; None: they are files like others."""
    contents: ContentCache | None = None
    """The bytes of files that were read before; None: everything is put to ripgrep."""
    kept_counts: KeptCounts = field(default_factory=KeptCounts)
    """How many lines match in files that were counted before."""
    cut_short: set[str] = field(default_factory=set, init=False)
    """Attachments whose text was searched in part."""
    _searched: dict[str, bytes] = field(default_factory=dict, init=False)
    """The bytes in which lines were found, until they are read: the two then belong together."""
    _normalised: set[str] = field(default_factory=set, init=False)
    """Files that ripgrep searches as copies."""
    _extracted: set[str] = field(default_factory=set, init=False)
    """Those of them whose text was extracted."""
    _literal: LiteralPattern | None = field(init=False)
    """What the pattern looks for, when that is plain text."""

    def __post_init__(self) -> None:
        self._literal = literal.of(self.pattern)

    def start(self, files: Sequence[str], where: tuple[str, Sequence[str]] | None = None) -> CountingRuns:
        """Start counting in the named files; or in everything that ripgrep finds below a folder, by its options."""
        folder, globs = where or ("", ())
        named = [path for path in files if not self._is_attachment(path)] if where is None else None
        place = self.root.absolute(folder)
        counting = self.ripgrep.start_count(self.pattern, place, named, globs)
        listing = None
        normalised: Collection[str] = ()
        if self.pattern.normalise != "never":
            expression = CARRIAGE_RETURNS[self.pattern.normalise]
            if self.candidates is None:
                listing = self.ripgrep.start_listing(expression, place, named, globs)
            else:
                normalised = self.candidates.holding(_TRAITS[self.pattern.normalise])
                if unknown := self.candidates.unknown(files):
                    listing = self.ripgrep.start_listing(expression, self.root.folder, unknown)
        return CountingRuns(counting, listing, normalised, folder)

    def counts(self, started: CountingRuns, files: Sequence[str]) -> Counts:
        """Wait for what was started, and settle those of the files whose carriage returns ripgrep misreads."""
        try:
            counts = self.ripgrep.counts(started.counting, self.work).below(started.folder)
            misread = {*started.normalised, *filter(self._is_attachment, files)}
            if started.listing is not None:
                listed, stopped = self.ripgrep.listed(started.listing, self.work)
                counts.stopped = counts.stopped or stopped
                below = started.folder if self.candidates is None else ""
                misread.update(paths.join(below, path) for path in listed)
            if misread:
                self._count_normalised(misread.intersection(files), counts)
        finally:
            started.abandon()
        if counts.stopped == "time limit" or "time limit" in counts.failed.values():
            self.work.finish()
        return counts

    def counts_of(self, files: Sequence[str]) -> Counts:
        """The counts of named files."""
        here, left = self._counted_here(files) if len(files) <= _COUNTED_ANEW else ({}, files)
        counts = self._counts_kept(left) if left else Counts()
        counts.matching.update(here)
        return counts

    def _counted_here(self, files: Sequence[str]) -> tuple[dict[str, int], Sequence[str]]:
        """The numbers of those files that are counted in this process, where they have any; and the other files."""
        if self._literal is None:
            return {}, files
        here: dict[str, int] = {}
        left: list[str] = []
        for path, data in self._read_here(files, left):
            if number := self._literal.count(data):
                here[path] = number
        return here, left

    def _counts_kept(self, files: Sequence[str]) -> Counts:
        """As `counts_of`, of files that were counted before or are counted now."""
        if self.candidates is None:
            return self.counts(self.start(files), files)
        checked = time.time_ns()
        keys = self.candidates.keys(files)
        kept = self.kept_counts.of(self.pattern, files, keys)
        unknown = {path: key for path, key, number in zip(files, keys, kept, strict=True) if number is None}
        here, left = self._counted_here([*unknown])
        counts = self.counts(self.start(left), left) if left else Counts()
        counts.matching.update(here)
        if counts.stopped is None:
            # A file that is normalised first is counted each time: its lines are found only in what counting recorded.
            sure = ((path, key) for path, key in unknown.items() if key is not None and path not in self._normalised)
            self.kept_counts.keep(
                self.pattern,
                checked,
                (
                    (path, key, counts.matching.get(path, 0))
                    for path, key in sure
                    if path not in counts.unsure and path not in counts.failed and not self._is_attachment(path)
                ),
            )
        counts.matching.update((path, number) for path, number in zip(files, kept, strict=True) if number)
        return counts

    def count_lines(self, matched: Sequence[str], counts: Counts) -> None:
        """Replace ripgrep's number of multiline matches by the number of lines they touch."""
        plain = [path for path in matched if path in counts.matching and path not in self._normalised]
        found, stopped = self.hits(plain, None)
        for path in plain:
            if path in found:
                counts.matching[path] = len(found[path])
            elif stopped is not None:
                counts.failed[path] = stopped

    def hits(self, files: Sequence[str], limit: int | None) -> tuple[dict[str, FileLines], Reason | None]:
        """The first hits of each file, and why a file without may have some; of files that were counted before."""
        may_be_copied = self._normalised or self.extracts is not None
        copied = (
            [path for path in files if path in self._normalised or self._is_attachment(path)] if may_be_copied else []
        )
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
            more, _, stopped = self.ripgrep.hits(self.pattern, self.root.folder, left, self.work, limit)
            lines.update(more)
        if copied:
            unread: dict[str, Reason] = {}  # reported when they are read to be shown
            for folder, names in _copies(self._searchable(copied, unread)):
                more, _, ended = self.ripgrep.hits(self.pattern, folder, list(names), self.work, limit, normalised=True)
                stopped = stopped or ended
                lines.update((names[name], each) for name, each in more.items())
            if "time limit" in unread.values():
                stopped = stopped or "time limit"
        return lines, stopped

    def binary(self, files: Sequence[str], unknown: Sequence[str]) -> tuple[set[str], Reason | None]:
        """Those of the files that hold a NUL, and why there may be more; of these `unknown` ones are looked into."""
        found = set[str]() if self.candidates is None else {*self.candidates.holding("nul")} & {*files}
        if not unknown:
            return found, None
        left: list[str] = []
        plain = [path for path in unknown if path not in self._extracted]
        found.update(path for path, data in self._read_here(plain, left) if b"\0" in data)
        listed, stopped = self.ripgrep.listed(self.ripgrep.start_listing(NUL, self.root.folder, left), self.work)
        return found | listed, stopped

    def _is_attachment(self, path: str) -> bool:
        return self.extracts is not None and self.extracts.holds(path)

    def read(self, path: str) -> Document:
        """The text of a file, extracted where it is an attachment.

        Raises:
            NotRead: there is none.
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
        """The files that are searched in this process, in no order, with their bytes; the others go to `left`.

        Bytes are as of the beginning of the call; `current`: as of now.
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
        # Lines are looked for in files whose texts are read next, however many: ripgrep would read them once more.
        if to_read > _READ_BYTES or (len(unread) > _READ_HERE and not current):
            left += unread
            return
        look = self.contents.current if current else self.contents.read
        for path in unread:
            try:
                data = look(self.root, path, most_bytes) if self.work.remaining() > 0 else None
            except NotRead:
                data = None  # ripgrep says why
            if data is not None and literal.is_utf8(data):
                yield path, data
            else:
                left.append(path)

    def is_there(self, path: str) -> bool:
        """False when a file is gone since it was listed: that is no failure to read it (fault-T03)."""
        return not disk.is_gone(self.root.absolute(path))

    def _count_normalised(self, files: set[str], counts: Counts) -> None:
        """Replace what was counted of files that ripgrep misreads."""
        self._normalised |= files
        for path in files:
            counts.matching.pop(path, None)
        for folder, names in _copies(self._searchable(sorted(files), counts.failed)):
            started = self.ripgrep.start_count(self.pattern, folder, list(names), normalised=True)
            copied = self.ripgrep.counts(started, self.work)
            numbers, stopped = copied.matching, copied.stopped
            if self.pattern.multiline:  # ripgrep counts multiline matches; what counts here is the lines they touch
                found = self.ripgrep.hits(self.pattern, folder, list(numbers), self.work, normalised=True)
                numbers = {name: len(lines) for name, lines in found.lines.items()}
                stopped = stopped or found.stopped
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
                yield path, self.read(path).searchable
            except NotRead as error:
                if self.is_there(path):
                    failed[path] = error.reason


def _copies(texts: Iterator[tuple[str, bytes]]) -> Iterator[tuple[str, dict[str, str]]]:
    """Private folders, each with copies of some of the texts, and the path of each text by the name of its copy.

    A folder is removed when the next one is asked for.
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

"""Puts one pattern to files: counts and lines, the same for every line end.

Plain text is looked for in this process where an index knows the files (`literal`), everything else by ripgrep. Some
files ripgrep would misread because of their carriage returns (`Pattern.normalise`), or because their text must be
extracted first (`files.extracts`): it is given copies of those texts.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from vaulttools.core import limits, paths
from vaulttools.core.work import Reason, Work
from vaulttools.files import disk
from vaulttools.files import document as documents
from vaulttools.files.contents import LARGEST, ContentCache
from vaulttools.files.document import Document, NotRead
from vaulttools.files.key import Key
from vaulttools.files.providers import Candidates, Extracts, Trait, timeout
from vaulttools.files.root import Root
from vaulttools.files.temporary import TemporaryFolder
from vaulttools.matching import literal
from vaulttools.matching.hits import FileLines
from vaulttools.matching.kept_counts import KeptCounts
from vaulttools.matching.literal import LiteralPattern
from vaulttools.matching.process import Runs
from vaulttools.matching.ripgrep import Counts, Hits, Ripgrep
from vaulttools.patterns.pattern import Pattern

NUL: Final = r"\x00"
CARRIAGE_RETURNS: Final = {"lone": r"(?-u:\r(?:[^\n]|\z))", "all": r"\r"}
"""By `Pattern.normalise`: what a file holds whose line ends are normalised before it is searched."""

_READ_HERE: Final = 256
"""Files read in this process to be searched in it; ripgrep reads more of them faster (20 µs each, and 3 ms to start
it, of CPU)."""

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
    loose: Pattern | None = None
    """The pattern whose matches are counted, where it is not the matcher's own."""

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
    each: tuple[LiteralPattern, ...] = ()
    """The plain texts that the pattern is an alternation of. Where an index knows the files, `counts_of` counts the
    lines of each text in the same run."""
    counts_each: dict[str, Sequence[int]] = field(default_factory=dict, init=False)
    """The lines with each of these texts in the files that were counted so, and match."""
    kept_counts: KeptCounts | None = None
    """How many lines match in files that were counted before."""
    shows_many: bool = False
    """Whether the lines of more files may be asked for than are to drive out other contents, part by part."""
    cut_short: set[str] = field(default_factory=set, init=False)
    """Attachments whose text was searched in part."""
    _searched: dict[str, bytes] = field(default_factory=dict, init=False)
    """The bytes in which lines were found, until they are read: the two then belong together."""
    _normalised: set[str] = field(default_factory=set, init=False)
    """Files that ripgrep searches as copies."""
    _extracted: set[str] = field(default_factory=set, init=False)
    """Those of them whose text was extracted."""
    _evicts: bool = field(default=True, init=False)
    """Whether what is read drives out other contents: not when more is read than a page shows."""
    _begun: tuple[Sequence[str], int | None, Runs] | None = field(default=None, init=False)
    """What runs for the next `hits`, with what these are to be asked for."""
    _literal: LiteralPattern | None = field(init=False)
    """What the pattern looks for, when that is plain text."""

    def __post_init__(self) -> None:
        self._literal = literal.of(self.pattern)

    @property
    def searches_here(self) -> bool:
        """Whether files are searched in this process, as far as an index knows them."""
        return self._literal is not None and self.contents is not None and self.candidates is not None

    def start(
        self, files: Sequence[str], where: tuple[str, Sequence[str]] | None = None, loose: Pattern | None = None
    ) -> CountingRuns:
        """Start counting in the named files; or in everything that ripgrep finds below a folder, by its options.

        With a loose pattern only whether that matches is counted.
        """
        folder, globs = where or ("", ())
        named = self._plain(files) if where is None else None
        place = self.root.absolute(folder)
        counting = self.ripgrep.start_count(loose or self.pattern, place, named, globs, None if loose is None else 1)
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
        return CountingRuns(counting, listing, normalised, folder, loose)

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
                self._count_normalised(misread.intersection(files), counts, started.loose or self.pattern)
        finally:
            started.abandon()
        if counts.stopped == "time limit" or "time limit" in counts.failed.values():
            self.work.finish()
        return counts

    def counts_of(self, files: Sequence[str]) -> Counts:
        """The counts of named files."""
        if self.each and self.candidates is not None:
            return self._counts_of_each(files, self.candidates)
        if self._literal is None:
            return self._counts_by_ripgrep(files)
        here: dict[str, int] = {}
        left: list[str] = []
        for path, data in self._read_here(files, left):
            if number := self._literal.count(data):
                here[path] = number
        counts = self._counts_by_ripgrep(left)
        counts.matching.update(here)
        return counts

    def _counts_by_ripgrep(self, files: Sequence[str]) -> Counts:
        """As `counts_of`, of files that ripgrep counted before or counts now."""
        if not files:
            return Counts()
        if self.kept_counts is None or self.candidates is None:
            return self.counts(self.start(files), files)
        checked = time.time_ns()
        keys = self.candidates.keys(files)
        kept = self.kept_counts.of(self.pattern, files, keys)
        left = {path: key for path, key, numbers in zip(files, keys, kept, strict=True) if numbers is None}
        counts = self.counts(self.start([*left]), [*left]) if left else Counts()
        if counts.stopped is None:
            # A file that is normalised first is counted each time: its lines are found only in what counting recorded.
            sure = ((path, key) for path, key in left.items() if key is not None and path not in self._normalised)
            self.kept_counts.keep(
                self.pattern,
                checked,
                (
                    (path, key, (counts.matching[path],) if path in counts.matching else ())
                    for path, key in sure
                    if path not in counts.unsure and path not in counts.failed and not self._is_attachment(path)
                ),
            )
        counts.matching.update((path, numbers[0]) for path, numbers in zip(files, kept, strict=True) if numbers)
        return counts

    def _counts_of_each(self, files: Sequence[str], index: Candidates) -> Counts:
        """As `counts_of`; the number of a file that is in `counts_each` is that of the text with the most lines."""
        left: list[str] = []
        plain: dict[str, Key] = {}
        asked = self.pattern, self.each
        checked = time.time_ns()
        keys = index.keys(files)
        kept = [None] * len(files) if self.kept_counts is None else self.kept_counts.of(asked, files, keys)
        for path, key, numbers in zip(files, keys, kept, strict=True):
            if numbers:
                self.counts_each[path] = numbers
            elif numbers is None and key is not None and key.size <= LARGEST and not self._is_attachment(path):
                plain[path] = key
            elif numbers is None:
                left.append(path)
        uncounted = self._count_each_here(plain)
        sizes = [(path, key.size) for path, key in plain.items() if path in uncounted]
        for batch, printed in self.ripgrep.printed_lines(self.pattern, self.root.folder, sizes, self.work):
            if printed is not None:
                uncounted.difference_update(batch)
                for path, lines in printed.items():
                    self._count_each(path, b"\n" + lines)  # no mark of UTF-8 at the beginning of a line is lost
        if self.kept_counts is not None:
            counted = ((path, key) for path, key in plain.items() if path not in uncounted)
            self.kept_counts.keep(
                asked, checked, ((path, key, self.counts_each.get(path, ())) for path, key in counted)
            )
        left += uncounted
        counts = self.counts(self.start(left), left) if left else Counts()
        counts.matching.update((path, max(numbers)) for path, numbers in self.counts_each.items())
        return counts

    def _count_each_here(self, files: Mapping[str, Key]) -> set[str]:
        """Count the files whose bytes are kept, and read the others where they are few; returns what was not
        counted."""
        left: set[str] = set()
        unread: list[str] = []
        kept = [None] * len(files) if self.contents is None else self.contents.kept([*files], [*files.values()])
        for path, data in zip(files, kept, strict=True):
            if data is None:
                unread.append(path)
            elif literal.is_utf8(data):
                self._count_each(path, data)
            else:
                left.add(path)
        if len(unread) > _READ_HERE:
            return left.union(unread)
        others: list[str] = []
        for path, data in self._read_here(unread, others):
            self._count_each(path, data)
        return left.union(others)

    def _count_each(self, path: str, data: bytes) -> None:
        numbers = tuple([text.count(data) for text in self.each])
        if any(numbers):
            self.counts_each[path] = numbers

    def count_lines(self, matched: Sequence[str], counts: Counts) -> None:
        """Replace ripgrep's number of multiline matches by the number of lines they touch."""
        plain = [path for path in matched if path in counts.matching and path not in self._normalised]
        found = self.hits(plain, None)
        for path in plain:
            if path in found.lines:
                counts.matching[path] = len(found.lines[path])
            elif found.stopped is not None:
                counts.failed[path] = found.stopped

    def begin_hits(self, files: Sequence[str], limit: int | None) -> None:
        """Start what `hits` of these files will wait for, if that is ripgrep alone; `abandon` ends it."""
        self.abandon()
        if files and self._literal is None and not self._copied(files):
            self._begun = files, limit, self.ripgrep.start_hits(self.pattern, self.root.folder, files, limit)

    def abandon(self) -> None:
        """Kill what was begun and nobody asked for."""
        if self._begun is not None:
            self._begun[2].abandon()
            self._begun = None

    def _copied(self, files: Sequence[str]) -> list[str]:
        """Those of some files of which ripgrep is given copies."""
        return [path for path in files if path in self._normalised or self._is_attachment(path)]

    def hits(self, files: Sequence[str], limit: int | None) -> Hits:
        """The first hits of each file, and why a file without may have some; of files that were counted before."""
        self._evicts = not self.shows_many and len(files) <= _READ_HERE
        copied = self._copied(files)
        others = {*copied}
        plain = [path for path in files if path not in others] if copied else files
        here: dict[str, FileLines] = {}
        if self._literal is not None:
            left: list[str] = []
            for path, data in self._read_here(plain, left, current=True):
                if lines := self._literal.hits(data, limit):
                    here[path] = lines
                    self._searched[path] = data
            plain = left
        started = None
        if self._begun is not None and self._begun[:2] == (plain, limit):
            started, self._begun = self._begun[2], None
        found = self.ripgrep.hits(self.pattern, self.root.folder, plain, self.work, limit, started=started)
        found.lines.update(here)
        stopped = found.stopped
        unread: dict[str, Reason] = {}  # told by whoever reads them to show them
        for folder, names in _copies(self._searchable(copied, unread)):
            more = self.ripgrep.hits(self.pattern, folder, list(names), self.work, limit, normalised=True)
            stopped = stopped or more.stopped
            found.lines.update((names[name], lines) for name, lines in more.lines.items())
        if "time limit" in unread.values():
            stopped = stopped or "time limit"
        return found._replace(stopped=stopped)

    def binary(self, files: Sequence[str], unknown: Sequence[str]) -> tuple[set[str], Reason | None]:
        """Those of the files that hold a NUL, and why there may be more; of these `unknown` ones are looked into."""
        left: list[str] = []
        plain = [path for path in unknown if path not in self._extracted]
        found = {path for path, data in self._read_here(plain, left) if b"\0" in data}
        listed, stopped = self.ripgrep.listed(self.ripgrep.start_listing(NUL, self.root.folder, left), self.work)
        known = frozenset[str]() if self.candidates is None else self.candidates.holding("nul")
        return found | listed | known.intersection(files), stopped

    def _plain(self, files: Sequence[str]) -> Sequence[str]:
        """The files that are no attachments."""
        return files if self.extracts is None else [path for path in files if not self._is_attachment(path)]

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
        return documents.decode(path, self.contents.current(self.root, path, self.max_bytes, evicts=self._evicts))

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
                data = look(self.root, path, most_bytes, evicts=self._evicts) if self.work.remaining() > 0 else None
            except NotRead:
                data = None  # ripgrep says why
            if data is not None and literal.is_utf8(data):
                yield path, data
            else:
                left.append(path)

    def is_there(self, path: str) -> bool:
        """False when a file is gone since it was listed: that is no failure to read it (fault-T03)."""
        return not disk.is_gone(self.root.absolute(path))

    def _count_normalised(self, files: set[str], counts: Counts, pattern: Pattern) -> None:
        """Replace what was counted of files that ripgrep misreads."""
        self._normalised |= files
        for path in files:
            counts.matching.pop(path, None)
        for folder, names in _copies(self._searchable(sorted(files), counts.failed)):
            started = self.ripgrep.start_count(pattern, folder, list(names), normalised=True)
            copied = self.ripgrep.counts(started, self.work)
            numbers, stopped = copied.matching, copied.stopped
            if pattern.multiline:  # ripgrep counts multiline matches; what counts here is the lines they touch
                found = self.ripgrep.hits(pattern, folder, list(numbers), self.work, normalised=True)
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

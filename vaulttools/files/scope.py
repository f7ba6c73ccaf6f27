"""Lists the files that one call may see, walked and named, in path order.

A file named exactly is included even if it is hidden, excluded or ignored. Protected files never get here: `Root`
refuses their paths, and walks skip them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import filterfalse, groupby, islice
from typing import Final, NamedTuple

from vaulttools.core import paths
from vaulttools.core.work import Reason
from vaulttools.files import catalogue
from vaulttools.files.catalogue import Entry, Rules
from vaulttools.files.file_times import FileTimes
from vaulttools.files.globs import Glob
from vaulttools.files.listing import Listing
from vaulttools.files.providers import Extracts, FileNames
from vaulttools.files.root import Root

_MATCHED_FIRST: Final = 2_000
"""Paths for the first process of ripgrep: enough to pay for its start, few enough to keep a walk lazy."""
_MATCHED_AT_ONCE: Final = 32_000
"""Paths for a later one: 5,000 entries take 0.3 s to compile, however few the paths."""


@dataclass(frozen=True, slots=True)
class Walk:
    """Files below a vault-relative folder: only notes, those that a glob selects, or all."""

    folder: str = ""
    glob: Glob | None = None
    notes_only: bool = False
    also: Callable[[str], object] | None = None
    """With `notes_only`: also selects the paths for which this is true."""

    def selects(self, path: str) -> bool:
        """Whether the walk selects a file."""
        if self.notes_only and not (paths.is_note(path) or (self.also is not None and self.also(path))):
            return False
        return self.glob is None or self.glob.matches(path)

    @property
    def selector(self) -> Callable[[str], bool]:
        """The fastest function that does the same as `selects`."""
        if self.glob is not None or (self.notes_only and self.also is not None):
            return self.selects
        return paths.is_note if self.notes_only else bool  # `bool` is true for every path

    def covers(self, path: str) -> bool:
        """Whether a file lies in the walk's folder and is selected, rules aside."""
        return paths.is_below(self.folder, path) and self.selects(path)

    def reaches(self, path: str) -> bool:
        """Whether a path may be above files of the walk, or is one of them, rules aside."""
        is_near = paths.is_below(self.folder, path) or paths.is_below(path, self.folder) or path == self.folder
        return is_near and (self.glob is None or self.glob.may_hold(path) or self.glob.matches(path))

    def narrowed(self, folder: str) -> Walk | None:
        """Returns the part of the walk in a folder; None if they do not overlap."""
        if self.folder == folder or paths.is_below(folder, self.folder):
            return self
        return replace(self, folder=folder) if paths.is_below(self.folder, folder) else None


class Covering(NamedTuple):
    """Result of matching paths against the `/regex/` entries of the vault's excluded files."""

    places: set[int]
    """Places of the matching paths, from 0."""
    stopped: Reason | None
    """Why the places may be incomplete; None: they are complete."""
    warnings: tuple[str, ...]
    """Sentences about unusable entries."""


class _StoppedError(Exception):
    """Carries a listing that must not be cached, because it may be incomplete."""

    def __init__(self, listing: Listing, warnings: Sequence[tuple[str, str]]) -> None:
        self.listing = listing
        self.warnings = warnings


@dataclass(frozen=True, slots=True)
class Scope:
    """The files of one call."""

    root: Root
    rules: Rules
    walks: tuple[Walk, ...]
    named: tuple[str, ...] = ()
    """Vault-relative paths of files named exactly."""
    regex_excluded: Callable[[Sequence[str]], Covering] | None = None
    """Matches paths against the `/regex/` entries of `rules.excluded`; None without such entries."""
    names: FileNames | None = None
    """Names from an index; None: walk the disk."""
    extracts: Extracts | None = None
    """Extracts the text of attachments; None: treat them as other files."""
    times: FileTimes | None = None
    """Bounds of the files' times; None: no bounds."""
    warnings: list[tuple[str, str]] = field(default_factory=list)
    """Sentences about ignore files and excluded files so far, in path order, each with its folder."""

    def entries(self) -> Iterator[Entry]:
        """Yields files and left-out entries in path order, each once; a named file overrides rules."""
        entries = self._entries()
        return entries if self.times is None else self.times.of(self.root, self.names, entries)

    def _entries(self) -> Iterator[Entry]:
        named = [Entry(path, "file") for path in sorted(set(self.named), key=paths.order)]
        streams = [iter(named), *(self._walked(walk, folders=False) for walk in self.walks)]
        if len(streams) == 2 and not named:
            return streams[1]
        merged = merge(*streams, key=lambda entry: paths.order(entry.path))
        readings = (list(same) for _, same in groupby(merged, key=lambda entry: entry.path))
        return (next((entry for entry in same if entry.left_out is None), same[0]) for same in readings)

    def listing(self) -> Listing | None:
        """Returns all `entries` if an index knows them; None if a walk is needed."""
        if self.names is None or not all(self.names.knows(walk.folder) for walk in self.walks):
            return None
        if len(self.walks) != 1 or self.named:
            return Listing(self.entries())
        names, times = self.names, self.times
        listing = self._kept(names, self.walks[0], folders=False)
        if times is None:
            return listing
        return names.kept((listing, times), lambda: Listing(times.of(self.root, names, listing)), times=True)

    def everything(self) -> Iterator[Entry]:
        """Like `entries`, but only for the first walk, with its folders and links."""
        return self._walked(self.walks[0], folders=True)

    def everything_known(self) -> Listing | None:
        """Returns all of `everything` if an index knows it; None if a walk is needed."""
        if self.names is None or not self.names.knows(self.walks[0].folder):
            return None
        return self._kept(self.names, self.walks[0], folders=True)

    def _walked(self, walk: Walk, *, folders: bool) -> Iterator[Entry]:
        if self.names is not None and self.names.knows(walk.folder):
            return iter(self._kept(self.names, walk, folders=folders))
        entries = catalogue.walk(self.root, walk.folder, self.rules, walk.selector, walk.glob, self._warn, folders)
        return entries if self.regex_excluded is None else self._without_regex_excluded(entries)

    def _kept(self, names: FileNames, walk: Walk, *, folders: bool) -> Listing:
        """Returns the listing of a walk, computed only when something it depends on has changed."""
        depends_on = (walk, folders, self.rules, names.outside() if self.rules.ignores else None)
        try:
            listing, warnings = names.kept(depends_on, lambda: self._known(names, walk, folders))
        except _StoppedError as stopped:
            listing, warnings = stopped.listing, stopped.warnings
        self.warnings.extend(filterfalse(self.warnings.__contains__, warnings))
        return listing

    def _known(self, names: FileNames, walk: Walk, folders: bool) -> tuple[Listing, Sequence[tuple[str, str]]]:
        """Walks names from an index; returns the listing and the warnings."""
        met: list[tuple[str, str]] = []
        collecting = replace(self, warnings=met)
        runs = catalogue.runs(
            self.root, walk.folder, self.rules, walk.selector, walk.glob, collecting._warn, folders, names.names_in
        )
        if self.regex_excluded is None:
            return Listing(runs), met
        stops: list[Reason] = []
        listing = Listing(collecting._without_regex_excluded(iter(Listing(runs)), stops))
        if stops:
            raise _StoppedError(listing, met)
        return listing, met

    def _warn(self, folder: str, sentence: str) -> None:
        self.warnings.append((folder, sentence))

    def _without_regex_excluded(self, entries: Iterator[Entry], stops: list[Reason] | None = None) -> Iterator[Entry]:
        """Leave out excluded files, and files that may be excluded but cannot be checked, each with the reason."""
        assert self.regex_excluded is not None
        batch = list(islice(entries, _MATCHED_FIRST))
        is_first = True  # also without paths, to report unusable entries
        while batch or is_first:
            is_first = False
            covered, stopped, warnings = self.regex_excluded([entry.path for entry in batch])
            for warning in warnings:
                self._warn("", warning)
            if stopped is not None and stops is not None:
                stops.append(stopped)
            for index, entry in enumerate(batch):
                known = "excluded" if index in covered else entry.left_out or stopped
                unchanged = known == entry.left_out or entry.kind != "file"
                yield entry if unchanged else entry._replace(left_out=known)
            batch = list(islice(entries, _MATCHED_AT_ONCE))

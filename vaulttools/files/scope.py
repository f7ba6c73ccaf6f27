"""Lists what one call may see: walked and named files, in path order.

A file named exactly is in, hidden, excluded or ignored as it may be; protected ones never get here, because
`Root` refuses their paths and a walk passes them by.
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

_MATCHED_AT_ONCE: Final = 2_000
"""Paths handed to one process of ripgrep: enough to pay for its start, few enough that a walk stays lazy."""


@dataclass(frozen=True, slots=True)
class Walk:
    """Files below a vault-relative folder: notes only, or those a glob selects, or all."""

    folder: str = ""
    glob: Glob | None = None
    notes_only: bool = False
    also: Callable[[str], object] | None = None
    """With `notes_only`: what else is meant, by its path."""

    def selects(self, path: str) -> bool:
        """Whether a file of the walk is meant."""
        if self.notes_only and not (paths.is_note(path) or (self.also is not None and self.also(path))):
            return False
        return self.glob is None or self.glob.matches(path)

    @property
    def selector(self) -> Callable[[str], bool]:
        """What `selects` does, in the quickest way."""
        if self.glob is not None or (self.notes_only and self.also is not None):
            return self.selects
        return paths.is_note if self.notes_only else bool  # which says of every path that it is meant

    def covers(self, path: str) -> bool:
        """Whether a file lies in the walk's folder and is meant, rules aside."""
        return paths.is_below(self.folder, path) and self.selects(path)

    def narrowed(self, folder: str) -> Walk | None:
        """The part of the walk that lies in a folder; None when they have nothing in common."""
        if self.folder == folder or paths.is_below(folder, self.folder):
            return self
        return replace(self, folder=folder) if paths.is_below(self.folder, folder) else None


class Covering(NamedTuple):
    """What the `/regex/` entries of the vault's excluded files say of some paths."""

    places: set[int]
    """Which of them they match, from 0."""
    stopped: Reason | None
    """Why these may not be all."""
    warnings: tuple[str, ...]
    """Sentences about entries that cannot be used."""


class _StoppedError(Exception):
    """A listing that must not be kept, because it was not known what all of it is."""

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
    """What the `/regex/` entries of `rules.excluded` say of some paths; None when there are no such entries."""
    names: FileNames | None = None
    """The names that an index knows; None: the disk is walked."""
    extracts: Extracts | None = None
    """What gives the text of attachments; None: they are files like others."""
    times: FileTimes | None = None
    """When the files must have been modified and created; None: no matter."""
    warnings: list[tuple[str, str]] = field(default_factory=list)
    """Sentences about ignore files and excluded files met so far, in path order, each with the folder it was met in."""

    def entries(self) -> Iterator[Entry]:
        """Files, and what a rule leaves out, in path order, each once; a name wins over a rule."""
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
        """All `entries` at once, where an index knows them; None where they would have to be walked for."""
        if self.names is None or not all(self.names.holds(walk.folder) for walk in self.walks):
            return None
        if len(self.walks) == 1 and not self.named:
            return self._timely(self.names, self._kept(self.names, self.walks[0], folders=False))
        return Listing(self.entries())

    def _timely(self, names: FileNames, listing: Listing) -> Listing:
        """Of a listing that is kept, what `times` selects, made at most once until a file changes."""
        times = self.times
        if times is None:
            return listing
        return names.kept((listing, times), lambda: Listing(times.of(self.root, names, listing)), times=True)

    def everything(self) -> Iterator[Entry]:
        """As `entries`, of the first walk alone, with the folders and links in it."""
        return self._walked(self.walks[0], folders=True)

    def everything_known(self) -> Listing | None:
        """All of `everything` at once, where an index knows it; None where it would have to be walked for."""
        if self.names is None or not self.names.holds(self.walks[0].folder):
            return None
        return self._kept(self.names, self.walks[0], folders=True)

    def _walked(self, walk: Walk, *, folders: bool) -> Iterator[Entry]:
        if self.names is not None and self.names.holds(walk.folder):
            return iter(self._kept(self.names, walk, folders=folders))
        entries = catalogue.walk(self.root, walk.folder, self.rules, walk.selector, walk.glob, self._warn, folders)
        return entries if self.regex_excluded is None else self._without_regex_excluded(entries)

    def _kept(self, names: FileNames, walk: Walk, *, folders: bool) -> Listing:
        """The listing of a walk, made at most once for as long as nothing it rests on changes."""
        rests_on = (walk, folders, self.rules, names.outside() if self.rules.ignores else None)
        try:
            listing, warnings = names.kept(rests_on, lambda: self._known(names, walk, folders))
        except _StoppedError as stopped:
            listing, warnings = stopped.listing, stopped.warnings
        self.warnings.extend(filterfalse(self.warnings.__contains__, warnings))
        return listing

    def _known(self, names: FileNames, walk: Walk, folders: bool) -> tuple[Listing, Sequence[tuple[str, str]]]:
        """What a walk meets among names that an index knows, and the warnings met."""
        met: list[tuple[str, str]] = []
        asked = replace(self, warnings=met)
        runs = catalogue.runs(
            self.root, walk.folder, self.rules, walk.selector, walk.glob, asked._warn, folders, names.names_in
        )
        if self.regex_excluded is None:
            return Listing(runs), met
        stops: list[Reason] = []
        listing = Listing(asked._without_regex_excluded(iter(Listing(runs)), stops))
        if stops:
            raise _StoppedError(listing, met)
        return listing, met

    def _warn(self, folder: str, sentence: str) -> None:
        self.warnings.append((folder, sentence))

    def _without_regex_excluded(self, entries: Iterator[Entry], stops: list[Reason] | None = None) -> Iterator[Entry]:
        """Leave out excluded files, and files that may be excluded but cannot be checked, each with the reason."""
        assert self.regex_excluded is not None
        batch = list(islice(entries, _MATCHED_AT_ONCE))
        is_first = True  # also without a path to ask about: an entry of no use is reported
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

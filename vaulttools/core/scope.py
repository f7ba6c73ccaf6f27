"""What one call may see: walks below folders, and files that were named, as one list in path order.

A file named exactly is in, hidden, excluded or ignored as it may be (spec 2.7); protected ones never get here, because
`Root` refuses their paths and a walk passes them by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from itertools import groupby, islice
from typing import Final

from vaulttools.core import catalogue, paths
from vaulttools.core.catalogue import Entry, Rules
from vaulttools.core.globs import Glob
from vaulttools.core.root import Root
from vaulttools.core.work import Reason

_MATCHED_AT_ONCE: Final = 2_000
"""Paths handed to one process of ripgrep: enough to pay for its start, few enough that a walk stays lazy."""


@dataclass(frozen=True, slots=True)
class Walk:
    """Files below a vault-relative folder: notes only, or those a glob selects, or all."""

    folder: str = ""
    glob: Glob | None = None
    notes_only: bool = False

    def selects(self, path: str) -> bool:
        """Whether a file of the walk is meant."""
        if self.notes_only and not paths.is_note(path):
            return False
        return self.glob is None or self.glob.matches(path)

    def covers(self, path: str) -> bool:
        """Whether a file lies in the walk's folder and is meant, rules aside."""
        return paths.is_below(self.folder, path) and self.selects(path)

    def narrowed(self, folder: str) -> Walk | None:
        """The part of the walk that lies in a folder; None when they have nothing in common."""
        if self.folder == folder or paths.is_below(folder, self.folder):
            return self
        return replace(self, folder=folder) if paths.is_below(self.folder, folder) else None


@dataclass(frozen=True, slots=True)
class Scope:
    """The files of one call."""

    root: Root
    rules: Rules
    walks: tuple[Walk, ...]
    warn: Callable[[str], None]
    """Told of what is wrong with the vault's ignore files."""
    named: tuple[str, ...] = ()
    """Vault-relative paths of files named exactly."""
    regex_excluded: Callable[[Sequence[str]], tuple[set[int], Reason | None]] | None = None
    """Which of some paths the `/regex/` entries of the vault's excluded files match, and why these may not be all;
    None when there are no such entries."""

    def entries(self) -> Iterator[Entry]:
        """Files, and what a rule leaves out, in path order, each once; a name wins over a rule."""
        named = [Entry(path, "file") for path in sorted(set(self.named), key=paths.order)]
        streams = [iter(named), *(self._walked(walk, folders=False) for walk in self.walks)]
        if len(streams) == 2 and not named:
            return streams[1]
        merged = merge(*streams, key=lambda entry: paths.order(entry.path))
        readings = (list(same) for _, same in groupby(merged, key=lambda entry: entry.path))
        return (next((entry for entry in same if entry.left_out is None), same[0]) for same in readings)

    def everything(self) -> Iterator[Entry]:
        """As `entries`, of the first walk alone, with the folders and links in it."""
        return self._walked(self.walks[0], folders=True)

    def _walked(self, walk: Walk, *, folders: bool) -> Iterator[Entry]:
        selects = paths.is_note if walk.notes_only and walk.glob is None else walk.selects
        entries = catalogue.walk(self.root, walk.folder, self.rules, selects, walk.glob, self.warn, folders)
        return entries if self.regex_excluded is None else self._without_regex_excluded(entries)

    def _without_regex_excluded(self, entries: Iterator[Entry]) -> Iterator[Entry]:
        """A file of which nobody knows whether it is excluded is left out, for the reason why."""
        assert self.regex_excluded is not None
        while batch := list(islice(entries, _MATCHED_AT_ONCE)):
            covered, stopped = self.regex_excluded([entry.path for entry in batch])
            for index, entry in enumerate(batch):
                known = "excluded" if index in covered else entry.left_out or stopped
                unchanged = known == entry.left_out or entry.kind != "file"
                yield entry if unchanged else entry._replace(left_out=known)

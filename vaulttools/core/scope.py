"""What one call may see: walks below folders, and files that were named, as one list in path order.

A file named exactly is in, hidden, excluded or ignored as it may be (spec 2.7); protected ones never get here, because
`Root` refuses their paths and a walk passes them by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import groupby

from vaulttools.core import catalogue, paths
from vaulttools.core.catalogue import Entry, Rules
from vaulttools.core.globs import Glob
from vaulttools.core.root import Root


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
        return (not self.folder or path.startswith(f"{self.folder}/")) and self.selects(path)


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
    regex_excluded: Callable[[Sequence[str]], set[int]] | None = None
    """Which of some paths the `/regex/` entries of the vault's excluded files match; None when there are none."""

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
        return entries if self.regex_excluded is None else self._without_regex_excluded(list(entries))

    def _without_regex_excluded(self, entries: list[Entry]) -> Iterator[Entry]:
        assert self.regex_excluded is not None
        covered = self.regex_excluded([entry.path for entry in entries])
        for index, entry in enumerate(entries):
            yield entry._replace(left_out="excluded") if index in covered and entry.kind == "file" else entry

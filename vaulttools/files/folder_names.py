"""Holds the names in one folder in path order."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

Kind = Literal["file", "folder", "link", "other"]


class FolderEntry(NamedTuple):
    """One name in a folder, as spelled on disk."""

    name: str
    kind: Kind
    dataless: bool = False
    """True for a file that iCloud has not downloaded: it has a size but no blocks, and reading may hang (fault-S01)."""


class FolderNames:
    """Names in a folder, with plain files held separately: nearly all names are such, and a walk handles them in
    groups."""

    __slots__ = ("_files", "_start", "others")

    def __init__(self, folder: str, files: Iterable[str], others: Iterable[FolderEntry]) -> None:
        """`files`: paths of local files in `folder`; `others`: all other names. Both in any order."""
        self._start: Final = f"{folder}/" if folder else ""
        first = len(self._start)
        every = sorted(files)
        hidden = [FolderEntry(path[first:], "file") for path in every if path[first] == "."]
        if hidden:
            every = [path for path in every if path[first] != "."]
        rest = [*hidden, *others]
        if not _is_encodable((*every, *(each.name for each in rest))):
            rest += [FolderEntry(path[first:], "file") for path in every]
            every = []
        self._files: Final = every
        """Paths of local files that are not hidden, in path order."""
        # UTF-8 keeps the order of code points, so valid text can be sorted directly, in half the time.
        self.others: Final = sorted(rest, key=None if every else _encoded)
        """Everything else, in path order."""

    def __iter__(self) -> Iterator[FolderEntry]:
        """Yields every name in path order."""
        for each in self.runs():
            if isinstance(each, FolderEntry):
                yield each
            else:
                yield from (FolderEntry(path[len(self._start) :], "file") for path in each)

    def runs(self) -> Iterator[FolderEntry | list[str]]:
        """Yields every name in path order; consecutive local files that are not hidden come as one list of paths."""
        start = 0
        for other in self.others:
            end = bisect_left(self._files, self._start + other.name, start)
            if start < end:
                yield self._files[start:end]
            yield other
            start = end
        if start < len(self._files):
            yield self._files[start:]


def _is_encodable(names: Iterable[str]) -> bool:
    """Whether all names can be encoded in UTF-8."""
    text = "".join(names)
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def _encoded(each: FolderEntry) -> bytes:
    return os.fsencode(each.name)

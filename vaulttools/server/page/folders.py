"""Arranges the notes of a vault as a tree of folders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from vaulttools.core import paths


@dataclass(slots=True)
class Folder:
    """A folder with what lies in it."""

    path: str
    """Empty: the vault itself."""
    folders: list[Folder] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """The paths of the notes directly in it."""
    total: int = 0
    """How many notes lie in it and in the folders below."""

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition("/")[2]


def tree(notes: Iterable[str]) -> Folder:
    """The folders that hold notes, given the paths of all notes; in the order of their names."""
    by_path = {"": Folder("")}

    def folder(path: str) -> Folder:
        if path not in by_path:
            by_path[path] = made = Folder(path)
            folder(path.rpartition("/")[0]).folders.append(made)
        return by_path[path]

    for note in sorted(notes, key=paths.order):
        above = note.rpartition("/")[0]
        folder(above).notes.append(note)
        for path in (above, *above_all(above)):
            by_path[path].total += 1
    for each in by_path.values():
        each.folders.sort(key=lambda folder: paths.order(folder.path))
    return by_path[""]


def above_all(path: str) -> list[str]:
    """The paths of the folders that a file or folder lies in, the nearest first; the vault itself is the last."""
    above = []
    while path:
        path = path.rpartition("/")[0]
        above.append(path)
    return above

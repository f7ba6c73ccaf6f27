"""Gathers what the start page and the pages of folders show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Final

from vaulttools.core import paths
from vaulttools.errors import BadArgument, Cancelled, PathNotFound
from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.searching import Results, recent
from vaulttools.server.page.vault_notes import Soon, in_time, note_paths
from vaulttools.tools.tags import TagCount, TagsAnswer
from vaulttools.vault import Vault

_TREE: Final = 400
"""Notes that the tree of the start page lists; of a larger vault it lists the folders, 30 kB for 10,000 notes."""

_FOLDER: Final = 2_000
"""Notes that the page of one folder lists."""

_TAGS: Final = 40
"""The most frequent tags, which are shown."""

_SECONDS: Final = 1.5
"""For each part that reads all notes. Only while the vault is indexed for the first time it takes longer, and search
need not wait for that."""


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


@dataclass(frozen=True, slots=True)
class StartPage:
    """What is shown before anything is searched; None: not known in time."""

    recent: Results | None
    today: str
    """The path of today's note, or the one that it would have."""
    has_today: bool
    tree: Folder | None
    lists_notes: bool
    """Whether the tree lists notes, beside folders."""
    tags: Sequence[TagCount] | None
    total_tags: int = 0


def start_page(vault: Vault, addresses: Addresses, cancel: Event) -> StartPage:
    """What the start page shows.

    Raises:
        VaultToolsError: with the sentence of the tool.
    """
    latest = in_time(lambda: recent(vault, addresses, Soon(cancel, _SECONDS)), cancel)
    notes = in_time(lambda: note_paths(vault, Soon(cancel, _SECONDS))[0], cancel)
    tags = in_time(lambda: _tags(vault, Soon(cancel, _SECONDS)), cancel)
    today = vault.session.periodic.named("daily")
    path = "" if today is None else today.path
    return StartPage(
        latest,
        path,
        _is_there(vault, path),
        None if notes is None else tree(notes),
        notes is not None and len(notes) <= _TREE,
        None if tags is None else tags.tags,
        0 if tags is None else tags.total_tags,
    )


@dataclass(frozen=True, slots=True)
class FolderPage:
    """What the page of a folder shows."""

    folder: Folder
    lists_notes: bool
    """Whether the notes of the folders below are listed too."""
    most: int = _FOLDER
    """Notes directly in it that are listed."""


def folder_page(vault: Vault, path: str, cancel: Event) -> FolderPage:
    """What the page of a folder shows.

    Raises:
        PathNotFound: there is no such folder, or it holds no notes.
    """
    name = path.strip("/")
    notes, _ = note_paths(vault, cancel)
    found = tree(each for each in notes if not name or paths.portable(each).startswith(f"{name}/"))
    for _ in filter(None, name.split("/")):
        found = next(iter(found.folders), found)
    if name and not found.total:
        raise PathNotFound(paths.shown(name))
    return FolderPage(found, found.total <= _TREE)


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


def _is_there(vault: Vault, path: str) -> bool:
    try:
        return bool(path) and vault.session.root.locate(path).kind == "file"
    except BadArgument:  # a setting may lead out of the vault
        return False


def _tags(vault: Vault, cancel: Event) -> TagsAnswer:
    answer: TagsAnswer = vault.answer("tags", {"limit": _TAGS}, cancel=cancel)
    if not answer.complete:
        raise Cancelled
    return answer

"""Gathers what the start page and the pages of folders show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Final

from vaulttools.core import paths
from vaulttools.errors import BadArgument, Cancelled, PathNotFound
from vaulttools.server.page.asking import ask
from vaulttools.server.page.vault_notes import Soon, in_time, is_listed, note_paths
from vaulttools.tools.find import FindAnswer
from vaulttools.tools.tags import TagsAnswer
from vaulttools.vault import Vault

_TREE: Final = 400
"""Files that a tree lists; a larger tree lists only folders: 30 kB for 10,000 files."""

FOLDER: Final = 2_000
"""Files that the page of one folder lists."""

_RECENT: Final = 15
"""Last changed notes, bases and canvases that are shown."""

_TAGS: Final = 40
"""Most frequent tags that are shown."""

_SECONDS: Final = 1.5
"""Seconds for each part that reads all notes. It takes longer only while the vault is indexed for the first time, and
search should not wait for that."""


@dataclass(slots=True)
class Folder:
    """A folder with its contents."""

    path: str
    """Empty for the vault itself."""
    folders: list[Folder] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    """Paths of what is listed directly in it: notes, and the files of `is_listed`."""
    total: int = 0
    """Number of files that are listed in it and in the folders below."""
    notes: int = 0
    """How many of them are notes."""
    is_whole: bool = True
    """Of the folder that is shown, false if some of it could not be listed."""

    @property
    def lists_files(self) -> bool:
        """Whether its tree lists files besides folders."""
        return self.total <= _TREE

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class StartPage:
    """What is shown before a search; None if it is not known in time."""

    recent: Sequence[str] | None
    """Paths of what was changed last."""
    today: str
    """Path of today's note, whether it exists or not."""
    has_today: bool
    tree: Folder | None
    tags: TagsAnswer | None


def start_page(vault: Vault, cancel: Event) -> StartPage:
    """Gather what the start page shows.

    Raises:
        VaultToolsError: a tool refused, with its sentence.
    """
    latest = in_time(lambda: _recent(vault, Soon(cancel, _SECONDS)), cancel)
    notes = in_time(lambda: note_paths(vault, Soon(cancel, _SECONDS), is_listed), cancel)
    tags = in_time(lambda: _tags(vault, Soon(cancel, _SECONDS)), cancel)
    today = vault.session.periodic.named("daily")
    path = "" if today is None else today.path
    return StartPage(latest, path, _is_there(vault, path), None if notes is None else tree(*notes), tags)


def folder(vault: Vault, path: str, cancel: Event) -> Folder:
    """Returns a folder with what is listed in it and below.

    Raises:
        PathNotFound: there is no such folder, or nothing in it is listed.
    """
    name = path.strip("/")
    files, is_whole = note_paths(vault, cancel, is_listed)
    found = tree(each for each in files if not name or paths.portable(each).startswith(f"{name}/"))
    for _ in filter(None, name.split("/")):
        found = next(iter(found.folders), found)
    if name and not found.total:
        raise PathNotFound(paths.shown(name))
    found.is_whole = is_whole
    return found


def tree(files: Iterable[str], is_whole: bool = True) -> Folder:
    """Returns the tree of folders that contain files, sorted by name, from the paths of all files to list."""
    by_path = {"": Folder("", is_whole=is_whole)}

    def made(path: str) -> Folder:
        if path not in by_path:
            by_path[path] = new = Folder(path)
            made(path.rpartition("/")[0]).folders.append(new)
        return by_path[path]

    for file in sorted(files, key=paths.order):
        above = file.rpartition("/")[0]
        made(above).files.append(file)
        for path in (above, *above_all(above)):
            by_path[path].total += 1
            by_path[path].notes += paths.is_note(file)
    for each in by_path.values():
        each.folders.sort(key=lambda below: paths.order(below.path))
    return by_path[""]


def above_all(path: str) -> list[str]:
    """Returns the folders above a file or folder, the nearest first; the last one is the vault itself ("")."""
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


def _recent(vault: Vault, cancel: Event) -> list[str]:
    wanted = ["**/*.md", "**/*.base", "**/*.canvas"]
    answer: FindAnswer = ask(vault, "find", {"paths": wanted, "hidden": False, "limit": _RECENT}, cancel)
    return [path for path in answer.files if not path.endswith("/")]


def _tags(vault: Vault, cancel: Event) -> TagsAnswer:
    answer: TagsAnswer = ask(vault, "tags", {"limit": _TAGS}, cancel)
    if not answer.complete:
        raise Cancelled
    return answer

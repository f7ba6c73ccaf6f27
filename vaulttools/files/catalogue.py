"""Walks a folder in path order, and counts what the rules leave out.

Links are never followed. Protected folders, and links that lead into them, are skipped and not counted.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from vaulttools.core import limits, paths
from vaulttools.core.work import GONE, Reason
from vaulttools.errors import AccessDenied, BadArgument
from vaulttools.files import disk, settings
from vaulttools.files.folder_names import FolderEntry, FolderNames, Kind
from vaulttools.files.globs import Glob
from vaulttools.files.ignores import IGNORE_FILES, IgnoreRules, read_ignore_files, rules_above
from vaulttools.files.root import Root
from vaulttools.files.settings import Excluded

_WINDOWS = sys.platform == "win32"
_SOURCES: Final = (".git", *IGNORE_FILES)
"""Names in a folder that may contain ignore rules."""
_STUB: Final = ".icloud"
"""Ending of the stub that an older iCloud leaves for a file that is not downloaded: `.name.md.icloud` (fault-S02)."""


class Entry(NamedTuple):
    """One item of a walk. `left_out` says which rule leaves it, and all below it, out; None: it is included."""

    path: str
    kind: Kind
    left_out: Reason | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a walk, besides protected folders."""

    hidden: bool
    """Whether hidden files are included."""
    excluded: Excluded
    """The vault's setting "Excluded files"."""
    ignores: bool = False
    """Whether ignore files apply."""
    pruned: frozenset[str] = frozenset()
    """Names of folders that the walk does not enter, at any depth; they count as ignored."""
    default_excludes: bool = False
    """Whether the default excludes apply."""


_LOGSEQ_BACKUPS: Final = frozenset(("bak", ".recycle", "version-files"))
"""Folders beside Logseq's settings (`settings.LOGSEQ`), with old versions of notes and removed ones. Logseq does not
show them."""


class _Level(NamedTuple):
    """A folder that a walk is in."""

    path: str
    rest: Iterator[FolderEntry | list[str]]
    """Its names that are still to come."""
    ignores: IgnoreRules
    """The ignore rules that are active in it."""
    backups: frozenset[str]
    """Names of folders in it that hold Logseq's backups."""


Run: TypeAlias = Entry | list[str]
"""One item of a walk, or the paths of consecutive included files."""


def walk(
    root: Root,
    folder: str,
    rules: Rules,
    selects: Callable[[str], bool],
    glob: Glob | None,
    warn: Callable[[str, str], None],
    folders: bool = True,
) -> Iterator[Entry]:
    """Like `runs`, item by item, with names read from the disk."""
    for run in runs(root, folder, rules, selects, glob, warn, folders):
        if isinstance(run, list):
            for path in run:
                yield Entry(path, "file")
        else:
            yield run


def runs(
    root: Root,
    folder: str,
    rules: Rules,
    selects: Callable[[str], bool],
    glob: Glob | None,
    warn: Callable[[str, str], None],
    folders: bool = True,
    names_in: Callable[[str], FolderNames] | None = None,
) -> Iterator[Run]:
    """Yields everything below a vault-relative folder, each folder before its content; of files only the selected ones.

    Included folders are yielded only with `folders`; left-out items always are.

    The walk does not enter folders that a rule leaves out, that cannot be read, or that the glob cannot reach into; it
    yields the last kind only if they are selected themselves. `warn` gets the folder and a sentence for each unusable
    ignore file or line. `names_in` returns the names of a folder or raises OSError; None: names are read from the disk.
    """
    names_in = names_in or partial(listed, root)
    closes, initials = _closing(root, folder), root.protection.initials
    ignores = _ignores_at(root, folder, warn) if rules.ignores else IgnoreRules()
    listing, left_out = _entered(names_in, folder, 0)
    if listing is None:
        if left_out is not None:
            yield Entry(folder, "folder", left_out)
        return
    levels = [_level(root, folder, listing, ignores, rules, warn)]
    while levels:
        where, rest, ignores, backups = levels[-1]
        start = f"{where}/" if where else ""
        for each in rest:
            if isinstance(each, list):
                first = len(start)
                open_ = [path for path in each if path[first] not in initials or not closes(path, path[first:])]
                yield [*filter(selects, open_)]
                continue
            name, kind, dataless = each
            path = start + name
            # Most names do not begin like a protected name; only folders are protected in other spellings.
            if (name[0] in initials or (kind != "file" and not name.isascii())) and closes(path, name):
                continue
            evicted = kind == "file" and name[0] == "." and name.endswith(_STUB)
            if evicted:
                name = name[1 : -len(_STUB)] or name
                path = paths.join(where, name)
            reached = kind in ("folder", "link") and (glob is None or glob.may_hold(path))
            if not reached and not selects(path):
                continue
            if kind == "link" and not _concerns(root, path, is_selected=selects(path)):
                continue
            is_backup = name in backups and kind == "folder"
            left_out = "Logseq backup" if is_backup else _left_out(name, path, kind, rules, dataless=dataless)
            if left_out is None and ignores.ignores(path, kind == "folder"):
                left_out = "ignored"
            if left_out is None and evicted:
                left_out = "not downloaded"
            if kind != "folder" or not reached or left_out is not None:
                if kind == "folder" and left_out is None and not folders:
                    continue
                yield Entry(path, kind, left_out)
                continue
            below, left_out = _entered(names_in, path, len(levels))
            if below is not None:
                if folders:
                    yield Entry(path, kind)
                levels.append(_level(root, path, below, ignores, rules, warn))
                break
            if left_out is not None:
                yield Entry(path, kind, left_out)
        else:
            levels.pop()


def _closing(root: Root, folder: str) -> Callable[[str, str], bool]:
    """Returns the check whether an entry (path, name) is protected; by real paths if the walk begins in a link."""
    closes = root.protection.closes
    real = root.resolved(folder)
    if real == folder:
        return closes
    return lambda path, name: closes(paths.join(real, path[len(folder) + 1 :]), name)


def _level(
    root: Root,
    folder: str,
    listing: FolderNames,
    ignores: IgnoreRules,
    rules: Rules,
    warn: Callable[[str, str], None],
) -> _Level:
    """Returns a folder of a walk; files that no rule can leave out are grouped."""
    if rules.ignores:
        names = {each.name for each in listing.others}
        if not names.isdisjoint(_SOURCES):
            ignores = _inside(root, folder, names, ignores, warn)
    may_leave_out = rules.excluded.texts or rules.default_excludes or ignores
    names_in_order = iter(listing) if may_leave_out else listing.runs()
    return _Level(folder, names_in_order, ignores, _backups(folder, listing))


def _backups(folder: str, listing: FolderNames) -> frozenset[str]:
    """Returns the names of folders with old versions of notes in a folder: none unless Logseq's settings are there."""
    above, file = settings.LOGSEQ
    is_logseq = folder.rpartition("/")[2] == above and any(each.name == file for each in listing)
    return _LOGSEQ_BACKUPS if is_logseq else frozenset()


def _inside(
    root: Root, folder: str, names: Collection[str], ignores: IgnoreRules, warn: Callable[[str, str], None]
) -> IgnoreRules:
    texts, skipped = read_ignore_files(Path(root.absolute(folder)), names, f"{folder}/" if folder else "")
    inside, duds = ignores.entering(folder, texts)
    for warning in (*skipped, *duds):
        if root.protection.folder_of(warning) is None:  # `.git/info/exclude` applies, but is never named
            warn(folder, warning)
    return inside


def _ignores_at(root: Root, folder: str, warn: Callable[[str, str], None]) -> IgnoreRules:
    """Returns the ignore rules that a walk's start inherits from the folders above.

    A folder named exactly is searched even if it is ignored: the rules that ignore it, or a folder above it, are
    dropped, and only the rules further in apply.
    """
    ignores, warnings = rules_above(Path(root.folder))
    for warning in warnings:
        warn("", warning)
    above = ""
    for part in folder.split("/") if folder else ():
        ignores = _inside(root, above, _SOURCES, ignores, warn)
        above = f"{above}/{part}" if above else part
        if ignores.ignores(above, is_folder=True):
            ignores = IgnoreRules()
    return ignores


def _entered(names_in: Callable[[str], FolderNames], path: str, depth: int) -> tuple[FolderNames | None, Reason | None]:
    """Returns a folder's names, or why it has none."""
    if depth > limits.FOLDER_DEPTH:
        return None, "too deep"
    try:
        return names_in(path), None
    except FileNotFoundError:
        return None, GONE  # it vanished after its parent was listed (fault-T03)
    except OSError:
        return None, "unreadable"


_TICK: Final = 10_000_000
"""Resolution of the clock of a file system that keeps fractions of seconds, in nanoseconds: Linux ticks every 1 to
10 ms."""


def changed_folders(
    root: Root, since: int, stop: Callable[[], bool], known: Iterable[str] | None = None
) -> Iterator[tuple[str, int]]:
    """Yields the folders whose own names may have changed after `since`, with the times of their last change, until
    `stop` returns true; both in nanoseconds since 1970.

    A rename changes the times of both folders. Protected folders and links are not entered. `known` are all folders
    before `since`: a folder that came later has changed the one above it. None: they are listed, which takes eight
    times as long.
    """
    waiting = [""] if known is None else [*known]
    while waiting and not stop():
        folder = waiting.pop()
        where = root.absolute(folder)
        with suppress(OSError):  # it is gone: the folder above it has changed
            changed = disk.stat(where).st_mtime_ns
            if changed >= since - (_TICK if changed % 1_000_000_000 else disk.GRANULARITY):
                yield folder or ".", changed
            if known is None:
                with disk.scandir(where) as scanned:
                    below = [paths.join(folder, each.name) for each in scanned if each.is_dir(follow_symlinks=False)]
                waiting += [each for each in below if root.protection.folder_of(each) is None]


def wait_for_tick(changes: Iterable[int]) -> None:
    """Waits until later changes have later times than these of `changed_folders`: 10 ms at most."""
    left = max(changes, default=0) + _TICK - time.time_ns()
    if 0 < left <= _TICK:
        time.sleep(left / 1e9)


def listed(root: Root, folder: str) -> FolderNames:
    """Returns the names in a vault-relative folder, as spelled on disk.

    Raises:
        OSError: the folder cannot be listed.
    """
    absolute = root.absolute(folder)
    try:
        with disk.scandir(absolute) as scanned:
            return _names(folder, scanned)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and disk.is_gone(absolute):
            raise
        with disk.scandir(absolute) as scanned:  # once more (fault-S05)
            return _names(folder, scanned)


def _names(folder: str, scanned: Iterable[os.DirEntry[str]]) -> FolderNames:
    files, others = [], []
    start = f"{folder}/" if folder else ""
    for entry in scanned:
        each = listed_as(entry)
        if each.kind == "file" and not each.dataless:
            files.append(start + each.name)
        else:
            others.append(each)
    return FolderNames(folder, files, others)


def listed_as(entry: os.DirEntry[str]) -> FolderEntry:
    """Returns one directory entry with its kind."""
    kind = _kind(entry)
    dataless = False
    if disk.MAY_BE_ELSEWHERE and kind == "file":
        with suppress(OSError):
            dataless = disk.is_elsewhere(entry.stat(follow_symlinks=False))
    return FolderEntry(entry.name, kind, dataless)


def _kind(entry: os.DirEntry[str]) -> Kind:
    try:
        if entry.is_file(follow_symlinks=False):
            return "file"
        # A junction of Windows leads elsewhere, like a link.
        if entry.is_symlink() or (_WINDOWS and disk.is_junction(entry.stat(follow_symlinks=False))):
            return "link"
        return "folder" if entry.is_dir(follow_symlinks=False) else "other"
    except OSError:
        return "other"


def _left_out(name: str, path: str, kind: Kind, rules: Rules, *, dataless: bool) -> Reason | None:
    if not rules.hidden and name.startswith("."):
        return "hidden"
    if rules.excluded.texts and rules.excluded.covers(path, is_folder=kind == "folder"):
        return "excluded"
    is_plain = kind in ("file", "folder")
    if rules.default_excludes and is_plain and settings.is_default(name, is_folder=kind == "folder"):
        return "default excludes"
    if kind == "folder" and name in rules.pruned:
        return "ignored"
    if kind == "link":
        return "symlink"
    if kind == "other":
        return "not a regular file"
    return "not downloaded" if dataless else None


def _concerns(root: Root, path: str, *, is_selected: bool) -> bool:
    """Whether to yield a link: it is selected, or may lead to a folder; never one into a protected folder.

    Links are rare, so a walk can afford to resolve each.
    """
    try:
        return may_lead_to_folder(root, path) or is_selected
    except AccessDenied:
        return False


def may_lead_to_folder(root: Root, path: str) -> bool:
    """Whether a link leads to a folder of the vault, out of it, or where nothing can be looked at: what is there
    changes no answer.

    Raises:
        AccessDenied: it leads into a protected folder.
    """
    try:
        return os.path.isdir(root.absolute(root.resolved(path)))
    except AccessDenied:
        raise
    except BadArgument:
        return True

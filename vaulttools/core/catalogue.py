"""Which files there are: a walk below a folder of the vault, in path order, with what the rules leave out.

Links are never followed. Protected folders are passed by without a word (spec 2.3).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal, NamedTuple

from vaulttools.core import limits
from vaulttools.core.excluded import Excluded
from vaulttools.core.globs import Glob
from vaulttools.core.root import Root
from vaulttools.core.work import Reason

Kind = Literal["file", "folder", "link", "other"]

_JUNCTIONS = sys.platform == "win32" and sys.version_info >= (3, 12)
_CLOUD_STUBS = sys.platform == "darwin"


class Entry(NamedTuple):
    """One thing a walk met. `left_out` says which rule keeps it, and all below it, out; None: it is in."""

    path: str
    kind: Kind
    left_out: Reason | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """What a walk leaves out, besides protected folders."""

    hidden: bool
    """Whether hidden files are in."""
    excluded: Excluded
    """The vault's excluded files."""


def walk(root: Root, folder: str, rules: Rules, selects: Callable[[str], bool], glob: Glob | None) -> Iterator[Entry]:
    """What lies below a vault-relative folder, each folder before what it holds; of files only those selected.

    A folder that a rule leaves out, that cannot be read, or that the glob cannot reach into is not entered.
    """
    closes = root.protection.closes
    try:
        levels = [(folder, _listed(root, folder))]
    except OSError:
        yield Entry(folder, "folder", "unreadable")
        return
    while levels:
        where, listing = levels[-1]
        for entry in listing:
            name = entry.name
            path = f"{where}/{name}" if where else name
            if closes(path, name):
                continue
            kind = _kind(entry)
            if not (_reaches(glob, path) if kind in ("folder", "link") else selects(path)):
                continue
            left_out = _left_out(entry, path, kind, rules)
            if kind != "folder" or left_out is not None:
                yield Entry(path, kind, left_out)
                continue
            below, left_out = _entered(root, path, len(levels))
            if below is not None:
                yield Entry(path, kind)
                levels.append((path, below))
                break
            if left_out is not None:
                yield Entry(path, kind, left_out)
        else:
            levels.pop()


def _reaches(glob: Glob | None, folder: str) -> bool:
    return glob is None or glob.may_hold(folder)


def _entered(root: Root, path: str, depth: int) -> tuple[Iterator[os.DirEntry[str]] | None, Reason | None]:
    """A folder's listing, or why it has none; neither when it is gone since its parent was listed (`faults.md` T03)."""
    if depth > limits.FOLDER_DEPTH:
        return None, "too deep"
    try:
        return _listed(root, path), None
    except FileNotFoundError:
        return None, None
    except OSError:
        return None, "unreadable"


def _listed(root: Root, folder: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(root.absolute(folder)) as listing:
        entries = list(listing)
    try:
        # UTF-8 keeps the order of code points, so text that encodes sorts as its bytes do, in half the time.
        entries.sort(key=attrgetter("name"))
        "".join(entry.name for entry in entries).encode()
    except UnicodeEncodeError:
        entries.sort(key=lambda entry: os.fsencode(entry.name))
    return iter(entries)


def _kind(entry: os.DirEntry[str]) -> Kind:
    try:
        if entry.is_file(follow_symlinks=False):
            return "file"
        # A junction of Windows leads elsewhere just as a link does.
        if entry.is_symlink() or (_JUNCTIONS and entry.is_junction()):  # type: ignore[attr-defined, unused-ignore]
            return "link"
        return "folder" if entry.is_dir(follow_symlinks=False) else "other"
    except OSError:
        return "other"


def _left_out(entry: os.DirEntry[str], path: str, kind: Kind, rules: Rules) -> Reason | None:
    if not rules.hidden and entry.name.startswith("."):
        return "hidden"
    if rules.excluded.texts and rules.excluded.covers(path, is_folder=kind == "folder"):
        return "excluded"
    if kind == "link":
        return "symlink"
    if kind == "other":
        return "not a regular file"
    if _CLOUD_STUBS and kind == "file" and _is_dataless(entry):
        return "not downloaded"
    return None


def _is_dataless(entry: os.DirEntry[str]) -> bool:
    """A file of iCloud that is not here: it has a size and no blocks, and reading it may hang (`faults.md` S01)."""
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    return status.st_size > 0 and getattr(status, "st_blocks", 1) == 0

"""Which files there are: a walk below a folder of the vault, in path order, with what the rules leave out.

Links are never followed. Protected folders are passed by without a word (spec 2.3).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Literal, NamedTuple

from vaulttools.core import limits
from vaulttools.core.excluded import Excluded
from vaulttools.core.globs import Glob
from vaulttools.core.ignores import IGNORE_FILES, IgnoreRules, read_ignore_files, rules_above
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
    ignores: bool = False
    """Whether ignore files hold (spec 2.6)."""
    pruned: frozenset[str] = frozenset()
    """Names of folders that are not entered, at any depth, told as ignored."""


def walk(
    root: Root,
    folder: str,
    rules: Rules,
    selects: Callable[[str], bool],
    glob: Glob | None,
    warn: Callable[[str], None],
) -> Iterator[Entry]:
    """What lies below a vault-relative folder, each folder before what it holds; of files only those selected.

    A folder that a rule leaves out, that cannot be read, or that the glob cannot reach into is not entered; the last
    kind comes only when it is selected itself. `warn` is told of ignore files, and lines in them, that cannot be used.
    """
    closes = root.protection.closes
    ignores = _ignores_at(root, folder, warn) if rules.ignores else IgnoreRules()
    listing, left_out = _entered(root, folder, 0)
    if listing is None:
        if left_out is not None:
            yield Entry(folder, "folder", left_out)
        return
    levels = [_level(root, folder, listing, ignores, rules, warn)]
    while levels:
        where, rest, ignores = levels[-1]
        for entry in rest:
            name = entry.name
            path = f"{where}/{name}" if where else name
            if closes(path, name):
                continue
            kind = _kind(entry)
            reached = kind in ("folder", "link") and (glob is None or glob.may_hold(path))
            if not reached and not selects(path):
                continue
            left_out = _left_out(entry, path, kind, rules)
            if left_out is None and ignores.ignores(path, kind == "folder"):
                left_out = "ignored"
            if kind != "folder" or not reached or left_out is not None:
                yield Entry(path, kind, left_out)
                continue
            below, left_out = _entered(root, path, len(levels))
            if below is not None:
                yield Entry(path, kind)
                levels.append(_level(root, path, below, ignores, rules, warn))
                break
            if left_out is not None:
                yield Entry(path, kind, left_out)
        else:
            levels.pop()


def _level(
    root: Root,
    folder: str,
    listing: list[os.DirEntry[str]],
    ignores: IgnoreRules,
    rules: Rules,
    warn: Callable[[str], None],
) -> tuple[str, Iterator[os.DirEntry[str]], IgnoreRules]:
    """A folder being walked: its path, its entries, and the ignore rules in force for them."""
    if rules.ignores:
        ignores = _inside(root, folder, {entry.name for entry in listing}, ignores, warn)
    return folder, iter(listing), ignores


def _inside(
    root: Root, folder: str, names: Collection[str], ignores: IgnoreRules, warn: Callable[[str], None]
) -> IgnoreRules:
    texts, skipped = read_ignore_files(Path(root.absolute(folder)), names, f"{folder}/" if folder else "")
    inside, duds = ignores.entering(folder, texts)
    for warning in (*skipped, *duds):
        warn(warning)
    return inside


def _ignores_at(root: Root, folder: str, warn: Callable[[str], None]) -> IgnoreRules:
    """The rules that the folders above a walk's start bring to it.

    A folder named exactly is searched even if it is ignored: what ignores it, or a folder above it, is dropped there,
    and only the rules further in hold (spec 2.6).
    """
    ignores, warnings = rules_above(Path(root.folder))
    for warning in warnings:
        warn(warning)
    above = ""
    for part in folder.split("/") if folder else ():
        ignores = _inside(root, above, (".git", *IGNORE_FILES), ignores, warn)
        above = f"{above}/{part}" if above else part
        if ignores.ignores(above, is_folder=True):
            ignores = IgnoreRules()
    return ignores


def _entered(root: Root, path: str, depth: int) -> tuple[list[os.DirEntry[str]] | None, Reason | None]:
    """A folder's listing, or why it has none; neither when it is gone since its parent was listed (`faults.md` T03)."""
    if depth > limits.FOLDER_DEPTH:
        return None, "too deep"
    try:
        return _listed(root, path), None
    except FileNotFoundError:
        return None, None
    except OSError:
        return None, "unreadable"


def _listed(root: Root, folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(root.absolute(folder)) as listing:
        entries = list(listing)
    try:
        # UTF-8 keeps the order of code points, so text that encodes sorts as its bytes do, in half the time.
        entries.sort(key=attrgetter("name"))
        "".join(entry.name for entry in entries).encode()
    except UnicodeEncodeError:
        entries.sort(key=lambda entry: os.fsencode(entry.name))
    return entries


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
    if kind == "folder" and entry.name in rules.pruned:
        return "ignored"
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

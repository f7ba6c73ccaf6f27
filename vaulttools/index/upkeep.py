"""Implements the commands for an index: status, verify, clear."""

from __future__ import annotations

import shutil
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

from vaulttools.attachments import texts
from vaulttools.core import paths
from vaulttools.files.disk import Key
from vaulttools.files.root import Root
from vaulttools.index import database, file, filesystems, location
from vaulttools.index.content import LACKS_WORDS, Content, scan
from vaulttools.index.database import Replaced, Unavailable
from vaulttools.index.rows import Rows
from vaulttools.index.store import FileRow, IndexStore, Status
from vaulttools.index.tree import Tree


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """The state of one vault's index."""

    folder: Path
    """The index folder, which may not hold an index."""
    holds: Status | None
    """The index in numbers; None without an index."""
    stale: int
    """Files that have to be read: new, changed, or changed so recently that the key proves nothing."""
    gone: int
    """Indexed files that are no longer in the vault."""
    warning: str | None = None
    """One sentence if an unusable index was found and moved aside just now."""

    @property
    def is_current(self) -> bool:
        """Whether the index holds every file in its current form."""
        return self.holds is not None and not self.stale and not self.gone


def status(root: Root, index_folder: str | None) -> IndexStatus:
    """Returns the state of an index, after a `stat` of every file.

    Raises:
        Unavailable: no index is possible here, or it cannot be read.
        VaultToolsError: the vault's folder cannot be read.
    """
    root.ensure_readable()
    where = location.of(root, index_folder)
    if not where.database.exists():
        return IndexStatus(where.folder, None, len(Tree(root, None).files()), 0)
    with closing(_opened(where)) as store:
        rows = Rows()
        rows.load(store.columns(), time.time_ns())
        first = Tree(root, None, rows=rows).first
        stale = first.files.union(row.path for row in rows.unusual if row.flags & LACKS_WORDS)
        return IndexStatus(where.folder, store.status(), len(stale), len(first.gone), store.database.warning)


def verify(root: Root, index_folder: str | None) -> list[str]:
    """Reads every file again and returns each difference from the index, as a sentence that begins with the path;
    first, what is wrong with the index as a whole.

    Raises:
        Unavailable: there is no index, or it cannot be read.
        VaultToolsError: the vault's folder cannot be read.
    """
    root.ensure_readable()
    where = location.of(root, index_folder)
    if not where.database.exists():
        raise Unavailable("There is no index of this vault: build it with `vaulttools index build`")
    with closing(_opened(where)) as store:
        tree = Tree(root, None)
        found = differences(store, root, tree.files(), tree.now.unlisted)
        return [store.database.warning, *found] if store.database.warning else found


def differences(store: IndexStore, root: Root, present: Mapping[str, Key], unlisted: Collection[str] = ()) -> list[str]:
    """Returns a sentence for each difference between an index and its files, even if their keys are equal.

    If SQLite finds damage, only that is returned.

    Args:
        store: The index.
        root: The vault.
        present: Every listed file of the vault, with its key.
        unlisted: Folders that could not be listed: indexed files below them are kept and not compared (fault-I14).

    Raises:
        Unavailable: the index cannot be read, or not checked because the disk is full.
    """
    damage = [f"The index is damaged: {fault}" for fault in store.faults()]
    try:
        return damage or list(_compared(store, root, present, unlisted))
    except Replaced as error:
        return [str(error)]


def _compared(store: IndexStore, root: Root, present: Mapping[str, Key], unlisted: Collection[str]) -> Iterator[str]:
    rows = {row.path: row for row in store.rows()}
    attachments = texts.beside(store.database.path, root)
    for path in sorted(rows.keys() | present.keys(), key=paths.order):
        row = rows.get(path)
        name = paths.shown(path)
        if path not in present:
            if not any(paths.is_below(folder, path) for folder in unlisted):
                yield f"{name}: is in the index, and not in the vault"
        elif row is None:
            yield f"{name}: is not in the index"
        elif (found := scan(root, path, attachments)) is None:
            yield f"{name}: is in the index, and not in the vault"
        elif found.key != row.key:
            yield f"{name}: has changed since it was indexed"
        elif wrong := _wrong(store, row, found):
            yield f"{name}: {wrong}"


def _wrong(store: IndexStore, row: FileRow, found: Content) -> str:
    """Returns how a row with an unchanged key differs from its file; `""` if it does not."""
    if found.state != row.state:
        return f"is {found.state}, and {row.state} in the index"
    if found.state == "unread":
        return ""
    if found.digest != row.digest:
        return "has changed since it was indexed, though its times and size are the same"
    if row.flags & LACKS_WORDS:
        return "has only its structure in the index"
    if found.flags != row.flags:
        return "has other line ends in the index"
    if found.tokens.text and store.lacks(row.id, _sampled(found)):
        return "is not found by its own text"
    if paths.is_note(row.path) and found.state == "text" and not store.structures([row.id]):
        return "has no structure in the index"
    return ""


def _sampled(content: Content) -> list[str]:
    """Returns the first token, the last one, and one chosen by the digest of the text."""
    tokens = content.tokens.text.split(" ")
    return list({tokens[0], tokens[int.from_bytes(content.digest[:8], "big") % len(tokens)], tokens[-1]})


def clear(root: Root, index_folder: str | None) -> bool:
    """Remove an index, and those of other versions of this package; False if there was none. A process that uses one
    notices, and builds another.

    Raises:
        Unavailable: an index cannot be removed; then all of them stay.
    """
    where = location.of(root, index_folder)
    found = {file for kind in ("index", "meaning") for file in where.folder.glob(f"{kind}-*.sqlite")}
    databases = sorted({where.database, *found})  # in one order, so that two who remove do not wait for each other
    with ExitStack() as locks:
        for path in databases:
            locks.enter_context(database.write_lock(path, wait=True))
        there = any(path.exists() for path in databases)
        try:
            file.rename_aside(databases)
        except OSError as error:
            why = _OPEN if getattr(error, "winerror", None) == _SHARING_VIOLATION else error.strerror
            raise Unavailable(f"The index was not removed: {why}") from error
        for left in chain.from_iterable(path.parent.glob(f"{path.name}*") for path in databases):
            if left.suffix != ".lock":  # others may wait for it
                with suppress(OSError):  # a program that scans new files has it open: the next removal takes it
                    left.unlink()
    shutil.rmtree(texts.folder_beside(where.database), ignore_errors=True)
    return there


_OPEN: Final = "it is open elsewhere; end the programs that use this vault, and try again"

_SHARING_VIOLATION: Final = 32
"""Windows: ERROR_SHARING_VIOLATION. SQLite opens its files so that nobody can rename or remove them meanwhile."""


def _opened(where: location.Location) -> IndexStore:
    return IndexStore.open(where.database, where.options, wal=filesystems.holds_wal(str(where.folder)))

"""Implements what a person does with an index: status, verify, clear."""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from vaulttools.attachments.texts import folder_beside
from vaulttools.files.root import Root
from vaulttools.index import database, filesystems, location
from vaulttools.index import verify as verification
from vaulttools.index.database import Unavailable
from vaulttools.index.rows import Rows
from vaulttools.index.store import IndexStore, Status
from vaulttools.index.tree import Tree


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """The state of one vault's index."""

    folder: Path
    """Where it lies, or would."""
    holds: Status | None
    """Its numbers; None when there is none."""
    stale: int
    """Files of the vault that have to be read: new, changed, or too young to be sure."""
    gone: int
    """Files that it holds and the vault does not."""
    warning: str | None = None
    """One sentence when what was found was of no use, and was moved aside just now."""

    @property
    def is_current(self) -> bool:
        """Whether it holds every file as it is now."""
        return self.holds is not None and not self.stale and not self.gone


def status(root: Root, index_folder: str | None) -> IndexStatus:
    """The state of an index, after a look at the status of every file.

    Raises:
        Unavailable: there can be none here, or it cannot be read.
        VaultToolsError: the vault's folder cannot be read.
    """
    root.ensure_readable()
    where = location.of(root, index_folder)
    tree = Tree(root, None)
    if not where.database.exists():
        return IndexStatus(where.folder, None, len(tree.files()), 0)
    store = _opened(where)
    try:
        stale, gone = Rows(store.columns()).differences(tree.stamps(), time.time_ns(), tree.unlisted)
        return IndexStatus(where.folder, store.status(), len(stale), len(gone), store.warning)
    finally:
        store.close()


def verify(root: Root, index_folder: str | None) -> list[str]:
    """Every difference between an index and the files, each read again, as a sentence that begins with its path; before
    them, what was wrong with the index as a whole.

    Raises:
        Unavailable: there is no index, or it cannot be read.
        VaultToolsError: the vault's folder cannot be read.
    """
    root.ensure_readable()
    where = location.of(root, index_folder)
    if not where.database.exists():
        raise Unavailable("There is no index of this vault: build it with `vaulttools index build`")
    store = _opened(where)
    try:
        tree = Tree(root, None)
        found = verification.verify(store, root, tree.files(), tree.unlisted)
        return [store.warning, *found] if store.warning else found
    finally:
        store.close()


def clear(root: Root, index_folder: str | None) -> bool:
    """Remove an index, and those of other versions of this package; False when there was none. A process that uses one
    notices, and builds another.

    Raises:
        Unavailable: it cannot be removed.
    """
    where = location.of(root, index_folder)
    there = [_removed(path) for path in {where.database, *where.databases(), *where.vectors()}]
    shutil.rmtree(folder_beside(where.database), ignore_errors=True)
    return any(there)


def _removed(path: Path) -> bool:
    """Remove one database and what belongs to it; False when there was none."""
    with database.write_lock(path, wait=True):
        there = path.exists()
        # The database last: its log, left alone, would be taken for that of the next one.
        for file in sorted(path.parent.glob(f"{path.name}*"), key=path.__eq__):
            if file.suffix != ".lock":  # which others may be waiting for
                with suppress(FileNotFoundError):
                    try:
                        file.unlink()
                    except PermissionError as error:  # Windows, while it is open elsewhere
                        raise Unavailable(f"The index cannot be removed: {error.strerror}") from error
    return there


def _opened(where: location.Location) -> IndexStore:
    return IndexStore.open(where.database, where.options, wal=filesystems.holds_wal(str(where.folder)))

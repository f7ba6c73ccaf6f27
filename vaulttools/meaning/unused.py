"""Removes the vectors of packaged models that no process has used for a month.

A newer version of the extra has vectors of its own, and those of the old one would stay. They are not removed at once:
two environments with different models may use one vault, and each would embed it anew again and again. Vectors of an
endpoint or of a model in a folder are never removed so: they may have cost money, or belong to another configuration.
"""

from __future__ import annotations

import os
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import apsw

from vaulttools.meaning.store import VectorStore, remove

UNUSED_SECONDS: Final = 30 * 86_400.0


def remove_unused(store: VectorStore, now: float) -> None:
    """Note that the vectors of a store are used `now`, in seconds since 1970, and remove what is beside them unused.

    Raises:
        NoMeaning: the vectors cannot be written.
    """
    if not store.path.exists():
        return
    if store.key.is_packaged:
        store.mark_packaged()
    with suppress(OSError):
        os.utime(store.path, (now, now))
    if not store.key.is_packaged:
        return
    for path in store.path.parent.glob("meaning-*.sqlite"):
        with suppress(OSError, apsw.Error):
            if path != store.path and now - path.stat().st_mtime > UNUSED_SECONDS and _is_packaged(path):
                remove(path)
                path.with_suffix(".lock").unlink(missing_ok=True)


def _is_packaged(path: Path) -> bool:
    """Whether a packaged model made these vectors."""
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)) as connection:
        return bool(connection.execute("SELECT 1 FROM meta WHERE name = 'packaged'").fetchall())

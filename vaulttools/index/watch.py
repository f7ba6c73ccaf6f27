"""Tells of changes below the folders of a vault, so that nobody walks them again.

What no watch sees, so that its owner must look for itself:

- A file of several names (hard links) changes through one of them, and an event comes for the folder of that
  name only. A name that is added elsewhere gives no event.
  The same holds for a descriptor opened under a name that is deleted since.
- A write through a mapping (`mmap`) gives an event when the mapping and its descriptor are closed, not before.
- On Linux, what another computer writes through this one's NFS server may bear no name, and then gives no event.

Events carry names. A folder's name may now stand for another folder, even with the same inode number: it is to be
removed, added and listed again, with all below it.
"""

from __future__ import annotations

import json
import os
from typing import Final, Protocol

from vaulttools.errors import BadArgument

VARIABLE: Final = "VAULTTOOLS_WATCH"
"""The variable of the environment that turns the watch off: for a disk that others write to and that does not look so,
and for tests."""


class Lost(Exception):
    """Changes may have been missed: nothing is known any more, and this watch will never tell of anything again.

    An overflow, an unmount, a mount over the vault or in it, the root moved or deleted, no more watches to be had,
    another process after a fork. Never leaves the package.
    """


class Watch(Protocol):
    """Reports changes. Not thread-safe: its owner holds a lock."""

    def add(self, folder: str) -> None:
        """Begin to watch one vault-relative folder (`""`: the root), not what is below it; before it is listed.

        A folder that is gone is no error, nor one that may not be read: it cannot be listed either, and what would
        change that the folder above reports.

        Raises:
            Lost: it cannot be watched.
        """
        ...

    def remove(self, folder: str) -> None:
        """This folder and all below it are no longer there: deleted, moved away, protected or about to be added anew.

        Raises:
            Lost: in another process.
        """
        ...

    def drain(self) -> dict[str, set[str]]:
        """Every change that was finished before the call: the names touched, by vault-relative folder.

        Touched is what was created, deleted, renamed or written, or whose status changed; once told, not again. A
        folder's own status is told by its name in the folder above; the root's by the name `""` in `""`. A folder
        that is reported may be gone.

        Raises:
            Lost: changes may have been missed.
        """
        ...

    def close(self) -> None:
        """Give back what the system lent. May be called twice."""
        ...


def is_off() -> bool:
    """Whether the environment says that no watch is to be used.

    Raises:
        BadArgument: it says something else than `auto` or `off`.
    """
    given = os.environ.get(VARIABLE, "").strip()
    if given.lower() not in ("", "auto", "off"):
        raise BadArgument(f"{VARIABLE} must be auto or off, got {json.dumps(given)}")
    return given.lower() == "off"

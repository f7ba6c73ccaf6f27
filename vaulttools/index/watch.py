"""Watch: is told of changes below the folders of a vault, so that they need not be walked again; and which one serves.

What no watch sees, so that its owner must look for itself:

- A file of several names (hard links) changes through one of them, and only the folder of that name is told. That a
  name was added elsewhere is told to nobody. The same holds for a descriptor opened under a name that is deleted since.
- A write through a mapping (`mmap`) is told when the mapping and its descriptor are closed, not before.
- On Linux, what another computer writes through this one's NFS server may bear no name, and is then not told.

What is told is names. A folder's name may now stand for another folder, even with the same inode number: it is to be
removed, added and listed again, with all below it.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Final, Protocol

from vaulttools.errors import BadArgument
from vaulttools.files.root import Root
from vaulttools.index import filesystems

VARIABLE: Final = "VAULTTOOLS_WATCH"
"""The variable of the environment that turns the watch off: for a disk that others write to and that does not look so,
and for tests."""


class Lost(Exception):
    """Changes may have been missed: nothing is known any more, and this watch will never tell of anything again.

    An overflow, an unmount, a mount over the vault or in it, the root moved or deleted, no more watches to be had,
    another process after a fork. Never leaves the package.
    """


class Watch(Protocol):
    """Tells of changes. Not for several threads at once: whoever owns it holds a lock."""

    def add(self, folder: str) -> None:
        """Begin to watch one vault-relative folder (`""`: the root), not what is below it; before it is listed.

        A folder that is gone is no error, nor one that may not be read: it cannot be listed either, and what would
        change that is told by the folder above.

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
        that is told of may be gone.

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


def watch(root: Root) -> Watch | None:
    """What tells of every change below a root; None where nothing does so dependably, and only a walk will do; likewise
    where the environment says so.

    On Linux inotify, where the file system serves it. Elsewhere nothing:

    - macOS drops events under load and says so, but watchfiles 1.3 passes the notice over (its `src/lib.rs` returns on
      `EventKind::Other`, which bears the notice).
    - Windows keeps no order between the changes of two folders that are watched, so a cookie file beside the vault
      proves nothing about the changes in it.
    """
    if sys.platform != "linux" or is_off():
        return None
    from vaulttools.index.inotify import InotifyWatch

    try:
        found = InotifyWatch(root)
    except OSError:  # no more of them, or no more descriptors; or the folder is gone
        return None
    # After the watch has begun to look out for mounts, so that none comes unseen between the two.
    if filesystems.tells_changes(root.folder):
        return found
    found.close()
    return None

"""Defines how changes below a vault's folders are reported, so that no walk is needed.

A watch cannot see these changes, so its owner must look for itself:

- A file with several names (hard links) changes through one of them: only the folder of that name reports it. A name
  added elsewhere causes no event.
  The same holds for a descriptor whose name was deleted after opening.
- A write through a mapping (`mmap`) causes an event only when the mapping and its descriptor are closed.
- On Linux, writes by another computer through this one's NFS server may have no name, and then cause no event.

Events contain names. A folder's name may now belong to another folder, even with the same inode number: the owner must
remove, add and list it again, with everything below it.
"""

from __future__ import annotations

import json
import os
from typing import Final, Protocol

from vaulttools.errors import BadArgument

VARIABLE: Final = "VAULTTOOLS_WATCH"
"""The environment variable that turns the watch off: for tests, and for a disk that is shared with other computers but
looks local."""


class Lost(Exception):
    """Changes may have been missed: all knowledge is void, and this watch reports nothing any more.

    Causes: an overflow, an unmount, a mount over or in the vault, the root moved or deleted, no watches left, another
    process after a fork. Never leaves the package.
    """


class Watch(Protocol):
    """Reports changes. Not thread-safe: its owner holds a lock."""

    def add(self, folder: str) -> None:
        """Watch one vault-relative folder (`""`: the root), not those below it. Call this before listing the folder.

        A folder that is gone or unreadable is no error: it cannot be listed either, and its parent reports when that
        changes.

        Raises:
            Lost: the folder cannot be watched.
        """
        ...

    def remove(self, folder: str) -> None:
        """Stop watching a folder and all below it: deleted, moved away, protected or about to be added again.

        Raises:
            Lost: this is another process.
        """
        ...

    def drain(self) -> dict[str, set[str]]:
        """Returns the names touched by changes that finished before the call, by vault-relative folder.

        A name is touched if it was created, deleted, renamed or written, or its status changed; each touch is reported
        once. A folder's own status is reported by its name in its parent, the root's by the name `""` in `""`. A
        reported folder may be gone.

        Raises:
            Lost: changes may have been missed.
        """
        ...

    def close(self) -> None:
        """Release the system's resources. May be called twice."""
        ...


def is_off() -> bool:
    """Whether the environment turns the watch off.

    Raises:
        BadArgument: the variable is neither `auto` nor `off`.
    """
    given = os.environ.get(VARIABLE, "").strip()
    if given.lower() not in ("", "auto", "off"):
        raise BadArgument(f"{VARIABLE} must be auto or off, got {json.dumps(given)}")
    return given.lower() == "off"

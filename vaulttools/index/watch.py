"""Decides whether changes are watched."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Final

from vaulttools.errors import BadArgument
from vaulttools.files.root import Root
from vaulttools.index import filesystems

if TYPE_CHECKING:
    from vaulttools.index.inotify import InotifyWatch

VARIABLE: Final = "VAULTTOOLS_WATCH"
"""The environment variable that turns the watch off: for tests, and for a disk that is shared with other computers but
looks local."""


def is_off() -> bool:
    """Whether the environment turns the watch off.

    Raises:
        BadArgument: the variable is neither `auto` nor `off`.
    """
    given = os.environ.get(VARIABLE, "").strip()
    if given.lower() not in ("", "auto", "off"):
        raise BadArgument(f"{VARIABLE} must be auto or off, got {json.dumps(given)}")
    return given.lower() == "off"


def watch(root: Root) -> InotifyWatch | None:
    """Returns a watch of every change below a root; None where no dependable one exists, or the environment turns it
    off.

    Linux has inotify, on file systems that support it. Other systems have none:

    - macOS drops events under load and says so, but watchfiles 1.3 ignores the notice (its `src/lib.rs` returns on
      `EventKind::Other`, which carries it).
    - Windows does not order changes across two watched folders, so a cookie file beside the vault proves nothing about
      changes in the vault.
    """
    if sys.platform != "linux" or is_off():
        return None
    from vaulttools.index.inotify import InotifyWatch

    try:
        found = InotifyWatch(root)
    except OSError:  # no watches or descriptors are left, or the folder is gone
        return None
    # Checked after the watch began to look for mounts, so that no mount is missed in between.
    if filesystems.tells_changes(root.folder):
        return found
    found.close()
    return None

"""Chooses the watch that serves a vault on this system, if any does."""

from __future__ import annotations

import sys

from vaulttools.files.root import Root
from vaulttools.index import filesystems
from vaulttools.index.watch import Watch, is_off


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

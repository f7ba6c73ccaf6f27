"""Builds the index for which a command had no time, in another process."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from typing import Final

from vaulttools.core import own_python
from vaulttools.errors import VaultToolsError
from vaulttools.index import database, location
from vaulttools.index.database import IndexBusy
from vaulttools.vault import Vault

_LOWER: Final = 19
"""How much lower its priority is, as far as it goes: whatever else the machine has to do comes first."""

_left_behind: Final[list[subprocess.Popen[bytes]]] = []
"""Nobody waits for them; one that is forgotten while it runs makes Python warn."""


def start(folder: str) -> subprocess.Popen[bytes] | None:
    """Start to build the index of the vault at an absolute folder, and do not wait; None: no process can be started.

    It ends at once when another process builds that index.
    """
    if not own_python.can_start():
        return None
    windows = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    try:
        process = subprocess.Popen(
            own_python.command(__name__, folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # neither Ctrl-C nor the end of the terminal ends it
            creationflags=windows,
            cwd=os.path.abspath(os.sep),  # no folder is held in use
        )
    except OSError:
        return None
    _left_behind.append(process)
    return process


def build(folder: str) -> None:
    """Build the index of a vault, unless another process does.

    Raises:
        VaultToolsError: there can be none.
    """
    with Vault.open(folder, index="auto") as vault, suppress(IndexBusy):
        where = location.of(vault.session.root, vault.config.index_folder)
        with database.write_lock(where.database, wait=False):
            pass
        vault.build_index()


def run() -> None:
    """Build the index of the vault that the command line names."""
    own_python.give_way(_LOWER)
    with suppress(VaultToolsError):  # the next command that needs an index says why there is none
        build(sys.argv[1])


if __name__ == "__main__":
    run()

"""Builds the index for which a command had no time, in another process."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Final

from vaulttools.core import child
from vaulttools.errors import VaultToolsError
from vaulttools.index import database, location
from vaulttools.index.database import IndexBusy
from vaulttools.vault import Vault

_LOWER: Final = 19
"""How much lower its priority is, as far as it goes: whatever else the machine has to do comes first."""


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
    child.begin(_LOWER)
    with suppress(VaultToolsError):  # the next command that needs an index says why there is none
        build(sys.argv[1])


if __name__ == "__main__":
    run()

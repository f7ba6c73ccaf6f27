"""Makes a private temporary folder, which only the process that made it removes.

`tempfile.TemporaryDirectory` forgets that processes fork: a child that ends removes what its parent still uses.
"""

from __future__ import annotations

import os
import weakref


class TemporaryFolder:
    """A folder that only this user can read; removed by `remove`, else with this object or when the process ends."""

    def __init__(self) -> None:
        from tempfile import mkdtemp

        self.path = mkdtemp(prefix="vaulttools-")
        self.remove = weakref.finalize(self, _remove, self.path, os.getpid())


def _remove(path: str, maker: int) -> None:
    from shutil import rmtree

    if os.getpid() == maker:
        rmtree(path, ignore_errors=True)

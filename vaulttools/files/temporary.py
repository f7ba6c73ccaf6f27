"""Makes a private temporary folder, which only the process that made it removes.

`tempfile.TemporaryDirectory` forgets that processes fork: a child that ends removes what its parent still uses.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable
from threading import Thread, current_thread


class TemporaryFolder:
    """A folder that only this user can read; removed by `remove`, else with this object or when the process ends."""

    def __init__(self) -> None:
        from tempfile import mkdtemp

        self.path = mkdtemp(prefix="vaulttools-")
        self.users: list[Thread] = []
        """Threads that write into it. Each holds this object and calls `clear` at last: only the end of the process
        comes before that, and waits for those that have been told to end."""
        self._maker = os.getpid()
        self.remove = weakref.finalize(self, _remove, self.path, self._maker, self.users)

    def clear(self) -> None:
        """Remove the folder, in a thread that uses it."""
        _remove(self.path, self._maker)


def _remove(path: str, maker: int, users: Iterable[Thread] = ()) -> None:
    from shutil import rmtree

    if os.getpid() != maker:
        return
    for user in users:
        if user is not current_thread():
            user.join()
    rmtree(path, ignore_errors=True)

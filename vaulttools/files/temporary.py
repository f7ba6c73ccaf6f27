"""Makes a private temporary folder that only its own process removes.

`tempfile.TemporaryDirectory` ignores forks: a child that ends removes the folder that its parent still uses.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable
from threading import Thread, current_thread


class TemporaryFolder:
    """A folder that only this user can read; removed by `remove`, with this object, or when the process ends."""

    def __init__(self) -> None:
        from tempfile import mkdtemp

        self.path = mkdtemp(prefix="vaulttools-")
        self.users: list[Thread] = []
        """Threads that write into it. Each holds this object and calls `clear` at its end; if the process ends first,
        removal waits for the threads, which have been asked to end."""
        self._maker = os.getpid()
        self.remove = weakref.finalize(self, _remove, self.path, self._maker, self.users)

    def clear(self) -> None:
        """Remove the folder, from a thread that uses it."""
        _remove(self.path, self._maker)


def _remove(path: str, maker: int, users: Iterable[Thread] = ()) -> None:
    from shutil import rmtree

    if os.getpid() != maker:
        return
    for user in users:
        if user is not current_thread():
            user.join()
    rmtree(path, ignore_errors=True)

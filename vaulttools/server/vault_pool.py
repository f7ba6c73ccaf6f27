"""Opens the vaults of a host on demand, and closes unused ones."""

from __future__ import annotations

import logging
import os
import stat
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Condition, Lock, Thread
from typing import Final, Literal

from vaulttools.errors import BadArgument
from vaulttools.files import disk
from vaulttools.files.real_path import real_path
from vaulttools.server.calls import Busy
from vaulttools.server.vaults import take_note_uris
from vaulttools.vault import Vault

OPEN: Final = 64
"""Default upper bound of open vaults. Each keeps a thread, a file watch and an index in memory."""

IDLE_SECONDS: Final = 300.0
"""Seconds until an unused vault is closed."""

WAIT_SECONDS: Final = 10.0
"""Seconds to wait for another vault to close, if the maximum number is in use."""

_log = logging.getLogger("vaulttools")


@dataclass(slots=True)
class _Kept:
    """A vault that is open or about to open."""

    lock: Lock = field(default_factory=Lock)
    vault: Vault | None = None
    users: int = 0
    used: float = 0.0
    """When its last call ended, by the monotonic clock."""


class VaultPool:
    """The vaults of a host: each folder directly in the root, except links and names that begin with a dot."""

    def __init__(self, root: str, most: int = OPEN, index: Literal["off"] | None = None) -> None:
        """Raises: BadArgument: there is no such folder."""
        self._root = real_path(os.path.expanduser(root))
        if not os.path.isdir(self._root):
            raise BadArgument(f"--vaults-root must be a folder, got '{root}'")
        self._most = most
        self._index = index
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        """By name; the last used vault is last."""
        self._changed = Condition()
        self._gone: SimpleQueue[Vault | None] = SimpleQueue()
        """Vaults for a thread to close: ending the work on an index takes a moment. None ends the thread."""
        self._closer = Thread(target=self._close_unused, name="vaulttools-pool", daemon=True)
        self._closer.start()

    def has(self, name: str) -> bool:
        """Whether a folder with that name is a vault now."""
        if not name or name.startswith(".") or name != os.path.basename(name) or "\\" in name or "\0" in name:
            return False
        folder = os.path.join(self._root, name)
        try:
            # A disk that ignores case finds it by other names, too, and each would be another vault.
            return stat.S_ISDIR(disk.lstat(folder).st_mode) and real_path(folder) == folder
        except (OSError, ValueError):  # a token file may hold a name that no file can have
            return False

    def is_open(self, name: str) -> bool:
        """Whether the vault with that name is open."""
        kept = self._kept.get(name)
        return kept is not None and kept.vault is not None

    def is_ready(self, name: str) -> bool:
        """Whether the vault with that name is open, and no call waits long for its index."""
        kept = self._kept.get(name)
        return kept is not None and kept.vault is not None and kept.vault.is_ready

    @property
    def open_vaults(self) -> list[str]:
        """Names of the open vaults; the last used one is last."""
        return list(self._kept)

    @contextmanager
    def lent(self, name: str) -> Iterator[Vault]:
        """Yields the vault with that name, opened if necessary, and keep it open while it is used.

        Raises:
            BadArgument: there is no such vault, or it cannot be opened.
            Busy: no other vault could be closed in time.
        """
        kept = self._taken(name)
        try:
            with kept.lock:
                if kept.vault is None:
                    if not self.has(name):
                        raise BadArgument("There is no such vault")
                    kept.vault = self._opened(name)
                    take_note_uris(kept.vault, name)
            yield kept.vault
        finally:
            with self._changed:
                kept.users -= 1
                kept.used = time.monotonic()
                if kept.vault is None and not kept.users:
                    self._kept.pop(name, None)
                self._changed.notify_all()

    def _opened(self, name: str) -> Vault:
        try:
            return Vault.open(os.path.join(self._root, name), index=self._index)
        except BadArgument as error:  # it may name folders of the host, and other vaults of its configuration
            _log.warning("A vault cannot be opened: %s", error)
            raise BadArgument("The vault cannot be opened; the log of the server has the reason") from None

    def close(self) -> None:
        """Close all vaults; running calls go on to their end."""
        with self._changed:
            for name in list(self._kept):
                self._queue_closing(name)
        self._gone.put(None)
        self._closer.join()

    def _taken(self, name: str) -> _Kept:
        """Mark a vault as used, and make room for a new one by closing an unused vault: preferably an indexed one,
        because closing another loses part of its indexing."""
        ends = time.monotonic() + WAIT_SECONDS
        with self._changed:
            while name not in self._kept and len(self._kept) >= self._most:
                unused = [each for each, kept in self._kept.items() if not kept.users]
                if unused:
                    self._queue_closing(next(filter(self.is_ready, unused), unused[0]))
                elif not self._changed.wait(ends - time.monotonic()):
                    raise Busy(f"The server is busy: {self._most:,} vaults are in use; call again later")
            kept = self._kept.setdefault(name, _Kept())
            self._kept.move_to_end(name)
            kept.users += 1
        return kept

    def _queue_closing(self, name: str) -> None:
        """Queue a vault for closing; the caller holds the lock."""
        vault = self._kept.pop(name).vault
        if vault is not None:
            self._gone.put(vault)

    def _close_unused(self) -> None:
        """Close the queued vaults, and now and then queue those that were idle."""
        while True:
            try:
                vault = self._gone.get(timeout=IDLE_SECONDS / 10)
            except Empty:
                self.close_idle(time.monotonic() - IDLE_SECONDS)
                continue
            if vault is None:
                return
            vault.close()

    def close_idle(self, before: float) -> None:
        """Close the vaults whose last call ended before a time of the monotonic clock."""
        with self._changed:
            idle = [name for name, kept in self._kept.items() if not kept.users and kept.used < before]
            for name in idle:
                self._queue_closing(name)
            self._changed.notify_all()

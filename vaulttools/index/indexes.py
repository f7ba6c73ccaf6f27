"""Keeps the index of a vault, or one in a temporary folder for it."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING

from vaulttools.config import VaultConfig
from vaulttools.core.work import Work
from vaulttools.files.root import Root
from vaulttools.files.temporary import TemporaryFolder
from vaulttools.index.background import BackgroundIndex
from vaulttools.index.database import Unavailable
from vaulttools.index.progress import Progress
from vaulttools.index.snapshot import Snapshot

if TYPE_CHECKING:
    from vaulttools.attachments.texts import Attachments


class Indexes:
    """What one open vault has of indexes, for any number of threads."""

    def __init__(self, root: Root, config: VaultConfig, attachments: Attachments | None, *, has_index: bool) -> None:
        """`has_index`: whether one is kept beyond the use of the vault."""
        self._root = root
        self._config = config
        self._attachments = attachments
        self._has_index = has_index
        self.own = self._made(config.index_folder)
        """The index in the user's cache folder; it begins to work when it is first asked."""
        # Of a vault that nobody closed; a process that ends need not wait for it.
        weakref.finalize(self, self.own.end).atexit = False

    @property
    def passing(self) -> BackgroundIndex:
        """An index for a vault that has none, in a temporary folder: what needs the structure of all notes is then
        answered in one way. It ends with the use of the vault."""
        name = f"passing_{os.getpid()}"  # a child after a fork makes its own, since its parent may end first
        if name not in vars(self):
            live = self._made(TemporaryFolder())
            if vars(self).setdefault(name, live) is live:
                # Nobody waits for the index here: the garbage collector may run this in a thread that holds a lock
                # which the index needs.
                # When the process ends, this comes before the folder is removed.
                weakref.finalize(self, live.end)
                vars(self)["_close_passing"] = live.close
        made: BackgroundIndex = vars(self)[name]
        return made

    def structures(self, work: Work, wait: float = 0.0) -> Snapshot | None:
        """The index of all notes' structures, after so many seconds for it at most; None: there is none yet.

        Without an index, or where there can be none, one is made for as long as the vault is open. It is the view of
        the call from then on.
        """
        view: Snapshot | None = work.view
        if view is not None and (not wait or view.has_facts):
            return view
        for index in self._asked():
            with suppress(Unavailable):
                if wait:
                    index.wait(cancel=work.cancel, timeout=wait, facts_alone=True)
                work.view = view = index.view(work.started)
                if view is not None or index.unavailable is None:
                    return view
        return None

    def wait(self, on_progress: Callable[[int, int], None] | None = None, cancel: Event | None = None) -> None:
        """Wait until the structure of every note is known, however long that takes.

        Raises:
            VaultToolsError: the vault's folder is gone or cannot be read.
            Cancelled: the caller set `cancel`.
        """
        for index in self._asked():
            with suppress(Unavailable):
                index.wait(on_progress, cancel, facts_alone=True)
                return

    def progress(self) -> Progress | None:
        """How far the index is while it is being built, the temporary one included; None: nothing is missing."""
        made = (self.own, vars(self).get(f"passing_{os.getpid()}"))
        return next((progress for each in made if each is not None and (progress := each.progress())), None)

    def close(self) -> None:
        """End the work on them; calls under way go on to their end."""
        self.own.close()
        if close := vars(self).get("_close_passing"):
            close()

    def _asked(self) -> Iterator[BackgroundIndex]:
        """The index, and the one to be asked where that is unavailable."""
        if self._has_index:
            yield self.own
        yield self.passing

    def _made(self, folder: str | TemporaryFolder | None) -> BackgroundIndex:
        return BackgroundIndex(self._root, folder, self._config.max_file_size, self._attachments)

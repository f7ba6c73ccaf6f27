"""The index of one open vault while a process lives: loaded, kept up to date and built behind the calls it serves.

A thread does the work. Until the names of the vault are loaded, and whenever changes may have been missed, a call gets
nothing from here and scans; so it does when there can be no index at all.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from vaulttools.core.known import Known
from vaulttools.core.root import Root
from vaulttools.errors import Cancelled, VaultToolsError
from vaulttools.index import build, filesystems, location
from vaulttools.index.database import Replaced, Unavailable
from vaulttools.index.present import AsOf, Present
from vaulttools.index.store import Store
from vaulttools.index.watch import Lost, watch

_log = logging.getLogger("vaulttools")

IDLE_SECONDS: Final = 1.0
"""How often changes are looked for while no call asks; a call looks itself."""

_AGAIN_SECONDS: Final = 2.0
"""How long to wait before loading again what was lost."""


class Live:
    """One index, for calls from any number of threads."""

    def __init__(self, root: Root, index_folder: str | None, max_bytes: int) -> None:
        self._root = root
        self._index_folder = index_folder
        self._max_bytes = max_bytes
        self._present: Present | None = None
        self._compared = 0.0
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._end = threading.Event()
        self._is_current = threading.Condition()
        self.warning: str | None = None
        """One sentence when an index was found that was of no use."""
        self.unavailable: str | None = None
        """Why there is no index."""

    def known(self, since: float) -> Known | None:
        """What is known of every change that was finished at a moment of the monotonic clock; None: scan."""
        self.start()
        present = self._present
        if present is None:
            return None
        try:
            with present.lock:
                if present.watch is not None or self._compared < since:
                    now = time.monotonic()
                    present.catch_up()
                    self._compared = now
        except (Lost, OSError):
            self._present = None
            self._wake.set()
            return None
        if present.stale():
            self._wake.set()
        return AsOf(present)

    def start(self) -> None:
        """Begin to load, once."""
        with self._guard:
            if self._thread is None and not self._end.is_set():
                self._thread = threading.Thread(target=self._run, name="vaulttools index", daemon=True)
                self._thread.start()

    def wait(
        self,
        on_progress: Callable[[int, int], None] | None = None,
        cancel: threading.Event | None = None,
        timeout: float | None = None,
    ) -> bool:
        """Wait until the store answers for every file as it is now; False when the timeout ends first.

        `on_progress` is told how many of how many files it answers for, in the thread of the caller.

        Raises:
            Unavailable: there can be no index.
            Cancelled: the caller has set the event; the work goes on behind.
        """
        self.start()
        until = None if timeout is None else time.monotonic() + timeout
        self.known(time.monotonic())
        self._wake.set()
        while True:
            if cancel is not None and cancel.is_set():
                raise Cancelled
            if self.unavailable is not None:
                raise Unavailable(self.unavailable)
            present = self._present
            if present is not None:
                done, total = present.progress()
                if on_progress is not None:
                    on_progress(done, total)
                if done == total and not present.pending().gone:
                    return True
            if (until is not None and time.monotonic() >= until) or self._end.is_set():
                return False
            with self._is_current:
                self._is_current.wait(0.05)

    def close(self) -> None:
        """End the thread; what it has not written is written by the next process that needs it."""
        with self._guard:
            self._end.set()
            self._wake.set()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run(self) -> None:
        while not self._end.is_set():
            try:
                self._serve()
            except VaultToolsError as error:
                self.unavailable = str(error)
                _log.warning("%s; searches scan the vault", error)
                return
            except (Lost, OSError) as error:
                _log.info("the index is loaded again: %s", error)
                self._end.wait(_AGAIN_SECONDS)
            except Exception as error:
                self.unavailable = f"The index met an error of its own: {error!r}"
                _log.exception("the index met an error; searches scan the vault")
                return
            finally:
                self._present = None
                with self._is_current:
                    self._is_current.notify_all()

    def _serve(self) -> None:
        """Load, and keep up to date until the end or until changes were missed."""
        where = location.of(self._root, self._index_folder)
        store = Store.open(where.database, where.options, wal=filesystems.holds_wal(str(where.folder)))
        self.warning = self.warning or store.warning
        if store.warning:
            _log.warning("%s", store.warning)
        watching = watch(self._root)
        try:
            present = Present(self._root, store, watching, self._max_bytes)
            self._present = present
            while not self._end.is_set() and self._present is present:
                if not self._update(present):
                    self._wake.wait(IDLE_SECONDS)
                self._wake.clear()
                if watching is not None:
                    present.catch_up()
        finally:
            self._present = None
            if watching is not None:
                watching.close()
            store.close()

    def _update(self, present: Present) -> bool:
        """Index what is pending; False when nothing is, or nothing could be done now."""
        pending = present.pending()
        if not pending.stale and not pending.gone:
            return False
        try:
            updated = build.update(
                present.store, self._root, list(pending.stale), pending.gone, stop=self._end, wait=False
            )
        except Replaced as error:
            raise Lost(str(error)) from error
        if updated.busy:
            return False
        is_other = present.settle(pending)
        with self._is_current:
            self._is_current.notify_all()
        return is_other

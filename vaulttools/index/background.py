"""Loads, updates and builds the index of one open vault, behind the calls.

A thread does the work. A vault without an index gets one in a temporary folder while it is open. Calls get nothing from
here, and scan, until the names of the vault are loaded, when changes may have been missed, and when no index is
possible.
"""

from __future__ import annotations

import gc
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Final

from vaulttools.config import VaultConfig
from vaulttools.core import forks, garbage
from vaulttools.core.work import Work
from vaulttools.errors import Cancelled, VaultToolsError
from vaulttools.files import disk
from vaulttools.files.root import Root
from vaulttools.files.temporary import TemporaryFolder
from vaulttools.index import early_listing, filesystems, location
from vaulttools.index.database import Database, Replaced, Unavailable
from vaulttools.index.folder import Folder
from vaulttools.index.job_queue import JobQueue
from vaulttools.index.location import Location
from vaulttools.index.lost import Lost
from vaulttools.index.progress import Meter, Progress
from vaulttools.index.publisher import Publisher
from vaulttools.index.snapshot import Snapshot
from vaulttools.index.store import IndexStore
from vaulttools.index.watch import watch

if TYPE_CHECKING:
    from vaulttools.attachments.texts import Attachments
    from vaulttools.index.inotify import InotifyWatch

_log = logging.getLogger("vaulttools")

IDLE_SECONDS: Final = 1.0
"""Seconds between two looks for changes while no call asks; a call looks itself."""

_BEHIND_SECONDS: Final = 0.1
"""Seconds before a change that a call met is indexed. Indexing while the call answers makes the call half as long again
(`links`: 13 ms instead of 8), and changes that come together are written together."""

_AGAIN_SECONDS: Final = 2.0
"""Seconds before the index is loaded again after it was lost."""

LATER_SECONDS: Final = 60.0
"""Seconds before an unusable index is tried again: the disk was full, or another process held it."""

_LONGEST_SECONDS: Final = 3_600.0
"""Longest pause after unexpected errors. Pauses double, so that a lasting error does not use all the time."""

MANY: Final = 200
"""With more files than this to index, a call does not wait: it would take a second or more."""

_FEW: Final = 20
"""With more files than this to index, a vault waits its turn. With a hundred threads indexing at once, half of the
processor's time went into passing the interpreter from one to the next."""

_LOADS: Final = 2
"""Attempts with a watch: changes are missed by chance, or every time when there are too many folders."""


class BackgroundIndex:
    """One index, used by calls from any number of threads."""

    def __init__(
        self,
        root: Root,
        index_folder: str | TemporaryFolder | None,
        max_bytes: int,
        attachments: Attachments | None = None,
    ) -> None:
        """`attachments` reads the text of PDF and DOCX files; None without the extra."""
        self._root = root
        self._attachments = attachments
        self._temporary = index_folder if isinstance(index_folder, TemporaryFolder) else None
        """A folder to remove when the thread has ended."""
        self._index_folder = index_folder.path if isinstance(index_folder, TemporaryFolder) else index_folder
        self._max_bytes = max_bytes
        self._is_closed = False
        self.warning: str | None = None
        """One sentence if an unusable index was found."""
        self.unavailable: str | None = None
        """Why there is no index now."""
        self._begin()
        forks.renew(self)

    def reset_after_fork(self) -> None:
        """Reset in a child after a fork: what the parent opened is neither used nor closed (fault-I21)."""
        if self._present is not None:
            forks.keep(self._present)
        self._begin()

    def _begin(self) -> None:
        """Set the state of an index that nobody has asked yet."""
        self._present: Publisher | None = None
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._at_once = threading.Event()
        """Set together with `_wake` when a caller waits for the work."""
        self._end = threading.Event()
        self._rounds = threading.Condition()
        self._begun = self._ended = 0
        """Numbers of the last round of work that began, and of the last one that ended."""
        self._logged = ""
        """The reason for the lack of an index that was last logged."""
        self._gave_up = False
        """True if there will never be an index."""
        self._is_read_only = False
        """True if no thread keeps the index up to date."""
        self._read_only_state: Publisher | None = None
        """The state that `load` loaded."""
        self._meter = Meter()

    def view(self, since: float, *, pinned: bool = False) -> Snapshot | None:
        """Returns the index with every change finished by `since` (monotonic clock); None: the caller must scan.

        `pinned`: as `Publisher.pinned`, for one call.
        """
        if self._thread is None:
            self.start()
        present = self._present
        if present is None:
            return None
        try:
            snapshot = present.pinned(since) if pinned else present.current(since)
        except (Lost, OSError):
            if self._present is present:
                self._present = None
            self._wake_at_once()
            return None
        if snapshot.stale:
            self._wake.set()
        return snapshot

    def as_it_is(self) -> Snapshot | None:
        """Returns the index without a look at the disk, which takes a while without a watch; None while it has not
        loaded."""
        present = self._present
        return None if present is None else present.latest

    def look_again(self) -> None:
        """Let the next view look at the disk, also if the vault was listed once for one command."""
        if (present := self._present) is not None:
            present.look_again()

    def let_go(self) -> None:
        """Keep no connection open between calls: Windows removes no file that is open. A state whose file is gone
        notices at its next look."""
        if (present := self._present) is not None:
            present.store.close()

    def load(self) -> None:
        """Load an existing index before any call, and never write it; without a usable one, calls scan."""
        self._is_read_only = True
        with suppress(Unavailable, Lost, OSError):
            where = self._location()
            store = IndexStore(Database.existing(where.database, where.options))
            try:
                self._present = self._read_only_state = self._loaded(store) if store.newest() else None
            finally:
                if self._read_only_state is None:
                    store.close()

    def start(self) -> None:
        """Start the thread that loads the index, once."""
        with self._guard:
            if self._thread is None and not self._is_closed and not self._is_read_only:
                self._thread = threading.Thread(target=self._work, name="vaulttools index", daemon=True)
                self._thread.start()
                if self._temporary is not None:
                    self._temporary.users.append(self._thread)

    def wait(
        self,
        on_progress: Callable[[int, int], None] | None = None,
        cancel: threading.Event | None = None,
        timeout: float | None = None,
        *,
        facts_alone: bool = False,
        unless_many: bool = False,
    ) -> bool:
        """Wait until the store holds every file as of this call or later; with `facts_alone`, the structure of every
        note.

        Returns False if the timeout passes or the vault is closed first, and with `unless_many` if more than `MANY`
        files are missing. `on_progress` gets the files done and the files in all, in the caller's thread.

        Raises:
            Unavailable: no index is possible.
            VaultToolsError: the vault's folder is gone or cannot be read.
            Cancelled: the caller has set the event; the work continues in the background.
        """
        self._root.ensure_readable()
        self.start()
        begun = time.monotonic()
        until = None if timeout is None else time.monotonic() + timeout
        if self.unavailable is not None and not self._gave_up:
            self.unavailable = None  # the thread tries again at once
        self.view(begun)
        if self._present is not None:
            self._present.retry()
        before = self._begun
        self._wake_at_once()
        while True:
            if cancel is not None and cancel.is_set():
                raise Cancelled
            if self.unavailable is not None:
                raise Unavailable(self.unavailable)
            is_done, present = self._ended > before, self._present
            if present is None:
                self._root.ensure_readable()
            if on_progress is not None and present is not None:
                progress = self._meter.shown(present.progress())
                on_progress(progress.done, progress.files)
            if unless_many and present is not None and self.is_far_behind:
                return False
            if is_done or (facts_alone and (view := self.view(begun)) is not None and view.has_facts):
                return True
            if (until is not None and time.monotonic() >= until) or self._is_closed:
                return False
            with self._rounds:
                self._rounds.wait(0.05)

    @property
    def has_caught_up(self) -> bool:
        """Whether the store once held every file, or no index is possible: no call waits long."""
        return self._ended > 0 or self.unavailable is not None

    @property
    def is_far_behind(self) -> bool:
        """Whether the thread was started, and more than `MANY` files are still to be read or no names are loaded."""
        if self._thread is None or self.unavailable is not None:
            return False
        present = self._present
        if present is None:
            return True
        progress = present.progress()
        return progress.files - progress.indexed > MANY

    def progress(self) -> Progress | None:
        """Returns how much the index holds while it is built; None: it is complete, or nothing is loaded."""
        present = self._present
        if self.has_caught_up or present is None:
            return None
        return self._meter.shown(present.progress())

    def close(self) -> None:
        """End the thread and remove a temporary folder; the next process that needs the index writes the rest."""
        self.end()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()
        if self._read_only_state is not None:
            self._present, state, self._read_only_state = None, self._read_only_state, None
            state.close()
            state.store.close()
        if self._temporary is not None:
            self._temporary.remove()

    def end(self) -> None:
        """Like `close`, but do not wait for the thread."""
        with self._guard:
            self._is_closed = True
            self._end.set()
            self._wake_at_once()

    def _wake_at_once(self) -> None:
        self._at_once.set()
        self._wake.set()

    def _work(self) -> None:
        self._run()
        if self._temporary is not None:
            self._temporary.clear()

    def _run(self) -> None:
        pause = LATER_SECONDS
        while not self._end.is_set():
            try:
                self._serve()
            except (Lost, OSError) as error:
                _log.info("the index is loaded again: %s", error)
                self._end.wait(_AGAIN_SECONDS)
            except Unavailable as error:
                self._pause(str(error), LATER_SECONDS)
            except VaultToolsError as error:
                self.unavailable = str(error)
                self._gave_up = True
                _log.warning("%s; searches scan the vault", error)
                return
            except Exception as error:  # perhaps the machine lacks memory or threads
                reason = f"The index met an error of its own: {type(error).__name__}"  # its text may quote a note
                if self._logged != reason:
                    _log.exception("the index met an error")
                self._pause(reason, pause)
                pause = min(pause * 2, _LONGEST_SECONDS)

    def _pause(self, reason: str, seconds: float) -> None:
        """Do without the index for some seconds, or until `wait` asks for it."""
        self.unavailable = reason
        if self._logged != reason:  # the same reason may come back many times
            self._logged = reason
            _log.warning("%s; searches scan the vault", reason)
        self._wake.wait(seconds)
        self._wake.clear()

    def _serve(self) -> None:
        """Load the index and keep it up to date until the end, or until changes were missed."""
        where = self._location()
        store = IndexStore.open(where.database, where.options, wal=filesystems.holds_wal(str(where.folder)))
        try:
            self.warning = self.warning or store.database.warning
            if store.database.warning:
                _log.warning("%s", store.database.warning)
            self._keep_current(self._loaded(store))
        except Unavailable as error:
            if isinstance(error, Replaced) or not where.database.exists():  # moved aside, or removed
                raise Lost(str(error)) from error
            raise
        finally:
            store.close()

    def _location(self) -> Location:
        """Returns where the index lies, and makes its folder; raises OSError if the vault's folder cannot be listed."""
        disk.scandir(self._root.folder).close()
        return location.of(self._root, self._index_folder)

    def _loaded(self, store: IndexStore) -> Publisher:
        """Returns the loaded state, with a watch if one works here."""
        if store.newest() and early_listing.is_begun(self._root.folder):
            return self._made(store, None, early_listing.taken)
        for _ in range(_LOADS):
            watching = watch(self._root)
            if watching is None:
                break
            try:
                return self._made(store, watching)
            except Lost as error:
                _log.info("changes cannot be watched: %s", error)
                watching.close()
            except BaseException:
                watching.close()
                raise
        return self._made(store, None)

    def _made(
        self, store: IndexStore, watching: InotifyWatch | None, listed: Callable[[], Mapping[str, Folder]] | None = None
    ) -> Publisher:
        """Returns the state in memory. It lives long, so the garbage collector skips it while it is built (a fifth of
        the time) and afterwards."""
        with garbage.paused():
            try:
                return Publisher(self._root, store, watching, self._max_bytes, listed)
            finally:
                gc.freeze()

    def _keep_current(self, present: Publisher) -> None:
        """Keep the loaded state up to date, and index pending files."""
        self._present, self.unavailable = present, None
        try:
            while not self._end.is_set() and self._present is present:
                if not self._update(present) and self._wake.wait(IDLE_SECONDS):
                    self._at_once.wait(_BEHIND_SECONDS)
                self._at_once.clear()
                self._wake.clear()
                if present.watch is not None or present.is_behind():
                    present.catch_up()
        finally:
            self._present = None
            present.close()
            gc.unfreeze()

    def _update(self, present: Publisher) -> bool:
        """Index pending files. Returns whether anything changed, so that the next round begins at once."""
        self._begun += 1
        pending = present.pending()
        has_changed = False
        if pending.stale or pending.gone or pending.wordless:
            from vaulttools.index import build

            files = len(pending.stale) + len(pending.wordless)
            waits = files > _FEW
            with _turns[files > MANY].taken(self._end) if waits else nullcontext(True) as is_mine:
                if not is_mine:
                    return False
                if waits:  # another process may have written many of them
                    has_changed = present.settle(pending)
                    pending = present.pending()
                settled = 0

                def settle(files: Sequence[str]) -> None:
                    # Written files count at once, so that calls know more and more notes during a build.
                    nonlocal settled, has_changed
                    settled += len(files)
                    has_changed |= present.settle(pending.only(files))

                updated = build.update(
                    present.store,
                    self._root,
                    pending.stale,
                    pending.gone,
                    pending.wordless,
                    on_commit=settle,
                    stop=self._end,
                    wait=False,
                    attachments=self._attachments,
                )
            has_changed |= updated.done > settled and present.settle(pending)
            if not updated.finished:
                return has_changed and not updated.busy
        self._ended = self._begun
        with self._rounds:
            self._rounds.notify_all()
        return has_changed


_turns: Final = JobQueue(), JobQueue()
"""The queue of vaults with few files to index, and that of vaults with many."""
for _turn in _turns:
    forks.renew(_turn)


class Indexes:
    """The indexes of one open vault, for any number of threads."""

    def __init__(self, root: Root, config: VaultConfig, attachments: Attachments | None, *, has_index: bool) -> None:
        """`has_index`: whether an index is kept after the vault is closed."""
        self._root = root
        self._config = config
        self._attachments = attachments
        self._has_index = has_index
        self.own = self._made(config.index_folder)
        """The index in the cache folder; it starts when a call first asks it."""
        # For a vault that nobody closed; a process that ends need not wait for it.
        weakref.finalize(self, self.own.end).atexit = False

    @property
    def passing(self) -> BackgroundIndex:
        """A temporary index for a vault without one, until the vault is closed: questions about the structure of all
        notes then always have an index to ask."""
        name = f"passing_{os.getpid()}"  # a forked child makes its own: its parent may end first
        if name not in vars(self):
            live = self._made(TemporaryFolder())
            if vars(self).setdefault(name, live) is live:
                # `end` does not wait: the garbage collector may run this in a thread that holds a lock of the index.
                # When the process ends, this runs before the folder is removed.
                weakref.finalize(self, live.end)
                vars(self)["_close_passing"] = live.close
        made: BackgroundIndex = vars(self)[name]
        return made

    def structures(self, work: Work, wait: float = 0.0) -> tuple[BackgroundIndex, Snapshot | None]:
        """Returns the index of all notes' structures, and what it knows after at most `wait` seconds, pinned for one
        call; None: nothing yet.

        A vault whose own index is off or unavailable gets a temporary one.
        """
        for index in self._candidates():
            with suppress(Unavailable):
                if wait:
                    index.wait(cancel=work.cancel, timeout=wait, facts_alone=True)
                view = index.view(work.started, pinned=True)
                if view is not None or index.unavailable is None:
                    return index, view
        return self.passing, None

    def wait(
        self, on_progress: Callable[[int, int], None] | None = None, cancel: threading.Event | None = None
    ) -> None:
        """Wait until the structure of every note is known, however long that takes.

        Raises:
            VaultToolsError: the vault's folder is gone or cannot be read.
            Cancelled: the caller set `cancel`.
        """
        for index in self._candidates():
            with suppress(Unavailable):
                index.wait(on_progress, cancel, facts_alone=True)
                return

    def progress(self) -> Progress | None:
        """Returns the progress of the index that is being built, the temporary one included; None: nothing is
        missing."""
        made = (self.own, vars(self).get(f"passing_{os.getpid()}"))
        return next((progress for each in made if each is not None and (progress := each.progress())), None)

    def end(self) -> None:
        """Like `close`, but do not wait."""
        self.own.end()
        if (passing := vars(self).get(f"passing_{os.getpid()}")) is not None:
            passing.end()

    def close(self) -> None:
        """End the work on the indexes; running calls complete."""
        self.own.close()
        if close := vars(self).get("_close_passing"):
            close()

    def _candidates(self) -> Iterator[BackgroundIndex]:
        """Yields the vault's own index, then the temporary one, which replaces it if it is unavailable."""
        if self._has_index:
            yield self.own
        yield self.passing

    def _made(self, folder: str | TemporaryFolder | None) -> BackgroundIndex:
        return BackgroundIndex(self._root, folder, self._config.max_file_size, self._attachments)

"""Loads, updates and builds the index of one open vault, behind the calls.

A thread does the work. A vault without an index has one in a temporary folder for as long as it is open. Until the
names of the vault are loaded, and whenever changes may have been missed, a call gets nothing from here and scans; so it
does when there can be no index at all.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
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
from vaulttools.index.progress import Meter, Progress
from vaulttools.index.snapshot import Snapshot
from vaulttools.index.state import IndexState
from vaulttools.index.store import IndexStore
from vaulttools.index.watch import Lost, Watch, is_off

if TYPE_CHECKING:
    from vaulttools.attachments.texts import Attachments

_log = logging.getLogger("vaulttools")

IDLE_SECONDS: Final = 1.0
"""How often changes are looked for while no call asks; a call looks itself."""

_BEHIND_SECONDS: Final = 0.1
"""How long a change that a call has met waits before it is indexed. The call answers meanwhile, which takes it half as
long again when both threads want the interpreter (`links`: 13 ms instead of 8), and changes that come together are
written together."""

_AGAIN_SECONDS: Final = 2.0
"""How long to wait before loading again what was lost."""

LATER_SECONDS: Final = 60.0
"""How long to do without an index that cannot be used at the moment: the disk is full, another process holds it."""

_LONGEST_SECONDS: Final = 3_600.0
"""The longest of the pauses after errors of the index's own, which double: what always fails must not take all time."""

MANY: Final = 200
"""Files to index that take longer than a call should wait: a second or more."""

_FEW: Final = 20
"""Files to index beyond which a vault waits its turn. A hundred threads that index at once leave the interpreter to
nobody: half of the processor's time went into handing it on."""

_LOADS: Final = 2
"""How often to try with a watch: changes may be missed by chance, or each time since there are too many folders."""


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


class BackgroundIndex:
    """One index, for calls from any number of threads."""

    def __init__(
        self,
        root: Root,
        index_folder: str | TemporaryFolder | None,
        max_bytes: int,
        attachments: Attachments | None = None,
    ) -> None:
        """`attachments` gives the text of PDF and DOCX files; None without the extra."""
        self._root = root
        self._attachments = attachments
        self._temporary = index_folder if isinstance(index_folder, TemporaryFolder) else None
        """A folder that is removed when the thread has ended."""
        self._index_folder = index_folder.path if isinstance(index_folder, TemporaryFolder) else index_folder
        self._max_bytes = max_bytes
        self._is_closed = False
        self.warning: str | None = None
        """One sentence when an index was found that was of no use."""
        self.unavailable: str | None = None
        """Why there is no index at present."""
        self._begin()
        forks.renew(self)

    def reset_after_fork(self) -> None:
        """In a child after a fork: what the parent had open is neither used nor closed (fault-I21)."""
        if self._present is not None:
            forks.keep(self._present)
        self._begin()

    def _begin(self) -> None:
        """Be as one that nobody has asked."""
        self._present: IndexState | None = None
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._at_once = threading.Event()
        """Set with `_wake` when somebody waits for the work."""
        self._end = threading.Event()
        self._rounds = threading.Condition()
        self._begun = self._ended = 0
        """The number of the last round of work that was begun, and of the last that was brought to its end."""
        self._told = ""
        """Why there was no index when that was last written into the log."""
        self._is_over = False
        """Whether the reason why there is no index is one for good."""
        self._is_only_read = False
        """Whether no thread is to keep it up to date."""
        self._only_read: IndexState | None = None
        """What was then loaded."""
        self._meter = Meter()

    def view(self, since: float) -> Snapshot | None:
        """The index with every change that was finished at a moment of the monotonic clock; None: scan."""
        self.start()
        present = self._present
        if present is None:
            return None
        try:
            present.catch_up(since)
        except (Lost, OSError):
            if self._present is present:
                self._present = None
            self._wake_at_once()
            return None
        if present.stale():
            self._wake.set()
        return Snapshot(present)

    def load(self) -> None:
        """Load an index that is there, before any call, and never write it; where none of use is, calls scan."""
        self._is_only_read = True
        with suppress(Unavailable, Lost, OSError):
            where = location.of(self._root, self._index_folder)
            store = IndexStore(Database.existing(where.database, where.options))
            try:
                self._present = self._only_read = self._loaded(store) if store.newest() else None
            finally:
                if self._only_read is None:
                    store.close()

    def start(self) -> None:
        """Begin to load, once."""
        with self._guard:
            if self._thread is None and not self._is_closed and not self._is_only_read:
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
        """Wait until the store holds every file as it was at this call, or later, or with `facts_alone` the structure
        of every note; False when the timeout, or the use of the vault, ends first, or with `unless_many` when it lacks
        more than `MANY` files.

        `on_progress` gets how much is done and how much there is to do, in files, in the thread of the caller.

        Raises:
            Unavailable: there can be no index.
            VaultToolsError: the vault's folder is gone or cannot be read.
            Cancelled: the caller has set the event; the work goes on behind.
        """
        self._root.ensure_readable()
        self.start()
        begun = time.monotonic()
        until = None if timeout is None else time.monotonic() + timeout
        if self.unavailable is not None and not self._is_over:
            self.unavailable = None  # it is tried again at once
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
        """Whether the store has held every file since somebody asked, or there can be no index: no call waits long."""
        return self._ended > 0 or self.unavailable is not None

    @property
    def is_far_behind(self) -> bool:
        """Whether it was asked for, and more than `MANY` files have to be read or none is known yet."""
        if self._thread is None or self.unavailable is not None:
            return False
        present = self._present
        if present is None:
            return True
        progress = present.progress()
        return progress.files - progress.indexed > MANY

    def progress(self) -> Progress | None:
        """How much it holds while it is being built; None: it is as whole as it will be."""
        present = self._present
        if self.has_caught_up or present is None:
            return None
        return self._meter.shown(present.progress())

    def close(self) -> None:
        """End the thread, and remove a temporary folder; what was not written is written by the next process that needs
        it."""
        self.end()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()
        if self._only_read is not None:
            self._present, only_read, self._only_read = None, self._only_read, None
            only_read.close()
            only_read.store.close()
        if self._temporary is not None:
            self._temporary.remove()

    def end(self) -> None:
        """As `close`, without waiting until it has happened."""
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
                self._rest(str(error), LATER_SECONDS)
            except VaultToolsError as error:
                self.unavailable = str(error)
                self._is_over = True
                _log.warning("%s; searches scan the vault", error)
                return
            except Exception as error:  # it may come from the machine, as a lack of memory or of threads does
                reason = f"The index met an error of its own: {type(error).__name__}"  # its text may be that of a note
                if self._told != reason:
                    _log.exception("the index met an error")
                self._rest(reason, pause)
                pause = min(pause * 2, _LONGEST_SECONDS)

    def _rest(self, reason: str, seconds: float) -> None:
        """Do without the index for a while, or until it is asked for by hand."""
        self.unavailable = reason
        if self._told != reason:  # it is tried again and again
            self._told = reason
            _log.warning("%s; searches scan the vault", reason)
        self._wake.wait(seconds)
        self._wake.clear()

    def _serve(self) -> None:
        """Load, and keep up to date until the end or until changes were missed."""
        disk.scandir(self._root.folder).close()  # nothing can be known of a folder that cannot be listed
        where = location.of(self._root, self._index_folder)
        store = IndexStore.open(where.database, where.options, wal=filesystems.holds_wal(str(where.folder)))
        try:
            self.warning = self.warning or store.database.warning
            if store.database.warning:
                _log.warning("%s", store.database.warning)
            self._keep(self._loaded(store))
        except Unavailable as error:
            if isinstance(error, Replaced) or not where.database.exists():  # moved aside, or removed
                raise Lost(str(error)) from error
            raise
        finally:
            store.close()

    def _loaded(self, store: IndexStore) -> IndexState:
        """All that is known, with a watch where one serves."""
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
        self, store: IndexStore, watching: Watch | None, listed: Callable[[], Mapping[str, Folder]] | None = None
    ) -> IndexState:
        """What is held in memory. It stays, so that the garbage collector neither looks through it while it is made (a
        fifth of the time) nor at any time after."""
        with garbage.paused():
            try:
                return IndexState(self._root, store, watching, self._max_bytes, listed)
            finally:
                gc.freeze()

    def _keep(self, present: IndexState) -> None:
        """Keep up to date what was loaded, and index what is pending."""
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

    def _update(self, present: IndexState) -> bool:
        """Index what is pending; False when nothing is, or nothing could be done now."""
        self._begun += 1
        pending = present.pending()
        is_other = False
        if pending.stale or pending.gone or pending.wordless:
            from vaulttools.index import build

            files = len(pending.stale) + len(pending.wordless)
            waits = files > _FEW
            with _turns[files > MANY].taken(self._end) if waits else nullcontext(True) as is_mine:
                if not is_mine:
                    return False
                if waits:  # another process may have written much of it, or is at it
                    is_other = present.settle(pending)
                    pending = present.pending()
                settled = 0

                def settle(files: Sequence[str]) -> None:
                    # What is written counts at once, so that calls meanwhile know more and more of the notes.
                    nonlocal settled, is_other
                    settled += len(files)
                    is_other |= present.settle(pending.only(files))

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
            is_other |= updated.done > settled and present.settle(pending)
            if not updated.finished:
                return is_other and not updated.busy
        self._ended = self._begun
        with self._rounds:
            self._rounds.notify_all()
        return is_other


_turns: Final = JobQueue(), JobQueue()
"""Of vaults with few files to index, and with many."""
for _turn in _turns:
    forks.renew(_turn)


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

    def wait(
        self, on_progress: Callable[[int, int], None] | None = None, cancel: threading.Event | None = None
    ) -> None:
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

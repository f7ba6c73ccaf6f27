"""Reads changes from Linux's inotify, which queues each before the call that made it returns.

So no waiting and no cookie file is needed: every finished change is in the queue. inotify_simple reads the queue.

A watch cannot see these changes, so its owner must look for itself:

- A file with several names (hard links) changes through one of them: only the folder of that name reports it. A name
  added elsewhere causes no event.
  The same holds for a descriptor whose name was deleted after opening.
- A write through a mapping (`mmap`) causes an event only when the mapping and its descriptor are closed.
- On Linux, writes by another computer through this one's NFS server may have no name, and then cause no event.

Events contain names. A folder's name may now belong to another folder, even with the same inode number: the owner must
remove, add and list it again, with everything below it.
"""

from __future__ import annotations

import errno
import os
import select
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final, NoReturn

from inotify_simple import INotify, flags

from vaulttools.files.root import Root
from vaulttools.index import filesystems
from vaulttools.index.lost import Lost

# CLOSE_WRITE beside MODIFY: it alone reports writes by mmap and by kernel AIO. Not EXCL_UNLINK: it saves a stat for a
# deleted file that is still written, but can treat an existing file as deleted.
_CHANGES: Final = int(
    flags.CREATE
    | flags.DELETE
    | flags.MOVED_FROM
    | flags.MOVED_TO
    | flags.MODIFY
    | flags.CLOSE_WRITE
    | flags.ATTRIB
    | flags.MOVE_SELF
    | flags.ONLYDIR  # this and the next: the path that `add` opened may lead elsewhere by now
    | flags.DONT_FOLLOW
)
_MISSED: Final = int(flags.Q_OVERFLOW | flags.UNMOUNT)
_GONE: Final = int(flags.MOVE_SELF | flags.IGNORED)

_RENAME_SECONDS: Final = 0.1
"""Seconds after which a rename without a new name counts as one out of the vault: the system needs microseconds from
one name to the other, unless it stops the process in between."""

_NOT_THERE: Final = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ELOOP))
_NOT_LISTED: Final = _NOT_THERE | {errno.EACCES, errno.EPERM, errno.ENAMETOOLONG}
"""Errors of a folder that cannot be opened, hence not listed: the watch of its parent reports when that changes. A
folder that opens but cannot be watched (SELinux has a permission for that) is no such case."""


class InotifyWatch:
    """Watches each folder of one vault, and the mounts, which can replace folders. Not thread-safe: its owner holds a
    lock.

    A watch belongs to a folder, not to its path: a renamed folder keeps it, and a folder with two paths (a bind mount,
    or during a rename) has one watch for both.
    """

    def __init__(self, root: Root) -> None:
        """Watches no folder yet.

        Raises:
            OSError: the root is gone, or no descriptors or inotify instances are left.
        """
        self._root = root
        self._process = os.getpid()
        self._lost = ""
        self._identity = self._stated()
        self._watches: dict[str, int] = {}
        self._folders: dict[int, set[str]] = {}
        self._moving: dict[int, float] = {}
        """By number of a rename whose new name was not reported yet, when its old one was (monotonic clock)."""
        with ExitStack() as opened:
            self._mountinfo = opened.enter_context(Path(filesystems.MOUNTINFO).open("rb", buffering=0))
            self._mounts = self._around()
            self._inotify = opened.enter_context(INotify())
            self._opened = opened.pop_all()
        self._ready = select.poll()
        self._ready.register(self._inotify.fileno(), select.POLLIN)
        self._ready.register(self._mountinfo.fileno(), select.POLLPRI)  # proc_pid_mounts(5): mounts changed

    def add(self, folder: str) -> None:
        """Watch one vault-relative folder (`""`: the root), not those below it. Call this before listing the folder.

        A folder that is gone or unreadable is no error: it cannot be listed either, and its parent reports when that
        changes. Takes 30 µs, most of it for opening a folder that was not in use.

        Raises:
            Lost: the folder cannot be watched.
        """
        self._ensure_known()
        path = self._root.absolute(folder)
        harmless = _NOT_LISTED
        try:
            folds = filesystems.folds_case(path)
            harmless = _NOT_THERE
            watch = self._inotify.add_watch(path, _CHANGES)
        except OSError as error:
            if folder == "" or error.errno not in harmless:
                self._lose(f"a folder cannot be watched: {error.strerror}")
            return
        if folds:
            self._lose("a folder takes names in any case")
        if self._watches.get(folder) != watch:
            self._unwatch(folder)
            self._watches[folder] = watch
            self._folders.setdefault(watch, set()).add(folder)

    def remove(self, folder: str) -> None:
        """Stop watching a folder and all below it: deleted, moved away, protected or about to be added again. A folder
        that was also added under its new path stays watched there.

        Raises:
            Lost: this is another process.
        """
        self._ensure_known()
        start = f"{folder}/" if folder else ""
        for path in [path for path in self._watches if path == folder or path.startswith(start)]:
            self._unwatch(path)

    def drain(self) -> dict[str, set[str]]:
        """Returns the names touched by changes that finished before the call, by vault-relative folder.

        A name is touched if it was created, deleted, renamed or written, or its status changed; each touch is reported
        once. A folder's own status is reported by its name in its parent, the root's by the name `""` in `""`. A
        reported folder may be gone. Takes 6 µs if nothing happened, and 3 to 5 µs per event.

        Raises:
            Lost: changes may have been missed.
        """
        self._ensure_known()
        if self._moving and self.is_settled:  # those files left the vault
            self._moving.clear()
        touched: dict[str, set[str]] = {}
        for descriptor, _ in self._ready.poll(0):
            if descriptor == self._inotify.fileno():
                self._read(touched)
            elif self._around() != self._mounts:
                self._lose("file systems were mounted or unmounted")
        # Renaming a folder above the root causes no event.
        try:
            identity = self._stated()
        except OSError as error:
            self._lose(f"the root is gone: {error.strerror}")
        if identity != self._identity:
            self._lose("another folder is in the root's place")
        return touched

    @property
    def is_settled(self) -> bool:
        """Whether each rename that `drain` reported was reported with its new name, or `_RENAME_SECONDS` ago.

        Else a file left the vault, or it has a new name that is not reported yet: the system queues the old name and
        the new one one after the other.
        """
        return not self._moving or max(self._moving.values()) < time.monotonic() - _RENAME_SECONDS

    def close(self) -> None:
        """Release the system's resources; may be called twice. Another process keeps its own watch."""
        self._lost = self._lost or "closed"
        self._opened.close()

    def _read(self, touched: dict[str, set[str]]) -> None:
        """Collect the names of all queued events."""
        for watch, mask, cookie, name in self._inotify.read(timeout=0):
            if mask & flags.MOVED_FROM:
                self._moving[cookie] = time.monotonic()
            elif mask & flags.MOVED_TO:
                self._moving.pop(cookie, None)
            if mask & _MISSED:
                self._lose("the queue of events overflowed, or a file system was unmounted")
            for folder in self._folders.get(watch, ()):
                if mask & _GONE and not folder:
                    self._lose("the root was moved or deleted")
                # An event without a name concerns the folder itself. The parent of a mount point gets no event for it.
                above, _, own = (folder, "", name) if name else folder.rpartition("/")
                touched.setdefault(above, set()).add(own)

    def _unwatch(self, folder: str) -> None:
        """Forget a path, and end its watch if no other path uses it."""
        watch = self._watches.pop(folder, None)
        if watch is None:
            return
        self._folders[watch].discard(folder)
        if not self._folders[watch]:
            del self._folders[watch]
            with suppress(OSError):  # gone with its folder
                self._inotify.rm_watch(watch)

    def _around(self) -> tuple[filesystems.Mount, ...]:
        self._mountinfo.seek(0)
        return filesystems.around(self._root.folder, os.fsdecode(self._mountinfo.read()))

    def _stated(self) -> tuple[int, int]:
        status = os.stat(self._root.folder)
        return status.st_dev, status.st_ino

    def _ensure_known(self) -> None:
        if self._lost:
            raise Lost(self._lost)
        if os.getpid() != self._process:
            raise Lost("the watch belongs to another process")  # that process still reads the queue

    def _lose(self, reason: str) -> NoReturn:
        self._lost = reason
        raise Lost(reason)

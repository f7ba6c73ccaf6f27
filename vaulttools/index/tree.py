"""Holds every name of a vault with its stat key; the watch keeps it current.

It holds what `catalogue.walk` would read from the disk, with the names of protected folders, and enters no protected
folder and no link. A folder is watched before its names are read, so that no change in between is missed.
"""

from __future__ import annotations

import errno
import stat
import time
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from vaulttools.core import limits, paths
from vaulttools.files import disk
from vaulttools.files.disk import Key, is_racy
from vaulttools.files.folder_names import FolderEntry, FolderNames, Kind
from vaulttools.files.ignores import IGNORE_FILES
from vaulttools.files.root import Root
from vaulttools.index.folder import NO_KEY, STAMP, Folder, Inode, names_at, split
from vaulttools.index.layered import Draft, DraftSet, Layered
from vaulttools.index.rows import NEW, SIZE, Records, Rows, key_of

if TYPE_CHECKING:
    from vaulttools.index.inotify import InotifyWatch

_STAMP: Final = itemgetter(slice(SIZE))
_NO_STAMP: Final = STAMP.pack(*NO_KEY)

_RULES: Final = frozenset((".git", *IGNORE_FILES))
"""Names whose presence or content decides which files are ignored."""

_NOTHING: Final[Mapping[str, Folder]] = {}

_LASTING: Final = frozenset((errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ELOOP))
"""Errors that last until the watch reports a change. Others may clear silently, so we retry (fault-S05, fault-S07)."""


@dataclass(slots=True)
class Changes:
    """Paths that may have changed."""

    files: set[str] = field(default_factory=set)
    """Files that may have changed: they were touched, or have another key."""
    met: set[str] = field(default_factory=set)
    """Other files in a folder that was read again because something in it was touched."""
    gone: set[str] = field(default_factory=set)
    """Vanished files."""
    names: bool = False
    """Whether names were added or removed, or ignore rules may have changed."""
    times: bool = False
    """Whether a modification time may have changed."""


class _Names(NamedTuple):
    """The names in one folder; nobody changes what was published."""

    files: dict[str, None]
    """Paths of unprotected regular files, whose keys are in `Rows`."""
    others: dict[str, Inode]
    """Everything else, by name."""
    read: int | None = None
    """Hash of the listing, to notice an unchanged folder; None with a watch."""


_NONE: Final = _Names({}, {})


class Names:
    """All names below a root with their stat keys, as of one moment."""

    def __init__(
        self,
        folders: Layered[str, _Names],
        unlisted: Mapping[str, OSError],
        dataless: AbstractSet[str],
        large: AbstractSet[str],
        files: Layered[str, bytes],
    ) -> None:
        """`files`: records by path, as `Records.files`."""
        self._folders = folders
        self._unlisted = unlisted
        self._dataless = dataless
        self.large: Final = large
        """Files larger than the configured `max_file_size`."""
        self._files = files

    def knows(self, folder: str) -> bool:
        """Whether a vault-relative folder was listed, or could not be listed."""
        return folder in self._folders or folder in self._unlisted

    @property
    def folders(self) -> list[str]:
        """The vault's folder (`""`) and all below it that a listing enters."""
        return [*self._folders, *self._unlisted]

    def names_in(self, folder: str) -> FolderNames:
        """Like `catalogue.listed`, from memory.

        Raises:
            OSError: the folder could not be listed, or does not exist.
        """
        names = self._folders.get(folder)
        if names is None:
            raise self._unlisted.get(folder) or FileNotFoundError(errno.ENOENT, "not there")
        others = [FolderEntry(name, node.kind, node.dataless) for name, node in names.others.items()]
        elsewhere = {path for path in self._dataless if path in names.files}
        others += [FolderEntry(path.rpartition("/")[2], "file", dataless=True) for path in elsewhere]
        return FolderNames(folder, names.files.keys() - elsewhere if elsewhere else names.files, others)

    def node(self, path: str) -> Inode | None:
        """Returns what a path leads to; None if nothing is known there."""
        record = self._files.get(path)
        if record is not None:
            return Inode("file", key_of(record), path in self._dataless)
        folder, _, name = path.rpartition("/")
        names = self._folders.get(folder)
        return None if names is None else names.others.get(name)

    def key(self, path: str) -> Key | None:
        """Returns the key of a path; None if nothing is known there."""
        node = self.node(path)
        return None if node is None else node.key

    def keys(self, files: Sequence[str]) -> list[Key | None]:
        """Returns the stat keys of files at the last look; None for what is not a readable local file."""
        records = zip(files, self._files.several(files, _NO_STAMP), strict=True)
        return [
            None if record[:SIZE] == _NO_STAMP or path in self._dataless else key_of(record) for path, record in records
        ]

    @property
    def unlisted(self) -> frozenset[str]:
        """Folders that could not be listed: known files below them do not count as gone (fault-I14).

        Includes an empty root: a vault looks empty while its disk is not mounted (fault-T13).
        """
        top = self._folders.get("")
        is_empty = top is None or not (top.files or top.others)
        return frozenset((*self._unlisted, "") if is_empty else self._unlisted)

    @property
    def repositories(self) -> list[str]:
        """The folders that contain a name `.git`, sorted."""
        return sorted(folder for folder, names in self._folders.items() if ".git" in names.others)


class Tree:
    """The names as their only writer sees them."""

    def __init__(
        self,
        root: Root,
        watch: InotifyWatch | None,
        max_bytes: int = limits.FILE_BYTES,
        rows: Rows | None = None,
        listed: Mapping[str, Folder] = _NOTHING,
    ) -> None:
        """`rows` are the loaded rows of an index; `listed` are folders that were listed before."""
        self._root = root
        self._watch = watch
        self._max_bytes = max_bytes
        self._rows = Rows() if rows is None else rows
        self._folders: Draft[str, _Names] = Draft()
        self._copied: set[tuple[str, str]] = set()
        """What was copied since the last publication."""
        self._unlisted: dict[str, OSError] = {}
        self._large: DraftSet[str] = DraftSet()
        self._linked: set[str] = set()
        """Files that have, or had, several names: only one of their folders reports a change."""
        self._dataless: DraftSet[str] = DraftSet()
        """Files that would have to be downloaded."""
        self.now: Final = Names(self._folders, self._unlisted, self._dataless, self._large, self._rows.files)
        """The names as they are now; only their writer reads them."""
        self._read = time.time_ns()
        """When all names were last read, in nanoseconds since 1970."""
        self._listed = listed
        self.first: Final = Changes()
        """Differences from the rows at the start."""
        for here, nodes in self._walk(""):
            self._store_listing(here, nodes, self.first)
        self._listed = _NOTHING  # later listings come from the disk
        self._rows.number()
        self.first.files.update(path for path in self._rows.doubtful if path in self._rows.files)
        unlisted = self.now.unlisted
        self.first.gone.update(
            path for path in self._rows.aside if not any(paths.is_below(folder, path) for folder in unlisted)
        )

    def files(self) -> dict[str, Key]:
        """Returns the keys of all regular files outside protected folders by path, in a new, unordered dictionary."""
        return {path: key_of(record) for path, record in self._rows.files.items()}

    @property
    def is_doubtful(self) -> bool:
        """Whether changes may have been missed by the watch: in files with several names, or in unlisted folders."""
        return bool(self._linked or self._unlisted)

    def published(self, records: Records) -> Names:
        """Returns the names as they are now, with these published records."""
        self._copied.clear()
        folders, dataless, large = self._folders.published(), self._dataless.published(), self._large.published()
        return Names(folders, dict(self._unlisted), dataless, large, records.files)

    def apply(self, touched: Mapping[str, Collection[str]]) -> Changes:
        """Look again at the touched names (by folder) and all files with several names; return possible changes."""
        changes = Changes()
        if "" in touched.get("", ()):  # the root's own status: its permissions may have changed
            self._load("", changes, again=True)
            reported = (paths.join(folder, name) for folder, names in touched.items() for name in names)
            changes.files.update(changes.met.intersection(reported))
            changes.names = changes.times = True
        else:
            linked: set[int] = set()
            for folder, names in touched.items():
                for name in names:
                    if folder in self._folders:  # an earlier name may have removed the folder
                        linked.add(self._look(folder, name, changes))
                self._restate(folder)
            self._retry(changes)
            if linked := linked - {0}:
                self._linked.update(path for path, key in self.files().items() if key.inode in linked)
            for path in list(self._linked):
                folder, _, name = path.rpartition("/")
                known, now = self.now.node(path), self._stated(path)
                if known is not None and (now is None or now.key != known.key):
                    self._look(folder, name, changes)
            changes.times = bool(touched) or changes.names or bool(changes.files)
        changes.gone -= changes.files | changes.met
        changes.met -= changes.files
        return changes

    def compare(self) -> Changes:
        """Read everything again and return the changes of names and keys; without a watch, a walk with `stat`."""
        # A rule file may have changed just after the last reading, without a new key.
        rules = (self.now.node(paths.join(folder, name)) for folder, names in self._folders.items() for name in _RULES)
        changes = Changes(names=any(node is not None and is_racy(node.key, self._read) for node in rules))
        self._read = time.time_ns()
        unlisted = {*self._unlisted}
        self._load("", changes)
        changes.names |= self._unlisted.keys() != unlisted
        changes.times |= self._unlisted.keys() != unlisted
        changes.gone -= changes.files
        return changes

    def _retry(self, changes: Changes) -> None:
        """List the folders again that could not be listed for a temporary reason."""
        for folder in [folder for folder, error in self._unlisted.items() if error.errno not in _LASTING]:
            self._load(folder, changes, again=True)
            changes.names |= folder not in self._unlisted

    def _load(self, folder: str, changes: Changes, *, again: bool = False) -> None:
        """Read a folder and all below it again. `again`: something there was touched, so that files may have changed
        although their keys have not."""
        for here, nodes in self._walk(folder):
            self._store_listing(here, nodes, changes)
            if again and here in self._folders:
                changes.met.update(self._listing(here).files)

    def _walk(self, folder: str) -> Iterator[tuple[str, Folder | None]]:
        """Yields a folder and all below it with their listings; None: it cannot be listed, or is gone."""
        waiting = [folder]
        while waiting:
            here = waiting.pop()
            nodes = self._list(here)
            waiting += self._below(here, nodes)
            yield here, nodes

    def _list(self, here: str) -> Folder | None:
        """Watch and list one folder; None: it cannot be listed, or is gone."""
        if self._watch is not None:
            self._watch.add(here)
        try:
            nodes = self._listed.get(here) or names_at(self._root.absolute(here))
        except OSError as error:
            if isinstance(error, FileNotFoundError | NotADirectoryError):
                if here == "":
                    raise
                if isinstance(error, NotADirectoryError) or disk.is_gone(self._root.absolute(here)):
                    self._unlisted.pop(here, None)
                    return None  # gone since its name was read; an event of its parent will follow
                # The folder exists nevertheless; do not report it as gone.
                error = OSError(errno.EIO, error.strerror)
            self._unlisted[here] = error
            return None
        self._unlisted.pop(here, None)
        return nodes

    def _below(self, here: str, nodes: Folder | None) -> list[str]:
        """Returns the folders to enter inside one folder."""
        others = () if nodes is None else nodes.others.items()
        folders = ((paths.join(here, name), name) for name, node in others if node.kind == "folder")
        return [path for path, name in folders if self._enters(path, name)]

    def _store_listing(self, here: str, nodes: Folder | None, changes: Changes) -> None:
        """Store the listing of one folder, and add its differences from the old one to `changes`."""
        if nodes is None:
            changes.names |= here in self._folders
            self._empty(here, changes)
            return
        old = self._listing(here)
        read = hash((nodes.names, nodes.stamps, *nodes.others.items())) if self._watch is None else None
        if read is not None and read == old.read:  # the usual case
            return
        start = f"{here}/" if here else ""
        every, stamps, others, odd = self._classified(start, nodes)
        held, fresh, aside = self._rows.files, dict.fromkeys(every), self._rows.aside
        is_new = old is _NONE
        found = aside.taken(every, NEW) if is_new else [held.get(path) or aside.pop(path, NEW) for path in every]
        is_other = fresh.keys() != old.files.keys()
        if is_same := b"".join(map(_STAMP, found)) == stamps:
            records: Iterable[bytes] = found
        else:
            each = [*zip(every, found, split(stamps), strict=True)]
            changes.files.update(path for path, record, stamp in each if record[:SIZE] != stamp)
            changes.names |= any(start + name in changes.files for name in _RULES)
            records = (stamp + record[SIZE:] for _, record, stamp in each)
        if is_new:
            held.update(zip(every, records, strict=True))
        elif is_other or not is_same:
            now = zip(every, found, records, strict=True)
            held.update((path, record) for path, before, record in now if record != before or path not in held)
        for path in old.files.keys() - fresh.keys() if is_other else ():
            self._leave(path, changes)
        for name, node in old.others.items():
            if node.kind == "folder" and (name not in others or others[name].kind != "folder"):
                self._unload(paths.join(here, name), changes)
        dataless = {path for path, node in odd.items() if node.dataless}
        before = {path for path in self._dataless if path in fresh}
        is_other |= _kinds(old.others) != _kinds(others) or dataless != before
        changes.names |= is_other
        changes.times |= is_other or not is_same or old.others != others
        for known in (self._large, self._linked, self._dataless):
            if known:
                known.difference_update(fresh)
        for path, node in odd.items():
            self._note(path, node)
        sizes = array("q", stamps)[0::4]
        if max(sizes, default=0) > self._max_bytes:
            self._large.update(path for path, size in zip(every, sizes, strict=True) if size > self._max_bytes)
        self._folders[here] = _Names(fresh, others, read)

    def _classified(self, start: str, nodes: Folder) -> tuple[list[str], bytes, dict[str, Inode], dict[str, Inode]]:
        """Splits a listing: paths of unprotected files, their stamps, everything else by name, and, by path, the
        unprotected files that need a download or have several names."""
        names, stamps, others = nodes.names.split("\0") if nodes.stamps else [], nodes.stamps, {**nodes.others}
        may_close = self._root.protection.may_close(nodes.names)
        if may_close and (shut := {name for name in names if not self._is_open(start + name, name)}):
            each = [*zip(names, split(stamps), strict=True)]
            others.update((name, Inode("file", key_of(stamp))) for name, stamp in each if name in shut)
            names = [name for name in names if name not in shut]
            stamps = b"".join(stamp for name, stamp in each if name not in shut)
        files = [
            name for name, node in nodes.others.items() if node.kind == "file" and self._is_open(start + name, name)
        ]
        several = {start + name: others.pop(name) for name in files}
        stamps += b"".join(STAMP.pack(*node.key) for node in several.values())
        return [*(start + name for name in names), *several], stamps, others, several

    def _is_open(self, path: str, name: str) -> bool:
        return not self._root.protection.closes(path, name)

    def _enters(self, path: str, name: str) -> bool:
        return path.count("/") < limits.FOLDER_DEPTH and self._is_open(path, name)

    def _look(self, folder: str, name: str, changes: Changes) -> int:
        """Look at one name again. Returns its inode number if its other names may not be in `_linked` yet; else 0."""
        path, names = paths.join(folder, name), self._listing(folder)
        old, new = self.now.node(path), self._stated(path)
        if old is None and new is None:
            return 0
        if new is not None and new.key == NO_KEY:  # its folder cannot be entered any more
            changes.names = True
            self._reload(folder, changes)
            return 0
        if old is None or new is None or old.kind != new.kind or old.dataless != new.dataless or name in _RULES:
            changes.names = True
        was_linked = path in self._linked
        if old is not None and (new is None or new.kind != old.kind):
            if path in names.files:
                del self._files_to_change(folder)[path]
                self._leave(path, changes)
            else:
                del self._others_to_change(folder)[name]
                if old.kind == "folder":
                    self._unload(path, changes)
        if new is None:
            return 0
        if new.kind == "file" and self._is_open(path, name):
            if path not in self._listing(folder).files:
                self._files_to_change(folder)[path] = None
            self._rows.see(path, STAMP.pack(*new.key))
            self._note(path, new)
            changes.files.add(path)
        else:
            self._others_to_change(folder)[name] = new
            if new.kind == "folder" and self._enters(path, name):
                # It may be another folder with the same name, or have other permissions.
                changes.names = True
                self._reload(path, changes)
        return 0 if was_linked or new.names == 1 else new.key.inode

    def _listing(self, folder: str) -> _Names:
        return self._folders.get(folder) or _NONE

    def _files_to_change(self, folder: str) -> dict[str, None]:
        """Returns the files of a folder for a change: copied, unless they were since the last publication."""
        names = self._listing(folder)
        if (folder, "files") not in self._copied:
            self._copied.add((folder, "files"))
            names = self._folders[folder] = names._replace(files={**names.files})
        return names.files

    def _others_to_change(self, folder: str) -> dict[str, Inode]:
        """Like `_files_to_change`, for the other names."""
        names = self._listing(folder)
        if (folder, "others") not in self._copied:
            self._copied.add((folder, "others"))
            names = self._folders[folder] = names._replace(others={**names.others})
        return names.others

    def _stated(self, path: str) -> Inode | None:
        try:
            status = disk.status(self._root.absolute(path))
        except OSError:
            return Inode("other", NO_KEY)
        if status is None:
            return None
        mode = status.st_mode
        kind: Kind = "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else "other"
        if stat.S_ISLNK(mode) or (kind == "folder" and disk.is_junction(status)):
            kind = "link"
        dataless = kind == "file" and disk.is_elsewhere(status)
        return Inode(kind, Key.of(status), dataless, status.st_nlink if kind == "file" else 1)

    def _restate(self, folder: str) -> None:
        """Update a folder's own key, which changes with the names in it."""
        above, _, name = folder.rpartition("/")
        node, now = self.now.node(folder), self._stated(folder)
        if folder and node is not None and now is not None and now.kind == "folder":
            self._others_to_change(above)[name] = now

    def _note(self, path: str, node: Inode) -> None:
        """Update the sets of odd files for one file."""
        if node.names > 1:
            self._linked.add(path)
        for odd, is_so in ((self._dataless, node.dataless), (self._large, node.key.size > self._max_bytes)):
            (odd.add if is_so else odd.discard)(path)

    def _leave(self, path: str, changes: Changes) -> None:
        """Record that a file is gone."""
        self._rows.leave(path)
        changes.gone.add(path)
        for odd in (self._large, self._linked, self._dataless):
            odd.discard(path)

    def _reload(self, folder: str, changes: Changes) -> None:
        """Watch and read a folder again that may be another one now."""
        if self._watch is not None:
            self._watch.remove(folder)
        self._load(folder, changes, again=True)

    def _unload(self, folder: str, changes: Changes) -> None:
        """Forget a folder and everything in it."""
        if self._watch is not None:
            self._watch.remove(folder)
        self._unlisted.pop(folder, None)
        self._empty(folder, changes)

    def _empty(self, folder: str, changes: Changes) -> None:
        """Forget everything in a folder."""
        names = self._folders.pop(folder, _NONE)
        if names is not _NONE:
            for path in names.files:
                self._leave(path, changes)
            for name, node in names.others.items():
                if node.kind == "folder":
                    self._unload(paths.join(folder, name), changes)


def _kinds(nodes: Mapping[str, Inode]) -> dict[str, Kind]:
    """Returns the kind of each name, which decides how a walk proceeds."""
    return {name: node.kind for name, node in nodes.items()}

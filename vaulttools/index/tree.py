"""Holds every name of a vault with its stat key, kept current by the watch.

It holds what `catalogue.walk` would read from the disk, the names of protected folders included, and enters no
protected folder and no link. A watch is set on a folder before its names are read, so that nothing happens unseen
between the two.
"""

from __future__ import annotations

import errno
import stat
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from vaulttools.core import limits, paths
from vaulttools.files import disk
from vaulttools.files.disk import Key, is_racy
from vaulttools.files.folder_names import FolderNames, Kind
from vaulttools.files.ignores import IGNORE_FILES
from vaulttools.files.root import Root
from vaulttools.index.folder import NO_KEY, Folder, Inode, Stamped, key_of, names_at
from vaulttools.index.watch import Watch

if TYPE_CHECKING:
    from vaulttools.index.lister import Lister

_INITIAL: Final = itemgetter(0)

_RULES: Final = frozenset((".git", *IGNORE_FILES))
"""Names whose coming, going or content decides what is ignored."""

_ENDED: Final = object()

_NOTHING: Final[Mapping[str, Folder]] = {}

_LASTING: Final = frozenset((errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ELOOP))
"""Errors that last until the watch reports a change. Others may clear silently, so we retry (fault-S05, fault-S07)."""


@dataclass(slots=True)
class Changes:
    """What may be otherwise than it was."""

    files: set[str] = field(default_factory=set)
    """Files that may hold something else, whatever their keys say."""
    met: set[str] = field(default_factory=set)
    """Files in a folder that was read anew: new ones, and some that are as they were if their keys are."""
    gone: set[str] = field(default_factory=set)
    """Files that are no longer there."""
    names: bool = False
    """Whether names came or went, or a file with ignore rules may hold others."""
    times: bool = False
    """Whether a time of modification may have changed."""


class Tree:
    """The names below a root. Not thread-safe: its owner holds a lock."""

    def __init__(
        self,
        root: Root,
        watch: Watch | None,
        max_bytes: int = limits.FILE_BYTES,
        lister: Lister | None = None,
        meanwhile: Iterator[object] | None = None,
        listed: Mapping[str, Folder] = _NOTHING,
    ) -> None:
        """`lister` lists some of the folders, while this process takes the steps of `meanwhile`, and then lists others.

        Of `meanwhile` some steps, or all without a lister, may be left to the caller. `listed` are folders whose names
        were read before.
        """
        self._root = root
        self._watch = watch
        self._max_bytes = max_bytes
        self._initials = root.protection.initials
        self._folders: dict[str, Folder] = {}
        self._unlisted: dict[str, OSError] = {}
        self.large: set[str] = set()
        """Files of more than the bytes given."""
        self._linked: set[str] = set()
        """Files that have, or once had, several names: one folder alone reports a change."""
        self._read = time.time_ns()
        """When the names were last read as a whole."""
        self._listed = listed
        if lister is None:
            self._load("")
        else:
            self._load_beside(lister, meanwhile or iter(()))
        self._listed = _NOTHING  # what is read again is read from the disk

    def holds(self, folder: str) -> bool:
        """Whether a vault-relative folder was entered, or would have been if it could be listed."""
        return folder in self._folders or folder in self._unlisted

    def names_in(self, folder: str) -> FolderNames:
        """As `catalogue.listed`, from memory.

        Raises:
            OSError: the folder could not be listed, or is not there.
        """
        nodes = self._folders.get(folder)
        if nodes is None:
            raise self._unlisted.get(folder) or FileNotFoundError(errno.ENOENT, "not there")
        return nodes.listed()

    def node(self, path: str) -> Inode | None:
        """What stands at a path; None when nothing does, or nothing is known."""
        folder, _, name = path.rpartition("/")
        nodes = self._folders.get(folder)
        return None if nodes is None else nodes.get(name)

    def files(self) -> dict[str, Key]:
        """The keys of all regular files outside protected folders, by path; a new dictionary, in no order."""
        return {path: key_of(stamp) for path, stamp in _by_path(self.stamps()).items()}

    def stamps(self) -> Iterator[Stamped]:
        """All regular files outside protected folders, those of one folder together."""
        return self._files_of(self._folders)

    @property
    def unlisted(self) -> Collection[str]:
        """Folders that could not be listed: of what was known below them nothing is known to be gone (fault-I14).

        Likewise a root without a single name: so looks a vault whose disk is not mounted at the moment (fault-T13).
        """
        return self._unlisted.keys() if self._folders.get("") else {*self._unlisted, ""}

    @property
    def is_doubtful(self) -> bool:
        """Whether something may have changed that no watch tells of: in a file of several names, or a folder that could
        not be listed."""
        return bool(self._linked or self._unlisted)

    @property
    def repositories(self) -> list[str]:
        """The folders in which something is called `.git`, in order."""
        return sorted(folder for folder, nodes in self._folders.items() if ".git" in nodes)

    def apply(self, touched: Mapping[str, Collection[str]]) -> Changes:
        """Look again at the touched names, by folder, and at every file of several names; what may be otherwise."""
        if "" in touched.get("", ()):  # the root's own status: it may be readable now, or no longer
            return self._again(touched)
        changes = Changes()
        linked: set[int] = set()
        for folder, names in touched.items():
            for name in names:
                if folder in self._folders:  # a name before it may have taken the folder away
                    linked.add(self._look(folder, name, changes))
            self._restate(folder)
            if (nodes := self._folders.get(folder)) is not None and nodes.is_loose:
                self._folders[folder] = nodes.again()
        self._retry(changes)
        if linked := linked - {0}:
            self._linked.update(path for path, key in self.files().items() if key.inode in linked)
        for path in list(self._linked):
            folder, _, name = path.rpartition("/")
            known, now = self.node(path), self._stated(path)
            if known is not None and (now is None or now.key != known.key):
                self._look(folder, name, changes)
        changes.gone -= changes.files | changes.met
        changes.times = bool(touched) or changes.names or bool(changes.files)
        return changes

    def compare(self) -> Changes:
        """Read everything again, and tell what is otherwise by names and keys: without a watch, a walk with `stat`."""
        before, unlisted = self._folders, self._unlisted.keys()
        # A key that is as young as the last reading does not tell whether the rules are those that were read then.
        is_doubtful = any(
            is_racy(node.key, self._read)
            for nodes in before.values()
            for name in _RULES
            if (node := nodes.get(name)) is not None
        )
        self._read = time.time_ns()
        self._clear()
        self._load("")
        if self._folders == before and self._unlisted.keys() == unlisted:
            return Changes(names=is_doubtful)
        old, new = _by_path(self._files_of(before)), _by_path(self.stamps())
        changed = {path for path, stamp in new.items() if old.get(path) != stamp}
        names = is_doubtful or _kinds(before) != _kinds(self._folders) or self._unlisted.keys() != unlisted
        names = names or any(path.rpartition("/")[2] in _RULES for path in changed)
        return Changes(changed, gone=old.keys() - new.keys(), names=names, times=True)

    def _again(self, touched: Mapping[str, Collection[str]]) -> Changes:
        """Read everything again."""
        changes = Changes(gone=set(self.files()), names=True, times=True)
        self._clear()
        self._load("", changes)
        told = (paths.join(folder, name) for folder, names in touched.items() for name in names)
        changes.files.update(changes.met.intersection(told))
        changes.gone -= changes.met
        return changes

    def _retry(self, changes: Changes) -> None:
        """List the folders again that could not be listed for a reason of the moment."""
        for folder in [folder for folder, error in self._unlisted.items() if error.errno not in _LASTING]:
            del self._unlisted[folder]
            self._load(folder, changes)
            changes.names |= folder not in self._unlisted

    def _clear(self) -> None:
        self._folders, self._unlisted = {}, {}
        self.large.clear()
        self._linked.clear()

    def _load(self, folder: str, changes: Changes | None = None) -> None:
        """Read a folder and all below it, in place of what was known; `changes` gets the files met."""
        waiting = [folder]
        while waiting:
            self._load_one(waiting.pop(), waiting, changes)

    def _load_beside(self, lister: Lister, meanwhile: Iterator[object]) -> None:
        """Read everything, as `_load`, with a process beside this one."""
        waiting = [""]
        is_free = False
        while waiting or lister.is_asked:
            while len(waiting) > 1 and lister.has_room:
                here = waiting.pop()
                if self._watch is not None:
                    self._watch.add(here)
                lister.ask(here, self._root.absolute(here))
            is_free = is_free or (lister.is_asked and next(meanwhile, _ENDED) is _ENDED)
            if waiting and (is_free or not lister.is_asked):
                self._load_one(waiting.pop(), waiting)
            for here, nodes in lister.answers(wait=is_free and not waiting):
                if nodes is None:
                    self._load_one(here, waiting)
                else:
                    self._take_in(here, nodes, waiting)

    def _load_one(self, here: str, waiting: list[str], changes: Changes | None = None) -> None:
        """Read one folder; those in it are to wait."""
        if self._watch is not None:
            self._watch.add(here)
        try:
            nodes = self._listed.get(here)
            if nodes is None:
                nodes = names_at(self._root.absolute(here))
        except OSError as error:
            if isinstance(error, FileNotFoundError | NotADirectoryError):
                if here == "":
                    raise
                if isinstance(error, NotADirectoryError) or disk.is_gone(self._root.absolute(here)):
                    return  # gone since its name was read; its parent will tell
                # It stands there all the same, and a walk would take it for gone.
                self._unlisted[here] = OSError(errno.EIO, error.strerror)
                return
            self._unlisted[here] = error
            return
        self._take_in(here, nodes, waiting, changes)

    def _take_in(self, here: str, nodes: Folder, waiting: list[str], changes: Changes | None = None) -> None:
        """Hold the names of one folder."""
        self._folders[here] = nodes
        start = f"{here}/" if here else ""
        self.large.update(start + name for name in nodes.beyond(self._max_bytes))
        if changes is not None:
            changes.met.update(self._open(start, nodes.files())[0])
        for name, node in nodes.others():
            path = start + name
            self._note(path, node)
            if node.kind == "folder" and self._enters(path, name):
                waiting.append(path)

    def _is_open(self, path: str, name: str) -> bool:
        # Most names begin with a letter that no protected one has; only odd spellings have to be folded.
        return (name[0] not in self._initials and name.isascii()) or not self._root.protection.closes(path, name)

    def _enters(self, path: str, name: str) -> bool:
        return path.count("/") < limits.FOLDER_DEPTH and self._is_open(path, name)

    def _files_of(self, folders: Mapping[str, Folder]) -> Iterator[Stamped]:
        for folder, nodes in folders.items():
            yield self._open(f"{folder}/" if folder else "", nodes.files())

    def _open(self, start: str, files: Stamped) -> Stamped:
        """The paths of the files in a folder that are not protected."""
        names, stamps = files
        if not (self._initials.isdisjoint(map(_INITIAL, names)) and "".join(names).isascii()):
            # This is `_is_open`, written out: a call for each name is slow.
            initials, closes = self._initials, self._root.protection.closes
            left = [
                place
                for place, name in enumerate(names)
                if (name[0] not in initials and name.isascii()) or not closes(start + name, name)
            ]
            names, stamps = [names[place] for place in left], [stamps[place] for place in left]
        return [start + name for name in names], stamps

    def _look(self, folder: str, name: str, changes: Changes) -> int:
        """State one name anew; the inode of a file that has others, of which some may not be known to, or 0."""
        path = paths.join(folder, name)
        nodes = self._folders[folder]
        old, new = nodes.get(name), self._stated(path)
        if old is None and new is None:
            return 0
        if new is not None and new.key == NO_KEY:  # its folder cannot be entered any more: only its names are known
            self._unload(folder, changes)
            self._load(folder, changes)
            changes.names = True
            return 0
        if old is None or new is None or old.kind != new.kind or old.dataless != new.dataless or name in _RULES:
            changes.names = True
        was_linked = path in self._linked
        if old is not None:
            self._forget(path, old, changes)
        if new is None:
            del nodes[name]
            return 0
        nodes[name] = new
        self._note(path, new)
        if was_linked:  # its other name may be held open without standing anywhere
            self._linked.add(path)
        if new.kind == "file" and self._is_open(path, name):
            changes.files.add(path)
        elif new.kind == "folder" and self._enters(path, name):
            # Another folder may stand there under the same name, or its permissions may be others.
            changes.names = True
            self._load(path, changes)
        return 0 if was_linked or new.names == 1 else new.key.inode

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
        """A folder's own time changes with the names in it."""
        above, _, name = folder.rpartition("/")
        node, now = self.node(folder), self._stated(folder)
        if folder and node is not None and now is not None and now.kind == "folder":
            self._folders[above][name] = now

    def _note(self, path: str, node: Inode) -> None:
        if node.names > 1:
            self._linked.add(path)
        if node.kind == "file" and node.key.size > self._max_bytes:
            self.large.add(path)

    def _forget(self, path: str, node: Inode, changes: Changes) -> None:
        self._linked.discard(path)
        self.large.discard(path)
        if node.kind == "folder":
            self._unload(path, changes)
        elif node.kind == "file":
            changes.gone.add(path)

    def _unload(self, folder: str, changes: Changes) -> None:
        """Forget all that a folder holds."""
        if self._watch is not None:
            self._watch.remove(folder)
        self._unlisted.pop(folder, None)
        nodes = self._folders.pop(folder, None)
        for name, node in nodes.items() if nodes is not None else ():
            self._forget(paths.join(folder, name), node, changes)


def _by_path(files: Iterable[Stamped]) -> dict[str, bytes]:
    """The stamp of each file."""
    return {path: stamp for paths_, stamps in files for path, stamp in zip(paths_, stamps, strict=True)}


def _kinds(folders: Mapping[str, Folder]) -> dict[str, dict[str, tuple[Kind, bool]]]:
    """What decides how a walk goes."""
    return {
        folder: {name: (node.kind, node.dataless) for name, node in nodes.items()} for folder, nodes in folders.items()
    }

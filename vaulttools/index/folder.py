"""Holds the names of one folder with their stat keys, in few bytes."""

from __future__ import annotations

import os
import stat
import sys
from array import array
from collections import deque
from collections.abc import Iterable, Iterator
from struct import Struct
from typing import Final, NamedTuple, TypeAlias

from vaulttools.files import catalogue, disk
from vaulttools.files.disk import Key
from vaulttools.files.folder_names import FolderEntry, FolderNames, Kind

NO_KEY: Final = Key(0, 0, 0, 0)
"""Of what has a name and cannot be stated: its folder may be listed and not entered."""

STAMP: Final = Struct("=4q")
"""The form of a `Key` in bytes, its *stamp*; equal keys have equal stamps."""

_STAMPS: Final = Struct(f"{STAMP.size}s")

Stamped: TypeAlias = tuple[list[str], list[bytes]]
"""Files, and the stamp of each: apart, since two lists are compared in a fifth of the time of as many pairs."""

_LOOKED_UP: Final = 16
"""Folders whose names are kept taken apart: callers ask in path order."""

_SEARCHED: Final = 4_096
"""Characters of names. In a folder with fewer, finding one by a search takes less time than taking them all apart."""

_LOOSE: Final = 8
"""A folder is packed again when one name in so many has changed, or a hundred of a small one."""

_IS_PLAIN: Final = sys.platform == "linux"
"""Whether the status of a name in a listing says all that is asked for: not so of stubs of iCloud, nor on Windows."""

PIPE_BYTES: Final = 1024 * 1024
"""Names and keys of 15,000 files, so that a child that lists need not wait until they are taken; Linux allows it to
all."""


class Inode(NamedTuple):
    """What stands behind one name, links not followed."""

    kind: Kind
    key: Key
    dataless: bool = False
    names: int = 1
    """How many names a file has."""


def key_of(stamp: bytes) -> Key:
    """The key that a stamp was made of."""
    return Key._make(STAMP.unpack(stamp))


class Folder:
    """The names of one folder. Files of one name, nearly all there is, are held in one text and one piece of bytes: a
    ninth of the memory of an object each (measured)."""

    __slots__ = ("_edits", "_names", "_others", "_places", "_stamps")

    def __init__(self, names: list[str], stamps: bytes, others: dict[str, Inode]) -> None:
        """`names`: of files that are here and have no other name, with their stamps one behind the other."""
        self._names = "\0".join(names)
        self._stamps = stamps
        self._others: dict[str, Inode | None] = {**others}
        """All else, and what is otherwise since; None: it is gone."""
        self._places: dict[str, int] | None = None
        self._edits = 0

    def get(self, name: str) -> Inode | None:
        """What stands behind a name."""
        if name in self._others:
            return self._others[name]
        place = self._place(name)
        return None if place is None else Inode("file", Key._make(STAMP.unpack_from(self._stamps, place * STAMP.size)))

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None

    def __bool__(self) -> bool:
        return next(self.items(), None) is not None

    def __setitem__(self, name: str, node: Inode) -> None:
        self._others[name] = node
        self._edits += 1

    def __delitem__(self, name: str) -> None:
        self._others[name] = None
        self._edits += 1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Folder):
            return NotImplemented
        mine, theirs = ((each._names, each._stamps, each._others) for each in (self, other))
        return mine == theirs or dict(self.items()) == dict(other.items())

    __hash__ = None  # type: ignore[assignment]

    def items(self) -> Iterator[tuple[str, Inode]]:
        """Every name with what stands behind it."""
        for name, stamp in zip(*self._packed(), strict=True):
            yield name, Inode("file", key_of(stamp))
        yield from self.others()

    def files(self) -> Stamped:
        """Every regular file."""
        names, stamps = self._packed()
        others = [(name, node.key) for name, node in self.others() if node.kind == "file"]
        if not others:
            return names, stamps
        return [*names, *(name for name, _ in others)], [*stamps, *(STAMP.pack(*key) for _, key in others)]

    def others(self) -> Iterator[tuple[str, Inode]]:
        """Every name but those of files that are packed."""
        return ((name, node) for name, node in self._others.items() if node is not None)

    def beyond(self, size: int) -> list[str]:
        """The packed files of more bytes."""
        sizes = array("q", self._stamps)[0::4]
        if max(sizes, default=0) <= size:
            return []
        each = zip(self._names.split("\0"), sizes, strict=True)
        return [name for name, its_size in each if its_size > size and name not in self._others]

    def listed(self) -> FolderNames:
        """Every name with its kind."""
        held = self._others
        names = self._names.split("\0") if self._stamps else []
        if held:
            names = [name for name in names if name not in held]
        return FolderNames(names, [FolderEntry(name, node.kind, node.dataless) for name, node in self.others()])

    @property
    def is_loose(self) -> bool:
        """Whether much has changed since it was packed."""
        return self._edits * _LOOSE > len(self._stamps) // STAMP.size + 1_000

    def again(self) -> Folder:
        """The same, packed."""
        return packed(self.items())

    def _packed(self) -> Stamped:
        """The files that are packed."""
        if not self._stamps:
            return [], []
        names = self._names.split("\0")
        stamps = [stamp for (stamp,) in _STAMPS.iter_unpack(self._stamps)]
        if not (others := self._others):
            return names, stamps
        left = [place for place, name in enumerate(names) if name not in others]
        return [names[place] for place in left], [stamps[place] for place in left]

    def _place(self, name: str) -> int | None:
        if self._places is not None or len(self._names) > _SEARCHED:
            return self._looked_up().get(name)
        at = f"\0{self._names}\0".find(f"\0{name}\0") if self._stamps and "\0" not in name else -1
        return None if at < 0 else self._names.count("\0", 0, at)

    def _looked_up(self) -> dict[str, int]:
        places = self._places
        if places is None:
            names = self._names.split("\0") if self._stamps else ()
            self._places = places = {name: place for place, name in enumerate(names)}
            _looked_up.append(self)
            if len(_looked_up) > _LOOKED_UP:
                _looked_up.popleft()._places = None
        return places


_looked_up: Final[deque[Folder]] = deque()


def packed(nodes: Iterable[tuple[str, Inode]]) -> Folder:
    """A folder with these names."""
    names: list[str] = []
    stamps: list[bytes] = []
    others: dict[str, Inode] = {}
    for name, node in nodes:
        if node.kind == "file" and not node.dataless and node.names == 1:
            names.append(name)
            stamps.append(STAMP.pack(*node.key))
        else:
            others[name] = node
    return Folder(names, b"".join(stamps), others)


def names_at(folder: str) -> Folder:
    """The names in the folder at an absolute path.

    Raises:
        OSError: it cannot be listed.
    """
    names: list[str] = []
    stamps: list[int] = []
    others: dict[str, Inode] = {}
    is_file = stat.S_ISREG
    with disk.scandir(folder) as entries:
        for entry in entries:
            if _IS_PLAIN:
                try:  # `suppress` would be a sixth of the time
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    pass
                else:
                    if is_file(status.st_mode) and status.st_nlink == 1:
                        names.append(entry.name)
                        stamps += (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
                        continue
            node = _node(entry)
            if node is not None:
                others[entry.name] = node
    try:
        return Folder(names, array("q", stamps).tobytes(), others)
    except OverflowError:
        keys = map(Key.within, stamps[0::4], stamps[1::4], stamps[2::4], stamps[3::4])
        return Folder(names, b"".join(STAMP.pack(*key) for key in keys), others)


def _node(entry: os.DirEntry[str]) -> Inode | None:
    """What stands behind one name of a listing, looked at by itself; None when it is no longer there."""
    _, kind, dataless = catalogue.listed_as(entry)
    try:
        # On Windows a listing knows neither the inode nor, of an open file, its last size.
        known = disk.lstat(entry.path) if sys.platform == "win32" else entry.stat(follow_symlinks=False)
        status: os.stat_result | None = known
    except OSError:
        try:
            status = disk.status(entry.path)
        except OSError:
            return Inode(kind, NO_KEY, dataless)
    if status is None:
        return None
    return Inode(kind, Key.of(status), dataless, status.st_nlink if kind == "file" else 1)

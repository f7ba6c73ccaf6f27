"""Resolves a caller's path to a place inside the vault, or refuses it.

The only confinement: every path of every tool passes through `Root.locate`, and `Root.open` opens every file that our
own code reads. No other code joins a caller's text to a folder.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final, Literal

from vaulttools.core import limits, paths, windows
from vaulttools.core.folding.identity import composed
from vaulttools.errors import AccessDenied, BadArgument, OutsideVault, PathTooLong, VaultToolsError
from vaulttools.files import disk
from vaulttools.files.protection import Protection, folded
from vaulttools.files.real_path import is_at, other_spellings, real_path

Kind = Literal["file", "folder", "other"]

_DRIVE = re.compile(r"[A-Za-z]:[\\/]|\\\\|//")
_CURRENT = re.compile(r"[A-Za-z]:(?![\sL0-9])")
"""Windows: a path from the current folder of a drive, `C:a.md`; `a:1-3` and `a:L5` are lines of a file."""
_WINDOWS = sys.platform == "win32"
_ESCAPES: Final = () if _WINDOWS else ("\\[", "\\]", "\\{", "\\}")
_ABSENT: Final = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL, errno.EILSEQ))
"""Errors that mean that nothing is at a path, or can be (EINVAL, EILSEQ: not a valid name on this system)."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a caller's path leads: `path` is vault-relative, spelled as on disk (`""`: the root)."""

    path: str
    kind: Kind | None
    """Kind of the target, links followed; None if nothing is there."""


@dataclass(frozen=True, slots=True)
class Root:
    """An existing folder, all links in its own path resolved."""

    folder: str
    """Absolute path."""
    spelling: str
    """Absolute path as given; absolute arguments may use either."""
    protection: Protection
    is_logseq: bool = False
    """Whether it is a graph of Logseq, whose notes are read as Logseq reads them."""

    def ensure_readable(self) -> None:
        """Check that the folder can be listed: a missing vault must not look like an empty one.

        Raises:
            VaultToolsError: it cannot be listed (fault-T13).
        """
        try:
            disk.scandir(self.folder).close()
        except OSError as error:
            raise disk.unlistable(error) from None

    def absolute(self, path: str) -> str:
        """Returns the absolute path of a vault-relative path, for the disk; on Windows in its verbatim form."""
        absolute = f"{self.folder}{os.sep}{path}" if path else self.folder
        return windows.verbatim(absolute) if _WINDOWS else absolute

    def relative(self, text: str, given: str | None = None) -> str:
        """Returns a caller's text as a vault-relative path without `.`, `..` and doubled slashes; `""` is the root.

        Does not access the disk, so a glob works, too. On Windows `\\` is a separator; elsewhere it stays. If `text` is
        one reading of `given`, errors name `given`.

        Raises:
            OutsideVault: an absolute path elsewhere, or more `..` than folders.
            AccessDenied: the path lies in a protected folder, with `\\` read as a character or as `/`.
            BadArgument: the path contains a NUL character, or is too long.
        """
        given = text if given is None else given
        if "\0" in text:
            raise BadArgument("Path contains a NUL character")
        if paths.NO_TEXT.search(text):
            raise BadArgument("Path is not valid Unicode text: it holds a lone surrogate")
        text = text.replace("\\", "/") if _WINDOWS else text
        # Absolute paths of other systems count, too: `C:/x` or `\\host\x` never mean a file of the vault.
        if _is_absolute(text):
            text = self._below_root(text, given)
        closed = [self.protection.folder_of(_resolved(slashed, given)) for slashed in (text, text.replace("\\", "/"))]
        for folder in closed:
            if folder is not None:
                raise AccessDenied(folder)
        path = _resolved(text, given)
        if len(os.fsencode(path)) > limits.PATH_BYTES or any(
            len(os.fsencode(part)) > limits.NAME_BYTES for part in path.split("/")
        ):
            raise PathTooLong(paths.shown(given))
        return path

    def anchored(self, glob: str) -> str:
        """Returns a glob relative to the root: an absolute one without the root's folders, others unchanged.

        Raises:
            OutsideVault: the glob is absolute and lies elsewhere.
        """
        text = glob.replace("\\", "/") if _WINDOWS else glob
        if not _is_absolute(text):
            return glob
        return f"./{self._below_root(text, glob)}{'/' if text.endswith('/') else ''}"

    def locate(self, given: str) -> Place:
        r"""Find the place of a path: as a literal name first, then unescaped, then with `\` read as `/`.

        Also finds a name that has another Unicode form on disk; on Windows also one with dots and blanks at its end,
        which it drops, and the short form of a name (`LONGNA~1.MD`). There no name has a `:`: it would lead to another
        stream of a file.

        Raises:
            OutsideVault: also if a symbolic link leads out, whether or not its target exists.
            AccessDenied: also if a link leads into a protected folder.
            BadArgument: as for `relative`, and if two names on disk differ only in their Unicode form.
        """
        path = ""
        # A glob may begin with a sign that `\` makes text; that is no path from the root of a drive.
        slashes = given if given[:2] in _ESCAPES else given.replace("\\", "/")
        bare = _bare(slashes) if _WINDOWS else slashes
        for reading in dict.fromkeys((given, paths.unshown(given), slashes, bare)):
            path = self.relative(reading, given)
            if _WINDOWS and ":" in path:
                continue
            on_disk = self._on_disk(path, given)
            if on_disk is not None:
                return self._place(on_disk)
        return Place(path, None)

    def ensure_here(self, given: str) -> None:
        """Check that a missing path is not a file that iCloud has not downloaded (fault-S02).

        Raises:
            BadArgument: it is: an older iCloud has left `.name.md.icloud` in its place.
        """
        try:
            folder, _, name = self.relative(given).rpartition("/")
            stub = disk.status(self.absolute(paths.join(self.resolved(folder), f".{name}.icloud")))
        except (VaultToolsError, OSError, ValueError):
            return  # the path is outside the vault or cannot be examined
        if stub is not None:
            raise BadArgument(f"Not downloaded: {paths.shown(given)} is in iCloud, and not on this computer")

    def open(self, path: str) -> int:
        """Open the regular file at a vault-relative path from `locate` or a walk, for reading; return its descriptor.

        If the platform can, opens each folder relative to its parent without following links, so that a link that
        appears between check and use leads nowhere (fault-P07).

        Raises:
            OSError: the file cannot be opened, or is not a regular file (EINVAL).
            OutsideVault, AccessDenied: a link in the path leads there.
        """
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        if os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW"):
            descriptor = self._open_unlinked(path, flags | os.O_NOFOLLOW)
        else:
            descriptor = disk.open_file(self.absolute(self.resolved(path)), flags)
        try:
            if not stat.S_ISREG(disk.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "not a regular file")
        except OSError:
            disk.close(descriptor)
            raise
        return descriptor

    def _open_unlinked(self, path: str, flags: int) -> int:
        """Like `open`. Most paths contain no link: opening without resolving first takes half the time."""
        closed = self.protection.folder_of(path)
        if closed is not None:
            raise AccessDenied(closed)
        try:
            return self._open_by_component(path, flags)
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):  # EMLINK: FreeBSD's error for a link
                raise
        return self._open_by_component(self.resolved(path), flags)

    def _open_by_component(self, real: str, flags: int) -> int:
        folders, _, name = real.rpartition("/")
        if not folders:
            return disk.open_file(self.absolute(name), flags)
        here = disk.open_file(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for part in folders.split("/"):
                below = disk.open_file(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
                disk.close(here)
                here = below
            return disk.open_file(name, flags, dir_fd=here)
        finally:
            disk.close(here)

    def _below_root(self, text: str, given: str) -> str:
        """Returns the part of an absolute path below the root, compared by components (fault-P03)."""
        wanted = PurePath(os.path.normpath(text))
        for start in (self.folder, self.spelling):
            with suppress(ValueError):
                return wanted.relative_to(start).as_posix()
        depth = len(PurePath(self.folder).parts)
        above, below = str(PurePath(*wanted.parts[:depth])), wanted.parts[depth:]
        # A disk that ignores case or Unicode form has it in more spellings.
        if folded(above) == folded(self.folder) and real_path(above) == self.folder:
            return "/".join(below) or "."
        raise OutsideVault(given)

    def resolved(self, path: str, given: str | None = None) -> str:
        """Returns a vault-relative path with every link resolved.

        Raises:
            OutsideVault, AccessDenied: a link in the path leads there; the error names `given`, else the path.
            BadArgument: on Windows, a link or folder on the way cannot be examined.
        """
        absolute = self.absolute(path)
        try:
            real = windows.plain(disk.real(absolute)) if _WINDOWS else os.path.realpath(absolute)
        except OSError as error:
            raise BadArgument(f"Cannot look at {paths.shown(path) or 'the vault'}: {error.strerror}") from error
        if real == self.folder:
            return ""
        try:
            inside = PurePath(real).relative_to(self.folder).as_posix()
        except ValueError:  # outside, or the target of a link spells the vault's own folders otherwise
            try:
                inside = PurePath(real_path(real)).relative_to(self.folder).as_posix()
            except ValueError:
                raise OutsideVault(path if given is None else given) from None
        closed = self.protection.folder_of(inside)
        if closed is not None:
            raise AccessDenied(closed)
        return inside

    def _place(self, path: str) -> Place:
        status = self._status(path)
        if status is None:
            return Place(path, None)
        if stat.S_ISLNK(status.st_mode):
            try:
                status = disk.stat(self.absolute(path))
            except OSError:
                return Place(path, "other")
        mode = status.st_mode
        kind: Kind = "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else "other"
        return Place(path, kind)

    def _folds(self, path: str, status: os.stat_result) -> bool:
        """Whether a path is also found in another case or Unicode form, as on macOS and Windows, or may be a short form
        of Windows."""
        if _WINDOWS and "~" in path:
            return True
        return any(self._is_same(other, status) for other in other_spellings(path))

    def _is_same(self, path: str, status: os.stat_result) -> bool:
        return is_at(self.absolute(path), status)

    def _status(self, path: str) -> os.stat_result | None:
        """Returns the status of a path, links not followed; None if nothing is there.

        Raises:
            BadArgument: the path cannot be examined; it must not look missing.
        """
        try:
            return disk.status(self.absolute(path))
        except OSError as error:
            if error.errno in _ABSENT:
                return None
            raise BadArgument(f"Cannot look at {paths.shown(path) or 'the vault'}: {error.strerror}") from error

    def _on_disk(self, path: str, given: str) -> str | None:
        """Returns the path as spelled on disk, or None if nothing is there.

        Links are resolved before any look-up, so that the error does not reveal what exists behind a protected link.
        """
        self.resolved(path, given)
        status = self._status(path)
        if status is not None and not self._folds(path, status):
            return path
        if status is None and path.isascii():
            return None
        found = ""
        for part in path.split("/"):
            self.resolved(paths.join(found, part), given)
            here = self._status(paths.join(found, part))
            if here is not None and status is None:
                found = paths.join(found, part)
                continue
            try:
                names = disk.listdir(self.absolute(found))
            except OSError as error:
                if status is not None:
                    return path
                if error.errno in _ABSENT:
                    return None
                raise BadArgument(f"Cannot list {paths.shown(found) or 'the vault'}: {error.strerror}") from error
            equal = [part] if part in names else [name for name in names if folded(name) == folded(part)]
            if here is not None:
                equal = [name for name in equal if self._is_same(paths.join(found, name), here)][:1]
                if _WINDOWS and not equal:  # a short form
                    equal = [name for name in names if self._is_same(paths.join(found, name), here)][:1]
            else:
                equal = [name for name in equal if composed(name) == composed(part)]
            if not equal:
                return path if status is not None else None
            if len(equal) > 1:
                raise BadArgument(
                    f"Path is ambiguous: {path} could be any of {len(equal)} names in other Unicode forms"
                )
            found = paths.join(found, equal[0])
            self.resolved(found, given)
        return found


def _is_absolute(text: str) -> bool:
    if text.startswith("/") or os.path.isabs(text) or _DRIVE.match(text) is not None:
        return True
    return _WINDOWS and _CURRENT.match(text) is not None


def _bare(text: str) -> str:
    """The text without dots and blanks at the end of its names, as Windows reads it."""
    return "/".join(part.rstrip(". ") or part for part in text.split("/"))


def _resolved(text: str, given: str) -> str:
    """The text without `.`, `..` and doubled slashes."""
    parts: list[str] = []
    for part in text.split("/"):
        if part == "..":
            if not parts:
                raise OutsideVault(given)
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)

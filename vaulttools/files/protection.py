"""Recognises protected folders in every spelling.

Every path that enters the package and every folder of a walk is checked here, and nowhere else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from vaulttools.core.folding.identity import composed
from vaulttools.errors import BadArgument

ALWAYS: Final = (".obsidian", ".smarthole", ".trash", ".git")
"""Folders that are protected at any depth in every vault."""

_IGNORED_BY_FILE_SYSTEMS = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
"""Characters that HFS+ ignores in names; git protects `.git` against the same set."""


def folded(name: str) -> str:
    """Returns a path component in the form that protection compares.

    NFC, case-folded, without what a file system may ignore: trailing dots and blanks, and invisible characters.
    """
    if name.isascii():
        return name.rstrip(". ").lower()
    visible = _IGNORED_BY_FILE_SYSTEMS.sub("", name)
    return composed(composed(visible).casefold()).rstrip(". ")


@dataclass(frozen=True, slots=True)
class Protection:
    """The protected folders of one vault: `names` at any depth, `folders` at their place below the root."""

    names: dict[str, str]
    """Maps folded names to the names in error messages."""
    initials: frozenset[str]
    """First letters of the names, and of the folders' last names, in both cases: an ASCII name with another first
    letter is not protected, and need not be folded."""
    folders: dict[str, str]
    """Maps folded paths of more than one component to the paths in error messages."""
    closed: tuple[str, ...]
    """The names, and the folders' last names, folded."""

    @classmethod
    def of(cls, added: tuple[str, ...] = ()) -> Protection:
        """Protects the folders of `ALWAYS` and the added ones; an added one with a `/` is a path from the root.

        Raises:
            BadArgument: no path can lie in an added folder, such as `..`.
        """
        names = {folded(name): name for name in ALWAYS}
        folders = {}
        for folder in added:
            parts = [part for part in folder.replace("\\", "/").split("/") if part not in ("", ".")]
            if not parts or not all(map(folded, parts)):
                raise BadArgument(f"Not a folder that can be protected: '{folder}'")
            if len(parts) == 1:
                names[folded(parts[0])] = parts[0]
            else:
                folders["/".join(map(folded, parts))] = "/".join(parts)
        closed = (*names, *(folder.rpartition("/")[2] for folder in folders))
        initials = frozenset(case for name in closed for case in (name[0], name[0].upper()))
        return cls(names, initials, folders, closed)

    def folder_of(self, path: str) -> str | None:
        """Returns the name of the protected folder that a vault-relative path is or lies in, or None.

        The path must not contain `..`; `.` and doubled slashes are ignored.
        """
        walked = ""
        for part in path.split("/"):
            if part in ("", "."):
                continue
            name = folded(part)
            if name in self.names:
                return self.names[name]
            walked = f"{walked}/{name}" if walked else name
            if walked in self.folders:
                return self.folders[walked]
        return None

    def folder_of_member(self, member: str) -> str | None:
        r"""Like `folder_of`, for a name in an archive, where any folder may be a vault.

        Names are protected at any depth, and paths wherever their folders follow each other. `\` is read as `/`, and
        `..` both as a name and as the parent: either reading protects.
        """
        parts = [part for part in member.replace("\\", "/").split("/") if part not in ("", ".")]
        resolved: list[str] = []
        for part in parts:
            if part != "..":
                resolved.append(part)
            elif resolved:
                resolved.pop()
        for reading in (parts, resolved):
            names = list(map(folded, reading))
            for name in names:
                if name in self.names:
                    return self.names[name]
            walked = f"/{'/'.join(names)}/"
            for folder, shown in self.folders.items():
                if f"/{folder}/" in walked:
                    return shown
        return None

    def closes(self, path: str, name: str) -> bool:
        """Whether a walk must not show or enter the entry `name` at `path`; its parent is not protected."""
        if name[0] not in self.initials and name.isascii():  # most names
            return False
        return folded(name) in self.names or (bool(self.folders) and self.folder_of(path) is not None)

    def may_close(self, names: str) -> bool:
        """Whether `closes` may be true for one of several names of a folder, joined by NUL: a quick look at all."""
        return any(map(folded(names).__contains__, self.closed))

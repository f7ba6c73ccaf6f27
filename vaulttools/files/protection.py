"""Recognises protected folders, in every spelling.

Every path that enters the package and every folder a walk meets is asked here; nothing else decides it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from vaulttools.errors import BadArgument

ALWAYS: Final = (".obsidian", ".smarthole", ".trash", ".git")
"""Folders closed at any depth in every vault."""

_IGNORED_BY_FILE_SYSTEMS = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
"""Characters that HFS+ drops when it compares names; git closes `.git` against the same set."""


def folded(name: str) -> str:
    """One path component in the form in which protection compares it.

    NFC, case folded, without what a file system may drop: trailing dots and blanks, and invisible characters.
    """
    if name.isascii():
        return name.rstrip(". ").lower()
    visible = _IGNORED_BY_FILE_SYSTEMS.sub("", name)
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", visible).casefold()).rstrip(". ")


@dataclass(frozen=True, slots=True)
class Protection:
    """The closed folders of one vault: `names` at any depth, `folders` at their place below the root."""

    names: dict[str, str]
    """Folded name to the name shown in the refusal."""
    initials: frozenset[str]
    """First letters of the names, and of the last names of the folders, in both cases: an ASCII name that begins with
    another one is open, known without folding it."""
    folders: dict[str, str]
    """Folded path of more than one component to the path shown in the refusal."""

    @classmethod
    def of(cls, added: tuple[str, ...] = ()) -> Protection:
        """The folders of `ALWAYS` and the added ones; an added one with a `/` is a path from the root.

        Raises:
            BadArgument: an added one that no path could ever lie in, such as `..`.
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
        closed = [*names, *(folder.rpartition("/")[2] for folder in folders)]
        initials = frozenset(case for name in closed for case in (name[0], name[0].upper()))
        return cls(names, initials, folders)

    def folder_of(self, path: str) -> str | None:
        """The protected folder that the vault-relative path is or lies in, by its own name, or None.

        The path has no `..` left in it; `.` and doubled slashes do no harm.
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
        r"""As `folder_of`, of a name in an archive, which may hold a vault in any of its folders.

        The names are closed at any depth, and a path wherever its folders follow each other. `\` is read as `/`, and
        `..` as a name and as the way up: either reading closes.
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
        """Whether a walk must not show or enter the entry `name` at `path`, its parent being open."""
        if (name[0] in self.initials or not name.isascii()) and folded(name) in self.names:
            return True
        return bool(self.folders) and self.folder_of(path) is not None

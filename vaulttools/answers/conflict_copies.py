"""Knows the names that sync programs give to conflict copies."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from vaulttools.core import limits
from vaulttools.core.work import named

KINDS: Final = (
    # Obsidian Sync: `name (Conflicted copy laptop 202411211200).md`
    # Dropbox, Nextcloud, iCloud's apps: `name (Ann's conflicted copy 2024-11-21).md`
    re.compile(
        r"(?P<name>[^/]+) \([^()/]*\bconflicted copy\b[^()/]*(?:\([0-9]+\))?\)(?P<ending>\.[^./]+)?", re.IGNORECASE
    ),
    # Dropbox in other languages: `name (In Konflikt stehende Kopie von Ann 2024-11-21).md`
    re.compile(
        r"(?P<name>[^/]+) \((?=[^()/]*\b(?:konflikt|conflit|conflicto|conflitto|conflito|conflicterende)\b)"
        r"(?=[^()/]*\b(?:kopie|copie|copia|cópia)\b)[^()/]*[0-9]{4}-[0-9]{2}-[0-9]{2}[^()/]*\)(?P<ending>\.[^./]+)?",
        re.IGNORECASE,
    ),
    # Syncthing: `name.sync-conflict-20241121-120000-ABCDEFG.md`
    re.compile(r"(?P<name>[^/]+)\.sync-conflict-[0-9]{8}-[0-9]{6}(?:-[0-9A-Z]{7})?(?P<ending>\.[^./]+)?"),
    # ownCloud and Nextcloud before 2019: `name_conflict-20180521-120000.md`
    re.compile(r"(?P<name>[^/]+)_conflict-[0-9]{8}-[0-9]{6}(?P<ending>\.[^./]+)?"),
    # Seafile: `name (SFConflict ann@example.org 2024-11-21-12-00-00).md`
    re.compile(r"(?P<name>[^/]+) \(SFConflict [^()/]*\)(?P<ending>\.[^./]+)?"),
    # Synology Drive: `name_LAPTOP_Nov-21-120000-2024_Conflict.md`
    re.compile(r"(?P<name>[^/]+?)_[^/]+_[A-Z][a-z]{2}-[0-9]{2}-[0-9]{6}-[0-9]{4}_Conflict(?P<ending>\.[^./]+)?"),
    # OneDrive adds the computer's name; only those that Windows makes up are sure: `name-DESKTOP-1A2B3C4.md`
    re.compile(r"(?P<name>[^/]+)-(?:DESKTOP-[0-9A-Z]{7}|LAPTOP-[0-9A-Z]{8})(?:-[0-9]+)?(?P<ending>\.[^./]+)?"),
)
"""How sync tools name a file that was changed in two places (fault-S03). `name 2.md` of iCloud and `name (1).md` of
Google Drive are missing: people give such names, too."""

MARKS: Final = re.compile("confli|konflikt|-desktop-|-laptop-", re.IGNORECASE)
"""In the names of all conflict copies: a quick look."""


def conflict_copies(shown: Iterable[str]) -> list[str]:
    """Returns sentences about the first shown files whose names are those of conflict copies (fault-S03)."""
    sentences: list[str] = []
    for path in dict.fromkeys(shown):
        folder, slash, name = path.rpartition("/")
        for kind in KINDS if MARKS.search(name) else ():
            if (copy := kind.fullmatch(name)) and len(sentences) < limits.NAMED_PATHS:
                original = f"{folder}{slash}{copy['name']}{copy['ending'] or ''}"
                sentences.append(f"{named([path])} is a conflict copy of {named([original])}.")
                break
    return sentences

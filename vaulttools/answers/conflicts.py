"""Recognises conflict copies, which sync tools make of a file changed in two places (fault-S03)."""

from __future__ import annotations

import re
from typing import Final

_KINDS: Final = (
    # Obsidian Sync: `name (Conflicted copy laptop 202411211200).md`
    # Dropbox: `name (Ann's conflicted copy 2024-11-21).md`
    re.compile(
        r"(?P<name>[^/]+) \([^()/]*\bconflicted copy\b[^()/]*(?:\([0-9]+\))?\)(?P<ending>\.[^./]+)?", re.IGNORECASE
    ),
    # Syncthing: `name.sync-conflict-20241121-120000-ABCDEFG.md`
    re.compile(r"(?P<name>[^/]+)\.sync-conflict-[0-9]{8}-[0-9]{6}(?:-[0-9A-Z]{7})?(?P<ending>\.[^./]+)?"),
)


def original(path: str) -> str | None:
    """The path of the file that a path is named as a conflict copy of; None when it is not named so.

    >>> original("a/plan (Conflicted copy laptop 202411211200).md"), original("a/plan (copy).md")
    ('a/plan.md', None)
    """
    folder, slash, name = path.rpartition("/")
    for kind in _KINDS:
        if found := kind.fullmatch(name):
            return f"{folder}{slash}{found['name']}{found['ending'] or ''}"
    return None

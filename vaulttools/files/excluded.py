"""Defines which files are excluded: by Obsidian's `userIgnoreFilters` (rule-E04 to rule-E06), and by default.

The default excludes of `survey` and `scout` hold at any depth below the vault root, case-sensitive, without an off
switch (`docs/sources.md`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vaulttools.core import paths
from vaulttools.files import settings

DEFAULT_FOLDERS: Final = frozenset(
    (".git", "target", "node_modules", "vendor", "dist", "build", "coverage", "generated", "scratch", "tmp")
)
"""Names of folders that are left out by default with all that they hold."""

DEFAULT_ENDINGS: Final = (".log", ".jsonl", ".xml", ".min.js", ".map")
"""Endings of names, of files and folders, that are left out by default."""


@dataclass(frozen=True, slots=True)
class Excluded:
    """The filters of one vault. An entry is plain text found anywhere in a path, case ignored, or `/regex/` (rule-E06).

    ripgrep matches `patterns`: nothing that a caller or a vault wrote is compiled here.
    """

    texts: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.texts or self.patterns)

    def covers(self, path: str, *, is_folder: bool = False) -> bool:
        """Whether a plain entry excludes the path; for a folder: excludes everything below it."""
        text = paths.nfc(path).casefold()
        if is_folder:
            text += "/"
        return any(entry in text for entry in self.texts)


def read(config_folder: Path) -> Excluded:
    """The filters in `app.json`; none when there is no such file or it is not what Obsidian writes.

    Raises:
        OSError: it is there, and cannot be read.
    """
    entries = settings.read(config_folder / "app.json").get("userIgnoreFilters")
    texts, patterns = [], []
    for entry in entries if isinstance(entries, list) else []:
        if not isinstance(entry, str) or not entry:
            continue
        if len(entry) > 2 and entry.startswith("/") and entry.endswith("/"):
            patterns.append(entry[1:-1])
        else:
            texts.append(paths.nfc(entry).casefold())
    return Excluded(tuple(texts), tuple(patterns))


def is_default(name: str, *, is_folder: bool) -> bool:
    """Whether the default excludes leave out a file or folder of that name."""
    return name.endswith(DEFAULT_ENDINGS) or (is_folder and name in DEFAULT_FOLDERS)


def default_folder_of(path: str) -> str | None:
    """The folder left out by default that a vault-relative folder is or lies in, as a path; None when there is none."""
    parts = path.split("/")
    for depth, name in enumerate(parts, 1):
        if is_default(name, is_folder=True):
            return "/".join(parts[:depth])
    return None

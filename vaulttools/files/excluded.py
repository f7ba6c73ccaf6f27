"""Reads Obsidian's excluded files, `userIgnoreFilters`, from the config folder (rule-E04 to rule-E06)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vaulttools.core import paths
from vaulttools.files import settings


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

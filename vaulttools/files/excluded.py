"""Excluded files: Obsidian's `userIgnoreFilters`, read from the config folder (spec 2.5; rule-E04 to rule-E06)."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vaulttools.core import paths
from vaulttools.files import disk

_MOST_BYTES: Final = 1 << 20
"""Of settings that are read; Obsidian writes a few KiB."""
_OPEN_FLAGS: Final = os.O_RDONLY | sum(getattr(os, f"O_{name}", 0) for name in ("NONBLOCK", "CLOEXEC", "BINARY"))


@dataclass(frozen=True, slots=True)
class Excluded:
    """The filters of one vault. An entry is plain text found anywhere in a path, case ignored, or `/regex/` (rule-E06).

    `patterns` are for whoever runs ripgrep: nothing that a caller or a vault wrote is compiled here.
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
    try:
        entries = json.loads(_text(config_folder / "app.json")).get("userIgnoreFilters") or []
    except (ValueError, AttributeError, RecursionError):
        return Excluded()
    texts, patterns = [], []
    for entry in entries if isinstance(entries, list) else []:
        if not isinstance(entry, str) or not entry:
            continue
        if len(entry) > 2 and entry.startswith("/") and entry.endswith("/"):
            patterns.append(entry[1:-1])
        else:
            texts.append(paths.nfc(entry).casefold())
    return Excluded(tuple(texts), tuple(patterns))


def _text(file: Path) -> bytes:
    """What a file holds; `{}` when it is none, or too large. An error is believed when it comes twice."""
    for _ in range(2):
        try:
            if not stat.S_ISREG(disk.stat(file).st_mode):  # a FIFO would be waited for
                return b"{}"
            with disk.fdopen(disk.open_file(file, _OPEN_FLAGS), "rb") as opened:
                text: bytes = opened.read(_MOST_BYTES + 1)
            return text if len(text) <= _MOST_BYTES else b"{}"
        except OSError as error:
            fault = error
    if disk.is_gone(file):
        return b"{}"
    raise fault

"""Reads the settings of a vault, and tells which files they, or our defaults, exclude.

They lie in config folders, which no caller ever sees. Obsidian's `userIgnoreFilters` exclude files (rule-E04 to
rule-E06). The default excludes of `survey` and `scout` hold at any depth below the vault root, case-sensitive, without
an off switch (`docs/sources.md`).
"""

from __future__ import annotations

import errno
import json
import os
import stat
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vaulttools.core import paths
from vaulttools.errors import VaultToolsError
from vaulttools.files import disk
from vaulttools.files.disk import Key, is_racy

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_MOST_BYTES: Final = 1 << 20
"""Of settings that are read; Obsidian writes a few KiB."""
_OPEN_FLAGS: Final = os.O_RDONLY | sum(getattr(os, f"O_{name}", 0) for name in ("NONBLOCK", "CLOEXEC", "BINARY"))

DEFAULT_FOLDERS: Final = frozenset(
    (".git", "target", "node_modules", "vendor", "dist", "build", "coverage", "generated", "scratch", "tmp")
)
"""Names of folders that are left out by default with all that they hold."""

DEFAULT_FILES: Final = ("*.log", "*.jsonl", "*.xml", "*.min.js", "*.map")
"""Globs of names, of files and folders, that are left out by default; each begins with `*.`."""


class ConfigFolders:
    """The dot-folders at the root of a vault that hold Obsidian's settings, which may be made at any time."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._listed: tuple[Key, int] | None = None
        """The root's key when it was listed, and when that was."""
        self._names: Sequence[str] = ()
        """Of all entries at the root that begin with a dot."""

    def found(self) -> list[str]:
        """Their names, `.obsidian` first (rule-E03).

        One device may have its own: all are protected, the first is the one whose excluded files hold.

        Raises:
            VaultToolsError: the root cannot be listed.
        """
        try:
            key, now = Key.of(disk.stat(self._root)), time.time_ns()
            if self._listed is None or self._listed[0] != key or is_racy(*self._listed):
                with disk.scandir(self._root) as scanned:
                    self._names = sorted(entry.name for entry in scanned if entry.name.startswith("."))
                self._listed = key, now
        except OSError as error:  # what is not known to be a config folder would not be protected
            raise VaultToolsError(f"The vault's folder cannot be read: {error.strerror}") from None
        return sorted(filter(self._holds_settings, self._names), key=".obsidian".__ne__)

    def _holds_settings(self, name: str) -> bool:
        folder = self._root / name
        return _may_stand(folder / "app.json") or _may_stand(folder / "core-plugins.json")


def _may_stand(path: Path) -> bool:
    """Whether a file stands at a path; what cannot be looked at may, and its folder is better protected than not."""
    is_absent = False
    for _ in range(2):  # an error may pass
        try:
            return stat.S_ISREG(disk.stat(path).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            is_absent = True
        except OSError as error:
            is_absent = is_absent or error.errno == errno.ELOOP  # nothing can stand behind it
    return not is_absent


def read(file: Path) -> Mapping[str, Any]:
    """The JSON object that a file holds; an empty one where there is no such file, or it holds something else.

    Raises:
        OSError: it is there, and cannot be read.
    """
    try:
        found = json.loads(_text(file))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _text(file: Path) -> bytes:
    """What a file holds; `{}` when it is none, or too large. An error is believed when it comes twice."""
    with suppress(OSError):
        return _read(file)
    try:
        return _read(file)
    except OSError:
        # The error is kept nowhere: it would keep this call's frames, and with them all that an answer is made of.
        if disk.is_gone(file):
            return b"{}"
        raise


def _read(file: Path) -> bytes:
    if not stat.S_ISREG(disk.stat(file).st_mode):  # a FIFO would be waited for
        return b"{}"
    with disk.fdopen(disk.open_file(file, _OPEN_FLAGS), "rb") as opened:
        text: bytes = opened.read(_MOST_BYTES + 1)
    return text if len(text) <= _MOST_BYTES else b"{}"


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


def excluded(config_folder: Path) -> Excluded:
    """The filters in `app.json`; none when there is no such file or it is not what Obsidian writes.

    Raises:
        OSError: it is there, and cannot be read.
    """
    entries = read(config_folder / "app.json").get("userIgnoreFilters")
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
    if is_folder:
        return _is_left_out(f"{name}/")
    # All that the globs can tell apart is the ending; so a vault asks a few times instead of once for each file.
    _, dot, ending = name.partition(".")
    return bool(dot) and _is_left_out(f".{ending}")


@lru_cache(maxsize=4096)
def _is_left_out(name: str) -> bool:
    return _default_excludes().match_file(paths.portable(name))  # pathspec's RE2 takes no lone surrogates


@lru_cache(maxsize=1)
def _default_excludes() -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines([*(f"{name}/" for name in DEFAULT_FOLDERS), *DEFAULT_FILES])


def default_folder_of(path: str) -> str | None:
    """The folder left out by default that a vault-relative folder is or lies in, as a path; None when there is none."""
    parts = path.split("/")
    for depth, name in enumerate(parts, 1):
        if is_default(name, is_folder=True):
            return "/".join(parts[:depth])
    return None

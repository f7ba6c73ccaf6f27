"""Reads the settings of a vault, and decides which files they or our defaults exclude.

The settings lie in config folders, which no caller ever sees. Obsidian's `userIgnoreFilters` exclude files (rule-E04 to
rule-E06). The default excludes of `survey` and `scout` apply at any depth, case-sensitive, always (`docs/sources.md`).
"""

from __future__ import annotations

import errno
import json
import stat
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vaulttools.core import paths
from vaulttools.core.cached import cached_property
from vaulttools.core.folding.identity import identity
from vaulttools.core.text_set import TextSet
from vaulttools.files import disk, small
from vaulttools.files.disk import Key, is_racy

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

DEFAULT_FOLDERS: Final = frozenset(
    (".git", "target", "node_modules", "vendor", "dist", "build", "coverage", "generated", "scratch", "tmp")
)
"""Names of folders that are left out by default, with their content."""

DEFAULT_FILES: Final = ("*.log", "*.jsonl", "*.xml", "*.min.js", "*.map")
"""Globs for names of files and folders that are left out by default; each begins with `*.`."""


LOGSEQ: Final = ("logseq", "config.edn")
"""The folder and the file with the settings of Logseq: the folder above is a graph."""


def is_logseq(folder: str, *, was: bool = False) -> bool:
    """Whether a folder is a graph of Logseq; `was` if that cannot be seen."""
    try:
        return stat.S_ISREG(disk.stat(Path(folder, *LOGSEQ)).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return was


class ConfigFolders:
    """The dot-folders at the root of a vault that hold Obsidian's settings; they may appear at any time."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._listed: tuple[Key, int] | None = None
        """The root's key at the last listing, and the time of that listing."""
        self._names: Sequence[str] = ()
        """Names at the root that begin with a dot."""

    def found(self) -> list[str]:
        """Returns the names of the config folders, `.obsidian` first (rule-E03).

        A device may have its own: all are protected, and the excluded files of the first one apply.

        Raises:
            VaultToolsError: the root cannot be listed.
        """
        try:
            key, now = Key.of(disk.stat(self._root)), time.time_ns()
            if self._listed is None or self._listed[0] != key or is_racy(*self._listed):
                with disk.scandir(self._root) as scanned:
                    self._names = sorted(entry.name for entry in scanned if entry.name.startswith("."))
                self._listed = key, now
        except OSError as error:  # an undetected config folder would not be protected
            raise disk.unlistable(error) from None
        return sorted(filter(self._holds_settings, self._names), key=".obsidian".__ne__)

    def _holds_settings(self, name: str) -> bool:
        folder = self._root / name
        return _may_be_file(folder / "app.json") or _may_be_file(folder / "core-plugins.json")


def _may_be_file(path: Path) -> bool:
    """Whether a path is a file, or may be one because it cannot be examined: then its folder is better protected."""
    is_absent = False
    for _ in range(2):  # an error may pass
        try:
            return stat.S_ISREG(disk.stat(path).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            is_absent = True
        except OSError as error:
            is_absent = is_absent or error.errno == errno.ELOOP  # it leads nowhere
    return not is_absent


def read(file: Path) -> Mapping[str, Any]:
    """Returns the JSON object in a file; an empty one if the file is missing or holds something else.

    Raises:
        OSError: the file exists, but cannot be read.
    """
    try:
        found = json.loads(_text(file))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _text(file: Path) -> bytes:
    """Returns the content of a file; `{}` if it is no file, or too large. An error counts only if it comes twice."""
    with suppress(OSError):
        return small.read(file)
    try:
        return small.read(file)
    except small.Unsuitable:
        return b"{}"
    except OSError:
        # Do not store the error: it would keep this call's frames alive, and with them all data of an answer.
        if disk.is_gone(file):
            return b"{}"
        raise


_FEW: Final = 50
"""So few texts are looked for one by one: that takes 2 µs for a path, all at once 5."""


@dataclass(frozen=True)
class Excluded:
    """The filters of one vault. An entry is plain text, found anywhere in a path ignoring case, or `/regex/`
    (rule-E06).

    ripgrep matches `patterns`: this code compiles no regex from a caller or a vault.
    """

    texts: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.texts or self.patterns)

    def covers(self, path: str, *, is_folder: bool = False) -> bool:
        """Whether a plain entry excludes the path; for a folder: everything below it."""
        text = identity(path)
        if is_folder:
            text += "/"
        return self._finds(text)

    @cached_property
    def _finds(self) -> Callable[[str], bool]:
        return _finder(self.texts)


@lru_cache(maxsize=2)
def _finder(texts: tuple[str, ...]) -> Callable[[str], bool]:
    """Returns the check whether any of the texts is in a text."""
    if len(texts) <= _FEW:
        return lambda text: any(each in text for each in texts)
    return TextSet(texts).is_in


def excluded(config_folder: Path) -> Excluded:
    """Returns the filters in `app.json`; empty ones if the file is missing or not in Obsidian's format.

    Raises:
        OSError: the file exists, but cannot be read.
    """
    entries = read(config_folder / "app.json").get("userIgnoreFilters")
    texts, patterns = [], []
    for entry in entries if isinstance(entries, list) else []:
        if not isinstance(entry, str) or not entry:
            continue
        if len(entry) > 2 and entry.startswith("/") and entry.endswith("/"):
            patterns.append(entry[1:-1])
        else:
            texts.append(identity(entry))
    return Excluded(tuple(texts), tuple(patterns))


def is_default(name: str, *, is_folder: bool) -> bool:
    """Whether the default excludes leave out a file or folder with this name."""
    if is_folder:
        return _is_left_out(f"{name}/")
    # The globs depend only on the ending, so the cache answers for nearly all files of a vault.
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
    """Returns the path of the folder left out by default that a vault-relative folder is or lies in, or None."""
    parts = path.split("/")
    for depth, name in enumerate(parts, 1):
        if is_default(name, is_folder=True):
            return "/".join(parts[:depth])
    return None

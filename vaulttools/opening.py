"""Opens a folder as a vault: root, protected folders, configuration, place of its index."""

from __future__ import annotations

import errno
import json
import os
import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path
from typing import Final

from vaulttools.config import VaultConfig
from vaulttools.core import moment
from vaulttools.core.dates import Calendar
from vaulttools.errors import BadArgument, VaultToolsError
from vaulttools.files import disk
from vaulttools.files.key import Key, is_racy
from vaulttools.files.protection import Protection
from vaulttools.files.root import Root
from vaulttools.index import watch
from vaulttools.session import Session

TODAY: Final = "VAULTTOOLS_TODAY"
"""The variable of the environment that gives a day for today: for scripts, and for vaults of another day."""


def open_folder(folder: str, config: VaultConfig, *, has_index: bool = False, today: date | None = None) -> Session:
    """The vault at a folder; `has_index`: with the index that the configuration asks for; `today`: on that day.

    Raises:
        BadArgument: there is no such folder, or it holds the folder configured for its index; or the environment says
            neither `auto` nor `off` of the watch, or gives no day for today.
        VaultToolsError: it cannot be read.
    """
    watch.is_off()  # refuses what it does not know, before anything is opened
    given = os.path.abspath(os.path.expanduser(folder))
    real = os.path.realpath(given)
    if not os.path.isdir(real):
        what = "not a folder" if os.path.exists(real) else "no such folder"
        raise BadArgument(f"The vault cannot be opened: {folder}: {what}")
    found = ConfigFolders(Path(real)).found()
    added = [_below(folder, (real, given)) for folder in config.protected]
    config_folder = config.config_folder or next(iter(found), ".obsidian")
    protection = Protection.of((*added, config_folder, *found))
    root = Root(real, given, protection)
    has_index = has_index and config.index == "auto"
    if has_index and config.index_folder is not None:
        _ensure_outside(root, config.index_folder)
    if today is None and (given_day := os.environ.get(TODAY)):
        today = day_of(given_day, TODAY)
    calendar = Calendar.of((moment.weeks_of(config.locale).first_day - 1) % 7, today)
    return Session(root, config, config_folder, has_index=has_index, calendar=calendar)


def day_of(text: str, name: str) -> date:
    """The day that a text gives for today; `name` is what it was given by.

    Raises:
        BadArgument: it is no day.
    """
    try:
        return datetime.strptime(text.strip(), "%Y-%m-%d").date()  # noqa: DTZ007  # a day has no zone
    except ValueError:
        raise BadArgument(f"{name} must be a day such as 2026-11-01, got {json.dumps(text[:60])}") from None


def _ensure_outside(root: Root, index_folder: str) -> None:
    """Check that the index folder lies outside the vault. A folder that cannot be used is ignored: searching works
    without an index.

    Raises:
        BadArgument: it is.
    """
    from vaulttools.index import location
    from vaulttools.index.database import Unavailable

    with suppress(Unavailable):
        location.of(root, index_folder)


def _below(folder: str, roots: tuple[str, str]) -> str:
    """A protected folder of the configuration as a path from the root, where it is given as an absolute one.

    Raises:
        BadArgument: it is absolute and lies elsewhere, so that it could protect nothing.
    """
    if not os.path.isabs(folder):
        return folder
    for root in roots:
        if Path(folder).is_relative_to(root):
            return Path(folder).relative_to(root).as_posix()
    raise BadArgument(f"Not a folder that can be protected: '{folder}' lies outside the vault")


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
        found = (name for name in self._names if any(_may_stand(self._root / name / file) for file in _SETTINGS))
        return sorted(found, key=lambda name: name != ".obsidian")


_SETTINGS: Final = ("app.json", "core-plugins.json")


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

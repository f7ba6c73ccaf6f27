"""Opens a folder as a vault: root, protected folders, configuration, place of its index."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path
from typing import Final

from vaulttools.config import VaultConfig
from vaulttools.core import moment_js
from vaulttools.core.dates import Calendar
from vaulttools.errors import BadArgument
from vaulttools.files import settings
from vaulttools.files.protection import Protection
from vaulttools.files.real_path import real_path
from vaulttools.files.root import Root
from vaulttools.files.settings import ConfigFolders
from vaulttools.index import watch
from vaulttools.session import Session

TODAY: Final = "VAULTTOOLS_TODAY"
"""The environment variable that sets today: for scripts, and for vaults of another time."""


def open_folder(folder: str, config: VaultConfig, *, has_index: bool = False, today: date | None = None) -> Session:
    """Opens a folder as a vault; `has_index`: with the index that the configuration asks for; `today`: the day to use.

    Raises:
        BadArgument: there is no such folder, or it holds the folder configured for its index; or an environment
            variable is wrong: the watch is neither `auto` nor `off`, or today is no day.
        VaultToolsError: it cannot be read.
    """
    watch.is_off()  # refuses an unknown value before anything is opened
    given = os.path.abspath(os.path.expanduser(folder))
    real = real_path(given)
    if not os.path.isdir(real):
        what = "not a folder" if os.path.exists(real) else "no such folder"
        raise BadArgument(f"The vault cannot be opened: {folder}: {what}")
    found = ConfigFolders(Path(real)).found()
    added = [_below(folder, (real, given)) for folder in config.protected]
    config_folder = config.config_folder or next(iter(found), ".obsidian")
    protection = Protection.of((*added, config_folder, *found))
    root = Root(real, given, protection, settings.is_logseq(real))
    has_index = has_index and config.index == "auto"
    if has_index and config.index_folder is not None:
        _ensure_outside(root, config.index_folder)
    if today is None and (given_day := os.environ.get(TODAY)):
        today = day_of(given_day, TODAY)
    calendar = Calendar.of((moment_js.weeks_of(config.locale).first_day - 1) % 7, today)
    return Session(root, config, config_folder, has_index=has_index, calendar=calendar)


def day_of(text: str, name: str) -> date:
    """Returns the day that a text gives for today; `name` names the source of the text in errors.

    Raises:
        BadArgument: it is no day.
    """
    with suppress(ValueError):
        day = datetime.strptime(text.strip(), "%Y-%m-%d").date()  # noqa: DTZ007  # a day has no zone
        if day.year >= _FIRST_YEAR:
            return day
    raise BadArgument(f"{name} must be a day such as 2026-11-01, got {json.dumps(text[:60])}")


_FIRST_YEAR: Final = 1000
"""First year of a day: dates some years before it must also be in the calendar."""


def _ensure_outside(root: Root, index_folder: str) -> None:
    """Checks that the index folder is outside the vault. An unusable folder is ignored: searching works without an
    index.

    Raises:
        BadArgument: it is inside.
    """
    from vaulttools.index import location
    from vaulttools.index.database import Unavailable

    with suppress(Unavailable):
        location.of(root, index_folder)


def _below(folder: str, roots: tuple[str, str]) -> str:
    """Returns a protected folder of the configuration relative to the root, if it is given as an absolute path.

    Raises:
        BadArgument: it is absolute and outside the root, so that it could protect nothing.
    """
    if not os.path.isabs(folder):
        return folder
    for root in roots:
        if Path(folder).is_relative_to(root):
            return Path(folder).relative_to(root).as_posix()
    raise BadArgument(f"Not a folder that can be protected: '{folder}' lies outside the vault")

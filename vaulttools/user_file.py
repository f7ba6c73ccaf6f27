"""Follows the user's `vaulttools.toml`, so that a change of it reaches open vaults.

Nothing that was closed is opened by accident. A file that is gone or cannot be read changes nothing. Editors also write
a file in parts, so what it no longer says holds until it is as old as `SETTLED`; what it adds holds at once.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from vaulttools.config import VaultConfig
from vaulttools.core import forks, toml_text
from vaulttools.core.paths import shown
from vaulttools.errors import BadArgument
from vaulttools.files import disk, small
from vaulttools.files.disk import Key, is_racy
from vaulttools.files.real_path import real_path
from vaulttools.models import ValidationError

NAME: Final = "vaulttools.toml"

SETTLED: Final = disk.GRANULARITY / 1e9
"""Seconds without a change after which a file is taken for whole. Until then a file on some disks may also change
without a new key, so it is read at each call."""

GONE: Final = f"The configuration file {NAME} is gone: the settings from before hold."
UNREADABLE: Final = f"The configuration file {NAME} cannot be used now: the settings from before hold."
UNUSABLE: Final = f"A setting of this vault in {NAME} cannot be used: the settings from before hold."
YOUNG: Final = f"{NAME} has just been changed: what it no longer says holds for {SETTLED:g} seconds more."
"""Notices. They tell nothing of the file, which may name other vaults; the log has the reason."""

_log = logging.getLogger("vaulttools")


class Table(NamedTuple):
    """The settings of one vault."""

    where: str = ""
    """The table's name and file, for its owner."""
    fields: Mapping[str, Any] = MappingProxyType({})

    def with_more(self, before: Table) -> Table:
        """Returns the table with what it no longer says, and what it no longer closes."""
        fields = {**before.fields, **self.fields}
        protected, closed = self.fields.get("protected", []), before.fields.get("protected", [])
        if isinstance(protected, list) and isinstance(closed, list):  # else it is refused
            by_name = before.fields.get("config_folder")
            closed = closed if by_name in (None, fields.get("config_folder")) else [*closed, by_name]
            if more := [folder for folder in closed if folder not in protected]:
                fields["protected"] = [*protected, *more]
        return Table(self.where, fields)


class UserFile:
    """One configuration file while this process runs, for any number of threads."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.notice = ""
        """Why the file is not followed now; "" if it is."""
        self.version = 0
        """Grows with each change of the settings."""
        self._tables: Mapping[str, Table] | None = None
        """The tables that hold, by the real path of their vault; None before the file could be used once."""
        self._fresh: Mapping[str, Table] | None = None
        """The tables that the file holds, without what is kept of its former content; None if it cannot be used."""
        self._content: bytes | None = None
        """The content that was read last."""
        self._since = 0.0
        """When that content was first seen, by the monotonic clock."""
        self._key: Key | None = None
        """The state of the file when it was read; None: read it again."""
        self._is_settled = False
        self._refusal = ""
        """Why the content cannot be used, with what only its owner may see."""
        self.reset_after_fork()
        forks.renew(self)

    def reset_after_fork(self) -> None:
        """Make a new lock in a child: a thread of the parent may have held the old one."""
        self._guard = Lock()

    def table(self, folder: Path) -> Table:
        """Returns the settings of the vault in a folder; an empty table without any.

        Raises:
            BadArgument: the file cannot be used, and could not be used before.
        """
        self.look()
        if self._tables is None:
            raise BadArgument(self._refusal)
        return self._tables.get(_real(folder) or "", Table())

    def index_folders(self) -> list[Path]:
        """Returns the folders of indexes that vaults have besides the cache folder; none if the file cannot be used."""
        self.look()
        given = [table.fields.get("index_folder") for table in (self._tables or {}).values()]
        return [Path(os.path.expanduser(each)) for each in given if isinstance(each, str)]

    def look(self) -> None:
        """Take over what the file says now. While it stays the same, this asks for its status and nothing else."""
        with suppress(OSError):  # it is met again
            if self._is_settled and Key.of(disk.stat(self._file)) == self._key:
                return
        with self._guard:
            self._look()

    def _look(self) -> None:
        try:
            key = Key.of(disk.stat(self._file))
            content = small.read(self._file)
        except FileNotFoundError:
            if self._tables is None:
                self._tables = {}
            self._fail(GONE if self._content is not None else "", f"The configuration file {self._file} is gone")
            return
        except OSError as error:
            self._fail(UNREADABLE, f"The configuration file {self._file} cannot be read: {error.strerror}")
            return
        if content != self._content:
            self._content, self._since, self._refusal = content, time.monotonic(), ""
            try:
                self._fresh = _tables(content, self._file)
            except BadArgument as error:
                self._fresh, self._refusal = None, str(error)
        if self._fresh is None:
            self._fail(UNREADABLE, self._refusal)
        is_settled = not is_racy(key, time.time_ns()) or time.monotonic() - self._since >= SETTLED
        if self._fresh is not None:
            before = self._tables or {}
            held = self._fresh if is_settled else _merged(before, self._fresh)
            if self._tables is None or held != before:
                self._tables = held
                self.version += 1
            self.notice = "" if held == self._fresh else YOUNG
        self._key, self._is_settled = key, is_settled

    def _fail(self, notice: str, reason: str) -> None:
        """Go on with the settings from before, and look again at the next call."""
        if notice and notice != self.notice:
            _log.warning("%s", reason)
        self.notice, self._refusal, self._key = notice, reason, None


@cache
def _shared(file: Path) -> UserFile:
    """Returns the one object for a file, so that a vault opened while the file is gone gets its last settings."""
    return UserFile(file)


def user_file() -> UserFile | None:
    """Returns the file in the user's configuration folder, whether it exists or not; None without such a folder."""
    from platformdirs import user_config_path

    try:
        return _shared(user_config_path("vaulttools") / NAME)
    except RuntimeError:  # no HOME, and a user without a home folder: as in a container
        return None


class _State(NamedTuple):
    """What one version of the file makes of a vault's configuration."""

    version: int
    config: VaultConfig
    is_usable: bool = True


class Followed:
    """The configuration of one vault: the user's file, but for what was given as an option."""

    def __init__(self, folder: Path, given: Mapping[str, Any] | None = None, file: UserFile | None = None) -> None:
        """`given` are the options, by field; `file` replaces the user's.

        Raises:
            BadArgument: the user's file cannot be used, or a setting of this vault in it.
        """
        self._folder = Path(os.path.abspath(folder))
        self._given = given or {}
        self._file = file or user_file()
        version = 0 if self._file is None else self._file.version
        self._state = _State(version, self._made())
        """Replaced as a whole: another thread may be behind by a change, and must not undo this one's."""

    def now(self) -> VaultConfig:
        """Returns the configuration; the same object until a setting changes."""
        if self._file is None:
            return self._state.config
        self._file.look()
        state, version = self._state, self._file.version
        if version != state.version:
            try:
                config = self._made()
                state = _State(version, state.config if config == state.config else config)
            except BadArgument as error:
                state = _State(version, state.config, is_usable=False)
                _log.warning("%s", error)
            self._state = state
        return state.config

    @property
    def notices(self) -> tuple[str, ...]:
        """Why the user's file is not followed now; empty if it is."""
        if self._file is None:
            return ()
        return tuple(filter(None, (self._file.notice, "" if self._state.is_usable else UNUSABLE)))

    def _made(self) -> VaultConfig:
        config = VaultConfig() if self._file is None else _checked(self._file.table(self._folder))
        return config.model_copy(update=self._given) if self._given else config


def _tables(content: bytes, file: Path) -> dict[str, Table]:
    """Returns the settings in a file by the real path of their vault; of two for one vault the first.

    Raises:
        BadArgument: it is not TOML, or a table has no path.
    """
    try:
        found = toml_text.parsed(content.decode())
    except ValueError as error:
        raise BadArgument(f"The configuration file {file} cannot be read: {shown(str(error))}") from error
    tables: dict[str, Table] = {}
    for name, table in found.items():
        if not isinstance(table, dict) or "path" not in table:
            raise BadArgument(f"The configuration file {file} has no 'path' in the table [{shown(name)}]")
        place = _real(table.pop("path"))
        if place is not None:
            tables.setdefault(place, Table(f"[{shown(name)}] of {file}", table))
    return tables


def _real(folder: object) -> str | None:
    try:
        return real_path(Path(str(folder)).expanduser())
    except (OSError, RuntimeError, ValueError):
        return None


def _merged(before: Mapping[str, Table], now: Mapping[str, Table]) -> dict[str, Table]:
    """Returns the tables of now with all that they no longer say."""
    return {**before, **{place: table.with_more(before.get(place, Table())) for place, table in now.items()}}


def _checked(table: Table) -> VaultConfig:
    """Returns a table as a configuration.

    Raises:
        BadArgument: it holds an unknown field, or a value out of bounds.
    """
    try:
        return VaultConfig.model_validate(dict(table.fields))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        fields = ", ".join(VaultConfig.model_fields)
        field = shown(".".join(map(str, first["loc"])))
        why = f"'{field}' is not usable ({first['msg']})"
        raise BadArgument(f"{table.where}: {why}; the fields are: {fields}") from None

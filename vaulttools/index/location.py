"""Finds the folder of a vault's index: in the user's cache folder, or as configured.

Never in the vault: a synchronising program would copy the database while it is written.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vaulttools.attachments.kinds import is_installed
from vaulttools.attachments.store import VERSION
from vaulttools.errors import BadArgument
from vaulttools.files.real_path import real_path
from vaulttools.files.root import Root
from vaulttools.index.database import Unavailable
from vaulttools.index.file import SCHEMA

_DATABASE: Final = f"index-{SCHEMA}.sqlite"
"""Each schema has its own file, so that two versions of this package do not keep moving each other's file aside
(fault-I13)."""
_NOTE: Final = "vault.txt"
"""Tells people who look into the cache folder whose index it is."""
_NAME: Final = re.compile(r"[0-9a-f]{32}")
"""The name of an index's folder. Others may keep folders beside it, in a folder that the configuration names."""


@dataclass(frozen=True, slots=True)
class Location:
    """The place of one vault's index."""

    folder: Path
    """An existing folder that only the user can read."""
    options: str
    """What besides the files decides the content: protected folders, the tables of `fold`, whether notes are
    Logseq's, and whether texts of attachments are indexed."""

    @property
    def database(self) -> Path:
        """The SQLite file."""
        return self.folder / _DATABASE


def of(root: Root, index_folder: str | None = None) -> Location:
    """Returns the location of a vault's index, and makes its folder. Each set of options has its own index, so that
    processes with different options do not undo each other's work.

    Args:
        root: The vault.
        index_folder: The folder of all indexes; default: `vaulttools` in the user's cache folder.

    Raises:
        BadArgument: the folder lies in the vault.
        Unavailable: the folder cannot be made, or there is no cache folder (fault-I12).
    """
    base = cache_folder() if index_folder is None else Path(index_folder).expanduser()
    decisive = [unicodedata.unidata_version, sorted(root.protection.names), sorted(root.protection.folders)]
    decisive += ["logseq"] if root.is_logseq else []
    options = json.dumps([*decisive, *([f"files {VERSION}"] if is_installed() else [])])
    try:
        real = Path(real_path(base))
        if real.is_relative_to(root.folder):
            raise BadArgument(f"The index folder must not lie in the vault: {base}")
        name = hashlib.sha256("\0".join((root.folder, options)).encode("utf-8", "surrogatepass")).hexdigest()[:32]
        folder = real / name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        note = folder / _NOTE
        if not note.exists():
            note.write_text(f"{root.folder}\n", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise Unavailable(f"The index folder {base} cannot be used: {error.strerror}") from error
    except RuntimeError as error:  # `~` of a user without a home folder
        raise Unavailable(f"The index folder {index_folder} cannot be used: {error}") from error
    return Location(folder, options)


def indexes_in(base: Path) -> list[Path]:
    """Returns the folders of all indexes in a folder of indexes."""
    notes = base.glob(f"*/{_NOTE}")
    return sorted(note.parent for note in notes if _NAME.fullmatch(note.parent.name) and not note.parent.is_symlink())


def vault_of(folder: Path) -> str:
    """Returns the folder of the vault whose index a folder holds; its own path if that is not known."""
    try:
        return (folder / _NOTE).read_text(encoding="utf-8").strip() or str(folder)
    except (OSError, UnicodeDecodeError):
        return str(folder)


def cache_folder() -> Path:
    """Returns the folder of all indexes, unless the configuration names another one.

    Raises:
        Unavailable: this user has no cache folder.
    """
    from platformdirs import user_cache_path

    with suppress(RuntimeError):  # no HOME, and a user without a home folder
        folder = user_cache_path("vaulttools")
        if folder.is_absolute():  # else `~` was not expanded
            return folder
    raise Unavailable("The index has no place: there is no cache folder for this user")

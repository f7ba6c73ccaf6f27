"""Removes what this program keeps on a machine, for `index clear --all`."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from platformdirs import user_config_path, user_data_path

from vaulttools.cli import daemon, handover
from vaulttools.cli.main import Said
from vaulttools.core.paths import shown
from vaulttools.errors import BadArgument
from vaulttools.index import location
from vaulttools.index.file import is_open_elsewhere
from vaulttools.user_file import user_file

_ENDING_SECONDS: Final = 5.0
"""A resident process ends within this after it was asked to: it finishes a command of another shell."""


def clear_all() -> Said:
    """Remove the indexes of all vaults, with their vectors and texts, sockets, and what servers keep.

    Resident processes are ended. Settings and tokens stay, since a person wrote them, and so does what others keep in
    the same folders.

    Raises:
        BadArgument: a server or another program uses an index; then no index was removed. Or something cannot be
            removed.
    """
    sockets = handover.socket_folder()
    for path in sorted(Path(sockets).glob("*.sock")) if sockets else ():
        daemon.stop(str(path))
    cache = location.cache_folder()
    named = [] if (file := user_file()) is None else file.index_folders()
    indexes = [folder for base in dict.fromkeys((cache, *named)) for folder in location.indexes_in(base)]
    ends = time.monotonic() + _ENDING_SECONDS
    while in_use := [folder for folder in indexes if _is_in_use(folder)]:
        if time.monotonic() >= ends:
            vaults = ", ".join(shown(location.vault_of(folder)) for folder in in_use)
            raise BadArgument(f"Nothing was removed: another program has the index open of {vaults}; end it first")
        time.sleep(0.1)
    removed = _removed(indexes, cache, Path(sockets) if sockets else None)
    kept = [str(each) for each in _settings()]
    lines = [f"Removed: {shown(str(each))}" for each in removed] or ["There was nothing to remove."]
    lines += [f"Kept, since it is yours: {shown(each)}" for each in kept]
    return Said("\n".join(lines), {"removed": [str(each) for each in removed], "kept": kept})


def _removed(indexes: Sequence[Path], cache: Path, sockets: Path | None) -> list[Path]:
    """Remove the indexes and the files beside them, by their names: variables such as `XDG_CACHE_HOME` may lead to a
    folder of a person's files, even to a vault. Returns the folders that are gone, and what is gone from others."""
    data = user_data_path("vaulttools")
    places = [(data / "tls", _CERTIFICATE), (data, _SIGN_INS), (cache, _MEANING)]
    if sockets is not None and handover.is_private(str(sockets / "any.sock")):
        places.append((sockets, _SOCKETS))
    files = [
        each
        for folder, names in places
        for name in names
        for each in sorted(folder.glob(name))
        if not each.is_dir() or each.is_symlink()
    ]
    try:
        for index in indexes:
            shutil.rmtree(index)
        for each in files:
            each.unlink()
    except OSError as error:
        raise BadArgument(f"Cannot remove {shown(str(error.filename))}: {error.strerror}") from error
    gone = [folder for folder, _ in places if _is_removed(folder)]
    whole = [each for each in gone if not set(gone).intersection(each.parents)]
    return [*whole, *(each for each in (*indexes, *files) if not set(gone).intersection(each.parents))]


_CERTIFICATE: Final = ("certificate.pem", "key.pem", "key.pem.lock", ".certificate.pem.*", ".key.pem.*")
_SIGN_INS: Final = ("oauth.json", "oauth.json.lock", ".oauth.json.*")
_MEANING: Final = ("tokens-*.bin",)
_SOCKETS: Final = ("*.sock", "*.sock.lock")
"""Patterns of our files in a folder; likewise those above."""


def _is_removed(folder: Path) -> bool:
    """Remove a folder if it is there and empty; returns whether it was."""
    try:
        folder.rmdir()
    except OSError:
        return False
    return True


def _is_in_use(folder: Path) -> bool:
    return any(map(is_open_elsewhere, folder.glob("*-*.sqlite")))


def _settings() -> Iterator[Path]:
    """Finds the files in the user's configuration folder."""
    yield from sorted(each for each in user_config_path("vaulttools").glob("*") if each.is_file())

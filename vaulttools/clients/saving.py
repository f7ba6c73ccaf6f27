"""Reads and replaces settings files: completely or not at all, and with the same mode."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path
from typing import Final

from vaulttools.clients.change import ConfigChange, Unchangeable
from vaulttools.core.windows import replace
from vaulttools.files import small

BACKUP: Final = ".before-vaulttools"
"""Suffix of a backup's name."""

_PRIVATE: Final = 0o600
"""The mode of a new file: such settings contain keys."""

LARGEST: Final = 64 << 20
"""Bytes of a settings file; the largest known one, Claude Code's, has some megabytes of history."""


def content(file: Path) -> bytes | None:
    """Returns the content of a file; None if it does not exist.

    Raises:
        Unchangeable: it cannot be read.
    """
    try:
        return small.read(file, LARGEST)
    except FileNotFoundError:
        if file.is_symlink():
            raise Unchangeable("it is a link that leads nowhere") from None
        return None
    except small.Unsuitable as error:
        raise Unchangeable(error.strerror) from None
    except OSError as error:
        raise Unchangeable(f"it cannot be read: {error.strerror}") from None


def backup_of(file: Path) -> Path:
    """Returns the path of a file's backup."""
    return file.with_name(file.name + BACKUP)


def save(change: ConfigChange) -> Path | None:
    """Make the change; return the backup if there is one afterwards.

    A removal that restores the content of the backup deletes the backup.

    Raises:
        Unchangeable: the file has changed since it was read, or cannot be written.
    """
    if content(change.file) != change.before:
        raise Unchangeable("another program has just changed it: try again")
    backup = backup_of(change.file)
    try:
        if change.backup is not None:
            _replace(backup, change.backup, like=change.file)
        if change.after is None:
            change.file.resolve().unlink()
        else:
            _replace(change.file.resolve(), change.after, like=change.file)
        if change.action == "remove" and change.after is not None and content(backup) == change.after:
            backup.unlink()
    except OSError as error:
        raise Unchangeable(f"it cannot be written: {error.strerror}") from None
    return backup if backup.exists() else None


def _replace(file: Path, data: bytes, *, like: Path) -> None:
    """Replace a file in one step, with the mode and the owner of another file."""
    written = tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False)  # noqa: SIM115
    temporary = Path(written.name)
    try:
        with written:  # Windows removes no open file
            written.write(data)
            written.flush()
            os.fsync(written.fileno())
        _same(temporary, like)
        replace(temporary, file)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _same(file: Path, like: Path) -> None:
    try:
        found = like.stat()
    except FileNotFoundError:
        file.chmod(_PRIVATE)
        return
    if hasattr(os, "chown") and (found.st_uid, found.st_gid) != (file.stat().st_uid, file.stat().st_gid):
        os.chown(file, found.st_uid, found.st_gid)
    file.chmod(stat.S_IMODE(found.st_mode))

"""Answers `file`, `files`, `vault`, `vaults`: names, sizes and times of files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Final

from vaulttools.call import Call
from vaulttools.clients.registry import Listed, listed_vaults, this_machine
from vaulttools.core import paths
from vaulttools.files import disk
from vaulttools.files.file_times import created
from vaulttools.obsidian_cli import targets
from vaulttools.obsidian_cli.asked import Asked
from vaulttools.obsidian_cli.said import AppError, Said, lines, number

_MILLISECOND: Final = 1_000_000
"""Nanoseconds."""


def file(call: Call, asked: Asked) -> Said:
    """Returns the path, the name, the extension, the bytes and the times of a file, in milliseconds since 1970.

    Raises:
        AppError: it is gone.
    """
    path = targets.file(call, asked)
    status = disk.status(call.session.root.absolute(path))
    if status is None:
        raise AppError(f'File "{path}" not found.')
    name, extension = _split(path)
    held = {
        "path": path,
        "name": name,
        "extension": extension,
        "size": status.st_size,
        "created": created(status) // _MILLISECOND,
        "modified": status.st_mtime_ns // _MILLISECOND,
    }
    return lines([f"{key}\t{value}" for key, value in held.items()], "")


def files(call: Call, asked: Asked) -> Said:
    """Returns the paths of all files, also of those that are no notes."""
    folder = targets.folder(call, asked.values.get("folder", ""))
    found = [] if folder is None else targets.files(call, folder)
    if (extension := asked.values.get("ext")) is not None:
        found = [path for path in found if _split(path)[1] == extension.removeprefix(".")]
    return number(len(found)) if asked.has("total") else lines(list(map(paths.portable, found)), "")


def vault(call: Call, asked: Asked) -> Said:
    """Returns the name, the path, the numbers of files and folders, and the bytes of the vault."""
    root = call.session.root.folder
    info = asked.values.get("info", "")
    held: dict[str, object] = {"name": PurePath(root).name, "path": root}
    if info not in held:
        every = targets.files(call)
        folders = {above for path in every for above in _above(path)}
        statuses = (disk.status(call.session.root.absolute(path)) for path in every)
        size = sum(status.st_size for status in statuses if status is not None)
        held |= {"files": len(every), "folders": len(folders), "size": size}
    if info in held:
        return Said(str(held[info]))
    return lines([f"{key}\t{value}" for key, value in held.items()], "")


def vaults(asked: Asked) -> Said:
    """Returns the names of the vaults in the app's own list, or their paths too."""
    known: list[Listed] = listed_vaults(this_machine())
    if asked.has("total"):
        return number(len(known))
    rows = [f"{each.folder.name}\t{each.folder}" if asked.has("verbose") else each.folder.name for each in known]
    return lines(rows, "")


def _above(path: str) -> Iterator[str]:
    """Yields the folders that a path lies in."""
    while path := path.rpartition("/")[0]:
        yield path


def _split(path: str) -> tuple[str, str]:
    """Returns the name of a file without its extension, and the extension without its dot."""
    name = path.rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    return (stem, extension) if dot and stem else (name, "")

"""Writes and removes the script `obsidian`, for programs that know no other name."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from vaulttools.cli.command_line import nearest_vault
from vaulttools.cli.mcp import program
from vaulttools.clients.registry import Machine, known_vaults, this_machine
from vaulttools.core.paths import shown
from vaulttools.errors import BadArgument

NAME: Final = "obsidian"
MARK: Final = (
    "# Written by vaulttools: Obsidian's command line without the app. vaulttools obsidian --remove removes it."
)

_SCRIPT: Final = """\
#!/bin/sh
{mark}
# The app's own program comes first as soon as the PATH has one.
set -f
IFS=:
for folder in $PATH; do
  other="${{folder:-.}}/obsidian"
  if [ -f "$other" ] && [ -x "$other" ]; then
    second=
    {{ read -r first; IFS= read -r second; }} 2>/dev/null <"$other" || :
    [ "$second" = "$mark" ] || exec "$other" "$@"
  fi
done
exec {command} obsidian "$@"
"""

_PROGRAMS: Final = {
    "linux": (
        "/opt/Obsidian",
        "/usr/bin/obsidian",
        "/snap/obsidian",
        "/var/lib/flatpak/app/md.obsidian.Obsidian",
        "~/.local/share/flatpak/app/md.obsidian.Obsidian",
        "~/.local/bin/obsidian",
    ),
    "macos": ("/Applications/Obsidian.app", "~/Applications/Obsidian.app", "/usr/local/bin/obsidian"),
    "windows": (),
}
"""Where the app's installers put it. `~` is the home folder."""


def install(folder: Path) -> str:
    """Write the script; returns a sentence about it.

    Raises:
        BadArgument: the app is here, or another obsidian; the folder is no place for it; the user is root.
    """
    machine = this_machine()
    if machine.system == "windows":
        raise BadArgument("There is no such script for Windows: let programs call vaulttools obsidian")
    if os.geteuid() == 0:
        raise BadArgument("--install is not for root: other users would get the script instead of the app")
    if (found := next(_others(machine, folder), None)) is not None:
        raise BadArgument(f"{shown(str(found))} is there already: the script would stand in its place")
    if not folder.is_dir():
        raise BadArgument(f"--install takes an existing folder, got {shown(str(folder))}")
    real = folder.resolve()
    inside = nearest_vault(str(real)) or next(filter(real.is_relative_to, known_vaults(machine)), None)
    if inside is not None:
        raise BadArgument(f"{shown(str(folder))} is in the vault {shown(str(inside))}, and nothing is written there")
    path, arguments = program()
    text = script(" ".join(map(shlex.quote, [path, *arguments])))
    file = folder / NAME
    try:
        with file.open("x", encoding="utf-8") as written:
            written.write(text)
        file.chmod(0o755)
    except OSError as error:
        raise BadArgument(f"{shown(str(file))} cannot be written: {error.strerror}") from error
    on_path = str(folder) in os.environ.get("PATH", "").split(os.pathsep)
    return f"Written: {shown(str(file))}." + ("" if on_path else f" {shown(str(folder))} is not on the PATH yet.")


def remove(folder: Path) -> str:
    """Remove the script from a folder; returns a sentence about it.

    Raises:
        BadArgument: there is none, or it is not ours.
    """
    file = folder / NAME
    try:
        is_ours = not file.is_symlink() and MARK.encode() in file.read_bytes().splitlines()[1:2]
        if not is_ours:
            raise BadArgument(f"{shown(str(file))} was not written by vaulttools, and stays")
        file.unlink()
    except OSError as error:
        raise BadArgument(f"{shown(str(file))} cannot be removed: {error.strerror}") from error
    return f"Removed: {shown(str(file))}."


def script(command: str) -> str:
    """Returns the script that runs a command of a shell."""
    return _SCRIPT.format(mark=MARK, command=command).replace('"$mark"', shlex.quote(MARK))


def _others(machine: Machine, folder: Path) -> Iterator[Path]:
    """Yields the programs that the script would hide."""
    if (found := shutil.which(NAME)) is not None:
        yield Path(found)
    places = [folder / NAME, *(Path(each).expanduser() for each in _PROGRAMS[machine.system])]
    yield from (each for each in places if os.path.lexists(each))

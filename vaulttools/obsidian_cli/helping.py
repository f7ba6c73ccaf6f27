"""Writes the app's help for the commands that are built."""

from __future__ import annotations

from vaulttools import __version__
from vaulttools.core import spelling
from vaulttools.obsidian_cli.asked import Asked
from vaulttools.obsidian_cli.commands import BUILT, BY_NAME, Command
from vaulttools.obsidian_cli.said import AppError, NotBuilt, Said

_NAME, _PARAMETER = 22, 20
"""Columns of names, as in the app."""

_NOTES = """\
Notes:
  file resolves by name (like wikilinks), path is exact (folder/note.md)
  read and others need file=<name> or path=<path>: without the app no file is active
  search values with spaces need quotes: query="My Note"
  version tells what answers: vaulttools, which reads and never writes"""

# Programs read this text: each of these lines begins with a name of a command, as a program may take it for one.


def text(asked: Asked) -> Said:
    """Returns the help of all commands, or of one.

    Raises:
        AppError, NotBuilt: there is no such command, here or at all.
    """
    if not asked.words:
        options = "Options:\n  vault=<name>          Target a specific vault by name"
        blocks = "\n\n".join(map(_block, BUILT))
        return Said(f"Obsidian CLI\n\nUsage: obsidian <command> [options]\n\n{options}\n\n{_NOTES}\n\n{_all(blocks)}")
    command = BY_NAME.get(asked.words[0])
    if command is None:
        near = ", ".join(spelling.closest(asked.words[0], BY_NAME)[:3])
        hint = f"Did you mean: {near}?" if near else "It may require a plugin to be enabled."
        raise AppError(f'Command "{asked.words[0]}" not found. {hint}')
    if command.refused:
        raise NotBuilt(f"{command.name} {command.refused}")
    return Said(_block(command))


def version(asked: Asked) -> Said:
    """Returns our name and version: no app answers."""
    return Said(f"vaulttools {__version__} (without the Obsidian app)")


def _all(blocks: str) -> str:
    return f"Commands:\n{blocks}"


def _block(command: Command) -> str:
    rows = [f"  {command.name:{_NAME}}{command.about}"]
    shown = [each for each in command.parameters if each.known != "refused"]
    for each in shown:
        written = f"{each.name}={each.value}" if each.value else each.name
        required = " (required)" if each.is_required else ""
        rows.append(f"    {_padded(written)}- {each.about}{required}")
    formats = [name for name, known in command.formats.items() if known != "refused"]
    if formats:
        rows.append(f"    {_padded('format=' + '|'.join(formats))}- output format (default: {formats[0]})")
    return "\n".join(rows)


def _padded(written: str) -> str:
    """Returns a parameter with at least the two blanks that programs expect behind it."""
    return f"{written:{_PARAMETER}}" if len(written) + 1 < _PARAMETER else f"{written}  "

"""Implements `vaulttools obsidian`: the app's own command line, without the app."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from vaulttools.answers.request import Request
from vaulttools.cli.command_line import nearest_vault, take_value
from vaulttools.cli.main import Said, Switches
from vaulttools.cli.options import Commands
from vaulttools.cli.surroundings import working_folder
from vaulttools.clients.registry import listed_vaults, this_machine
from vaulttools.core import render
from vaulttools.errors import BadArgument, VaultToolsError
from vaulttools.obsidian_cli import asked as reading
from vaulttools.obsidian_cli import running
from vaulttools.obsidian_cli.running import Printed
from vaulttools.obsidian_cli.said import AppError, NotBuilt

HELP: Final = """\
usage: vaulttools [--vault DIR] obsidian [vault=NAME] COMMAND [key=value] [flag]
       vaulttools obsidian --install FOLDER | --remove FOLDER

Answer the reading commands of Obsidian's own command line, without the app: obsidian help lists them. What writes,
opens, needs the app or is not built ends with status 1; nothing is ever written into a vault.

  vault=NAME        a vault by its name or id in the app's list (default: the vault around this folder, else --vault,
                    VAULTTOOLS_VAULT, or the only vault of that list)
  --install FOLDER  write a script named obsidian for programs that know no other name, into a folder of the PATH;
                    not where an obsidian is there already
  --remove FOLDER   remove that script"""

_NAMES: Final = 5
"""Vaults that a sentence names."""

_UNKNOWN_VAULT: Final = "Vault not found."


class _Refused(Exception):
    """A command was refused."""

    def __init__(self, printed: Printed) -> None:
        self.printed = printed
        super().__init__()


def run(words: list[str], switches: Switches) -> int:
    """Run one command of the app's form; returns the exit status."""
    printed = _printed(list(words), switches)
    here = switches.here
    for sentence in printed.err:
        print(render.visible(sentence), file=here.err)
    if printed.out:
        # A terminal would obey control characters of notes; programs get the text as it is.
        text = printed.out
        if here.out.isatty():
            text = "\n".join(map(render.visible, text.split("\n")))
        print(text, file=here.out)
    return printed.status


def command(words: list[str], switches: Switches) -> Said:
    """Run `--install` or `--remove`.

    Raises:
        BadArgument: the script cannot be written or removed there, or more is given.
    """
    from vaulttools.cli import obsidian_script

    option = words[0].partition("=")[0]
    folder = take_value(words, option)
    if words or not folder:
        raise BadArgument(f"{option} takes a folder alone")
    act = obsidian_script.install if option == "--install" else obsidian_script.remove
    return Said(act(Path(os.path.abspath(os.path.expanduser(folder)))))


def _printed(words: list[str], switches: Switches) -> Printed:
    named = reading.vault_of(words)
    try:
        asked = reading.read(words)
    except (AppError, NotBuilt) as error:
        return running.refused(error)
    try:
        if not asked.command.needs_vault:
            return running.without_vault(asked)
        folder = _folder(named, switches, asked.told)
        if folder is None:
            return Printed(_UNKNOWN_VAULT, [])
        here = switches.here
        with here.opened(folder or None, switches.has_index) as vault:
            if asked.command.reads_notes:
                here.read_structures(vault)
            voice = Commands(Request, [folder] if folder else [])
            printed = running.run(vault, asked, here.cancel, here.on_progress(), voice)
            if printed.status == running.REFUSED:
                raise _Refused(printed)  # without the notice about the folder: a refusal is one sentence
            return printed
    except _Refused as refusal:
        return refusal.printed
    except VaultToolsError as error:  # there is no vault, or it cannot be opened
        return Printed("", [str(error)], running.REFUSED)


def _folder(named: str | None, switches: Switches, told: list[str]) -> str | None:
    """Returns the folder of the vault; `""` for the usual one, None if nothing has the name. `told` gets a sentence if
    several have it.

    Raises:
        BadArgument: no name is given, and the app has several vaults.
    """
    ours = switches.vault or os.environ.get("VAULTTOOLS_VAULT") or ""
    around = nearest_vault(working_folder())
    if named is not None:
        places = [Path(each).expanduser().resolve() for each in (around, ours) if each]
        found = [each for each in places if each.name == named]
        found += [each.folder for each in listed_vaults(this_machine()) if named in (each.folder.name, each.id)]
        real = list(dict.fromkeys(each.expanduser().resolve() for each in found if each.expanduser().is_dir()))
        if len(real) > 1:
            told.append(
                f"{len(real)} vaults have the name {named}; this is {real[0]}. vault= takes an id of the list too."
            )
        return str(real[0]) if real else None
    if switches.vault:
        return switches.vault
    if around or ours:
        return around or ours
    there = [each.folder for each in listed_vaults(this_machine()) if each.folder.is_dir()]
    if len(there) > 1:
        names = ", ".join(each.name for each in there[:_NAMES])
        raise BadArgument(
            f"No vault is around this folder, and the app knows {len(there)} ({names}): name one by vault=NAME, or a "
            "folder by --vault"
        )
    return str(there[0]) if there else ""

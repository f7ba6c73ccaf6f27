"""Implements `vaulttools init`: adds the server to the settings of assistants."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vaulttools.cli import index
from vaulttools.cli.command_line import nearest_vault, quoted
from vaulttools.cli.main import FAILED, FOUND, NOTHING_FOUND, Said, Switches
from vaulttools.cli.mcp import NEEDS_EXTRA, program, vault_options
from vaulttools.cli.mistakes import Mistake
from vaulttools.cli.options import Parser
from vaulttools.cli.surroundings import working_folder
from vaulttools.clients import change, registry, saving
from vaulttools.clients.change import ConfigChange, Unchangeable
from vaulttools.clients.registry import CLIENTS, NAME, Client, Machine, known_vaults, this_machine
from vaulttools.core import render, spelling
from vaulttools.core.paths import shown
from vaulttools.errors import BadArgument, VaultToolsError
from vaulttools.files.real_path import real_path
from vaulttools.server.vaults import folders
from vaulttools.vault import Vault

HELP: Final = f"""\
usage: vaulttools [--vault DIR] [--json] init [NAME …] [options]

Add the server to the settings of the assistants on this machine. Shows what would change; --write does it.

  --vault DIR    the vault, or the name of one that Obsidian knows; for several repeat it, NAME=DIR names one
                 (default: the vault around this folder, or the only one that Obsidian knows)
  NAME, --client NAME
                 only this assistant, repeated; one of
                 {", ".join(client.name for client in CLIENTS)}
  --write        make the changes, keep each file as it was in FILE{saving.BACKUP}, and build the index of each
                 vault
  --no-build     leave the index to be built at the first question
  --remove       remove the server
  --dry-run      show what would change, and write nothing (default)

For a vault that a server hosts, give an assistant the address https://HOST/v/NAME/mcp, and a token as header."""


@dataclass(frozen=True, slots=True)
class InitOptions:
    """The options of the command line."""

    clients: Sequence[Client]
    """Empty for all."""
    is_written: bool
    is_removed: bool
    is_built: bool
    """Whether the index of each vault is built afterwards."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    client: Client
    file: Path
    change: ConfigChange | None
    failure: str = ""
    backup: Path | None = None


def command(words: list[str], switches: Switches) -> Said:
    """Run `vaulttools init`.

    Raises:
        BadArgument: an option, a vault or a client is invalid.
    """
    nearest = os.environ.get("VAULTTOOLS_VAULT") or nearest_vault(working_folder())
    vaults = switches.vaults or ([nearest] if nearest else [])
    options = parse(words)
    text, details, is_well = run(options, vaults, this_machine())
    if is_well and options.is_built:
        built = [_built(folder) for folder in details["vaults"].values()]
        text += "".join(f"\n{sentence}" for sentence in built)
    if is_well is None:  # nothing was to be written, or no assistant was found
        return Said(text, details, NOTHING_FOUND if options.is_written else FOUND)
    return Said(text, details, FOUND if is_well else FAILED)


def _built(folder: str) -> str:
    """Build the index of a vault, so that the first question need not wait; return a sentence about the result."""
    try:
        with Vault.open(folder) as vault:
            if vault.config.index == "off":
                return f"{shown(folder)} keeps no index, by its configuration."
            return f"{shown(folder)}: {index.built(vault)[0]}"
    except VaultToolsError as error:
        return f"{shown(folder)} has no index yet: {render.visible(str(error))}"


def parse(words: Sequence[str]) -> InitOptions:
    """Returns the options of the command.

    Raises:
        BadArgument: one of them is invalid.
    """
    parser = Parser("init")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--client", action="append", default=[])
    for flag in ("--write", "--remove", "--dry-run", "--no-build"):
        parser.add_argument(flag, action="store_true")
    given = parser.parse_args(words)
    if given.write and given.dry_run:
        raise BadArgument("--write and --dry-run cannot be used together")
    by_name = {client.name: client for client in CLIENTS}
    names = [name.casefold() for name in (*given.names, *given.client)]
    for name in names:
        if name not in by_name:
            near = [each for each in by_name if name in each.split("-")] or spelling.closest(name, by_name)[:1]
            hint = f"Did you mean: vaulttools init {' or '.join(near)}" if near else ""
            raise Mistake(f"init takes names of {', '.join(by_name)}; got '{name}'", hint)
    clients = dict.fromkeys(by_name[name] for name in names)
    is_built = given.write and not (given.remove or given.no_build)
    return InitOptions([*clients], given.write, given.remove, is_built)


def run(options: InitOptions, vaults: Sequence[str], machine: Machine) -> tuple[str, dict[str, Any], bool | None]:
    """Returns the text of the command, its details, and whether it succeeded for any assistant; None if this machine
    has no assistant.

    `vaults` are folders, names that Obsidian knows, or `NAME=DIR`; if empty, the only vault that Obsidian knows.

    Raises:
        BadArgument: a vault or a client does not exist, or the server could not be started.
    """
    known = known_vaults(machine)
    chosen = {} if options.is_removed else _chosen(vaults, known)
    command = {} if options.is_removed else entry(chosen)
    places = {client: registry.place(client, machine) for client in options.clients or CLIENTS}
    for client in options.clients:
        if places[client] is None:
            looked = " or ".join(str(each.sign) for each in client.places(machine))
            words = ["vaulttools", *vault_options(chosen), "mcp", "--print-config", client.name]
            to_paste = f"; for a block to paste, run: {' '.join(map(quoted, words))}" if chosen else ""
            raise BadArgument(f"{client.title} is not on this machine: there is no {looked}{to_paste}")
    inside = [*map(Path, chosen.values()), *known]
    outcomes = [
        _outcome(options, client, place.file, command, inside) for client, place in places.items() if place is not None
    ]
    missing = [client.title for client, place in places.items() if place is None]
    lines = _lines(options, chosen, known, outcomes, missing)
    if command and not outcomes:
        block = json.dumps({"mcpServers": {NAME: command}}, indent=2, ensure_ascii=False)
        lines += ["To connect one by hand, paste this into its settings:", "", block]
    text = "\n".join(lines)
    details = {
        "written": options.is_written,
        "vaults": chosen,
        "known_vaults": [str(vault) for vault in known],
        "clients": [_details(outcome) for outcome in outcomes],
        "missing": missing,
    }
    return text, details, not all(outcome.failure for outcome in outcomes) if outcomes else None


def entry(vaults: Mapping[str, str]) -> dict[str, Any]:
    """Returns what a client needs to start the server: the absolute path of the installed program, and absolute
    folders.

    Raises:
        BadArgument: the program is in a temporary place, or the extra is missing.
    """
    if importlib.util.find_spec("mcp") is None:
        raise BadArgument(NEEDS_EXTRA)
    path, arguments = program()
    return {"command": path, "args": [*arguments, *vault_options(vaults), "mcp"]}


def _chosen(given: Sequence[str], known: Sequence[Path]) -> dict[str, str]:
    """Returns absolute folders by name."""
    there = [vault for vault in known if vault.is_dir()]
    if not given and not there:
        raise BadArgument("No vault given: use --vault DIR; Obsidian knows none")
    if not given and len(there) > 1:
        names = ", ".join(f"'{vault.name}'" for vault in there)
        raise BadArgument(f"Obsidian knows several vaults: choose one with --vault: {names}")
    meant = [_resolved(each, there) for each in given] if given else [str(there[0])]
    found: dict[str, str] = {}
    for name, folder in folders(meant).items():
        path = Path(real_path(Path(folder).expanduser()))
        if not path.is_dir():
            raise BadArgument(f"{folder} is neither a folder nor a vault that Obsidian knows")
        found[name] = str(path)
    return found


def _resolved(given: str, known: Sequence[Path]) -> str:
    """Returns a folder as given, or the folder of the vault with that name."""
    named = [vault for vault in known if vault.name == given]
    if Path(given).expanduser().is_dir() or not named:
        return given
    if len(named) > 1:
        paths = " and ".join(str(vault) for vault in named)
        raise BadArgument(f"Obsidian knows several vaults named '{given}': give the folder, {paths}")
    return str(named[0])


def _outcome(
    options: InitOptions, client: Client, file: Path, command: Mapping[str, Any], vaults: Sequence[Path]
) -> _Outcome:
    try:
        real = Path(real_path(file))
        if any(real.is_relative_to(real_path(vault)) for vault in vaults):
            raise Unchangeable("it lies in a vault, where nothing is ever written")
        before = saving.content(file)
        kept = saving.content(saving.backup_of(file))
        made = (
            change.removed(client, file, before, kept, NAME)
            if options.is_removed
            else change.added(client, file, before, kept, command, NAME)
        )
        backup = saving.save(made) if options.is_written and made.action != "none" else None
    except Unchangeable as error:
        return _Outcome(client, file, None, str(error))
    except RecursionError:
        return _Outcome(client, file, None, "its brackets are nested too deeply")
    return _Outcome(client, file, made, backup=backup)


def _lines(
    options: InitOptions,
    chosen: Mapping[str, str],
    known: Sequence[Path],
    outcomes: Sequence[_Outcome],
    missing: Sequence[str],
) -> list[str]:
    lines = [f"Vault: {shown(folder)}" for folder in chosen.values()]
    others = [
        f"{shown(str(vault))}{'' if vault.is_dir() else ' (not there)'}"
        for vault in known
        if real_path(vault) not in chosen.values()
    ]
    if others and not options.is_removed:
        lines.append(f"Obsidian also knows: {', '.join(others)}")
    for outcome in outcomes:
        lines += ["", *_outcome_lines(options, outcome)]
    failed = sum(bool(outcome.failure) for outcome in outcomes)
    if 0 < failed < len(outcomes):
        lines += ["", f"Notice: {failed} of {len(outcomes)} files {'is' if failed == 1 else 'are'} not changed."]
    if missing:
        lines += ["", f"Not on this machine: {', '.join(missing)}"]
    changed = [outcome for outcome in outcomes if outcome.change is not None and outcome.change.action != "none"]
    if not outcomes:
        lines += ["", "No assistant was found, so there is nothing to change."]
    elif not changed:
        lines += ["", "Nothing to write."]
    elif options.is_written:
        lines += ["", f"Restart {', '.join(outcome.client.title for outcome in changed)} to load the change."]
    else:
        lines += ["", "Nothing was written: --write makes these changes."]
    return lines[1:] if lines[0] == "" else lines


_DONE: Final = {"add": "added to", "update": "updated in", "remove": "removed from"}
_TO_DO: Final = {"add": "add to", "update": "update in", "remove": "remove from"}


def _outcome_lines(options: InitOptions, outcome: _Outcome) -> list[str]:
    title, file = outcome.client.title, shown(str(outcome.file))
    if outcome.change is None:
        return [f"{title}: {file} is not changed: {outcome.failure}"]
    action = outcome.change.action
    if action == "none":
        return [f"{title}: {file} {'has no such entry' if options.is_removed else 'has it already'}"]
    verb = (_DONE if options.is_written else _TO_DO)[action]
    lines = [f"{title}: {verb} {file}", *(f"  {line}" for line in outcome.change.lines)]
    if outcome.backup is not None:
        lines.append(f"  Backup: {shown(str(outcome.backup))}")
    return lines


def _details(outcome: _Outcome) -> dict[str, Any]:
    made = outcome.change
    return {
        "name": outcome.client.name,
        "file": str(outcome.file),
        "action": None if made is None else made.action,
        "lines": [] if made is None else list(made.lines),
        "backup": None if outcome.backup is None else str(outcome.backup),
        "error": outcome.failure or None,
    }

"""Runs the command line: the commands of tools, and those that are no tool's."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from vaulttools.cli import commands, interrupts
from vaulttools.cli.commands import DIFFERENT, FAILED, FOUND, NOTHING_FOUND, SUMMARIES, Command, Switches, print_json
from vaulttools.cli.nearest_vault import nearest_vault
from vaulttools.cli.surroundings import found_vault, working_folder
from vaulttools.cli.words import take_flag, take_value
from vaulttools.errors import BadArgument


def main(argv: Sequence[str]) -> int:
    """Run one command; results go to stdout, everything else to stderr. Returns the exit status."""
    return commands.run(argv, _COMMANDS)


def _tools(words: list[str], switches: Switches) -> int:
    from vaulttools.tools.definitions import definitions

    form: Any = take_value(words, "--format") or "mcp"
    if words:
        raise BadArgument(f"unexpected argument '{words[0]}'; tools takes --format anthropic, openai or mcp")
    print(json.dumps(definitions(form), indent=2, ensure_ascii=False))
    return FOUND


def _index(words: list[str], switches: Switches) -> int:
    from vaulttools.cli import index as cli_index
    from vaulttools.vault import Vault

    if take_flag(words, "--help") or take_flag(words, "-h"):
        print(cli_index.HELP)
        return FOUND
    interrupts.raise_again()
    cli_index.check(words)
    # An index of whatever folder this happens to be is nothing anybody asked for.
    folder = switches.vault or os.environ.get("VAULTTOOLS_VAULT") or found_vault(or_here=False)
    with Vault.open(folder, index="auto") as opened:
        text, details, is_well = cli_index.run(words, opened)
    if switches.as_json:
        print_json(details, sys.stdout)
    else:
        print(text)
    return FOUND if is_well else DIFFERENT


def _completion(words: list[str], switches: Switches) -> int:
    from vaulttools.cli import completion as cli_completion

    shell: Any = words[0] if words else None
    if len(words) != 1 or shell not in cli_completion.SHELLS:
        raise BadArgument(f"completion takes the name of a shell: {', '.join(cli_completion.SHELLS)}")
    print(cli_completion.script(shell, SUMMARIES), end="")
    return FOUND


def _daemon(words: list[str], switches: Switches) -> int:
    from vaulttools.cli import daemon as cli_daemon

    if take_flag(words, "--help") or take_flag(words, "-h"):
        print(cli_daemon.HELP)
        return FOUND
    interrupts.raise_again()
    folder = switches.vault or os.environ.get("VAULTTOOLS_VAULT") or found_vault(or_here=False)
    text, details, is_there = cli_daemon.run(words, folder)
    if switches.as_json:
        print_json(details, sys.stdout)
    else:
        print(text)
    return FOUND if is_there else NOTHING_FOUND


def _init(words: list[str], switches: Switches) -> int:
    from vaulttools.cli import init as cli_init
    from vaulttools.clients.machine import this_machine

    if take_flag(words, "--help") or take_flag(words, "-h"):
        print(cli_init.HELP)
        return FOUND
    interrupts.raise_again()
    nearest = os.environ.get("VAULTTOOLS_VAULT") or nearest_vault(working_folder())
    vaults = switches.vaults or ([nearest] if nearest else [])
    text, details, is_well = cli_init.run(cli_init.parse(words), vaults, this_machine())
    if switches.as_json:
        print_json(details, sys.stdout)
    else:
        print(text)
    return NOTHING_FOUND if is_well is None else FOUND if is_well else FAILED


def _mcp(words: list[str], switches: Switches) -> int:
    from vaulttools.cli import mcp as cli_mcp

    if take_flag(words, "--help") or take_flag(words, "-h"):
        print(cli_mcp.HELP)
        return FOUND
    # Whatever folder a client starts programs in is no vault that anybody asked to be served.
    folders = switches.vaults or [os.environ.get("VAULTTOOLS_VAULT") or found_vault(or_here=False)]
    cli_mcp.run(cli_mcp.parse(words, folders, has_index=switches.has_index))
    return FOUND


def _serve(words: list[str], switches: Switches) -> int:
    from vaulttools.cli import serve as cli_serve

    if take_flag(words, "--help") or take_flag(words, "-h"):
        print(cli_serve.HELP)
        return FOUND
    folders = switches.vaults
    if not folders and not any(word.startswith("--vaults-root") for word in words):
        folders = [os.environ.get("VAULTTOOLS_VAULT") or found_vault(or_here=False)]
    cli_serve.run(cli_serve.parse(words, folders, has_index=switches.has_index))
    return FOUND


def _token(words: list[str], switches: Switches) -> int:
    from vaulttools.cli import token as cli_token

    if take_flag(words, "--help") or take_flag(words, "-h"):
        print(cli_token.HELP)
        return FOUND
    interrupts.raise_again()
    text, details = cli_token.run(words)
    if switches.as_json:
        print_json(details, sys.stdout)
    else:
        print(text)
    return FOUND


_COMMANDS: Final[Mapping[str, Command]] = {
    "completion": _completion,
    "daemon": _daemon,
    "index": _index,
    "init": _init,
    "mcp": _mcp,
    "serve": _serve,
    "token": _token,
    "tools": _tools,
}

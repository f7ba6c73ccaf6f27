"""Asks commands of Obsidian's command line of an open vault, without a process."""

from __future__ import annotations

import json
import shlex
from typing import Any

from vaulttools import Vault
from vaulttools.obsidian_cli import asked as reading
from vaulttools.obsidian_cli import running
from vaulttools.obsidian_cli.running import Printed
from vaulttools.obsidian_cli.said import AppError, NotBuilt


def asked(vault: Vault, line: str | list[str]) -> Printed:
    """The output of a command line, given as a shell reads it or as words."""
    words = shlex.split(line) if isinstance(line, str) else line
    try:
        command = reading.read(words)
    except (AppError, NotBuilt) as error:
        return running.refused(error)
    return running.run(vault, command) if command.command.needs_vault else running.without_vault(command)


def rows(vault: Vault, *words: str) -> Any:
    """The rows of a command with format=json; none for the sentence of an empty answer."""
    printed = asked(vault, [*words, "format=json"])
    assert printed.status == 0, printed
    return [] if printed.out.startswith("No ") else json.loads(printed.out)


def lines(vault: Vault, *words: str) -> list[str]:
    """The lines of a command; none for the sentence of an empty answer."""
    printed = asked(vault, list(words))
    assert printed.status == 0, printed
    return [] if printed.out.startswith("No ") else printed.out.splitlines()

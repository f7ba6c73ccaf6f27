"""Implements `vaulttools token`: adds, lists and revokes the tokens of a host."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final
from urllib.parse import quote

from platformdirs import user_config_path

from vaulttools.cli import guesses
from vaulttools.cli.command_line import take_value
from vaulttools.cli.main import Said, Switches

HELP: Final = """\
usage: vaulttools token add NAME --vaults a,b [--tokens FILE]
       vaulttools token list [--tokens FILE]
       vaulttools token revoke NAME [--tokens FILE]

Keep the tokens of 'vaulttools serve --vaults-root'. A token is printed once, and kept as a hash in the user's
configuration folder or in FILE; one that is revoked is refused from the next request on."""


COMMANDS: Final = ("add NAME --vaults A,B", "revoke NAME", "list")


def file(given: str | None) -> Path:
    """Returns the path of the token file."""
    return Path(given).expanduser() if given is not None else user_config_path("vaulttools") / "tokens.json"


def command(words: list[str], switches: Switches) -> Said:
    """Run `vaulttools token`.

    Raises:
        BadArgument: the words are not a valid command, or it fails.
    """
    from vaulttools.server.tokens import TokenFile

    tokens = TokenFile(file(take_value(words, "--tokens")))
    vaults = take_value(words, "--vaults")
    if words == ["list"] and vaults is None:
        entries = sorted(tokens.entries().items())
        rows = [f"{name}: {', '.join(each.vaults)} (since {each.created})" for name, each in entries]
        details = [{"name": name, "vaults": list(each.vaults), "created": each.created} for name, each in entries]
        return Said("\n".join(rows) or "There are no tokens.", {"tokens": details})
    if len(words) == 2 and words[0] == "add":
        names = [name.strip() for name in (vaults or "").split(",") if name.strip()]
        token = tokens.add(words[1], names)
        # Not on stdout: scripts take that for the token.
        paths = ", ".join(f"/v/{quote(name, safe='')}/mcp" for name in names)
        print(f"Assistants ask at /mcp, or for one vault alone at {paths}", file=sys.stderr)
        return Said(token, {"name": words[1], "token": token, "vaults": names})
    if len(words) == 2 and words[0] == "revoke" and vaults is None:
        tokens.revoke(words[1])
        return Said(f"Revoked: {words[1]}", {"revoked": words[1]})
    raise guesses.subcommand("token", COMMANDS, words, switches.program())

"""Reads `vaulttools token`: adds, lists and revokes the tokens of a host."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vaulttools.cli.words import take_value
from vaulttools.errors import BadArgument

if TYPE_CHECKING:
    from vaulttools.server.tokens import TokenFile

HELP: Final = """\
usage: vaulttools token add NAME --vaults a,b [--tokens FILE]
       vaulttools token list [--tokens FILE]
       vaulttools token revoke NAME [--tokens FILE]

Keep the tokens of 'vaulttools serve --vaults-root'. A token is printed once, and kept as a hash in the user's
configuration folder or in FILE; one that is revoked is refused from the next request on."""


def file(given: str | None) -> Path:
    """Where the tokens are kept."""
    if given is not None:
        return Path(given).expanduser()
    from platformdirs import user_config_path

    return user_config_path("vaulttools") / "tokens.json"


def run(words: list[str]) -> tuple[str, Any]:
    """Do what is asked: what to print, and the same as details.

    Raises:
        BadArgument: it cannot be done.
    """
    from vaulttools.server.tokens import TokenFile

    tokens = TokenFile(file(take_value(words, "--tokens")))
    vaults = take_value(words, "--vaults")
    if words == ["list"] and vaults is None:
        return _listed(tokens)
    if len(words) == 2 and words[0] == "add":
        names = [name.strip() for name in (vaults or "").split(",") if name.strip()]
        token = tokens.add(words[1], names)
        return token, {"name": words[1], "token": token, "vaults": names}
    if len(words) == 2 and words[0] == "revoke" and vaults is None:
        tokens.revoke(words[1])
        return f"Revoked: {words[1]}", {"revoked": words[1]}
    raise BadArgument("token takes add NAME --vaults a,b, list, or revoke NAME")


def _listed(tokens: TokenFile) -> tuple[str, Any]:
    entries = tokens.entries()
    rows = [f"{name}: {', '.join(each.vaults)} (since {each.created})" for name, each in sorted(entries.items())]
    details = [
        {"name": name, "vaults": list(each.vaults), "created": each.created} for name, each in sorted(entries.items())
    ]
    return "\n".join(rows) or "There are no tokens.", {"tokens": details}

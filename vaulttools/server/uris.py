"""Names notes by URIs, `vault://NAME/path.md`, and finds the note that one names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote

from vaulttools.errors import BadArgument
from vaulttools.resources.urls import Backed

if TYPE_CHECKING:
    from vaulttools.vault import Vault

SCHEME: Final = "vault"
"""Of the URIs of notes: `vault://Notes/Projects/plan.md`, the vault's name and the path in it."""


def of(vault: str, path: str) -> str:
    """The URI of a note."""
    return f"{SCHEME}://{quote(vault, safe='')}/{quote(path)}"


def understood_by(vault: Vault, name: str) -> None:
    """Let the tools of a vault take the URIs of its notes as paths: a model hands them what it was given."""

    def note(uri: str) -> list[Backed]:
        given, path = place(uri)
        if given != name:
            raise BadArgument(f"{uri[:200]} is not of the vault {name}")
        return [Backed(path)]

    vault.register_resolver(SCHEME, note)


def place(uri: str) -> tuple[str, str]:
    """The vault's name and the path in it that a URI names.

    Raises:
        BadArgument: it is none of ours.
    """
    scheme, _, rest = uri.partition("://")
    name, _, path = rest.partition("/")
    if scheme != SCHEME or not path:
        raise BadArgument(f"Not the URI of a note: {uri[:200]}; expected {SCHEME}://VAULT/PATH")
    return unquote(name), unquote(path)

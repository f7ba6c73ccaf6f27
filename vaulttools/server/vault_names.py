"""Names vaults in options and arguments, and notes by URIs: `vault://NAME/path.md`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

from vaulttools.errors import BadArgument

SCHEME: Final = "vault"
"""Of the URIs of notes: `vault://Notes/Projects/plan.md`, the vault's name and the path in it."""

_NAMED: Final = re.compile(r"([^=/\\]+)=(.+)", re.DOTALL)


def folders(given: Sequence[str]) -> dict[str, str]:
    """Folders by name, of `DIR` or `name=DIR` each; without a name the folder's own; a folder with a `=` is one.

    Raises:
        BadArgument: two have the same name.
    """
    found: dict[str, str] = {}
    for each in given:
        match = _NAMED.fullmatch(each)
        if match is None or Path(each).expanduser().is_dir():
            name, folder = Path(each).expanduser().resolve().name or "vault", each
        else:
            name, folder = match[1], match[2]
        if name in found:
            raise BadArgument(f"Two vaults are named {name}: give names, --vault one=DIR --vault two=DIR")
        found[name] = folder
    return found


def no_vault(name: object, names: Sequence[str]) -> str:
    """The sentence that refuses the name of a vault that is not among those of a caller."""
    if not names:
        return "There is no vault that this caller may see"
    given = "" if name is None else f", got {name!r}"
    return f"vault must be one of {', '.join(names)}{given}"


def note_uri(vault: str, path: str) -> str:
    """The URI of a note."""
    return f"{SCHEME}://{quote(vault, safe='')}/{quote(path)}"


def read_note_uri(uri: str) -> tuple[str, str]:
    """The vault's name and the path in it that a URI names.

    Raises:
        BadArgument: it is none of ours.
    """
    scheme, _, rest = uri.partition("://")
    name, _, path = rest.partition("/")
    if scheme != SCHEME or not path:
        raise BadArgument(f"Not the URI of a note: {uri[:200]}; expected {SCHEME}://VAULT/PATH")
    return unquote(name), unquote(path)

"""Names vaults and their notes, and holds the open vaults of a server."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, Final, Literal
from urllib.parse import quote, unquote

from vaulttools.errors import BadArgument
from vaulttools.index.database import Unavailable
from vaulttools.resources.urls import Backed
from vaulttools.server.calls import Busy, Lane
from vaulttools.vault import Vault

SCHEME: Final = "vault"
"""Of the URIs of notes: `vault://Notes/Projects/plan.md`, the vault's name and the path in it."""

_NAMED: Final = re.compile(r"([^=/\\]+)=(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Vaults:
    """The vaults of a caller. A call names one by its argument `vault` only where there are several."""

    names: tuple[str, ...]
    """In the order given."""
    lend: Callable[[str], AbstractContextManager[Vault]]
    is_ready: Callable[[str], bool] = lambda _: True
    """Whether a vault is open, and its index so far that no call waits long for it."""
    is_open: Callable[[str], bool] = lambda _: True
    """Whether a vault is open, so that a call of it waits for no other vault to be closed."""

    @property
    def are_several(self) -> bool:
        """Whether a call must name one."""
        return len(self.names) > 1

    def lent(self, name: object) -> AbstractContextManager[Vault]:
        """The vault of that name, open for as long as it is used; entering it may take a while.

        Raises:
            BadArgument: there is none.
        """
        if isinstance(name, str) and name in self.names:
            return self.lend(name)
        raise BadArgument(no_vault(name, self.names))

    def lane(self, name: object, *, is_quick: bool) -> Lane:
        """The threads for a call of a vault; `is_quick`: it takes some milliseconds once the vault is open."""
        does_not_wait = self.is_open if is_quick else self.is_ready
        if isinstance(name, str) and does_not_wait(name):
            return "quick" if is_quick else "usual"
        return "opening"

    def meant(self, arguments: Mapping[str, Any]) -> tuple[object, dict[str, Any]]:
        """The name of the vault that a call means, for `lent`, and the arguments of the tool."""
        rest = dict(arguments)
        return rest.pop("vault", None) if self.are_several else next(iter(self.names), None), rest

    def with_vault(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """The schema of a tool's arguments, with `vault` where there are several."""
        if not self.are_several:
            return dict(schema)
        vault = {"type": "string", "enum": list(self.names), "description": "The vault to look into."}
        required = ["vault", *schema.get("required", ())]
        return {**schema, "properties": {"vault": vault, **schema["properties"]}, "required": required}


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


def ensure_indexed(vault: Vault, cancel: Event, *, seconds: float, of_all: bool) -> None:
    """Wait until the structure of all notes of a vault is known: while many are indexed, calls read none beside. Unless
    the call reads something `of_all` notes it waits for a small vault only, which is indexed before it could search.

    Raises:
        Busy: it has not come to its end in time.
        Cancelled: the event was set.
    """
    progress = [0, 0]

    def note(done: int, total: int) -> None:
        progress[:] = done, total

    own = vault.session.indexes.own
    with suppress(Unavailable):
        if vault.is_ready or own.wait(note, cancel, seconds, facts_alone=True, unless_many=not of_all):
            return
        if of_all or not own.is_far_behind:
            done, total = progress
            so_far = f"{done:,} of {total:,} files so far" if total else "others come first"
            raise Busy(f"The vault is indexed for the first time ({so_far}); call again in a moment")


def take_note_uris(vault: Vault, name: str) -> None:
    """Let the tools of a vault take the URIs of its notes as paths, since a model hands them what it was given."""

    def note(uri: str) -> list[Backed]:
        given, path = read_note_uri(uri)
        if given != name:
            raise BadArgument(f"{uri[:200]} is not of the vault {name}")
        return [Backed(path)]

    vault.register_resolver(SCHEME, note)


@contextmanager
def opened(by_name: Mapping[str, str], *, index: Literal["off"] | None = None) -> Iterator[Vaults]:
    """The vaults at the folders, for as long as they are used; `index` as `Vault.open` takes it.

    Their indexes are loaded and built at once, beside what the caller does until it serves: the first calls would have
    to wait for them.

    Raises:
        BadArgument: one cannot be opened.
    """
    with ExitStack() as stack:
        vaults: dict[str, Vault] = {}
        for name, folder in by_name.items():
            vaults[name] = vault = stack.enter_context(Vault.open(folder, index=index))
            take_note_uris(vault, name)
            if vault.session.has_index:
                vault.session.indexes.own.start()
        yield Vaults(tuple(vaults), lambda name: nullcontext(vaults[name]))

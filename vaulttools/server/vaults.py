"""Names vaults and their notes, and holds the open vaults of a server."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, Final, Literal, TypedDict, TypeVar
from urllib.parse import quote, unquote

from vaulttools.errors import BadArgument
from vaulttools.files.real_path import real_path
from vaulttools.index.database import Unavailable
from vaulttools.resources.urls import Backed
from vaulttools.server.calls import Busy, Calls, Lane, Report
from vaulttools.tools import TOOLS
from vaulttools.vault import Vault

T = TypeVar("T")

SCHEME: Final = "vault"
"""Scheme of the URIs of notes, `vault://Notes/Projects/plan.md`: the vault's name and the path in it."""

INDEXING_SECONDS: Final = 15.0
"""Seconds that a call of a tool waits for the first indexing of a vault."""

_NAMED: Final = re.compile(r"([^=/\\]+)=(.+)", re.DOTALL)


class Way(TypedDict):
    """Arguments of `Vaults.run` and `Service.run`."""

    is_quick: bool
    before: Callable[[Vault, Event], None]


@dataclass(frozen=True, slots=True)
class Vaults:
    """The vaults of a caller. A call names one with its argument `vault` only if there are several."""

    names: tuple[str, ...]
    """In the order given."""
    lend: Callable[[str], AbstractContextManager[Vault]]
    is_ready: Callable[[str], bool] = lambda _: True
    """Whether a vault is open, and its index is far enough that no call waits long for it."""
    is_open: Callable[[str], bool] = lambda _: True
    """Whether a vault is open, so that its calls need not wait for another vault to close."""

    @property
    def are_several(self) -> bool:
        """Whether a call must name a vault."""
        return len(self.names) > 1

    def lent(self, name: object) -> AbstractContextManager[Vault]:
        """Returns the vault with that name, open while its context is entered; entering may take a while.

        Raises:
            BadArgument: there is no such vault.
        """
        if isinstance(name, str) and name in self.names:
            return self.lend(name)
        raise BadArgument(no_vault(name, self.names))

    def lane(self, name: object, *, is_quick: bool) -> Lane:
        """Returns the threads for a call of a vault; `is_quick`: it takes a few milliseconds once the vault is open."""
        does_not_wait = self.is_open if is_quick else self.is_ready
        if isinstance(name, str) and does_not_wait(name):
            return "quick" if is_quick else "usual"
        return "opening"

    async def run(
        self,
        calls: Calls,
        name: object,
        call: Callable[[Vault, Event], T],
        *,
        is_quick: bool,
        before: Callable[[Vault, Event], None] | None = None,
        caller: str = "",
        report: Report | None = None,
    ) -> T:
        """Run a call on the vault with that name in a thread, and return its result; `caller` and `report` as in
        `Calls.run`, `is_quick` as in `lane`. While the vault is indexed for the first time, `before` runs first, except
        for a quick call.

        Raises:
            BadArgument: there is no such vault.
            Busy: as `Calls.run`, or the vault is being indexed for the first time.
            Exception: what the call raises.
        """
        lane, lent = self.lane(name, is_quick=is_quick), self.lent(name)

        def answered(cancel: Event) -> T:
            with lent as vault:
                if before is not None and lane == "opening" and not is_quick:
                    before(vault, cancel)
                return call(vault, cancel)

        return await calls.run(answered, report, caller=caller, lane=lane)

    def meant(self, arguments: Mapping[str, Any]) -> tuple[object, dict[str, Any]]:
        """Returns the name of the vault that a call means (for `lent`), and the tool's own arguments."""
        rest = dict(arguments)
        return rest.pop("vault", None) if self.are_several else next(iter(self.names), None), rest

    def with_vault(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the schema of a tool's arguments, with `vault` if there are several vaults."""
        if not self.are_several:
            return dict(schema)
        vault = {"type": "string", "enum": list(self.names), "description": "The vault to look into."}
        required = ["vault", *schema.get("required", ())]
        return {**schema, "properties": {"vault": vault, **schema["properties"]}, "required": required}


def folders(given: Sequence[str]) -> dict[str, str]:
    """Map names to folders, each given as `DIR` or `name=DIR`; the default name is the folder's own.

    Raises:
        BadArgument: two have the same name.
    """
    found: dict[str, str] = {}
    for each in given:
        match = _NAMED.fullmatch(each)
        if match is None or Path(each).expanduser().is_dir():
            name, folder = Path(real_path(Path(each).expanduser())).name or "vault", each
        else:
            name, folder = match[1], match[2]
        if name in found:
            raise BadArgument(f"Two vaults are named {name}: give names, --vault one=DIR --vault two=DIR")
        found[name] = folder
    return found


def no_vault(name: object, names: Sequence[str]) -> str:
    """Returns the sentence that refuses a vault's name."""
    if not names:
        return "There is no vault that this caller may see"
    given = "" if name is None else f", got {name!r}"
    return f"vault must be one of {', '.join(names)}{given}"


def note_uri(vault: str, path: str) -> str:
    """Returns the URI of a note."""
    return f"{SCHEME}://{quote(vault, safe='')}/{quote(path)}"


def read_note_uri(uri: str) -> tuple[str, str]:
    """Returns the vault's name and the path in it from a URI.

    Raises:
        BadArgument: it is not the URI of a note.
    """
    scheme, _, rest = uri.partition("://")
    name, _, path = rest.partition("/")
    if scheme != SCHEME or not path:
        raise BadArgument(f"Not the URI of a note: {uri[:200]}; expected {SCHEME}://VAULT/PATH")
    return unquote(name), unquote(path)


def ensure_indexed(vault: Vault, cancel: Event, *, seconds: float, of_all: bool) -> None:
    """Wait until the structure of all notes of a vault is known: meanwhile calls read no notes themselves. A call that
    does not need `of_all` notes waits only for a small vault, which is indexed sooner than it could be searched.

    Raises:
        Busy: the indexing did not end in time.
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
            so_far = f"{done:,} of {total:,} files so far" if total else "other vaults come first"
            raise Busy(f"The vault is indexed for the first time ({so_far}); call again in a moment")


def way_of(tool: str) -> Way:
    """Returns how a call of a tool runs, whichever room asks for it."""
    traits = TOOLS[tool]
    before = partial(ensure_indexed, seconds=INDEXING_SECONDS, of_all=traits.reads_all_notes)
    return Way(is_quick=traits.is_quick, before=before)


def take_note_uris(vault: Vault, name: str) -> None:
    """Let the tools of a vault accept the URIs of its notes as paths, because a model passes on what it was given."""

    def note(uri: str) -> list[Backed]:
        given, path = read_note_uri(uri)
        if given != name:
            raise BadArgument(f"{uri[:200]} does not belong to the vault {name}")
        return [Backed(path)]

    vault.register_resolver(SCHEME, note)


@contextmanager
def opened(by_name: Mapping[str, str], *, index: Literal["off"] | None = None) -> Iterator[Vaults]:
    """Yields the vaults in the folders, and close them afterwards; `index` as in `Vault.open`.

    Loading and building their indexes begins at once, while the caller prepares to serve: otherwise the first calls
    would wait for them.

    Raises:
        BadArgument: one of them cannot be opened.
    """
    with ExitStack() as stack:
        vaults: dict[str, Vault] = {}
        for name, folder in by_name.items():
            vaults[name] = vault = stack.enter_context(Vault.open(folder, index=index))
            take_note_uris(vault, name)
            if vault.session.has_index:
                vault.session.indexes.own.start()
        yield Vaults(tuple(vaults), lambda name: nullcontext(vaults[name]))

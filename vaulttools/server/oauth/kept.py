"""Keeps clients that signed in, and hashes of their tokens, in a private file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from mcp.shared.auth import OAuthClientInformationFull
from pydantic import BaseModel

from vaulttools.server.private_file import PrivateFile

MOST: Final = 2_000
"""Clients that are kept, and grants; what was not used for longest gives way. Each change writes all of them."""

OF_ONE: Final = 20
"""Most of them of one token, so that its owner drives out nobody else's."""

LARGEST: Final = 16 << 20
"""Most bytes of the file: twice what 2,000 of the largest clients and grants take."""


class Client(OAuthClientInformationFull):
    """A client that has registered."""

    owner: str = ""
    """Hash of the token that allowed it last, as that of a grant."""

    def validate_scope(self, requested_scope: str | None) -> list[str] | None:
        """Returns any scopes: none means more or less here, and clients ask for what other servers have."""
        return None if requested_scope is None else requested_scope.split(" ")


class Grant(BaseModel):
    """What a person allowed a client."""

    client: str
    owner: str
    """SHA-256 of the vault's token that the person logged in with."""
    resource: str
    """The address that the tokens are for."""
    scopes: list[str]
    """As the client asked, and without a meaning."""
    access: str
    """SHA-256 of the access token; it has 256 random bits. Likewise `refresh`."""
    access_ends: float
    """Seconds since the epoch, as `refresh_ends`."""
    refresh: str
    refresh_ends: float


class Kept(BaseModel):
    """What the file holds."""

    clients: dict[str, Client] = {}
    """By id; the last one used is last."""
    grants: dict[str, Grant] = {}
    """By the beginning of their tokens; the last one used is last."""


class KeptFile:
    """The file. A change of it takes effect with the next request, also that of another process."""

    def __init__(self, file: Path) -> None:
        self._file = PrivateFile(file, "file", "sign-ins", Kept.model_validate_json, Kept(), LARGEST)

    def read(self) -> Kept:
        """Returns what the file holds, which nobody may change; nothing if there is no file.

        Raises:
            BadArgument: the file has another format, or cannot be read.
        """
        return self._file.read()

    @contextmanager
    def changed(self) -> Iterator[Kept]:
        """Yields what the file holds, to be changed, and writes it; no other process writes meanwhile.

        Raises:
            BadArgument: as `read`.
            OSError: the file cannot be written.
        """
        with self._file.locked():
            kept = self.read().model_copy(deep=True)
            yield kept
            _shorten(kept.clients)
            _shorten(kept.grants)
            self._file.write(kept.model_dump_json(exclude_none=True).encode())


def _shorten(held: dict[str, Client] | dict[str, Grant]) -> None:
    """Keep the last ones of each owner, and of all."""
    of_each = Counter[str]()
    for at, (name, each) in enumerate(reversed([*held.items()])):
        of_each[each.owner] += 1
        if at >= MOST or of_each[each.owner] > OF_ONE:
            del held[name]

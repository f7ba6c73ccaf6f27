"""Keeps clients that signed in, and hashes of their tokens, in a private file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock
from mcp.shared.auth import OAuthClientInformationFull
from pydantic import BaseModel

from vaulttools.errors import BadArgument
from vaulttools.files import small
from vaulttools.server.tokens import write_private

MOST: Final = 1_000
"""Clients that are kept, and grants; the oldest gives way."""

LARGEST: Final = 8 << 20
"""Most bytes of the file: 1,000 clients of 4 KiB, and as many grants."""


class Client(OAuthClientInformationFull):
    """A client that has registered."""

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
    """By id, oldest first."""
    grants: dict[str, Grant] = {}
    """By the beginning of their tokens, oldest first."""


class KeptFile:
    """The file. A change of it takes effect with the next request, also that of another process."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._read: tuple[object, Kept] = None, Kept()

    def read(self) -> Kept:
        """Returns what the file holds, which nobody may change; nothing if there is no file.

        Raises:
            BadArgument: the file has another format, or cannot be read.
        """
        try:
            status = self._file.stat()
            key = status.st_mtime_ns, status.st_size, status.st_ino
            if self._read[0] != key:
                self._read = key, Kept.model_validate_json(small.read(self._file, LARGEST))
        except FileNotFoundError:
            return Kept()
        except OSError as error:
            raise BadArgument(f"The file {self._file} cannot be read: {error.strerror}") from error
        except ValueError as error:  # its text may quote the file
            raise BadArgument(f"The file {self._file} cannot be read: it holds no sign-ins") from error
        return self._read[1]

    @contextmanager
    def changed(self) -> Iterator[Kept]:
        """Yields what the file holds, to be changed, and writes it; no other process writes meanwhile.

        Raises:
            BadArgument: as `read`.
            OSError: the file cannot be written.
        """
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(f"{self._file}.lock"):
            kept = self.read().model_copy(deep=True)
            yield kept
            for held in (kept.clients, kept.grants):
                while len(held) > MOST:
                    del held[next(iter(held))]
            write_private(self._file, kept.model_dump_json(indent=1, exclude_none=True).encode())

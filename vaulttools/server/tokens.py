"""Keeps a file of hashed tokens, with the vaults that each may see."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from vaulttools.errors import BadArgument
from vaulttools.server.private_file import PrivateFile

LARGEST: Final = 4 << 20
"""Most bytes of the file: 20,000 tokens."""

_HASH: Final = re.compile(r"[0-9a-f]{64}")

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
"""Allowed names of tokens: they appear in logs."""


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """The stored part of a token."""

    hashed: str
    """SHA-256 of the token in hex; the token has 256 random bits, so it needs no slow hash."""
    vaults: tuple[str, ...]
    created: str


class TokenFile:
    """The tokens in a file, by name. A change of the file takes effect with the next request."""

    def __init__(self, file: Path) -> None:
        self._file = PrivateFile[Mapping[str, TokenRecord]](
            file, "token file", "tokens", lambda text: _parsed(json.loads(text)), {}, LARGEST
        )

    def entries(self) -> Mapping[str, TokenRecord]:
        """Returns all tokens; an empty mapping if there is no file.

        Raises:
            BadArgument: the file has another format, or cannot be read.
        """
        return self._file.read()

    def find(self, token: str) -> tuple[str, TokenRecord] | None:
        """Returns the name and the record of a token (compared in constant time); None if it is unknown or revoked.

        Raises:
            BadArgument: the file has another format, or cannot be read.
        """
        return self.find_hash(hashed(token))

    def find_hash(self, wanted: str) -> tuple[str, TokenRecord] | None:
        """As `find`, for the hash of a token.

        Raises:
            BadArgument: as `find`.
        """
        entries = self.entries().items()
        return next(((name, each) for name, each in entries if secrets.compare_digest(each.hashed, wanted)), None)

    def add(self, name: str, vaults: Sequence[str]) -> str:
        """Make a token with that name and return it, the only time it is shown; the file keeps its hash.

        Raises:
            BadArgument: the name is taken or invalid, or no vault is named.
        """
        if not _NAME.fullmatch(name):
            raise BadArgument(f"A token's name has letters, digits, '.', '_', '@' and '-', at most 64; got '{name}'")
        if not vaults:
            raise BadArgument("--vaults takes the vaults that the token may see: --vaults a,b")
        token = secrets.token_urlsafe(32)
        with self._file.locked():
            entries = dict(self.entries())
            if name in entries:
                raise BadArgument(f"There is a token {name}; revoke it first")
            entries[name] = TokenRecord(hashed(token), tuple(vaults), datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
            self._write(entries)
        return token

    def revoke(self, name: str) -> None:
        """Remove a token.

        Raises:
            BadArgument: no token has that name.
        """
        with self._file.locked():
            entries = dict(self.entries())
            if entries.pop(name, None) is None:
                raise BadArgument(f"There is no token {name}")
            self._write(entries)

    def _write(self, entries: Mapping[str, TokenRecord]) -> None:
        records = {
            name: {"sha256": each.hashed, "vaults": list(each.vaults), "created": each.created}
            for name, each in entries.items()
        }
        self._file.write(f"{json.dumps(records, indent=2)}\n".encode())


def hashed(token: str) -> str:
    """Returns the SHA-256 of a token in hex. It may have lone surrogates: a form in UTF-7 brings them."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _parsed(found: Any) -> dict[str, TokenRecord]:
    """Returns the tokens in the JSON of a file.

    Raises:
        ValueError: it has another format.
    """
    records: dict[str, TokenRecord] = {}
    for name, each in found.items() if isinstance(found, dict) else [("", found)]:
        sha256, vaults = (each.get("sha256"), each.get("vaults")) if isinstance(each, dict) else (None, None)
        if not (isinstance(sha256, str) and _HASH.fullmatch(sha256) and isinstance(vaults, list)):
            raise ValueError("this is no token")
        if not _NAME.fullmatch(name) or not all(isinstance(vault, str) for vault in vaults):
            raise ValueError("this is no token")
        records[name] = TokenRecord(sha256, tuple(vaults), str(each.get("created", "")))
    return records

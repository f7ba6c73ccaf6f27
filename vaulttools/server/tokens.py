"""Keeps a file of hashed tokens, with the vaults that each may see."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from filelock import FileLock

from vaulttools.core.windows import replace
from vaulttools.errors import BadArgument
from vaulttools.files import small

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
        self._file = file
        self._read: tuple[object, Mapping[str, TokenRecord]] = None, {}

    def entries(self) -> Mapping[str, TokenRecord]:
        """Returns all tokens; an empty mapping if there is no file.

        Raises:
            BadArgument: the file has another format, or cannot be read.
        """
        try:
            status = self._file.stat()
            key = status.st_mtime_ns, status.st_size, status.st_ino
            if self._read[0] != key:
                self._read = key, _parsed(json.loads(small.read(self._file, LARGEST)))
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise BadArgument(f"The token file {self._file} cannot be read: {error.strerror}") from error
        except (ValueError, RecursionError) as error:  # the text of an error may quote the file
            raise BadArgument(f"The token file {self._file} cannot be read: it does not hold tokens") from error
        return self._read[1]

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
        with self._locked():
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
        with self._locked():
            entries = dict(self.entries())
            if entries.pop(name, None) is None:
                raise BadArgument(f"There is no token {name}")
            self._write(entries)

    def _locked(self) -> FileLock:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise BadArgument(f"The token file {self._file} cannot be kept: {error.strerror}") from error
        return FileLock(f"{self._file}.lock")

    def _write(self, entries: Mapping[str, TokenRecord]) -> None:
        records = {
            name: {"sha256": each.hashed, "vaults": list(each.vaults), "created": each.created}
            for name, each in entries.items()
        }
        write_private(self._file, f"{json.dumps(records, indent=2)}\n".encode())


def write_private(file: Path, content: bytes) -> None:
    """Replace a file as a whole by one that only its owner can read."""
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    beside.unlink(missing_ok=True)
    beside.touch(mode=0o600, exist_ok=False)
    beside.write_bytes(content)
    replace(beside, file)


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

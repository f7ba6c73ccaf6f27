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

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
"""What a token may be called: it stands in logs."""


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """One token, as far as it is kept."""

    hashed: str
    """The SHA-256 of the token in hex; it holds 256 random bits, so that no slow hash is needed."""
    vaults: tuple[str, ...]
    created: str


class TokenFile:
    """The tokens of a file, by name. A change of the file counts from the next request on."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._read: tuple[object, Mapping[str, TokenRecord]] = None, {}

    def entries(self) -> Mapping[str, TokenRecord]:
        """All tokens; none while there is no file.

        Raises:
            BadArgument: the file is none of ours, or cannot be read.
        """
        try:
            status = self._file.stat()
            key = status.st_mtime_ns, status.st_size, status.st_ino
            if self._read[0] != key:
                self._read = key, _parsed(json.loads(self._file.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise BadArgument(f"The file of tokens {self._file} cannot be read: {error}") from error
        return self._read[1]

    def find(self, token: str) -> tuple[str, TokenRecord] | None:
        """The name and the record of a token, compared in constant time; None for one that is unknown or revoked.

        Raises:
            BadArgument: the file is none of ours, or cannot be read.
        """
        hashed = _hashed(token)
        entries = self.entries().items()
        return next(((name, each) for name, each in entries if secrets.compare_digest(each.hashed, hashed)), None)

    def add(self, name: str, vaults: Sequence[str]) -> str:
        """A new token of that name, which is shown this once and kept as a hash.

        Raises:
            BadArgument: the name is taken or none, or no vault is named.
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
            entries[name] = TokenRecord(_hashed(token), tuple(vaults), datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
            self._write(entries)
        return token

    def revoke(self, name: str) -> None:
        """Forget a token.

        Raises:
            BadArgument: there is none of that name.
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
            raise BadArgument(f"The file of tokens {self._file} cannot be kept: {error.strerror}") from error
        return FileLock(f"{self._file}.lock")

    def _write(self, entries: Mapping[str, TokenRecord]) -> None:
        told = {
            name: {"sha256": each.hashed, "vaults": list(each.vaults), "created": each.created}
            for name, each in entries.items()
        }
        write_private(self._file, f"{json.dumps(told, indent=2)}\n".encode())


def write_private(file: Path, content: bytes) -> None:
    """Replace a file by one that its owner alone can read, as a whole."""
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    beside.unlink(missing_ok=True)
    beside.touch(mode=0o600, exist_ok=False)
    beside.write_bytes(content)
    replace(beside, file)


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _parsed(found: Any) -> dict[str, TokenRecord]:
    return {
        str(name): TokenRecord(str(each["sha256"]), tuple(map(str, each["vaults"])), str(each.get("created", "")))
        for name, each in found.items()
    }

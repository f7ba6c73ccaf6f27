"""Reads and writes files beside the index that hold plain values made of notes.

A file is read only whole, and by the code that wrote it: what is damaged, or was made by other code, is passed over
and made anew.
"""

from __future__ import annotations

import marshal
import os
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

import xxhash

import vaulttools
from vaulttools.core import garbage

_MAGIC: Final = b"vaulttools kept 2\n"
_DIGEST_BYTES: Final = 16

_READERS: Final = ("answers", "bases", "index", "notes", "query", "tools")
"""Folders of the code that decides what is read of a note, and what is made of it."""


def load(database: Path, name: str) -> Any:
    """What was saved under a name beside a database; None when nothing usable is there."""
    stamp = _code()
    if stamp is None:
        return None
    try:
        data = memoryview(_place(database, name).read_bytes())
        start = len(_MAGIC) + _DIGEST_BYTES
        # Only what was written whole, by us, is decoded: marshal trusts what it is given.
        if data[:start] != _MAGIC + xxhash.xxh3_128_digest(data[start:]):
            return None
        with garbage.paused():
            made_by, values = marshal.loads(data[start:])  # noqa: S302
    except (OSError, ValueError, EOFError, TypeError):
        return None
    return values if made_by == stamp else None


def save(database: Path, name: str, values: Any) -> bool:
    """Write what `load` gives; False where they are more than plain values, or cannot be written."""
    stamp = _code()
    if stamp is None:
        return False
    try:
        payload = marshal.dumps((stamp, values))
    except ValueError:
        return False
    place = _place(database, name)
    new = place.with_name(f"{place.name}.{os.urandom(4).hex()}.new")
    try:
        with new.open("wb") as file:
            file.write(_MAGIC + xxhash.xxh3_128_digest(payload))
            file.write(payload)
        new.replace(place)
    except OSError:  # no room; it is tried again when notes change
        with suppress(OSError):
            new.unlink()
        return False
    return True


def _place(database: Path, name: str) -> Path:
    """Begins with the name of the database, so that it goes when that is cleared."""
    return database.with_name(f"{database.name}.{name}")


@cache
def _code() -> str | None:
    """What another code, or Python, has otherwise; None where that cannot be told."""
    package = Path(vaulttools.__file__).parent
    try:
        files = [
            (entry.name, status.st_size, status.st_mtime_ns)
            for folder in _READERS
            for entry in sorted(os.scandir(package / folder), key=lambda entry: entry.name)
            if entry.name.endswith(".py") and (status := entry.stat())
        ]
    except OSError:
        return None
    made_of = repr((vaulttools.__version__, sys.version, marshal.version, files)).encode()
    return xxhash.xxh3_128_hexdigest(made_of) if files else None

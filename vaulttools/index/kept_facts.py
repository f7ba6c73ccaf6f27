"""Keeps what was read of notes in files beside the index.

Each fact stands with the digest of the text that it was read from, and only counts for a note with that very text: it
cannot be out of date. What is damaged, or was made by other code, is passed over and made anew.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

import xxhash

import vaulttools

_MAGIC: Final = b"vaulttools facts 1\n"
_DIGEST_BYTES: Final = 16

_READERS: Final = ("answers", "bases", "notes", "query", "tools")
"""Folders of the code that decides what is read of a note."""


def load(database: Path, kind: str) -> dict[int, tuple[bytes, Any]]:
    """By the id of a note, the digest of its text and what was read of it; empty when nothing usable is there."""
    stamp = _code()
    if stamp is None:
        return {}
    try:
        data = _place(database, kind).read_bytes()
        start = len(_MAGIC) + _DIGEST_BYTES
        payload = data[start:]
        # Only what was written whole, by us, is decoded: marshal trusts what it is given.
        if data[:start] != _MAGIC + xxhash.xxh3_128_digest(payload):
            return {}
        made_by, ids, digests, facts = marshal.loads(payload)  # noqa: S302
        if made_by != stamp:
            return {}
        return dict(zip(ids, zip(digests, facts, strict=True), strict=True))
    except (OSError, ValueError, EOFError, TypeError):
        return {}


def save(database: Path, kind: str, kept: Mapping[int, tuple[bytes, Any]]) -> None:
    """Write what `load` gives; nothing where facts are more than plain values, or cannot be written."""
    stamp = _code()
    if stamp is None:
        return
    try:
        texts, facts = [text for text, _ in kept.values()], [fact for _, fact in kept.values()]
        payload = marshal.dumps((stamp, list(kept), texts, facts))
    except ValueError:
        return
    place = _place(database, kind)
    new = place.with_name(f"{place.name}.{os.urandom(4).hex()}.new")
    try:
        new.write_bytes(_MAGIC + xxhash.xxh3_128_digest(payload) + payload)
        new.replace(place)
    except OSError:  # no room; it is tried again when notes change
        with suppress(OSError):
            new.unlink()


def _place(database: Path, kind: str) -> Path:
    """Begins with the name of the database, so that it goes when that is cleared."""
    return database.with_name(f"{database.name}.facts-{kind}")


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

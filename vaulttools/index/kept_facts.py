"""Keeps what questions read of notes, in memory and beside the index.

A fact has the digest of its text, so that it cannot be out of date. A file is read only whole, and by the code that
wrote it: what is damaged, or was made by other code, is passed over and made anew.
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
from vaulttools.core import garbage
from vaulttools.index.content import DIGEST_BYTES

_MAGIC: Final = b"vaulttools kept 3\n"
_DIGEST_BYTES: Final = 16

_READERS: Final = ("answers", "bases", "index", "notes", "query", "ranked", "tools")
"""Folders of the code that decides what is read of a note, and what is made of it."""


Fact = tuple[bytes, Any]
"""The digest of a note's text, and what was read of it: as bytes of marshal, a tenth of the memory, where it takes
that."""


def packed(text: bytes, value: Any) -> Fact:
    """A fact; those of equal texts are equal, and 1, 1.0 and true differ."""
    try:
        return text, marshal.dumps(value, _WITHOUT_REFERENCES)
    except ValueError:
        return text, value


_WITHOUT_REFERENCES: Final = 2
"""The version of marshal whose bytes depend on nothing but the value."""


def value_of(fact: Fact) -> Any:
    """What was read of the text."""
    held = fact[1]
    return marshal.loads(held) if isinstance(held, bytes) else held  # noqa: S302


class KeptFacts:
    """What one question read of notes, by path; shared by threads, which add to it."""

    def __init__(self, kind: str, database: Path) -> None:
        """From what an earlier process kept beside a database."""
        self._kind = kind
        self._database = database
        self.held: dict[str, Fact] = {}
        self._answer: object = None
        """What an earlier process made of them, until somebody takes it."""
        if (kept := load(database, f"facts-{kind}")) is not None:
            names, digests, facts, self._answer = kept
            texts = (digests[start : start + DIGEST_BYTES] for start in range(0, len(digests), DIGEST_BYTES))
            self.held = dict(zip(names, zip(texts, facts, strict=True), strict=True))

    def take_answer(self) -> tuple[dict[str, Fact], object] | None:
        """What an earlier process made of all notes, with their facts; None from the second time on."""
        answer, self._answer = self._answer, None
        return None if answer is None else (dict(self.held), answer)

    def keep(self, facts: Mapping[str, Fact], answer: object) -> None:
        """Keep the facts of all notes for later processes, with what is made of them; nothing else stays."""
        digests = b"".join(text for text, _ in facts.values())
        save(self._database, f"facts-{self._kind}", ([*facts], digests, [held for _, held in facts.values()], answer))
        self.held = dict(facts)


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
            (str(entry), status.st_size, status.st_mtime_ns)
            for folder in _READERS
            for entry in sorted((package / folder).rglob("*.py"))
            if (status := entry.stat())
        ]
    except OSError:
        return None
    made_of = repr((vaulttools.__version__, sys.version, marshal.version, files)).encode()
    return xxhash.xxh3_128_hexdigest(made_of) if files else None

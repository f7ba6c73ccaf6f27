"""Caches facts that questions read from notes, in memory and beside the index.

A fact holds the digest of its text, so that it cannot be outdated. A file is used only if it is undamaged and the same
code wrote it; else it is ignored and computed anew.
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
from vaulttools.notes.properties.numerals import MARK_BYTES, restored, stored

_MAGIC: Final = b"vaulttools kept 3\n"
_DIGEST_BYTES: Final = 16

_READERS: Final = ("answers", "bases", "index", "notes", "query", "ranked", "tools")
"""Folders of the code that computes facts and answers."""


Fact = tuple[bytes, Any]
"""The digest of a note's text, and the fact: as marshal bytes if possible, which take a tenth of the memory."""


def packed(text: bytes, value: Any) -> Fact:
    """Returns a fact; facts of equal texts are equal, and 1, 1.0 and true differ."""
    try:
        return text, marshal.dumps(value, _WITHOUT_REFERENCES)
    except ValueError:
        pass
    try:
        return text, marshal.dumps(stored(value), _WITHOUT_REFERENCES)
    except ValueError:
        return text, value


_WITHOUT_REFERENCES: Final = 2
"""The version of marshal whose bytes depend only on the value."""


def value_of(fact: Fact) -> Any:
    """Returns the value of a fact."""
    held = fact[1]
    if not isinstance(held, bytes):
        return held
    value = marshal.loads(held)  # noqa: S302
    return restored(value) if MARK_BYTES in held else value


class KeptFacts:
    """Facts that one question read from notes, by path; shared by threads, which add to it."""

    def __init__(self, kind: str, database: Path) -> None:
        """Load the facts that an earlier process saved beside a database."""
        self._kind = kind
        self._database = database
        self.by_note: dict[str, Fact] = {}
        self._answer: object = None
        """The answer that an earlier process computed from them, until a caller takes it."""
        if (kept := load(database, f"facts-{kind}")) is not None:
            names, digests, facts, self._answer = kept
            texts = (digests[start : start + DIGEST_BYTES] for start in range(0, len(digests), DIGEST_BYTES))
            self.by_note = dict(zip(names, zip(texts, facts, strict=True), strict=True))

    def take_answer(self) -> tuple[dict[str, Fact], object] | None:
        """Returns the facts and the answer of an earlier process, once; then None."""
        answer, self._answer = self._answer, None
        return None if answer is None else (dict(self.by_note), answer)

    def keep(self, facts: Mapping[str, Fact], answer: object) -> None:
        """Save the facts of all notes and their answer for later processes, and drop all other facts."""
        digests = b"".join(text for text, _ in facts.values())
        save(self._database, f"facts-{self._kind}", ([*facts], digests, [held for _, held in facts.values()], answer))
        self.by_note = dict(facts)


def load(database: Path, name: str) -> Any:
    """Returns the values saved under a name beside a database; None if nothing usable is there."""
    stamp = _code()
    if stamp is None:
        return None
    try:
        data = memoryview(_place(database, name).read_bytes())
        start = len(_MAGIC) + _DIGEST_BYTES
        # Only complete data that we wrote is decoded: marshal trusts its input.
        if data[:start] != _MAGIC + xxhash.xxh3_128_digest(data[start:]):
            return None
        with garbage.paused():
            made_by, values = marshal.loads(data[start:])  # noqa: S302
    except (OSError, ValueError, EOFError, TypeError):
        return None
    return values if made_by == stamp else None


def save(database: Path, name: str, values: Any) -> bool:
    """Save values for `load`; False if they are not all plain values, or cannot be written."""
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
    except OSError:  # the disk is full; saved again when notes change
        with suppress(OSError):
            new.unlink()
        return False
    return True


def _place(database: Path, name: str) -> Path:
    """Returns a path that begins with the database's name, so that clearing the index removes it."""
    return database.with_name(f"{database.name}.{name}")


@cache
def _code() -> str | None:
    """Returns a digest of the code and the Python version; None if the files cannot be examined."""
    package = os.path.dirname(vaulttools.__file__)
    try:
        files = [
            (place, status.st_size, status.st_mtime_ns)
            for folder in _READERS
            for where, _, names in os.walk(f"{package}/{folder}")
            for name in names
            if name.endswith(".py") and (status := os.stat(place := f"{where}/{name}"))
        ]
    except OSError:
        return None
    made_of = repr((vaulttools.__version__, sys.version, marshal.version, sorted(files))).encode()
    return xxhash.xxh3_128_hexdigest(made_of) if files else None

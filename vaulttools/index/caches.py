"""Caches what was read from texts, by the digests of the texts.

So no entry can be out of date.
"""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from vaulttools.core.recent import Recent
from vaulttools.index.kept_facts import KeptFacts
from vaulttools.index.store import FileRow

if TYPE_CHECKING:
    from vaulttools.index.passages import Passages

_PASSAGES: Final = 16_384
"""Passages that are cached: 2.5 MiB (measured), from 650 notes of an encyclopaedia."""

_LASTING: Final = 32
"""Most cached objects that check their own entries."""


class Caches:
    """The caches of one vault in one process; all its snapshots share them."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self.lasting: Final[Recent[Hashable, Any]] = Recent(_LASTING)
        """Objects that check their own entries."""
        self.passages: Final[Recent[FileRow, Passages]] = Recent(_PASSAGES)
        """Passages of recently ranked notes. A rephrased question, its next page and `context` use the same notes, and
        reading passages from the database is a fifth of the time of a ranked question."""
        self._facts: dict[str, KeptFacts] = {}
        self._lock = Lock()

    def facts_of(self, kind: str) -> KeptFacts:
        """Returns the cached facts of a kind."""
        with self._lock:
            if kind not in self._facts:
                self._facts[kind] = KeptFacts(kind, self._database)
            return self._facts[kind]

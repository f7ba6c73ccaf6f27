"""Keeps what was read of texts by their digests, in memory and beside the index.

A fact is one of a text, so that it cannot be out of date. Nearly all are held as bytes in one piece, and decoded when
they are asked for: as objects they would take ten times the memory (70 MB of 50,000 notes for one question, measured).
"""

from __future__ import annotations

import marshal
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate, islice
from pathlib import Path
from threading import Lock
from typing import Any, Final

from vaulttools.index import changes, kept_file
from vaulttools.index.content import DIGEST_BYTES

FEW: Final = 500
"""Texts that are read anew at the start of a process in less than it takes to write the facts of all."""

_PART: Final = 20
"""What is new is written when it is more than one part in so many."""

_MOST_OLD: Final = changes.MOST
"""Facts that are held of texts that no note has any more: an answer that was not asked for since is brought up to date
by what its notes held before. More changes than these are not remembered anyway."""


@dataclass(frozen=True, slots=True)
class _Table:
    """Facts in one piece, by digests in ascending order."""

    digests: bytes = b""
    beginnings: array[int] = field(default_factory=lambda: array("Q"))
    """The first eight bytes of each digest as a number, by which it is found."""
    starts: array[int] = field(default_factory=lambda: array("Q", [0]))
    """Where each fact begins, and where the last one ends."""
    facts: bytes = b""

    @classmethod
    def of(cls, facts: Mapping[bytes, bytes]) -> _Table:
        digests = sorted(facts)
        return cls(
            b"".join(digests),
            array("Q", [int.from_bytes(digest[:8], "big") for digest in digests]),
            array("Q", accumulate((len(facts[digest]) for digest in digests), initial=0)),
            b"".join([facts[digest] for digest in digests]),
        )

    def __len__(self) -> int:
        return len(self.beginnings)

    def __iter__(self) -> Iterator[bytes]:
        return (self.digests[start : start + DIGEST_BYTES] for start in range(0, len(self.digests), DIGEST_BYTES))

    def items(self) -> Iterator[tuple[bytes, bytes]]:
        for place, digest in enumerate(self):
            yield digest, self.facts[self.starts[place] : self.starts[place + 1]]

    def get(self, digest: bytes) -> bytes | None:
        beginning = int.from_bytes(digest[:8], "big")
        place = bisect_left(self.beginnings, beginning)
        while place < len(self.beginnings) and self.beginnings[place] == beginning:
            if self.digests[place * DIGEST_BYTES : (place + 1) * DIGEST_BYTES] == digest:
                return self.facts[self.starts[place] : self.starts[place + 1]]
            place += 1
        return None


class KeptFacts:
    """What one question reads of texts, for any number of threads; what is forgotten is read again."""

    def __init__(self, kind: str, database: Path | None = None) -> None:
        """`database`: the index beside which they are kept; None: they are not."""
        self._name = f"facts-{kind}"
        self._database = database
        self._lock = Lock()
        self._held: _Table | None = None
        self._new: dict[bytes, Any] = {}
        """By digest what the table lacks, oldest first: bytes as the table has them, or what marshal refuses, in a
        list."""
        self._gone_through = 0
        """How many of these there were when they were gone through last."""

    @property
    def _table(self) -> _Table:
        """What is kept, read when it is first asked for."""
        if self._held is None:
            self._held = _Table() if self._database is None else _loaded(self._database, self._name)
        return self._held

    def get(self, digest: bytes) -> Any:
        """The fact of a text; None when it is not known."""
        found = self._new.get(digest)
        if found is None:
            found = self._table.get(digest)
        if found is None:
            return None
        return found[0] if isinstance(found, list) else marshal.loads(found)  # noqa: S302

    def put(self, digest: bytes, fact: Any) -> None:
        """Keep the fact of a text."""
        try:
            self._new[digest] = marshal.dumps(fact)
        except ValueError:
            self._new[digest] = [fact]

    @property
    def is_due(self) -> bool:
        """Whether so many facts are new that going through them is worth it."""
        new = len(self._new) - self._gone_through
        return new > FEW and new > (len(self._table) + self._gone_through) // _PART

    def keep(self, texts: Collection[bytes]) -> None:
        """Write the facts of the texts that notes have now, where they are plain values; of other texts only the last
        ones stay."""
        with self._lock:
            if not self.is_due:
                return
            new = dict(self._new)
            old = [digest for digest in new if digest not in texts]
            for digest in old[: max(0, len(old) - _MOST_OLD)]:
                del new[digest], self._new[digest]
            if self._database is not None and not any(isinstance(data, list) for data in new.values()):
                self._write(self._database, texts, new)
            self._gone_through = len(self._new)

    def _write(self, database: Path, texts: Collection[bytes], new: Mapping[bytes, bytes]) -> None:
        before = self._table
        facts = {digest: data for digest, data in before.items() if digest in texts}
        facts |= {digest: data for digest, data in new.items() if digest in texts}
        table = _Table.of(facts)
        values = table.digests, table.beginnings.tobytes(), table.starts.tobytes(), table.facts
        if not kept_file.save(database, self._name, values):
            return
        old = ((digest, data) for digest, data in before.items() if digest not in texts)
        self._new.update(islice(old, _MOST_OLD))
        self._held = table
        for digest in facts:
            self._new.pop(digest, None)


def _loaded(database: Path, name: str) -> _Table:
    kept = kept_file.load(database, name)
    if kept is None:
        return _Table()
    digests, beginnings, starts, facts = kept
    return _Table(digests, array("Q", beginnings), array("Q", starts), facts)

"""Owns the states of files in an index, and every change from one to another.

```
             a change is seen                         its row was read after the change
   known ───────────────────────▶ stale ──────────────────────────────────────────────▶ known
     ▲                             │  ▲
     │                             │  ├── young    read, but the clock of its disk may not have ticked since
     │ it is seen again            │  └── failed   it could not be read; tried again after a minute
     │                             ▼
     └─ stale ◀────────────────── gone   its row must be removed
        (it came back)
```

Young and failed files are stale too: every search looks at them.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import count
from typing import Final, NamedTuple

from vaulttools.files.disk import Key, is_racy
from vaulttools.index.layered import DraftSet

AGAIN_SECONDS: Final = 60.0
"""Seconds before a file that could not be read, or whose reading hung, is tried again."""


UNSEEN: Final = 0
"""Number of a change that nobody saw: a row with the file's key is then current."""


class Pending(NamedTuple):
    """Files that the store has to read or forget."""

    stale: Mapping[str, int]
    """Files to read, each with the number of the change that made it stale."""
    gone: frozenset[str]
    """Files to forget."""
    taken: int
    """Nanoseconds since 1970 when these were collected: a file read later is at least as new."""
    wordless: frozenset[str] = frozenset()
    """Notes with only their structure in the store."""

    def only(self, files: Collection[str]) -> Pending:
        """Returns the part that concerns some files."""
        stale = {path: self.stale[path] for path in files if path in self.stale}
        return Pending(stale, self.gone.intersection(files), self.taken, self.wordless.intersection(files))


class Freshness:
    """The files of one vault whose rows may be outdated; not thread-safe, its owner holds a lock."""

    def __init__(self) -> None:
        self.gone: Final[DraftSet[str]] = DraftSet()
        """Vanished files that still have a row."""
        self._changes = count(1)
        self._stale: dict[str, int] = {}
        self._as_set: frozenset[str] | None = None
        self._young: dict[str, Key] = {}
        self._failed: dict[str, float] = {}
        """By path, the moment (monotonic clock) of the next attempt."""

    @property
    def stale(self) -> frozenset[str]:
        """The stale files; the same set until one changes."""
        if self._as_set is None:
            self._as_set = frozenset(self._stale)
        return self._as_set

    @property
    def failed(self) -> AbstractSet[str]:
        """The stale files that could not be read."""
        return self._failed.keys()

    def sizes(self) -> tuple[int, int]:
        """How many files are stale, and how many are gone."""
        return len(self._stale), len(self.gone)

    @property
    def young(self) -> frozenset[str]:
        """The stale files that were read since they changed."""
        return frozenset(self._young)

    def change_of(self, path: str) -> int | None:
        """Returns the number of the change that made a file stale; None: it is not stale."""
        return self._stale.get(path)

    def is_known(self, path: str) -> bool:
        """Whether a file is neither stale nor gone."""
        return path not in self._stale and path not in self.gone

    def is_behind(self) -> bool:
        """Whether files are still to be read or forgotten."""
        return len(self._stale) > len(self._young.keys() | self._failed.keys()) or bool(self.gone)

    def mark_stale(self, files: Iterable[str]) -> None:
        """Mark changed files as stale; they are no longer gone."""
        for path in files:
            self._stale[path] = next(self._changes)
            self._young.pop(path, None)
            self._failed.pop(path, None)
            self._as_set = None

    def mark_lacking(self, files: Iterable[str]) -> None:
        """Mark files that have another key in the store, or none; nobody saw them change."""
        for path in files:
            self._stale[path] = UNSEEN
        self._as_set = None

    def mark_known(self, path: str) -> None:
        """Mark a file whose row is current, or that need not be read any more."""
        if self._stale.pop(path, None) is not None:
            self._young.pop(path, None)
            self._failed.pop(path, None)
            self._as_set = None

    def mark_young(self, path: str, key: Key) -> None:
        """Mark a stale file that was read, but may have changed since without a new stat key."""
        self._young[path] = key

    def mark_failed(self, path: str) -> None:
        """Mark a stale file that could not be read."""
        self._failed[path] = time.monotonic() + AGAIN_SECONDS

    def retry(self) -> None:
        """Make the failed files due now."""
        self._failed.clear()

    def pending(self) -> Pending:
        """Returns the files to read or forget now, without young files whose clock has not ticked and failed files that
        wait."""
        now = time.time_ns()
        waiting = {path for path, key in self._young.items() if is_racy(key, now)}
        waiting.update(path for path, until in self._failed.items() if until > time.monotonic())
        stale = {path: change for path, change in self._stale.items() if path not in waiting}
        return Pending(stale, self.gone.published(), now)

"""Keeps how many lines of files match, by pattern and stat key, in bounded memory.

An answer's next page, the hint beside it, and the same question after an edit count the same files again. Numbers of a
file are trusted as `files.contents` trusts its bytes: while its key is that of a time well before it was read.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Sequence
from threading import Lock
from typing import Final

from vaulttools.core import forks
from vaulttools.files.key import Key, is_racy

MOST: Final = 50_000
"""Files whose numbers are kept, over all patterns: 8 MB (measured). A survey of twelve words counts many files."""


class KeptCounts:
    """The numbers of one vault's files, for any number of threads; the pattern that was used longest ago goes first."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self.reset_after_fork()
        forks.renew(self)

    def reset_after_fork(self) -> None:
        """Forget everything."""
        self._lock = Lock()
        self._patterns: OrderedDict[Hashable, dict[str, tuple[Key, int]]] = OrderedDict()

    @property
    def size(self) -> int:
        """Files whose numbers are kept; one counts once for each pattern."""
        return sum(map(len, self._patterns.values()))

    def of(self, pattern: Hashable, files: Sequence[str], keys: Sequence[Key | None]) -> list[int | None]:
        """The numbers of files that have these keys, None where they are not kept; nothing is kept of one without."""
        with self._lock:
            if pattern not in self._patterns:
                return [None] * len(files)
            self._patterns.move_to_end(pattern)
            kept = self._patterns[pattern]
        entries = zip(map(kept.get, files), keys, strict=True)
        return [None if entry is None or entry[0] != key else entry[1] for entry, key in entries]

    def keep(self, pattern: Hashable, checked: int, found: Iterable[tuple[str, Key, int]]) -> None:
        """Keep the numbers of files that had these keys before `checked` (nanoseconds since 1970), and were read
        afterwards; not those of a file whose next change may leave its key as it is, nor more than fit."""
        fresh = {path: (key, numbers) for path, key, numbers in found if not is_racy(key, checked)}
        if not 0 < len(fresh) <= self._most:
            return
        with self._lock:
            kept = {**self._patterns.pop(pattern, {}), **fresh}  # a new one: others may be looking into the old
            if len(kept) > self._most:
                kept = fresh
            while self._patterns and self.size + len(kept) > self._most:
                self._patterns.popitem(last=False)
            self._patterns[pattern] = kept

"""Keeps how many lines of files match, by pattern and stat key, in bounded memory.

An answer's next page, the hint beside it, and the same question after an edit count the same files again. Numbers of a
file are trusted as `files.contents` trusts its bytes: while its key is that of a time well before it was read.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Final

from vaulttools.core.recent import Recent
from vaulttools.files.key import Key, is_racy

MOST: Final = 50_000
"""Files whose numbers are kept, over all patterns: 8 MB (measured). A survey of twelve words counts many files."""


class KeptCounts:
    """The numbers of one vault's files, for any number of threads; the pattern that was used longest ago goes first."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._patterns: Recent[Hashable, dict[str, tuple[Key, int]]] = Recent(most)

    @property
    def size(self) -> int:
        """Files whose numbers are kept; one counts once for each pattern."""
        return self._patterns.weight

    def of(self, pattern: Hashable, files: Sequence[str], keys: Sequence[Key | None]) -> list[int | None]:
        """The numbers of files that have these keys, None where they are not kept; nothing is kept of one without."""
        kept = self._patterns.get(pattern) or {}
        entries = zip(map(kept.get, files), keys, strict=True)
        return [None if entry is None or entry[0] != key else entry[1] for entry, key in entries]

    def keep(self, pattern: Hashable, checked: int, found: Iterable[tuple[str, Key, int]]) -> None:
        """Keep the numbers of files that had these keys before `checked` (nanoseconds since 1970), and were read
        afterwards; not those of a file whose next change may leave its key as it is, nor more than fit."""
        fresh = {path: (key, number) for path, key, number in found if not is_racy(key, checked)}
        if not 0 < len(fresh) <= self._most:
            return
        kept = {**(self._patterns.get(pattern) or {}), **fresh}  # a new one: others may be looking into the old
        kept = kept if len(kept) <= self._most else fresh
        self._patterns.put(pattern, kept, len(kept))

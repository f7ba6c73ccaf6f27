"""Lists the stems of a vault's words, from its index and from notes read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from vaulttools.core.cached import cached_property
from vaulttools.ranked.note_words import NoteWords
from vaulttools.ranked.word_index import WordIndex


class StemVocabulary:
    """The words of all notes of a vault, as far as they are known."""

    def __init__(self, index: WordIndex | None, read: Mapping[str, NoteWords | None]) -> None:
        """`read` are the notes that count as they were read, whatever is known of them; None: nothing could be read."""
        self._index = index
        self._read = read
        self._held: dict[str, tuple[int, AbstractSet[str]]] = {}
        """By stem: how many notes were read, and those of the index that hold it."""

    def stems(self, beginning: str, shortest: int, longest: int) -> Sequence[str]:
        """The stems of so many characters that begin with one, in no order; `notes` tells whether any holds one."""
        found = {stem for stem in self._of_read if stem.startswith(beginning) and shortest <= len(stem) <= longest}
        stems = () if self._index is None else self._index.stems(beginning, shortest, longest)
        return list(found.union(stems)) if found else stems

    def notes(self, stem: str) -> AbstractSet[str]:
        """The notes that hold a word of this stem."""
        read = self._of_read.get(stem, frozenset())
        if self._index is None:
            return read
        number, held = self._held.get(stem, (-1, frozenset()))
        if number != len(self._read):
            held = self._index.holding_stem(stem, self._read.keys())
            self._held[stem] = len(self._read), held
        return read | held

    @cached_property
    def _of_read(self) -> Mapping[str, AbstractSet[str]]:
        """By stem: the notes, of those that were read, that hold a word of it."""
        found: dict[str, set[str]] = defaultdict(set)
        for path, note in self._read.items():
            for column in () if note is None else note.columns:
                for stem in column.stems:
                    found[stem].add(path)
        return dict(found)

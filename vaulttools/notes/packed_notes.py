"""Holds a set of notes as their places in a list, four bytes each."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet


def packed(notes: Iterable[str], places: Mapping[str, int]) -> bytes:
    """The places of notes, for `PackedNotes`."""
    return array("I", sorted(map(places.__getitem__, notes))).tobytes()


class PackedNotes(AbstractSet[str]):
    """Behaves as a frozenset that is mostly counted or gone through. It takes a tenth of the memory of one, or less."""

    __slots__ = ("_all", "_data", "_set")

    def __init__(self, data: bytes, all_notes: Sequence[str]) -> None:
        """From what `packed` gave, and all notes by their place."""
        self._data = data
        self._all = all_notes
        self._set: frozenset[str] | None = None

    def __len__(self) -> int:
        return len(self._data) // array("I").itemsize

    def __iter__(self) -> Iterator[str]:
        return map(self._all.__getitem__, array("I", self._data))

    def __contains__(self, note: object) -> bool:
        if self._set is None:
            self._set = frozenset(self)
        return note in self._set

    @classmethod
    def _from_iterable(cls, notes: Iterable[str]) -> frozenset[str]:  # type: ignore[override]
        """What the operations of sets give."""
        return frozenset(notes)

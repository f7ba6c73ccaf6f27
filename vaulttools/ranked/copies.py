"""Folds copies of a passage, such as versions of a page, into the first note."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from vaulttools.answers import all_notes
from vaulttools.core.cached import cached_property
from vaulttools.index import passages as stored
from vaulttools.index.passages import Passages
from vaulttools.notes.note import Note
from vaulttools.ranked.candidates import Reader
from vaulttools.ranked.evidence import RankedNote
from vaulttools.ranked.weights import COPY

if TYPE_CHECKING:
    from vaulttools.index.snapshot import Snapshot

_WORD: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"\d[\d.,]*")


@dataclass(frozen=True)  # not slotted: the instance caches its properties
class Print:
    """The properties of a passage that are compared."""

    text: str
    digest: int
    """As in `Passages.digests`."""
    of_properties: int
    """`index.passages.digest_of_properties` of its note."""

    @cached_property
    def shingles(self) -> frozenset[tuple[str, ...]]:
        """Its runs of `COPY.shingle` words; empty for a passage of fewer than `COPY.fewest` words."""
        words = _WORD.findall(self.text.casefold())
        if len(words) < COPY.fewest:
            return frozenset()
        return frozenset(zip(*(words[start:] for start in range(COPY.shingle)), strict=False))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers in it: two versions that differ in one do not say the same."""
        return frozenset(_NUMBER.findall(self.text))

    def is_copy_of(self, other: Print) -> bool:
        """Whether both say the same, exactly or nearly, in notes whose properties agree."""
        if self.of_properties != other.of_properties:
            return False
        if self.digest == other.digest:
            return self.digest != stored.NO_COPIES
        # Quick checks come first: few passages of prose have the same numbers and a similar length.
        length, of_other = len(self.text), len(other.text)
        if length < COPY.as_long * of_other or of_other < COPY.as_long * length or self.numbers != other.numbers:
            return False
        fewer, more = sorted((self.shingles, other.shingles), key=len)
        if not fewer or len(fewer) < COPY.alike * len(more):
            return False
        both = len(fewer & more)
        return both >= COPY.alike * (len(fewer) + len(more) - both)


CopiesOf = Callable[[Collection[int]], Mapping[int, AbstractSet[str]]]


def text_of(note: Note, passages: Passages, number: int) -> str:
    """Returns what one passage says."""
    start = passages.starts[number]
    return note.says(start, start + passages.lengths[number])


def print_of(note: Note, passages: Passages, number: int) -> Print:
    """Returns the print of one passage."""
    return Print(text_of(note, passages, number), passages.digests[number], stored.digest_of_properties(note))


@dataclass(slots=True)
class Deduplicator:
    """Folds copies among the notes of one answer; it remembers the notes compared so far."""

    read: Reader
    copies_of: CopiesOf
    among: AbstractSet[str]
    """The notes of the scope."""
    remaining: Callable[[], float] = lambda: 1.0
    """Returns the seconds left; at 0 no more notes are read and compared."""
    is_cut: bool = False
    """Whether time ran out before all requested notes were compared."""
    _prints: list[tuple[Print, tuple[str, int]]] = field(default_factory=list)
    _folded: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    """By note and passage, the later notes that hold a copy among their best passages."""
    _copies: dict[int, AbstractSet[str]] = field(default_factory=dict)
    """By digest of a passage, the notes that hold it; for the digests asked for so far."""

    def unfolded(self, notes: Sequence[RankedNote]) -> Iterator[RankedNote]:
        """Yields, on demand, the notes without passages that are copies of one in an earlier note. A note is left out
        if no other passage of it is nearly as good. Each note is compared with all before it, which takes minutes for
        thousands; after time is up, notes are yielded unchanged."""
        for ranked in notes:
            self.is_cut = self.is_cut or self.remaining() <= 0
            note = self.read(ranked.path) if ranked.evidence and not self.is_cut else None
            if note is None:
                yield ranked
                continue
            least = ranked.evidence[0].score * COPY.nearly
            compared = ranked.evidence[: COPY.compared]
            uncopied = [each for each in compared if not self._is_copy(note, ranked, each.number)]
            if uncopied and uncopied[0].score >= least:
                yield replace(ranked, evidence=[*uncopied, *ranked.evidence[COPY.compared :]])

    def copies(self, path: str, number: int, digest: int) -> list[str]:
        """Returns the other notes of the scope that hold a copy of a passage, in order."""
        if digest == stored.NO_COPIES:
            return []
        if digest not in self._copies:
            self._copies[digest] = self.copies_of({digest}).get(digest, frozenset())
        found = self._copies[digest] & self.among
        return sorted({*found, *self._folded.get((path, number), ())} - {path})

    def _is_copy(self, note: Note, ranked: RankedNote, number: int) -> bool:
        made = print_of(note, ranked.passages, number)
        for other, (path, of) in self._prints:
            if path != ranked.path and made.is_copy_of(other):
                self._folded.setdefault((path, of), []).append(ranked.path)
                return True
        self._prints.append((made, (ranked.path, number)))
        return False


def copies_in(view: Snapshot | None, notes: frozenset[str], read: Reader, is_over: Callable[[], bool]) -> CopiesOf:
    """Returns a function from digests of passages to the notes that hold them, by the index and, while there is time,
    by reading the notes that it does not know yet. Without an index it finds no notes."""
    if view is None:
        return lambda _: {}
    unread = [] if view.has_words else view.lacking_words(notes)
    if not unread or len(unread) > all_notes.FEW_TO_READ:
        return view.copies
    made: dict[str, AbstractSet[int]] = {}

    def copies(digests: Collection[int]) -> Mapping[int, AbstractSet[str]]:
        for path in unread:
            if path not in made and not is_over():
                note = read(path)
                made[path] = frozenset(() if note is None else stored.of(note).digests)
        found = view.copies(digests)
        return {
            digest: (found.get(digest, frozenset()) - set(unread))
            | {path for path, held in made.items() if digest in held}
            for digest in digests
        }

    return copies

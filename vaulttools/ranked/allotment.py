"""Shares out the text of an answer among its notes, the first one first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from vaulttools.notes.note import Note
from vaulttools.ranked.copies import Deduplicator
from vaulttools.ranked.evidence import RankedNote
from vaulttools.ranked.showing import ShownNote, ShownPassage, TermsOf, heading_of, lines_of, passage_of
from vaulttools.ranked.weights import SHARING, Sharing

_LEAST: Final = 120
"""A passage is shown only if there is room for this many characters: enough to see what it is about."""

Described = Callable[[Note, bool], tuple[str, str]]
"""Returns a note's date and the properties that the question names; all if they are few and it is the first note."""


@dataclass(frozen=True, slots=True)
class Allotted:
    """The notes in the text of a page."""

    notes: Sequence[ShownNote]
    also: Sequence[RankedNote]
    """Notes that are named without text."""


def allotted(
    notes: Sequence[RankedNote],
    deduplicator: Deduplicator,
    room: int,
    terms_of: TermsOf,
    described: Described,
    *,
    is_sorted: bool = False,
    sharing: Sharing = SHARING,
) -> Allotted:
    """Returns the passages of notes that fit into `room` characters, best note first.

    The first note gets the most room; if it is cut, later ones have no text (`sharing.is_first_uncut`). Notes that
    score far below the first one have none either. If something else `is_sorted` the notes, scores do not count.
    """
    best = max((note.score for note in notes), default=0.0) or 1.0
    worth = [1.0 if is_sorted else note.score / best for note in notes]
    weights = [each**sharing.steepness for each in worth[: sharing.notes] if each >= sharing.stop]
    shown: list[ShownNote] = []
    also: list[RankedNote] = []
    left = room
    for place, ranked in enumerate(notes):
        if worth[place] < sharing.stop or place >= sharing.notes:
            also.append(ranked)
            continue
        note = deduplicator.read(ranked.path)
        weight = weights.pop(0)
        if note is None:
            shown.append(ShownNote(ranked, ()))
            continue
        date, properties = described(note, not shown)
        about = len(heading_of(ranked.path)) + len(properties) + _ABOUT
        share = weight / (weight + sum(weights))
        first = share if is_sorted else max(share, _FIRST)
        most = int(left * share if shown else room * min(first, sharing.most)) - about
        if shown and most < _LEAST:
            also += notes[place:]
            break
        sharer = _Sharer(note, ranked, deduplicator, terms_of, sharing)
        if shown and sharing.later and not is_sorted:
            most = min(most, sharing.later[min(len(shown), len(sharing.later)) - 1])
        if not shown:
            most = max(most, min(room - about, sharer.least()))
        passages, best_line = sharer.passages(max(most, _LEAST), is_first=not shown)
        shown.append(ShownNote(ranked, passages, best_line, note.line_count, date, properties))
        left -= about + sum(map(_size, passages))
        if sharing.is_first_uncut and len(shown) == 1 and any(each.cut is not None for each in passages):
            also += notes[place + 1 :]
            break
    return Allotted(shown, [note for note in also if is_sorted or note.score >= best * sharing.named])


_FIRST: Final = 0.4
"""The first note may have at least this share of the text."""
_ABOUT: Final = 60
"""Characters of a note's heading without the path, and of the blank line below the note."""


def every_passage(notes: Sequence[RankedNote], deduplicator: Deduplicator, terms_of: TermsOf) -> list[ShownNote]:
    """Returns notes that the text does not show, each with its best passage while there is time."""
    found = []
    for ranked in notes:
        note = deduplicator.read(ranked.path) if deduplicator.remaining() > 0 else None
        if note is None or not ranked.passages.starts:
            found.append(ShownNote(ranked, ()))
            continue
        number = ranked.evidence[0].number if ranked.evidence else 0
        passage = passage_of(note, ranked, (number, number, number), SHARING.whole, deduplicator, terms_of)
        found.append(ShownNote(ranked, [passage], passage.start_line, note.line_count))
    return found


class _Sharer:
    """Chooses the passages of one note."""

    def __init__(
        self, note: Note, ranked: RankedNote, deduplicator: Deduplicator, terms_of: TermsOf, sharing: Sharing
    ) -> None:
        self._note = note
        self._ranked = ranked
        self._deduplicator = deduplicator
        self._terms_of = terms_of
        self._sharing = sharing
        self._count = len(ranked.passages.starts)

    def least(self) -> int:
        """Returns the characters that the note needs uncut: the whole note if it is short, else its best passage."""
        if not self._count:
            return 0
        whole = self._length(0, self._count - 1)
        best = self._ranked.evidence[0].number if self._ranked.evidence else 0
        return (whole if whole <= self._sharing.whole else self._length(best, best)) + _PLACE

    def passages(self, room: int, *, is_first: bool) -> tuple[list[ShownPassage], int]:
        """Returns the passages that fit into `room` characters, in the note's order, and the line of the best one."""
        if not self._count:
            return [], 0
        best = self._ranked.evidence[0].number if self._ranked.evidence else 0
        if self._length(0, self._count - 1) <= self._sharing.whole and self._page(0) == self._page(self._count - 1):
            whole = self._made(0, best, self._count - 1, room)
            if whole.cut is None and not whole.shown.startswith("…") and _size(whole) <= room + _LEAST:
                return [whole], whole.start_line
        chosen = self._chosen(best, room, is_first=is_first)
        best_line = 0
        found: list[ShownPassage] = []
        left = room
        for first, last in _runs(chosen, self._page):
            number = best if first <= best <= last else first
            found.append(self._made(first, number, last, max(left, _LEAST)))
            left -= _size(found[-1])
            if number == best:
                best_line = found[-1].start_line
        return found, best_line

    def _chosen(self, best: int, room: int, *, is_first: bool) -> list[int]:
        """Returns the numbers of the passages to show, ascending: the best one and, as far as there is room, those
        nearly as good and, in the first note, the one after the best."""
        evidence = self._ranked.evidence
        least = evidence[0].score * self._sharing.passage if evidence else 0.0
        wanted = [best, *(each.number for each in evidence[1:] if each.score >= least)]
        headings = self._ranked.passages.headings
        if (
            is_first
            and best + 1 < self._count
            and headings[best + 1] == headings[best]
            and self._length(best + 1, best + 1) <= self._sharing.beside
        ):
            wanted.append(best + 1)
        chosen: list[int] = []
        left = room
        for number in dict.fromkeys(wanted):
            size = self._length(number, number) + _PLACE
            if chosen and size > left:
                continue
            chosen.append(number)
            left -= size
        return sorted(chosen)

    def _page(self, number: int) -> int | None:
        """Returns the page of an attachment on which a passage begins."""
        return self._note.page_of(self._note.text.count("\n", 0, self._ranked.passages.starts[number]) + 1)

    def _length(self, first: int, last: int) -> int:
        passages = self._ranked.passages
        return passages.starts[last] + passages.lengths[last] - passages.starts[first]

    def _made(self, first: int, best: int, last: int, room: int) -> ShownPassage:
        return passage_of(self._note, self._ranked, (first, best, last), room, self._deduplicator, self._terms_of)


_PLACE: Final = 60
"""Characters of the line that gives a passage's place."""


def _runs(numbers: Sequence[int], page_of: Callable[[int], int | None]) -> list[tuple[int, int]]:
    """Group passages that follow each other on one page; return the first and the last number of each group."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1 and page_of(number - 1) == page_of(number):
            runs[-1] = runs[-1][0], number
        else:
            runs.append((number, number))
    return runs


def _size(passage: ShownPassage) -> int:
    """Returns the characters of a passage's lines with their ends."""
    return sum(len(line) + 1 for line in lines_of(passage))

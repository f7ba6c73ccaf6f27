"""Gathers the best passages whole, then those beside them, within a budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from vaulttools.core import paths, render
from vaulttools.index.passages import NO_COPIES, digest_of_properties
from vaulttools.notes.note import Note
from vaulttools.notes.passages import folded
from vaulttools.notes.properties.values import OF_PAGES, in_one_line
from vaulttools.ranked.copies import Deduplicator, Print, print_of, text_of
from vaulttools.ranked.evidence import Evidence, RankedNote
from vaulttools.ranked.showing import TermsOf, around_terms, compact, indented, under, written
from vaulttools.ranked.weights import GATHERING

_PROPERTIES: Final = 120
"""Upper bound of the characters of the properties in the line above a piece."""
_LEAST: Final = 80
"""The first passage keeps at least this many characters, however small the budget is."""


@dataclass(slots=True)
class PassageRun:
    """Some passages of one note in a row."""

    ranked: RankedNote
    note: Note
    first: int
    """Number of the first passage."""
    last: int
    """Number of the last passage."""
    score: float | None
    """From 0 to 1; None if only the name of the note answers."""
    copies: Sequence[str]
    """The other notes of the scope that hold a copy of the best passage in it, in order."""
    has_header: bool
    """Whether the header row of its table is shown above it."""
    has_properties: bool
    """Whether its first line shows the properties: one piece of a note shows them."""
    date: str = ""
    """Day when the note was written, as `2026-05-12`; `""` if unknown."""
    most: int | None = None
    """Upper bound of the characters of the text that are shown; None for all."""
    terms_of: TermsOf = field(default=lambda _: (), repr=False)

    def __len__(self) -> int:
        """Returns the number of its passages, the header row of its table included."""
        return self.last - self.first + 1 + self.has_header

    @property
    def path(self) -> str:
        """Path of the note."""
        return self.ranked.path

    @property
    def span(self) -> tuple[int, int]:
        """Start and end offsets in the text of the note, in characters."""
        passages = self.ranked.passages
        return passages.starts[self.first], passages.starts[self.last] + passages.lengths[self.last]

    @property
    def start_line(self) -> int:
        """The line of the first character, from 1."""
        return self.note.text.count("\n", 0, self.span[0]) + 1

    @property
    def end_line(self) -> int:
        """The line of the last character."""
        return self.note.text.count("\n", 0, self.span[1]) + 1

    @property
    def heading(self) -> tuple[str, ...]:
        """The headings above the first passage, outermost first."""
        return self.note.said_breadcrumb(self.start_line)

    @property
    def page(self) -> int | None:
        """The page of a PDF on which it begins; None in notes."""
        return self.note.page_of(self.start_line)

    @property
    def text(self) -> str:
        """The whole text, after the header row of its table."""
        start, end = self.span
        return self._header + self.note.says(start, end)

    @property
    def shown(self) -> str:
        """The text as shown, without blank lines and padding; `…` where it was cut."""
        text = compact(self.text)
        return text if self.most is None else around_terms(text, self.most, self.terms_of)

    @property
    def _header(self) -> str:
        parent = self.ranked.passages.parents[self.first]
        return f"{text_of(self.note, self.ranked.passages, parent)}\n" if self.has_header else ""

    def lines(self) -> list[str]:
        """Returns one line with the piece's place, then its lines."""
        shown = self.shown
        page = f"page {self.page}, " if self.page is not None else ""
        where = page + render.line_range(self.start_line, self.end_line)
        properties = in_one_line(self.note.properties, _PROPERTIES, without=OF_PAGES) if self.has_properties else ""
        more = ", ".join(filter(None, [written(self.date) if self.has_properties else "", properties]))
        first = f"## {paths.shown(self.path)}, {where}{under(self.heading, shown)}{f' ({more})' if more else ''}"
        lines = [first, *indented(shown)]
        if self.copies:
            others = len(self.copies) - 1
            lines.append(f"also in: {paths.shown(self.copies[0])}" + (f" and {others:,} more" if others else ""))
        return lines

    def add_copy(self, path: str, room: int) -> int:
        """Name one more note that holds a copy. Returns the characters that this adds; 0 if `room` is too small."""
        before, size = self.copies, self.size()
        self.copies = sorted({*before, path})
        added = self.size() - size
        if added > room:
            self.copies = before
            return 0
        return max(added, 1)

    def size(self) -> int:
        """Returns the characters of its lines with their ends, and of the blank line below."""
        return sum(len(line) + 1 for line in self.lines()) + 1


@dataclass(slots=True)
class Gathered:
    """The pieces that fit the budget."""

    pieces: list[PassageRun]
    """The best note first; the pieces of a note in the order of its text."""
    left: int
    """Number of passages that answer and did not fit."""

    def size(self) -> int:
        """Returns the characters of all pieces."""
        return sum(piece.size() for piece in self.pieces)


def gathered(
    notes: Sequence[RankedNote],
    deduplicator: Deduplicator,
    room: int,
    terms_of: TermsOf,
    date_of: Callable[[Note], str] = lambda _: "",
) -> Gathered:
    """Returns the best passages that fit into `room` characters, then the neighbours of the first ones.

    No passage is shown twice, not even as a copy in another note. The first one is always shown, cut to `_LEAST`
    characters at worst.
    """
    gathering = _Gathering(deduplicator, terms_of, date_of)
    least = max((note.score for note in notes), default=0.0) * GATHERING.relevant
    left = 0
    room_of_passages = room if room < GATHERING.small_room else int(room * GATHERING.for_passages)
    used = 0
    relevant = [note for note in notes if note.score >= least]
    for place, evidence in chosen(relevant):
        ranked = relevant[place]
        number = evidence.number if evidence is not None else 0
        share = evidence.score / ranked.evidence[0].score if evidence is not None and ranked.evidence[0].score else 1.0
        piece = gathering.piece(ranked, number, round(ranked.score * share, 3))
        if piece is None:
            continue
        if (other := gathering.other_with_text_of(piece)) is not None:
            added = other.add_copy(piece.path, room - used)
            used += added
            left += added == 0
            continue
        size = piece.size()
        if used + size > (room_of_passages if gathering.pieces else room):
            if gathering.pieces:
                left += 1
                continue
            gathering.cut(piece, room)
            size = piece.size()
        gathering.add(piece)
        used += size
    gathering.grow(room)
    return Gathered(gathering.in_order(), left)


def chosen(notes: Sequence[RankedNote]) -> list[tuple[int, Evidence | None]]:
    """Returns the passages in the order in which they get room: number of the note, from 0, and passage of it."""
    found: list[tuple[float, int, int, Evidence | None]] = []
    for place, ranked in enumerate(notes):
        if not ranked.evidence:
            found.append((-ranked.score, place, 0, None))
            continue
        best = ranked.evidence[0].score or 1.0
        for number, each in enumerate(ranked.evidence[: GATHERING.of_note]):
            if not number or each.score >= best * GATHERING.nearly:
                found.append((-ranked.score * (each.score / best), place, number, each))
    return [(place, each) for _, place, _, each in sorted(found, key=lambda each: each[:3])]


class _Gathering:
    """The pieces so far."""

    def __init__(self, deduplicator: Deduplicator, terms_of: TermsOf, date_of: Callable[[Note], str]) -> None:
        self._deduplicator = deduplicator
        self._terms_of = terms_of
        self._date_of = date_of
        self.pieces: list[PassageRun] = []
        """The pieces in the order in which they were added."""
        self._taken: dict[str, set[int]] = {}
        """By note, the numbers of its passages that are shown, header rows included."""
        self._prints: list[Print] = []
        self._texts: list[tuple[str, PassageRun]] = []
        """The folded texts of `pieces`."""
        self._digests: set[int] = set()

    def piece(self, ranked: RankedNote, number: int, score: float) -> PassageRun | None:
        """Make a piece of one passage; None if it is already shown, or the note cannot be read any more."""
        note = self._deduplicator.read(ranked.path)
        passages = ranked.passages
        if note is None or number >= len(passages.starts):
            return None
        if number in self._taken.get(ranked.path, ()) or passages.digests[number] in self._digests:
            return None
        parent = passages.parents[number]
        return PassageRun(
            ranked,
            note,
            number,
            number,
            score if ranked.evidence else None,
            self._deduplicator.copies(ranked.path, number, passages.digests[number]),
            has_header=parent >= 0 and parent not in self._taken.get(ranked.path, ()),
            has_properties=ranked.path not in self._taken,
            date=self._date_of(note),
            terms_of=self._terms_of,
        )

    def other_with_text_of(self, piece: PassageRun) -> PassageRun | None:
        """Returns a piece of another note whose text contains that of `piece`, if `piece` has copies at all, and its
        note has no properties or the same; None if there is none."""
        if piece.ranked.passages.digests[piece.first] == NO_COPIES:
            return None
        text, properties = folded(piece.text), digest_of_properties(piece.note)
        for held, other in self._texts:
            if text in held and other.path != piece.path and properties in (0, digest_of_properties(other.note)):
                return other
        return None

    def cut(self, piece: PassageRun, room: int) -> None:
        """Cut a piece so that it fits into `room` characters, if that can be."""
        piece.copies = ()
        most = len(compact(piece.text))
        while piece.size() > room and most > _LEAST:
            most = max(_LEAST, min(most - 1, most - (piece.size() - room)))
            piece.most = most
        if piece.size() > room:
            piece.has_properties = False

    def add(self, piece: PassageRun) -> None:
        """Show a piece."""
        self.pieces.append(piece)
        self._texts.append((folded(piece.text), piece))
        self._take(piece, piece.first)
        if piece.has_header:
            self._take(piece, piece.ranked.passages.parents[piece.first])

    def _take(self, piece: PassageRun, number: int) -> None:
        self._taken.setdefault(piece.path, set()).add(number)
        if (digest := piece.ranked.passages.digests[number]) != NO_COPIES:
            self._digests.add(digest)
        self._prints.append(print_of(piece.note, piece.ranked.passages, number))

    def grow(self, room: int) -> None:
        """Let the first pieces take in neighbours, in turn, one passage at a time, while there is room; then let each
        other piece take in one."""
        room -= sum(piece.size() for piece in self.pieces)
        whole = [piece for piece in self.pieces if piece.most is None]
        growing = whole[: GATHERING.beside]
        while growing:
            for piece in list(growing):
                added = self._grown(piece, room)
                room -= added
                if not added:
                    growing.remove(piece)
        for piece in whole[GATHERING.beside :]:
            room -= self._grown(piece, room)

    def _grown(self, piece: PassageRun, room: int) -> int:
        """Let a piece take in the passage after it, else the one before it. Returns the characters added, 0 for
        none."""
        before, size = (piece.first, piece.last), piece.size()
        for number in (piece.last + 1, piece.first - 1):
            if not self._is_free(piece, number):
                continue
            piece.first, piece.last = min(number, piece.first), max(number, piece.last)
            start, end = piece.span
            added = piece.size() - size
            if added <= room and end - start <= GATHERING.longest:
                self._take(piece, number)
                return added
            piece.first, piece.last = before
        return 0

    def _is_free(self, piece: PassageRun, number: int) -> bool:
        """Whether a piece can take in a passage: it is under the same heading, and neither it nor a copy is shown."""
        passages = piece.ranked.passages
        if not 0 <= number < len(passages.starts) or number in self._taken[piece.path]:
            return False
        here = piece.first if number > piece.first else piece.last
        if passages.headings[number] != passages.headings[here] or passages.parents[number] != passages.parents[here]:
            return False
        if passages.digests[number] in self._digests:
            return False
        made = print_of(piece.note, passages, number)
        return not any(made.is_copy_of(other) for other in self._prints)

    def in_order(self) -> list[PassageRun]:
        """Returns the pieces by note, in the order in which their notes were added, and by their place in the note; the
        first piece of a note shows its properties."""
        places: dict[str, int] = {}
        for piece in self.pieces:
            places.setdefault(piece.path, len(places))
        ordered = sorted(self.pieces, key=lambda piece: (places[piece.path], piece.first))
        seen: set[str] = set()
        shows = {piece.path for piece in ordered if piece.has_properties}
        for piece in ordered:
            piece.has_properties = piece.path in shows and piece.path not in seen
            seen.add(piece.path)
        return ordered

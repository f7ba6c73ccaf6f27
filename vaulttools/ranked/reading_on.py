"""Finds the line at which to read on behind what an answer shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from vaulttools.notes.note import Note
from vaulttools.ranked.folding import Read
from vaulttools.ranked.showing import ShownNote

_TEXT: Final = re.compile(r"\S")


def reading_on(shown: Sequence[ShownNote], read: Read) -> tuple[str, int] | None:
    """A note, and the number of its line, from 1, at which begins what is not shown; None where all is.

    The first of: where the best passage of the first note was cut; where another one of that note was; what follows on
    the best one; where a passage of another note was cut; the beginning of the first note.
    """
    notes = [(each, best, note) for each in shown if (best := each.best) and (note := read(each.note.path))]
    if not notes:
        return None
    first, best, note = notes[0]
    body = len(note.text) - len(note.text.split("\n", note.body_line - 1)[-1])
    found = chain(
        ((note, place) for place in _cuts(note, first)),
        ((note, place) for place in _not_shown(note, first, best.span[1])),
        ((other, place) for each, _, other in notes[1:] for place in _cuts(other, each)),
        ((note, place) for place in _not_shown(note, first, body)),
    )
    return next(((of.path, of.text.count("\n", 0, place) + 1) for of, place in found), None)


def _cuts(note: Note, shown: ShownNote) -> Iterator[int]:
    """Where passages of a note were cut, the best one first."""
    best = shown.best
    passages = sorted(shown.passages, key=lambda each: each is not best)
    return (_next_text(note, each.cut) for each in passages if each.cut is not None)


def _not_shown(note: Note, shown: ShownNote, place: int) -> Iterator[int]:
    """The first place from one on with text that no passage shows, if there is one."""
    for start, end in (passage.span for passage in shown.passages):
        if start <= _next_text(note, place) < end:
            place = end
    if (found := _next_text(note, place)) < len(note.text):
        yield found


def _next_text(note: Note, place: int) -> int:
    """Where the text goes on from a place on, behind blanks and line ends."""
    found = _TEXT.search(note.text, place)
    return len(note.text) if found is None else found.start()

"""Finds the line at which to read on behind what an answer shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from vaulttools.ranked.folding import Read
from vaulttools.ranked.showing import ShownNote

_TEXT: Final = re.compile(r"\S")


def reading_on(shown: Sequence[ShownNote], read: Read) -> tuple[str, int] | None:
    """The first note, and the number of its line, from 1, at which begins what is not shown behind its best passage;
    None where nothing is left there."""
    first = shown[0] if shown else None
    best = first.best if first is not None else None
    note = read(first.note.path) if first is not None and best is not None else None
    if first is None or best is None or note is None:
        return None
    place = best.span[1] if best.cut is None else best.cut
    for start, end in (passage.span for passage in first.passages if passage.cut is None):
        found = _TEXT.search(note.text, place)
        if found is not None and start <= found.start() < end:
            place = end
    found = _TEXT.search(note.text, place)
    return None if found is None else (note.path, note.text.count("\n", 0, found.start()) + 1)

"""Gives tools that need many dates the dates of all files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Final

from vaulttools.answers import all_notes
from vaulttools.answers.incremental import NoteProjection
from vaulttools.call import Call
from vaulttools.files import disk
from vaulttools.notes import note_date
from vaulttools.notes.difference import Change
from vaulttools.notes.note_date import DateParts, NoteDate


def _changed(before: Mapping[str, DateParts], changes: Sequence[Change[DateParts]]) -> Mapping[str, DateParts]:
    after = dict(before)
    for path, _, now in changes:
        if now is None:
            after.pop(path, None)
        else:
            after[path] = DateParts(*now)
    return after


PROJECTION: Final[NoteProjection[DateParts, Mapping[str, DateParts]]] = NoteProjection(
    "note_dates", note_date.parts_of, {}, _changed
)
"""What the properties and the dated lines of a note say about its date."""


def of(call: Call) -> Callable[[str], NoteDate | None]:
    """Returns a function that gives the date of a file, by the file system if nothing else does; None if it is gone.
    It does not wait for the index."""
    dates = all_notes.answered(call, PROJECTION, all_notes.scope_of(call)).answer
    dating, zone = call.session.dating(), call.session.calendar.zone

    def date_of(path: str) -> NoteDate | None:
        found = dating.by(path, lambda: dates.get(path, DateParts()))
        if found is None:
            with suppress(OSError):
                if (status := disk.status(call.session.root.absolute(path))) is not None:
                    found = NoteDate(datetime.fromtimestamp(status.st_mtime, zone).date().isoformat(), "file")
        return found

    return date_of

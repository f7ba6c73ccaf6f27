"""Tells the dates of all files of a vault to tools that use many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Final

from vaulttools.answers import corpus
from vaulttools.answers.incremental import NoteProjection
from vaulttools.core.work import Work
from vaulttools.files import disk
from vaulttools.notes import note_date
from vaulttools.notes.difference import Change
from vaulttools.notes.note_date import NoteDate, Told
from vaulttools.session import Session


def _changed(before: Mapping[str, Told], changes: Sequence[Change[Told]]) -> Mapping[str, Told]:
    after = dict(before)
    for path, _, told in changes:
        if told is None:
            after.pop(path, None)
        else:
            after[path] = Told(*told)
    return after


PROJECTION: Final[NoteProjection[Told, Mapping[str, Told]]] = NoteProjection("note_dates", note_date.told, {}, _changed)
"""What counts of each note: what its parts tell of its date."""


def of(vault: Session, work: Work) -> Callable[[str], NoteDate | None]:
    """What tells the date of a file, by the file system where nothing else does; None: it is gone."""
    told = corpus.ask(vault, PROJECTION, work).answer
    dating, zone = vault.dating(), vault.calendar.zone

    def date_of(path: str) -> NoteDate | None:
        found = dating.by(path, lambda: told.get(path, Told()))
        if found is None:
            with suppress(OSError):
                if (status := disk.status(vault.root.absolute(path))) is not None:
                    found = NoteDate(datetime.fromtimestamp(status.st_mtime, zone).date().isoformat(), "file")
        return found

    return date_of

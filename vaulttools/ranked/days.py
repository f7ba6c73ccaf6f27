"""Finds the days that notes and their passages are about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from vaulttools.index.kept_facts import value_of
from vaulttools.notes import note_date
from vaulttools.notes.contents import Contents
from vaulttools.notes.note_date import DateParts, Dating
from vaulttools.notes.packing import PackedNote
from vaulttools.notes.periods import Period
from vaulttools.ranked.candidates import Reader
from vaulttools.ranked.evidence import RankedNote

if TYPE_CHECKING:
    from vaulttools.index.snapshot import Snapshot

_DAY: Final = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_YEAR: Final = 4
"""Characters of a date that is a year alone."""


def is_in(day: str, period: Period) -> bool:
    """Whether a day or month, such as `2026-05-12`, shares a day with a period; a year must lie inside it."""
    first, last = period.first.isoformat(), period.last.isoformat()
    if len(day) == _YEAR:
        return first <= f"{day}-01-01" and f"{day}-12-31" <= last
    return first[: len(day)] <= day <= last[: len(day)]


def first_in(days: Iterable[str], period: Period) -> str:
    """Returns the first day in a period, else the first month or year in it; `""` if there is none."""
    return min((day for day in days if is_in(day, period)), key=in_time, default="")


def in_time(day: str) -> tuple[int, str]:
    """Returns a sort key: days by time, then months and years, which say less."""
    return -len(day), day


@dataclass(frozen=True, slots=True)
class Days:
    """The days of the notes of one scope, for one call."""

    dating: Dating
    view: Snapshot | None
    read: Reader
    stop: Callable[[], bool]
    _of_note: dict[str, str] = field(default_factory=dict)

    def notes_in(self, period: Period, notes: Iterable[str]) -> dict[str, str]:
        """Returns the notes whose name, properties or dated lines give a day of a period, each with the first such day.

        Without a view only names count. Notes that the view does not know yet are read.
        """
        among = sorted(notes)
        stored = {} if self.view is None else self.view.facts("days", among, _stored_days, self.stop)
        unknown = () if self.view is None else self.view.unknown(among)
        found: dict[str, str] = {}
        for path in among:
            named = self.dating.by(path, DateParts)
            days = [] if named is None else [named.day]
            days += value_of(stored[path]) if path in stored else ()
            if first := first_in(days, period):
                found[path] = first
        for path in unknown:
            note = None if path in found or self.stop() else self.read(path)
            if note is not None and (first := first_in(_days(note), period)):
                found[path] = first
        return found

    def of_note(self, path: str) -> str:
        """Returns the day of a note; `""` if unknown."""
        if path not in self._of_note:
            note = self.read(path)
            dated = None if note is None else self.dating.of(path, note)
            self._of_note[path] = "" if dated is None else dated.day
        return self._of_note[path]

    def of_passages(self, ranked: RankedNote) -> Sequence[frozenset[str]]:
        """Returns for each passage of a note the days that date its lines; empty if no line of the note is dated."""
        note = self.read(ranked.path)
        if note is None or not note.dated_lines:
            return [frozenset()] * len(ranked.passages.starts)
        found = []
        for start, length in zip(ranked.passages.starts, ranked.passages.lengths, strict=True):
            first = note.text.count("\n", 0, start) + 1
            last = first + note.text.count("\n", start, start + length)
            days = {each.day for each in note.dated_lines if first <= each.line <= last}
            found.append(frozenset(filter(None, {note_date.of_line(note, first), *days})))
        return found


def _stored_days(data: bytes) -> list[str]:
    return _days(PackedNote(data))


def _days(note: Contents) -> list[str]:
    """Returns the days in a note's properties and those of its dated lines."""
    properties = {day for value in note.properties.values() for day in _DAY.findall(str(value))}
    return sorted(properties.union(each.day for each in note.dated_lines))

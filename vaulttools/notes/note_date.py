"""Tells when a note was written, and which of its parts says so."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from vaulttools.core import dates, paths
from vaulttools.notes.contents import Contents

Source: TypeAlias = Literal["name", "property", "text", "file"]
"""What tells the time of a note, the surest first: a date in its name, as ISO has it or as the vault names its daily
notes; a property; its dated lines; the file system."""

DailyDay: TypeAlias = Callable[[str], date | None]
"""The day whose daily note lies at a path."""

PROPERTIES: Final = (
    *("date", "created", "day", "date created", "created at", "creation date", "published", "when"),
    *("datum", "erstellt", "fecha", "creado", "créé", "aangemaakt"),
    *("modified", "updated", "last modified", "date modified"),
)
"""Properties that hold a note's date, the first one that does counts. `due` is a date of something else."""

_IN_NAME: Final = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_A_DIGIT: Final = re.compile(r"\d")
"""Without one no name tells a day."""
_PERIOD_NAME: Final = re.compile(r"(\d{4})-(?:(\d{2})|W(\d{2}))")
"""The name of a monthly or weekly note."""


class NoteDate(NamedTuple):
    """When a note was written."""

    day: str
    """`2026-05-12`, or `2026-05` or `2026` where only the month or the year is told."""
    source: Source

    @property
    def span(self) -> tuple[date, date]:
        """Its first and its last day."""
        first = dates.first_day(self.day, date.min)
        unit = {4: "y", 7: "m"}.get(len(self.day))
        return first, dates.moved(first, 1, unit) - timedelta(days=1) if unit else first


class Told(NamedTuple):
    """What the parts of a note tell of its date."""

    by_property: str = ""
    by_lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dating:
    """Tells the dates of a vault's notes on one day."""

    today: date
    daily: DailyDay = lambda path: None

    def of(self, path: str, note: Contents) -> NoteDate | None:
        """The date of a note; None: neither its name nor any part of it tells."""
        return self.by(path, lambda: told(note))

    def by(self, path: str, told: Callable[[], Told]) -> NoteDate | None:
        """The date of a file by its name, else by what the parts of a note tell.

        Of several dated lines the last one that does not lie ahead counts, since a log's state is that of its last
        entry.
        """
        if named := _of_name(path, self.daily):
            return NoteDate(named, "name")
        property_day, lines = told()
        if property_day:
            return NoteDate(property_day, "property")
        begun = [day for day in lines if day <= self.today.isoformat()]
        return NoteDate(max(begun) if begun else min(lines), "text") if lines else None


def told(note: Contents) -> Told:
    """What the parts of a note tell of its date: a property, or else its dated lines."""
    day = _of_properties(note.properties)
    return Told(day) if day else Told("", tuple(each.day for each in note.dated_lines))


def of_line(note: Contents, line: int) -> str:
    """The date that a line of a note is about: of the last dated line that it stands in or under; `""`: of none.

    A heading dates its section, an item or a row itself and what stands up to the next one.
    """
    lines = note.dated_lines
    sections = {heading.line: heading.end_line for heading in note.headings}
    number = bisect_right(lines, line, key=lambda each: each.line)
    for each in reversed(lines[:number]):
        under = sections.get(each.line)
        if under is None and any(each.line < start <= line for start in sections):
            continue  # an item of another section
        if under is None or line <= under:
            return each.day
    return ""


def _of_name(path: str, daily: DailyDay) -> str:
    name = paths.stem(path)
    if found := _first_day(name):
        return found
    if not _A_DIGIT.search(path):
        return ""
    if (day := daily(path)) is not None:
        return day.isoformat()
    period = _PERIOD_NAME.fullmatch(name)
    try:
        if period and period[3]:
            return date.fromisocalendar(int(period[1]), int(period[3]), 1).isoformat()
        return date(int(period[1]), int(period[2]), 1).isoformat()[:7] if period else ""
    except ValueError:
        return ""


def _of_properties(properties: Mapping[str, Any]) -> str:
    named = {name.casefold().replace("_", " ").replace("-", " "): value for name, value in properties.items()}
    return next((found for name in PROPERTIES if (found := _first_day(str(named.get(name, ""))))), "")


def _first_day(text: str) -> str:
    """The first date that exists of those in a text."""
    for year, month, day in _IN_NAME.findall(text):
        try:
            return date(int(year), int(month), int(day)).isoformat()
        except ValueError:
            continue
    return ""

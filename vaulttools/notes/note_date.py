"""Finds when a note was written, and which of its parts says so."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from vaulttools.core import dates, paths
from vaulttools.core.folding.identity import identity
from vaulttools.notes.contents import Contents

Source: TypeAlias = Literal["name", "property", "text", "file"]
"""The source of a note's date, the surest first: a date in its name, in ISO format or in the format of the vault's
daily notes; a property; its dated lines; the file system."""

DailyDay: TypeAlias = Callable[[str], date | None]
"""Returns the day whose daily note has a path; None if it is no path of a daily note."""

PROPERTIES: Final = (
    *("date", "created", "day", "date created", "created at", "creation date", "published", "when"),
    *("datum", "erstellt", "fecha", "creado", "créé", "aangemaakt"),
    *("modified", "updated", "last modified", "date modified"),
)
"""Properties that may hold a note's date; the first one with a date counts. `due` is not the note's own date."""

_IN_NAME: Final = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_A_DIGIT: Final = re.compile(r"\d")
"""A name without a digit has no date."""
_PERIOD_NAME: Final = re.compile(r"(\d{4})-(?:(\d{2})|W(\d{2}))")
"""The name of a monthly or weekly note."""


class NoteDate(NamedTuple):
    """The date of a note, with its source."""

    day: str
    """`2026-05-12`, or `2026-05` or `2026` if only the month or the year is known."""
    source: Source

    @property
    def span(self) -> tuple[date, date]:
        """The first and the last day of the day, month or year."""
        first = dates.first_day(self.day, date.min)
        unit = {4: "y", 7: "m"}.get(len(self.day))
        return first, dates.moved(first, 1, unit) - timedelta(days=1) if unit else first


class DateParts(NamedTuple):
    """The dates in the parts of a note: in a property, else in its dated lines."""

    by_property: str = ""
    by_lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dating:
    """Finds the dates of a vault's notes, as of one day."""

    today: date
    daily: DailyDay = lambda path: None

    def of(self, path: str, note: Contents) -> NoteDate | None:
        """Returns the date of a note; None if neither its name nor a part of it has one."""
        return self.by(path, partial(parts_of, note))

    def by(self, path: str, parts: Callable[[], DateParts]) -> NoteDate | None:
        """Returns the date of a file by its name, else by the parts of its note, which `parts` returns.

        Of several dated lines the latest one that is not in the future counts, since a log is as old as its last
        entry.
        """
        if named := _of_name(path, self.daily):
            return NoteDate(named, "name")
        property_day, lines = parts()
        if property_day:
            return NoteDate(property_day, "property")
        begun = [day for day in lines if day <= self.today.isoformat()]
        return NoteDate(max(begun) if begun else min(lines), "text") if lines else None


def parts_of(note: Contents) -> DateParts:
    """Returns the dates in the parts of a note: in a property, else in its dated lines."""
    day = _of_properties(note.properties)
    return DateParts(day) if day else DateParts("", tuple(each.day for each in note.dated_lines))


def of_line(note: Contents, line: int) -> str:
    """Returns the date that a line of a note (from 1) is about: that of the last dated line that covers it; or `""`.

    A heading dates its section; an item or a row dates itself and the lines up to the next dated one.
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
    named = {identity(name).replace("_", " ").replace("-", " "): value for name, value in properties.items()}
    return next((found for name in PROPERTIES if (found := _first_day(str(named.get(name, ""))))), "")


def _first_day(text: str) -> str:
    """Returns the first valid date in a text; `""` if there is none."""
    for year, month, day in _IN_NAME.findall(text):
        try:
            return date(int(year), int(month), int(day)).isoformat()
        except ValueError:
            continue
    return ""

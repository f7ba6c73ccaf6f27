"""Finds the periodic note of a date by the vault's settings.

The settings belong to the core plugin Daily notes and the community plugin Periodic Notes, which use formats of
moment.js. They are read only for this: a caller learns the resulting path and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

from vaulttools.core import dates, moment_js
from vaulttools.core.dates import Calendar
from vaulttools.core.moment_js import Weeks
from vaulttools.files import settings

_NAME: Final = re.compile(r"(daily|weekly|monthly|quarterly|yearly)(?:\s+(\S.*))?", re.DOTALL)
"""Only lower case: folders are often called `Daily`."""
_OFFSET: Final = re.compile(r"[+-]?[0-9]{1,3}|[+-][0-9]{4,5}")
"""Four digits without a sign would be a year."""
_ISO_TOKEN: Final = re.compile(r"[WG]")
_LITERAL: Final = re.compile(r"\[[^\[\]]*\]|\\.")


class _Period(NamedTuple):
    format: str
    """The plugins' default format."""
    unit: str
    """Name of the period in version 1 of Periodic Notes."""
    days: int = 0
    months: int = 0


_PERIODS: Final = {
    "daily": _Period("YYYY-MM-DD", "day", days=1),
    "weekly": _Period("gggg-[W]ww", "week", days=7),
    "monthly": _Period("YYYY-MM", "month", months=1),
    "quarterly": _Period("YYYY-[Q]Q", "quarter", months=3),
    "yearly": _Period("YYYY", "year", months=12),
}


class PeriodicNote(NamedTuple):
    """The note of a period."""

    period: str
    day: date
    """The first day of the period."""
    path: str
    """Vault-relative, from the settings: not yet checked to lie in the vault."""


@dataclass(frozen=True, slots=True)
class PeriodicNotes:
    """The periodic notes of one vault."""

    config_folder: Path
    calendar: Calendar
    weeks: Weeks

    def named(self, text: str) -> PeriodicNote | None:
        """Returns the note of `daily`, `daily -1`, `weekly 2026-11-20` or `monthly last year`; None for other texts.

        Raises:
            OSError: the settings cannot be read.
        """
        match = _NAME.fullmatch(text.strip())
        if match is None:
            return None
        period = match[1]
        day, offset = self.calendar.today(), 0
        if match[2]:
            said = match[2].strip()
            if _OFFSET.fullmatch(said):
                offset = int(said)
            else:
                try:
                    day = dates.first_day(said, day, self.calendar.first_weekday)
                except ValueError:
                    return None
        folder, tokens = self._settings(period)
        try:
            day = _moved(period, self._start(period, day, tokens), offset)
        except (OverflowError, ValueError):
            return None
        return PeriodicNote(period, day, self._path(folder, tokens, day))

    def latest(self, period: str, count: int) -> Iterator[PeriodicNote]:
        """Yields `count` notes, of the current period and those before it, newest first.

        Raises:
            OSError: the settings cannot be read.
        """
        folder, tokens = self._settings(period)
        day = self._start(period, self.calendar.today(), tokens)
        for number in range(count):
            then = _moved(period, day, -number)
            yield PeriodicNote(period, then, self._path(folder, tokens, then))

    def daily_days(self) -> Callable[[str], date | None]:
        """Returns a function that reads the day of a daily note from its path; None for any other file.

        Raises:
            OSError: the settings cannot be read.
        """
        folder, tokens = self._settings("daily")
        above = "".join(f"{part}/" for part in folder.split("/") if part.strip())

        def day(path: str) -> date | None:
            name = path.removeprefix(above).removesuffix(".md")
            return moment_js.read(name, tokens, self.weeks) if path.startswith(above) else None

        return day

    def _start(self, period: str, day: date, tokens: str) -> date:
        """Returns the first day of the period of a day; weeks follow the locale, unless the format has ISO weeks."""
        if period == "weekly":
            is_iso = _ISO_TOKEN.search(_LITERAL.sub("", tokens))
            first = 1 if is_iso else self.weeks.first_day
            return day - timedelta(days=(day.isoweekday() - first) % 7)
        months = _PERIODS[period].months
        return day.replace(month=day.month - (day.month - 1) % months, day=1) if months else day

    def _path(self, folder: str, tokens: str, day: date) -> str:
        name = moment_js.formatted(datetime.combine(day, time(), self.calendar.zone), tokens, self.weeks)
        path = "/".join(part for part in f"{folder}/{name}".split("/") if part.strip())
        return path if path.lower().endswith(".md") else f"{path}.md"

    def _settings(self, period: str) -> tuple[str, str]:
        """Returns folder and format of a period: from Periodic Notes if enabled there, else from Daily notes."""
        plugin = settings.read(self.config_folder / "plugins" / "periodic-notes" / "data.json")
        found = _of_plugin(plugin, period)
        if found is None and period == "daily":
            found = settings.read(self.config_folder / "daily-notes.json")
        folder = _text(found or {}, "folder")
        if not folder and period == "daily":
            app = settings.read(self.config_folder / "app.json")
            folder = _text(app, "newFileFolderPath") if app.get("newFileLocation") == "folder" else ""
        return folder, _text(found or {}, "format") or _PERIODS[period].format


def _of_plugin(plugin: Mapping[str, Any], period: str) -> Mapping[str, Any] | None:
    """Returns the settings of Periodic Notes for a period; None if it is off. Version 1 has named sets of settings."""
    found = plugin.get(period)
    sets = plugin.get("calendarSets")
    if isinstance(sets, list):
        active = [each for each in sets if isinstance(each, dict) and each.get("id") == plugin.get("activeCalendarSet")]
        found = active[0].get(_PERIODS[period].unit) if active else None
    return found if isinstance(found, dict) and found.get("enabled") is True else None


def _text(found: Mapping[str, Any], name: str) -> str:
    value = found.get(name)
    return value.strip() if isinstance(value, str) else ""


def _moved(period: str, day: date, number: int) -> date:
    """Returns the first day of the period `number` periods later."""
    _, _, days, months = _PERIODS[period]
    return moment_js.plus_months(datetime.combine(day, time()), number * months).date() + timedelta(days=number * days)

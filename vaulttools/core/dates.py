"""Reads the dates that tools take: `2026-11-20`, `2026-11`, `today`, `last week`, `7d`, `+2w`.

Every form names a span of days and means its first day: "after" includes that day, "before" ends on the day before.
Clock and time zone are arguments; only their defaults ask the machine.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import Final

from vaulttools.core.moment_js import MONTHS, plus_months

FORMS: Final = (
    "2026-11-20, 2026-11, 2026, today, yesterday, tomorrow, this week, last month, next year, "
    "7d (seven days ago) or +7d (ahead), also with w, m (months) and y"
)
"""The accepted forms, for error messages."""

_ABSOLUTE: Final = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
_SPAN: Final = re.compile(r"(this|next|last) (week|month|year)")
_DISTANCE: Final = re.compile(r"([+-]?)([0-9]{1,6}) ?([dwmy])")
_DAYS: Final = {"today": 0, "yesterday": -1, "tomorrow": 1}
_STEPS: Final = {"this": 0, "next": 1, "last": -1}

SUNDAY: Final = 6
"""Numbered as in `date.weekday`. Weeks begin on it in English, Obsidian's default language."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """The current time, the time zone, and the first day of weeks."""

    now: Callable[[], float] | None = None
    """Returns seconds since 1970; None: the machine's clock."""
    zone: tzinfo | None = None
    """None: the machine's zone."""
    first_weekday: int = SUNDAY
    """Numbered as in `date.weekday`: 0 is Monday."""

    @classmethod
    def of(cls, first_weekday: int, today: date | None) -> Calendar:
        """Returns the machine's calendar; with `today`, on that day at the machine's time of day."""
        if today is None:
            return cls(first_weekday=first_weekday)
        return cls(lambda: datetime.combine(today, datetime.now().time()).timestamp(), None, first_weekday)  # noqa: DTZ005

    def moment(self) -> float:
        """Returns the current time in seconds since 1970."""
        return (self.now or machine_time)()

    def today(self) -> date:
        """Returns the current day."""
        return datetime.fromtimestamp((self.now or machine_time)(), self.zone).date()

    def start_of(self, day: date) -> int:
        """Returns the first moment of a day, in nanoseconds since 1970.

        If clocks are set forward at midnight, the day begins at 1:00; if midnight comes twice, with the first.
        """
        try:
            return int(datetime(day.year, day.month, day.day, tzinfo=self.zone).timestamp()) * 1_000_000_000
        except (OverflowError, OSError, ValueError):  # Windows has no local time before 1970
            return (day - date(1970, 1, 1)).days * 86_400_000_000_000


def machine_time() -> float:
    """Returns seconds since 1970 by the machine's clock."""
    return time.time()


def first_day(text: str, today: date, first_weekday: int = SUNDAY) -> date:
    """Returns the first day of the span that a text names.

    >>> first_day("2026-11", date(2026, 11, 22))
    datetime.date(2026, 11, 1)
    >>> first_day("last week", date(2026, 11, 22), first_weekday=0)
    datetime.date(2026, 11, 9)
    >>> first_day("1m", date(2026, 3, 31))
    datetime.date(2026, 2, 28)

    Raises:
        ValueError: with a sentence: the text has none of the forms, or there is no such day in the years 1 to 9999.
    """
    said = " ".join(text.casefold().split())
    try:
        if found := _ABSOLUTE.fullmatch(said):
            return date(int(found[1]), int(found[2] or 1), int(found[3] or 1))
        if said in _DAYS:
            return today + timedelta(days=_DAYS[said])
        if found := _SPAN.fullmatch(said):
            return moved(start_of_span(found[2], today, first_weekday), _STEPS[found[1]], found[2][0])
        if found := _DISTANCE.fullmatch(said):
            number = int(found[2])
            return moved(today, number if found[1] == "+" else -number, found[3])
    except (ValueError, OverflowError):
        raise ValueError("there is no such date") from None
    raise ValueError(f"it takes {FORMS}")


def start_of_span(unit: str, day: date, first_weekday: int = SUNDAY) -> date:
    """Returns the first day of the week, month or year that contains a day."""
    if unit == "week":
        return day - timedelta(days=(day.weekday() - first_weekday) % 7)
    return day.replace(day=1) if unit == "month" else day.replace(month=1, day=1)


def moved(day: date, number: int, unit: str) -> date:
    """Returns the day `number` days, weeks, months or years later; the last of a month without such a day."""
    if unit in "dw":
        return day + timedelta(days=number * (7 if unit == "w" else 1))
    return plus_months(day, number * (12 if unit == "y" else 1))


def written(first: date, last: date) -> str:
    """Returns days as people write them: `3 August 2026`, `3 to 9 August 2026`, `28 July to 3 August 2026`."""
    end = f"{last.day} {MONTHS[last.month - 1]} {last.year}"
    if first == last:
        return end
    month = "" if (first.year, first.month) == (last.year, last.month) else f" {MONTHS[first.month - 1]}"
    year = "" if first.year == last.year else f" {first.year}"
    return f"{first.day}{month}{year} to {end}"

"""Reads, prints, adds and subtracts dates and durations, in local time."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from vaulttools.bases.syntax import Failed
from vaulttools.core import moment_js

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2})[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?", re.ASCII
)
_ISO_DURATION: Final = re.compile(
    r"P(?:([.,\d]+)Y)?(?:([.,\d]+)M)?(?:([.,\d]+)W)?(?:([.,\d]+)D)?T(?:([.,\d]+)H)?(?:([.,\d]+)M)?(?:([.,\d]+)S)?",
    re.ASCII,
)
"""The app looks for it anywhere in the text, and requires the `T`."""
_DURATION: Final = re.compile(
    r"(-?\d{1,9}) ?(?:(y|years?)|(M|months?)|(w|weeks?)|(d|days?)|(h|hours?)|(m|minutes?)|(s|seconds?))", re.ASCII
)
_WHOLE: Final = re.compile(r"\d{1,9}", re.ASCII)

_MOST: Final = 1e15
"""Upper bound of each unit of a duration: the years 1 to 9999 have fewer milliseconds."""

_OUT_OF_RANGE: Final = "The date is not between the years 1 and 9999."


@dataclass(frozen=True, slots=True)
class Clock:
    """The time and the time zone of one call, so that all rows see the same time."""

    now: float
    """Milliseconds since 1970."""
    zone: tzinfo | None = None
    """None means the machine's zone."""
    weeks: moment_js.Weeks = moment_js.ENGLISH_WEEKS

    def local(self, instant: float) -> datetime:
        """Returns the local time of an instant, without its zone.

        Raises:
            Failed: no calendar holds it.
        """
        try:
            if self.zone is None:
                return datetime.fromtimestamp(instant / 1000)  # noqa: DTZ006  # the machine's zone is intended
            return (
                (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=instant))
                .astimezone(self.zone)
                .replace(tzinfo=None)
            )
        except (OverflowError, OSError, ValueError) as error:
            raise Failed(_OUT_OF_RANGE) from error

    def instant(self, local: datetime) -> float:
        """Returns the instant of a local time; a time that clocks skip is moved past the change, as in JavaScript.

        Raises:
            Failed: no calendar holds it.
        """
        try:
            return round(local.replace(tzinfo=self.zone).timestamp() * 1000)
        except (OverflowError, OSError, ValueError) as error:
            raise Failed(_OUT_OF_RANGE) from error

    def aware(self, instant: float) -> datetime:
        """Returns the local time of an instant, with its zone."""
        local = self.local(instant)
        return local.astimezone() if self.zone is None else local.replace(tzinfo=self.zone)


@dataclass(frozen=True, slots=True)
class Date:
    """A day, or a day and a time."""

    instant: float
    """Milliseconds since 1970; for a day without a time, its local midnight."""
    has_time: bool

    def shown(self, clock: Clock) -> str:
        """Returns the text: `2026-06-10`, or `2026-06-10T12:34:56`."""
        local = clock.local(self.instant)
        return local.isoformat(timespec="seconds") if self.has_time else local.date().isoformat()

    def day(self, clock: Clock) -> Date:
        """Returns the day without its time."""
        if not self.has_time:
            return self
        return Date(clock.instant(clock.local(self.instant).replace(hour=0, minute=0, second=0, microsecond=0)), False)


@dataclass(frozen=True, slots=True)
class Duration:
    """Calendar units, kept apart: a month has no fixed length."""

    years: float = 0
    months: float = 0
    days: float = 0
    hours: float = 0
    minutes: float = 0
    seconds: float = 0
    milliseconds: float = 0

    def __post_init__(self) -> None:
        if not all(abs(unit) <= _MOST for unit in self._units):  # also refuses NaN
            raise Failed("The duration is longer than a calendar has days.")

    @property
    def _units(self) -> tuple[float, ...]:
        return self.years, self.months, self.days, self.hours, self.minutes, self.seconds, self.milliseconds

    def times(self, factor: float) -> Duration:
        """Multiply each unit."""
        return Duration(*(unit * factor for unit in self._units))

    def divided(self, divisor: float) -> Duration:
        """Divide each unit."""
        return Duration(*(unit / divisor for unit in self._units))

    def plus(self, other: Duration) -> Duration:
        """Add each unit."""
        return Duration(*map(operator.add, self._units, other._units))

    @property
    def is_zero(self) -> bool:
        """Whether every unit is 0."""
        return self == Duration()

    @property
    def clock_part(self) -> float:
        """Hours and less, in milliseconds."""
        return self.hours * 3_600_000 + self.minutes * 60_000 + self.seconds * 1000 + self.milliseconds

    def length(self, clock: Clock) -> float:
        """Returns milliseconds counted from now: the app measures a month that way."""
        return added(Date(clock.now, True), self, clock).instant - clock.now

    def shown(self) -> str:
        """Returns a readable text: `a day`, `14 days`."""
        return moment_js.humanized(self.years * 12 + self.months, self.days, self.clock_part)


def read_date(text: str, clock: Clock) -> Date | None:
    """Parse a date such as `2026-06-10` or `2026-06-10 12:34:56`; None if the text is not a date."""
    if _DAY.fullmatch(text):
        return _at(f"{text}T00:00:00", clock, has_time=False)
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    day, hour, minute, second, fraction, zone = found.groups()
    read = _at(f"{day}T{hour}:{minute}:{second or '00'}.{(fraction or '0')[:3].ljust(3, '0')}", clock, has_time=True)
    if read is None or zone is None:
        return read
    sign, hours, minutes = zone[0], int(zone[1:3] or 0), int(zone[-2:] if len(zone) > 3 else 0)
    offset = 0 if sign == "Z" else (hours * 60 + minutes) * (-60_000 if sign == "-" else 60_000)
    as_utc = clock.local(read.instant).replace(tzinfo=UTC).timestamp() * 1000
    return Date(round(as_utc) - offset, True)


def _at(text: str, clock: Clock, *, has_time: bool) -> Date | None:
    try:
        return Date(clock.instant(datetime.fromisoformat(text)), has_time)
    except (ValueError, Failed):
        return None


def read_duration(text: str) -> Duration | None:
    """Parse a duration: `1d`, `2 weeks`, `1M` (a month), `1m` (a minute), `PT1H`; None if it is not one."""
    found = _DURATION.fullmatch(text)
    if found is not None:
        amount = int(found[1])
        years, months, weeks, days, hours, minutes, seconds = (amount if unit else 0 for unit in found.groups()[1:])
        return Duration(years, months, weeks * 7 + days, hours, minutes, seconds)
    if "P" not in text or (iso := _ISO_DURATION.search(text)) is None:
        return None
    numbers = [int(whole[0]) if part and (whole := _WHOLE.match(part)) else 0 for part in iso.groups()]
    years, months, weeks, days, hours, minutes, seconds = numbers
    return Duration(years, months, weeks * 7 + days, hours, minutes, seconds)


def added(date: Date, duration: Duration, clock: Clock, sign: int = 1) -> Date:
    """Returns the date moved by a duration, unit by unit from the largest, in local time; sign -1 moves it back.

    A day that the month does not have overflows into the next month, as in JavaScript: a month after January 31st is
    March 2nd or 3rd. The result has a time if the date has one, or if the duration has hours or smaller units.

    Raises:
        Failed: no calendar holds it.
    """
    instant = date.instant
    if duration != Duration(milliseconds=duration.milliseconds):
        local = clock.local(instant)
        try:
            local = _overflowing(local, sign * int(duration.years) * 12)
            local = _overflowing(local, sign * int(duration.months))
            local += sign * timedelta(
                days=int(duration.days), hours=duration.hours, minutes=duration.minutes, seconds=duration.seconds
            )
        except (OverflowError, ValueError) as error:
            raise Failed(_OUT_OF_RANGE) from error
        instant = clock.instant(local)
    instant += sign * duration.milliseconds
    clock.local(instant)  # fails if no calendar holds it
    return Date(instant, date.has_time or bool(duration.clock_part))


def _overflowing(local: datetime, months: int) -> datetime:
    """Move a time by whole months; a day that the month does not have overflows into the next month."""
    if not months:
        return local
    year, month = divmod(local.year * 12 + local.month - 1 + months, 12)
    return local.replace(year=year, month=month + 1, day=1) + timedelta(days=local.day - 1)


def measured(duration: Duration, unit: str, clock: Clock) -> float | None:
    """Returns a duration in a unit such as `days`, with its fraction, counted from now; None for an unknown unit."""
    if unit in ("years", "months"):
        start = clock.local(clock.now)
        end = clock.local(added(Date(clock.now, True), duration, clock).instant)
        months = -_months(end, start) if end.day >= start.day else _months(start, end)
        return months / 12 if unit == "years" else months
    divisor = _UNITS.get(unit)
    if divisor is None:
        return None
    whole = duration.length(clock)
    if unit in ("days", "weeks") and duration.clock_part == 0:  # a day with a clock change is still one day
        start, end = clock.local(clock.now), clock.local(clock.now + whole)
        whole = (end - start) / timedelta(milliseconds=1)
    return whole / divisor


_UNITS: Final = {
    "milliseconds": 1,
    "seconds": 1000,
    "minutes": 60_000,
    "hours": 3_600_000,
    "days": 86_400_000,
    "weeks": 604_800_000,
}


def _months(start: datetime, end: datetime) -> float:
    """Returns the months between two times, with their fraction, as moment counts them."""
    whole = (end.year - start.year) * 12 + end.month - start.month
    anchor = moment_js.plus_months(start, whole)
    other = moment_js.plus_months(start, whole + (1 if end >= anchor else -1))
    return whole + (end - anchor) / abs(other - anchor)

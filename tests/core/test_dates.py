"""Dates as tools take them: every form, the ends of months, weeks by their first day, clocks that are set forward."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.core.dates import FORMS, Calendar, first_day

SUNDAY = date(2026, 11, 22)
MONDAY_FIRST, SUNDAY_FIRST, SATURDAY_FIRST = 0, 6, 5


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-11-20", "2026-11-20"),
        ("2026-11", "2026-11-01"),
        ("2026", "2026-01-01"),
        ("today", "2026-11-22"),
        ("yesterday", "2026-11-21"),
        ("tomorrow", "2026-11-23"),
        ("this month", "2026-11-01"),
        ("last month", "2026-10-01"),
        ("next month", "2026-12-01"),
        ("this year", "2026-01-01"),
        ("last year", "2025-01-01"),
        ("next year", "2027-01-01"),
        ("7d", "2026-11-15"),
        ("-7d", "2026-11-15"),
        ("+7d", "2026-11-29"),
        ("0d", "2026-11-22"),
        ("2w", "2026-11-08"),
        ("+2w", "2026-12-06"),
        ("1m", "2026-10-22"),
        ("+14m", "2028-01-22"),
        ("3y", "2023-11-22"),
        ("  Last   MONTH ", "2026-10-01"),
        ("7 D", "2026-11-15"),
    ],
)
def test_a_date_is_read_as_the_first_day_of_its_period(text: str, day: str) -> None:
    assert first_day(text, SUNDAY).isoformat() == day


@pytest.mark.parametrize(
    ("text", "first_weekday", "day"),
    [
        ("this week", SUNDAY_FIRST, "2026-11-22"),
        ("this week", MONDAY_FIRST, "2026-11-16"),
        ("this week", SATURDAY_FIRST, "2026-11-21"),
        ("last week", SUNDAY_FIRST, "2026-11-15"),
        ("last week", MONDAY_FIRST, "2026-11-09"),
        ("next week", SUNDAY_FIRST, "2026-11-29"),
        ("next week", MONDAY_FIRST, "2026-11-23"),
    ],
)
def test_a_week_begins_on_the_day_that_the_locale_says(text: str, first_weekday: int, day: str) -> None:
    assert first_day(text, SUNDAY, first_weekday).isoformat() == day


@pytest.mark.parametrize(
    ("text", "today", "day"),
    [
        ("1m", "2026-03-31", "2026-02-28"),
        ("1m", "2024-03-31", "2024-02-29"),
        ("+1m", "2026-01-31", "2026-02-28"),
        ("+1m", "2026-12-31", "2027-01-31"),
        ("1y", "2024-02-29", "2023-02-28"),
        ("+4y", "2024-02-29", "2028-02-29"),
        ("last month", "2026-03-31", "2026-02-01"),
        ("next month", "2026-12-31", "2027-01-01"),
    ],
)
def test_a_month_without_that_day_gives_its_last_day(text: str, today: str, day: str) -> None:
    assert first_day(text, date.fromisoformat(today)).isoformat() == day


@pytest.mark.parametrize("text", ["", "soon", "next", "week", "next day", "7", "7h", "20.11.2026", "2026-W47", "٢٠٢٦"])
def test_the_refusal_of_any_other_text_names_the_forms(text: str) -> None:
    with pytest.raises(ValueError, match=r"^it takes ") as refusal:
        first_day(text, SUNDAY)
    assert str(refusal.value) == f"it takes {FORMS}"


@pytest.mark.parametrize("text", ["2026-02-29", "2026-13", "2026-00-10", "0000", "99999y", "+99999m", "+999999w"])
def test_a_day_that_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^there is no such date$"):
        first_day(text, SUNDAY)


@given(st.dates(), st.sampled_from(["d", "w", "m", "y"]), st.integers(0, 500), st.integers(0, 6))
def test_every_date_is_a_day_or_is_refused(today: date, unit: str, number: int, first_weekday: int) -> None:
    for text in (f"{number}{unit}", f"+{number}{unit}", "this week", "last week", "next year"):
        try:
            first_day(text, today, first_weekday)
        except ValueError as error:
            assert str(error) == "there is no such date"


BERLIN, SAO_PAULO, HAVANA = ZoneInfo("Europe/Berlin"), ZoneInfo("America/Sao_Paulo"), ZoneInfo("America/Havana")


@pytest.mark.parametrize(
    ("zone", "day", "moment"),
    [
        (UTC, "2026-11-22", "2026-11-22T00:00:00+00:00"),
        (BERLIN, "2026-11-22", "2026-11-22T00:00:00+01:00"),
        (BERLIN, "2026-03-29", "2026-03-29T00:00:00+01:00"),  # clocks are set forward at 2:00
        (BERLIN, "2026-03-30", "2026-03-30T00:00:00+02:00"),
        (SAO_PAULO, "2018-11-04", "2018-11-04T01:00:00-02:00"),  # there is no midnight
        (HAVANA, "2026-11-01", "2026-11-01T00:00:00-04:00"),  # midnight comes twice
        (BERLIN, "0001-01-01", "0001-01-01T00:00:00+00:00"),
    ],
)
def test_a_day_starts_with_its_first_moment(zone: ZoneInfo, day: str, moment: str) -> None:
    start = Calendar(zone=zone).start_of(date.fromisoformat(day))
    assert start == pytest.approx(datetime.fromisoformat(moment).timestamp() * 1e9, abs=4e12 if day < "0002" else 0)


@pytest.mark.parametrize(
    ("zone", "day"),
    [(UTC, "2026-11-21"), (BERLIN, "2026-11-22"), (ZoneInfo("America/New_York"), "2026-11-21")],
)
def test_today_is_the_day_of_the_zone(zone: ZoneInfo, day: str) -> None:
    calendar = Calendar(lambda: datetime(2026, 11, 21, 23, 30, tzinfo=UTC).timestamp(), zone)
    assert calendar.today().isoformat() == day

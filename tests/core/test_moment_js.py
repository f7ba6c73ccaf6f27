"""`core/moment_js.py` prints what moment.js printed, token by token (`fixtures/moment.json`)."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from vaulttools.core.moment_js import Weeks, formatted, humanized, plus_months, read, relative, week_of, weeks_of

FIXTURES = Path(__file__).parents[2] / "fixtures"
CASES: dict[str, Any] = json.loads((FIXTURES / "moment.json").read_text(encoding="utf-8"))
BERLIN = ZoneInfo("Europe/Berlin")
MOMENTS = [datetime.fromisoformat(text).replace(tzinfo=BERLIN) for text in CASES["moments"]]


@pytest.mark.parametrize("tokens", CASES["formats"])
def test_a_format_prints_what_moment_prints(tokens: str) -> None:
    assert [formatted(moment, tokens) for moment in MOMENTS] == CASES["formats"][tokens]


@pytest.mark.parametrize("case", CASES["weeks"], ids=lambda case: str(case["weeks"]))
def test_weeks_are_counted_as_the_locale_counts_them(case: dict[str, Any]) -> None:
    weeks = Weeks(*case["weeks"])
    for day, year, week, weekday in case["days"]:
        assert formatted(datetime.fromisoformat(day), "gggg ww e", weeks) == f"{year} {week} {weekday}", day


def test_a_time_is_described_relative_to_another_as_moment_does() -> None:
    for moment, now, words in CASES["relative"]:
        assert relative(datetime.fromisoformat(moment), datetime.fromisoformat(now)) == words


def test_a_duration_is_described_as_moment_does() -> None:
    for months, days, milliseconds, words in CASES["humanized"]:
        assert humanized(months, days, milliseconds) == words


@pytest.mark.parametrize(
    ("locale", "weeks"),
    [
        ("en", Weeks(0, 6)),
        ("de", Weeks(1, 4)),
        ("en-GB", Weeks(1, 4)),
        ("en_US", Weeks(0, 6)),
        ("de_DE.UTF-8", Weeks(1, 4)),
        ("pt-BR", Weeks(0, 6)),
        ("pt-PT", Weeks(1, 4)),
        ("nonsense", Weeks(0, 6)),
    ],
)
def test_a_locale_defines_its_weeks(locale: str, weeks: Weeks) -> None:
    assert weeks_of(locale) == weeks


def test_the_ends_of_the_calendar_are_no_error() -> None:
    assert formatted(datetime(1, 1, 1, tzinfo=UTC), "YYYY-MM-DD gggg ww WW") == "0001-01-01 0001 01 01"
    assert formatted(datetime(9999, 12, 31, tzinfo=UTC), "YYYY-MM-DD GGGG WW") == "9999-12-31 9999 52"
    assert week_of(date(2024, 12, 30), Weeks(1, 4)) == (2025, 1)


def test_adding_months_stops_at_the_last_day_of_a_month() -> None:
    assert plus_months(datetime(2024, 1, 31, tzinfo=UTC), 1) == datetime(2024, 2, 29, tzinfo=UTC)
    assert plus_months(datetime(2024, 3, 31, tzinfo=UTC), -13) == datetime(2023, 2, 28, tzinfo=UTC)
    with pytest.raises(ValueError, match="year out of range"):
        plus_months(datetime(9999, 12, 1, tzinfo=UTC), 1)


@pytest.mark.parametrize(
    "tokens",
    [
        *("YYYY-MM-DD", "YYYY/MM/YYYY-MM-DD dddd", "dddd, MMMM Do YYYY", "D-M-YY", "YYYYMMDD", "LL", "YYYY-DDDD"),
        "gggg-[W]ww/ddd DD.MM.YYYY",
    ],
)
def test_a_printed_day_is_read_back(tokens: str) -> None:
    every = [date(2024, 1, 1) + timedelta(number) for number in range(0, 1_100, 13)]
    printed = [formatted(datetime.combine(day, time()), tokens) for day in every]
    assert [read(text, tokens) for text in printed] == every
    assert all(read(f"{text}x", tokens) is None for text in printed)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Meeting", "YYYY-MM-DD"),
        ("2026-02-30", "YYYY-MM-DD"),
        ("2026-2-3", "YYYY-MM-DD"),
        ("Monday 2026-08-04", "dddd YYYY-MM-DD"),
        ("3 August", "D MMMM"),
        ("", "YYYY-MM-DD"),
        ("2026", "YYYY"),
    ],
)
def test_no_day_is_read_from_other_text(text: str, tokens: str) -> None:
    assert read(text, tokens) is None

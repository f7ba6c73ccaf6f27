"""Checks the date arguments of tools, and resolves them when the call runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Final, TypeAlias

from vaulttools.core import dates
from vaulttools.core.dates import Calendar
from vaulttools.files.file_times import FileTimes
from vaulttools.models import AfterValidator, ValidationInfo

_SHOWN: Final = 60
"""Characters of a refused date that the sentence repeats."""

MODIFIED_AFTER: Final = "From: `2026-11`, `last week`, `7d` (ago)."
MODIFIED_BEFORE: Final = "Before this date."
CREATED_AFTER: Final = "From then on."
CREATED_BEFORE: Final = "Before this date."

NAMES: Final = ("modified_after", "modified_before", "created_after", "created_before")
"""The date arguments about files."""


def _checked(text: str, info: ValidationInfo) -> str:
    try:
        dates.first_day(text, date(2000, 1, 1))
    except ValueError as error:
        shown = json.dumps(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…", ensure_ascii=False)
        sentence = f"{info.field_name} must be a date, got {shown}; {error}"
        # pydantic takes no sentence with a surrogate, which stands for a byte of a command line that is no UTF-8.
        raise ValueError(sentence.encode("utf-8", "backslashreplace").decode()) from None
    return text


DateText: TypeAlias = Annotated[str, AfterValidator(_checked)]
"""A text that names a date."""


def days(request: object, calendar: Calendar, names: Sequence[str]) -> dict[str, date]:
    """Returns the first day of each date argument in `names` that the request has."""
    found: dict[str, date] = {}
    for name in names:
        if (text := getattr(request, name, None)) is not None:
            found[name] = dates.first_day(text, calendar.today(), calendar.first_weekday)
    return found


def phrases(given: Mapping[str, date]) -> list[str]:
    """Says how the dates `due_after`, `due_before` … were understood: `due from 2026-11-20 on`."""
    verbs = dict.fromkeys(name.rpartition("_")[0] for name in given)
    return [f"{verb} {_spanned(given.get(f'{verb}_after'), given.get(f'{verb}_before'))}" for verb in verbs]


def file_times(request: object, calendar: Calendar) -> tuple[FileTimes | None, list[str]]:
    """Returns which files the date arguments select (None: all), and a sentence about it if there are any."""
    given = days(request, calendar, NAMES)
    if not given:
        return None, []
    times = FileTimes(**{name: calendar.start_of(day) for name, day in given.items()})
    return times, [f"Only files {' and '.join(phrases(given))}."]


def _spanned(after: date | None, before: date | None) -> str:
    """`from 2026-11-20 on`, `before 2026-11-20`, or `from 2026-11-20 to before 2026-11-27`."""
    first = "" if after is None else f"from {after.isoformat()} {'on' if before is None else 'to '}"
    return first + ("" if before is None else f"before {before.isoformat()}")

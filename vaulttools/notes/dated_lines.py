"""Finds the dates of headings, list items and table rows.

A log has its dates there: `## 12 May 2026`, `- **2026-05-12** ...`, `| 2026-05-12 | ...`. Tasks are left out: their
dates say when something is due or done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from vaulttools.notes import periods
from vaulttools.notes.contents import Contents
from vaulttools.notes.parts import DatedLine
from vaulttools.notes.period_words import MONTHS, WEEKDAYS, plain

_A_YEAR: Final = re.compile(r"(?:19|20)\d\d")
"""A text without a year has no dates."""
_YEAR_AT_END: Final = re.compile(r"(?<!\d)((?:19|20)\d\d)\W?\Z")
_BEGINNING: Final = re.compile(r"(?:[\s>]*(?:[-*+]|\d{1,9}[.)])\s+|\s*\|)[\s*_\[(]*(?=\w)")
"""The beginning of a list item, or of the first cell of a row."""
_MONTH_AND_DAY: Final = re.compile(r"(\d\d)-(\d\d)(?![\w-])")
_A_DIGIT: Final = re.compile(r"\d")
_FIRST_WORD: Final = re.compile(r"[^\W\d_]+")
_NAMES: Final = {*MONTHS, *WEEKDAYS}
_LONGEST: Final = 60
"""Characters of a heading, or of the beginning of an item, that are searched for a date."""


def of(note: Contents, text: str) -> tuple[DatedLine, ...]:
    """Returns the dated lines of a note, in order; the first date of a line counts. A month or a day without a year has
    the year of the heading above it."""
    return tuple(_found(note, text.split("\n"))) if _A_YEAR.search(text) else ()


def _found(note: Contents, lines: Sequence[str]) -> Iterator[DatedLine]:
    tasks = {task.line for task in note.structure.tasks}
    years: list[int] = []
    """By heading, the year that it is about; 0 if unknown."""
    of_line: dict[int, DatedLine] = {}
    for heading, over in zip(note.headings, note.above, strict=True):
        year = years[over] if over >= 0 else 0
        day = _of_heading(heading.text[:_LONGEST], year)
        last = _YEAR_AT_END.search(heading.text[-_LONGEST:])
        years.append(int(day[:4]) if day else int(last[1]) if last else year)
        if day:
            of_line[heading.line] = DatedLine(heading.line, day)
    starts = [heading.line for heading in note.headings]
    number = -1
    for block in note.structure.blocks:
        while number + 1 < len(starts) and starts[number + 1] <= block.start_line:
            number += 1
        if block.kind not in ("list_item", "table"):
            continue
        last_line = block.start_line if block.kind == "list_item" else block.end_line
        for line in range(block.start_line, last_line + 1):
            begins = None if line in tasks else _BEGINNING.match(lines[line - 1])
            if begins is None:
                continue
            text = lines[line - 1][begins.end() : begins.end() + _LONGEST]
            if day := _at_beginning(text, years[number] if number >= 0 else 0):
                of_line[line] = DatedLine(line, day)
    yield from (of_line[line] for line in sorted(of_line))


def _of_heading(text: str, year: int) -> str:
    if _A_YEAR.fullmatch(text.strip()):
        return text.strip()
    if not _A_DIGIT.search(text) and not (year and _begins_with_a_name(text)):
        return ""
    named = next(periods.dates_named(text), None)
    if named is None:
        return _month_and_day(text, year)
    is_whole = named.starts and named.ends
    return _day(named.year or (year if is_whole else 0), named.month, named.day)


def _at_beginning(text: str, year: int) -> str:
    if not _A_DIGIT.search(text) or not (text[0].isdecimal() or _begins_with_a_name(text)):
        return ""
    named = next(periods.dates_named(text), None)
    if named is None or not named.starts:
        return _month_and_day(text, year)
    return _day(named.year or (year if named.day else 0), named.month, named.day)


def _begins_with_a_name(text: str) -> bool:
    """Whether a text begins with the name of a month or a weekday."""
    found = _FIRST_WORD.match(text)
    return found is not None and plain(found[0]) in _NAMES


def _month_and_day(text: str, year: int) -> str:
    found = _MONTH_AND_DAY.match(text)
    return _day(year, int(found[1]), int(found[2])) if found else ""


def _day(year: int, month: int, day: int) -> str:
    """Returns a date as text, a month if `day` is 0; `""` if there is no such day or the year is unknown."""
    try:
        found = date(year, month, day or 1).isoformat() if year else ""
    except ValueError:
        return ""
    return found if day else found[:7]

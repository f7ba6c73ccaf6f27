"""Reads the period that a question names, such as `last Tuesday` or `im März`.

One grammar serves five languages, since they put the same parts in nearly the same order. Doubtful words are no period:
words in quotation marks, a month that may be a verb, two periods in one question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Final, NamedTuple

from vaulttools.core import dates
from vaulttools.core.dates import SUNDAY
from vaulttools.notes import period_words as words
from vaulttools.notes.function_words import STOP_WORDS
from vaulttools.notes.period_words import plain

_QUOTED: Final = re.compile(r'["“„«][^"“”„«»]*["”“»]|`[^`]*`')
_TOKEN: Final = re.compile(
    r"(?P<iso>(?<![\w.-])\d{4}-(?:\d\d(?:-\d\d)?|W\d\d)(?![\w-]))"
    r"|(?P<dotted>(?<![\w.])\d{1,2}\.\d{1,2}\.\d{4}(?!\w))"
    r"|(?P<word>[^\W_]+)|(?P<sign>[^\s\w]|_)"
)
_NUMBER: Final = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|ers|e|de|ste|eme|re|o|a)?")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_YEAR_OF_MONTH: Final = re.compile(r"(?:1\d|20)\d\d")
"""A year after a month or a season, where the number cannot be anything else."""
_QUARTER: Final = re.compile(r"[qt]([1-4])")
_WEEK: Final = re.compile(r"kw(\d{1,2})")

_LAST_OF_DAYS: Final = (day[-1] for day in words.DAYS)
_TIMES: Final = frozenset((*words.MONTHS, *words.WEEKDAYS, *words.SEASONS, *words.UNITS, *_LAST_OF_DAYS))
"""A question without one of these, and without a digit, names no period."""
_FIRST_YEAR: Final = 1990
"""The first year that is a period without a month: questions about earlier years are about history."""
_LAST_YEARS: Final = 20
"""A year without a month may be at most this many years in the future."""
LONGEST: Final = 2_000
"""Upper bound of the characters of a question that are read: nobody names a time after them."""


@dataclass(frozen=True, slots=True)
class Period:
    """A range of days that a question names."""

    first: date
    last: date
    words: str
    """Its words as written."""
    span: tuple[int, int]
    """Start and end offsets of these words in the question, in characters."""
    is_all: bool
    """Whether the question asks about the period and nothing else: `what happened last week`."""

    @property
    def sentence(self) -> str:
        """A sentence that says how the words were understood."""
        return f'Read "{self.words}" as {dates.written(self.first, self.last)}.'

    @property
    def days(self) -> tuple[date, date]:
        """The first and the last day."""
        return self.first, self.last


def period(question: str, today: date, first_weekday: int = SUNDAY) -> Period | None:
    """Returns the period that a question names; None if it names no period, or two. A week begins on `first_weekday`,
    as `date.weekday` counts.

    >>> period("what happened last week?", date(2026, 11, 1), first_weekday=0).sentence
    'Read "last week" as 19 to 25 October 2026.'
    """
    found = limits(question, today, first_weekday)
    return found if found is None or (found.first > date.min and found.last < date.max) else None


def limits(question: str, today: date, first_weekday: int = SUNDAY) -> Period | None:
    """Returns the period that a question names, as `period` does, or one that is open at one end: `before March` begins
    at `date.min`, `after 2025` ends at `date.max`."""
    question = question[:LONGEST]
    asked = _QUOTED.sub(lambda found: " " * len(found[0]), question)
    every = [_word(found) for found in _TOKEN.finditer(asked)]
    if not any(word.text in _TIMES or word.text[-1].isdigit() or word.text[0].isdigit() for word in every):
        return None
    reader = _PeriodParser(every, today, first_weekday)
    try:
        found = list(reader.periods(question))
    except (ValueError, OverflowError):  # there is no such date
        return None
    return found[0] if len({each.days for each in found}) == 1 else None


class NamedDate(NamedTuple):
    """A date in a text; a part that is not named is 0."""

    year: int
    month: int
    day: int
    starts: bool
    """Whether the text begins with it."""
    ends: bool
    """Whether no word follows it."""


def dates_named(text: str) -> Iterator[NamedDate]:
    """Yields the days and months that a text, such as a heading, names; without those relative to today."""
    reader = _PeriodParser([_word(found) for found in _TOKEN.finditer(text)], date.min, SUNDAY)
    index = 0
    while index < len(reader.words):
        found = reader.named(index)
        if found is not None and found.year != date.min.year:
            ends = all(not word.text.isalnum() for word in reader.words[found.end :])
            yield NamedDate(found.year, found.month, found.day, index == 0, ends)
        index = index + 1 if found is None else found.end


class _Word(NamedTuple):
    text: str
    """The word in lower case without accents."""
    start: int
    end: int
    is_capital: bool


def _word(found: re.Match[str]) -> _Word:
    return _Word(plain(found[0]) if found["word"] else found[0], *found.span(), found[0][:1].isupper())


class _DayRange(NamedTuple):
    """Words read as days."""

    end: int
    """The index after the last word."""
    first: date
    last: date


class _Named(NamedTuple):
    """A date as named: a part that was not named is 0."""

    end: int
    year: int
    month: int
    day: int = 0
    weekday: int = -1


class _PeriodParser:
    """Reads the words of one question; a method takes the index of a word and reads the phrase that begins there."""

    def __init__(self, every: Sequence[_Word], today: date, first_weekday: int) -> None:
        self.words = every
        self._today = today
        self._first_weekday = first_weekday
        self._looks_ahead = any(word.text in words.AHEAD for word in every)

    def periods(self, question: str) -> Iterator[Period]:
        """Yields every period in the question, in order."""
        index = 0
        while index < len(self.words):
            found = self._longest(index)
            if found is None:
                index += 1
                continue
            start = self._back(index, words.ARTICLES)
            opening = self._opening(start)
            first, last = found.first, found.last
            word = self._text(opening) if opening < start else ""
            if word in words.SINCE:
                first, last = min(first, self._today), max(first, self._today)
            elif word in words.BEFORE:
                first, last = date.min, first - _DAY
            elif word in words.UNTIL:
                first = date.min
            elif word in words.AFTER:
                first, last = last + _DAY, date.max
            begin, end = self.words[opening].start, self.words[found.end - 1].end
            yield Period(first, last, question[begin:end], (begin, end), self._asks_for_all(index, found.end))
            index = found.end

    def _opening(self, start: int) -> int:
        """Returns the index of a word such as `since` or `before` that opens a period; `start` if there is none."""
        sides = words.SINCE | words.BESIDE
        if self._text(start - 1) in sides:
            return start - 1
        before = self._back(start, words.OF | {"zum"}) - 1
        return before if self._text(before) in sides else start

    def _longest(self, index: int) -> _DayRange | None:
        readings = (
            self._range(index),
            self._ago(index),
            self._week(index),
            self._step(index),
            self._weekday(index),
            self._day(index),
            self._season(index),
            self._quarter(index),
            self._part(index),
            self._date(index),
            self._year_alone(index),
            self._alone(index),
        )
        return max(filter(None, readings), key=lambda each: each.end, default=None)

    # The words themselves.

    def _text(self, index: int) -> str:
        return self.words[index].text if 0 <= index < len(self.words) else ""

    def _skip(self, index: int, some: frozenset[str] | set[str]) -> int:
        while self._text(index) in some:
            index += 1
        return index

    def _back(self, index: int, some: frozenset[str]) -> int:
        while index > 0 and self._text(index - 1) in some:
            index -= 1
        return index

    def _number(self, index: int, most: int = 31) -> int:
        found = _NUMBER.fullmatch(self._text(index))
        number = int(found[1]) if found else 0
        return number if number <= most else 0

    def _count(self, index: int) -> int:
        text = self._text(index)
        return int(text) if text.isdecimal() and len(text) <= 3 else words.COUNTS.get(text, 0)

    def _is_capital_or_last(self, index: int) -> bool:
        is_last = all(not word.text.isalnum() for word in self.words[index + 1 :])
        return is_last or self.words[index].is_capital

    def _asks_for_all(self, start: int, end: int) -> bool:
        """Whether the words around a period ask for nothing else."""
        around = [*self.words[:start], *self.words[end:]]
        return all(word.text in _ABOUT_ALL or not word.text.isalnum() for word in around)

    # What they mean.

    def _year(self, index: int) -> tuple[int, int]:
        """Returns a year, literal or `last year`, and the index after it; the year is 0 if there is none."""
        index = self._skip(index, words.OF | {",", "."})
        if _YEAR_OF_MONTH.fullmatch(self._text(index)):
            return int(self._text(index)), index + 1
        for step, unit in ((index, index + 1), (index + 1, index)):
            if self._text(step) in words.STEPS and words.UNITS.get(self._text(unit)) == "year":
                return self._today.year + words.STEPS[self._text(step)], index + 2
        return 0, index

    def named(self, index: int) -> _Named | None:
        """Returns a day of a month, or a month, with the parts that are named; None if there is none."""
        text = self._text(index)
        if "-" in text and "W" not in text and len(text) > 1:
            year, month, day = (*map(int, text.split("-")), 0)[:3]
            return _Named(index + 1, year, month, day)
        if text.count(".") == 2:
            day, month, year = map(int, text.split("."))
            return _Named(index + 1, year, month, day)
        if text in words.WEEKDAYS:
            index = self._skip(index + 1, words.ARTICLES | {","})
            named = self.named(index)
            return named._replace(weekday=words.WEEKDAYS[text]) if named is not None and named.day else None
        if day := self._number(index):
            at = self._skip(index + 1, words.OF | {"."})
            month = words.MONTHS.get(self._text(at), 0)
            if not month:
                return None
            year, end = self._year(at + 1)
            is_sure = year or self._text(at) not in ("may", "march") or self.words[at].is_capital
            return _Named(end if year else at + 1, year, month, day) if is_sure else None
        if month := words.MONTHS.get(text, 0):
            is_doubtful = text in words.DOUBTFUL_MONTHS and not self.words[index].is_capital
            year, end = self._year(index + 1)
            if year:
                return _Named(end, year, month)
            at = self._skip(index + 1, {".", "the"})
            if (day := self._number(at)) and not is_doubtful:
                year, end = self._year(at + 1)
                return _Named(end if year else at + 1, year, month, day)
            return _Named(index + 1, 0, month)
        return None

    def _days(self, named: _Named) -> _DayRange:
        """Returns the days of a date. Without a year these are the last that have begun; in a question about the
        future, the next that have not ended; with a weekday, the nearest that fall on it."""
        years = (named.year,) if named.year else range(self._today.year - 4, self._today.year + 5)
        found: list[_DayRange] = []
        for year in years:
            try:
                first = date(year, named.month, named.day or 1)
            except ValueError:
                if named.year:
                    raise
                continue  # 29 February
            found.append(_DayRange(named.end, first, first if named.day else dates.moved(first, 1, "m") - _DAY))
        if not found:
            raise ValueError("no year has such a day")  # 30 February
        if named.weekday >= 0 and not named.year:
            of_weekday = [each for each in found if each.first.weekday() == named.weekday]
            return min(of_weekday, key=lambda each: abs(each.first - self._today))
        if self._looks_ahead:
            return next((each for each in found if each.last >= self._today), found[-1])
        return next((each for each in reversed(found) if each.first <= self._today), found[0])

    def _named_or_in_numbers(self, index: int) -> _Named | None:
        """Read like `named`, and also `31/10/2026`, `3-10-2026` and `am 3.10.` if the month is certain."""
        signs = [word.text for word in self.words[index : index + 5]]
        if len(signs) < _WITH_MONTH or not self._is_one_piece(index, _WITH_MONTH) or signs[1] not in ("/", "-", "."):
            return self.named(index)
        day, month, end = self._number(index), self._number(index + 2), index + len(signs)
        has_year = len(signs) > _WITH_MONTH and self._is_one_piece(index, len(signs))
        if signs[1] == "." and signs[3] == "." and self._text(index - 1) in words.BEFORE_DAY:
            year = int(signs[4]) % 100 + 2000 if has_year and signs[4].isdecimal() else 0
            return _Named(end if year else index + _WITH_MONTH, year, month, day) if day and 0 < month <= 12 else None
        if not (day and month and has_year and signs[1] == signs[3] and _YEAR.fullmatch(signs[4])):
            return self.named(index)
        if month > 12:
            day, month = month, day
        is_sure = day > 12 or day == month or signs[1] == "-"
        return _Named(end, int(signs[4]), month, day) if is_sure else None

    def _is_one_piece(self, index: int, count: int) -> bool:
        """Whether `count` words have no blanks between them."""
        return all(one.end == two.start for one, two in pairwise(self.words[index : index + count]))

    def _date(self, index: int) -> _DayRange | None:
        named = self._named_or_in_numbers(index)
        if named is None:
            return None
        if not (named.day or named.year):
            text = self._text(index)
            before = self._text(index - 1)
            if before not in words.IN | words.SINCE | words.BESIDE:
                return None
            if text in words.DOUBTFUL_MONTHS and not self._is_capital_or_last(index):
                return None
        return self._days(named)

    def _range(self, index: int) -> _DayRange | None:
        """`3 to 9 August`, `between March and May 2025`, `August 3-9`."""
        opening = self._text(self._back(index, words.ARTICLES) - 1)
        start = self._named_or_in_numbers(index)
        if start is None and (day := self._number(index)):
            start = _Named(self._skip(index + 1, {"."}), 0, 0, day)
        if start is None and _YEAR.fullmatch(self._text(index)) and opening in words.FROM | words.BETWEEN:
            start = _Named(index + 1, int(self._text(index)), 0)
        joints = words.TO | words.AND if opening in words.BETWEEN else words.TO
        if start is None or self._text(start.end) not in joints:
            return None
        at = self._skip(start.end + 1, words.ARTICLES | {"zum", "met", "en"})
        end = self._named_or_in_numbers(at)
        if end is None and start.day and start.month and (day := self._number(at)):
            year, behind = self._year(at + 1)
            end = _Named(behind if year else at + 1, year or start.year, start.month, day)
        if end is None and start.year and not start.month and _YEAR.fullmatch(self._text(at)):
            return _DayRange(at + 1, date(start.year, 1, 1), date(int(self._text(at)), 12, 31))
        if end is None or not (start.month or (end.day and end.month)) or bool(start.day) != bool(end.day):
            return None
        last = self._days(end)
        first = self._days(start._replace(year=start.year or last.first.year, month=start.month or end.month))
        if first.first > last.last and not start.year:
            first = self._days(start._replace(year=last.first.year - 1, month=start.month or end.month))
        return _DayRange(end.end, first.first, last.last) if first.first <= last.last else None

    def _ago(self, index: int) -> _DayRange | None:
        """`two weeks ago`, `vor drei Tagen`, `il y a un mois`, `hace dos años`, `twee weken geleden`."""
        at = index
        for opening in (("vor",), ("il", "y", "a"), ("hace",)):
            if tuple(self._text(index + number) for number in range(len(opening))) == opening:
                at = index + len(opening)
        count, unit = self._count(at), words.UNITS.get(self._text(at + 1), "")
        if not count or unit not in ("day", "week", "month", "year"):
            return None
        end = at + 2
        if at == index:
            if self._text(end) not in ("ago", "geleden"):
                return None
            end += 1
        return self._whole(end, unit, dates.moved(self._today, -count, unit[0]))

    def _whole(self, end: int, unit: str, day: date) -> _DayRange:
        """Returns the week, its weekend, the month, the quarter or the year that holds a day; for `day`, the day."""
        if unit == "day":
            return _DayRange(end, day, day)
        if unit in ("week", "weekend"):
            first = dates.start_of_span("week", day, self._first_weekday if unit == "week" else 0)
            return _DayRange(end, first + (5 * _DAY if unit == "weekend" else 0 * _DAY), first + 6 * _DAY)
        if unit == "quarter":
            first = date(day.year, (day.month - 1) // 3 * 3 + 1, 1)
            return _DayRange(end, first, dates.moved(first, 3, "m") - _DAY)
        first = dates.start_of_span(unit, day, self._first_weekday)
        return _DayRange(end, first, dates.moved(first, 1, unit[0]) - _DAY)

    def _step(self, index: int) -> _DayRange | None:
        """`last week`, `la semaine dernière`, `this year`, `the last 3 months`, `los últimos tres meses`."""
        one, two, three = (self._text(index + number) for number in range(3))
        steps = words.STEPS
        for step, count, unit in ((one, index + 1, three), (two, index, three)):
            number = self._count(count)
            if step == two and step in words.ONLY_BEFORE:
                continue  # `rated 5 last year`
            if step in steps and number and steps[step] in (-1, 1) and unit in words.UNITS:
                reach = steps[step] * number
                kind = words.UNITS[unit]
                days = [self._today, dates.moved(self._today, 3 * reach if kind == "quarter" else reach, _LETTER[kind])]
                return _DayRange(index + 3, min(days), max(days))
        for step, unit in ((one, two), (two, one)):
            kind = words.UNITS.get(unit, "")
            if step not in steps or kind in ("", "day") or (step == two and step in words.ONLY_BEFORE):
                continue
            number = steps[step]
            if step == "past":  # the days up to today, not a week of the calendar
                return _DayRange(index + 2, dates.moved(self._today, -1, _LETTER[kind]), self._today)
            day = dates.start_of_span("month", self._today) if kind in ("month", "quarter") else self._today
            return self._whole(
                index + 2, kind, dates.moved(day, number * (3 if kind == "quarter" else 1), _LETTER[kind])
            )
        return None

    def _weekday(self, index: int) -> _DayRange | None:
        """`last Tuesday`, `el martes pasado`, `Tuesday last week`."""
        one, two = self._text(index), self._text(index + 1)
        if one in words.WEEKDAYS:
            at = self._skip(index + 1, words.OF)
            week = self._step(at)
            if week is not None and (week.last - week.first).days == 6:
                return _DayRange(week.end, *[week.first + (words.WEEKDAYS[one] - self._first_weekday) % 7 * _DAY] * 2)
        for step, name in ((one, two), (two, one)):
            if step in words.STEPS and name in words.WEEKDAYS and not (step == two and step in words.ONLY_BEFORE):
                number = words.WEEKDAYS[name]
                if words.STEPS[step] == 0:
                    start = dates.start_of_span("week", self._today, self._first_weekday)
                    day = start + (number - self._first_weekday) % 7 * _DAY
                elif words.STEPS[step] > 0:
                    day = self._today + ((number - self._today.weekday() - 1) % 7 + 1) * _DAY
                else:
                    day = self._latest(number)
                return _DayRange(index + 2, day, day)
        return None

    def _latest(self, weekday: int) -> date:
        """Returns the last day before today with a weekday."""
        return self._today - ((self._today.weekday() - weekday - 1) % 7 + 1) * _DAY

    def _day(self, index: int) -> _DayRange | None:
        """`yesterday`, `avant-hier`, `the day after tomorrow`."""
        for number in (3, 2, 1):
            at = index
            read: list[str] = []
            while len(read) < number and at < len(self.words):
                if self.words[at].text not in ("-", "'", "’"):
                    read.append(self.words[at].text)
                at += 1
            if tuple(read) in words.DAYS and not self._is_another_day(index, at, read[-1]):
                day = self._today + words.DAYS[tuple(read)] * _DAY
                return _DayRange(at, day, day)
        return None

    def _is_another_day(self, index: int, end: int, text: str) -> bool:
        """Whether a word of `DAYS` means something else: `today's date`, `hier` in German, a morning."""
        if text == "hier" and end == index + 1:  # German for here
            return not {each.text for each in self.words} & words.FRENCH
        if text in words.NOWADAYS and not self._looks_ahead and not self._asks_for_all(index, end):
            return True
        if text in ("morgen", "manana") and self._text(index - 1) in words.BEFORE_MORNING:
            return True
        return self._text(end) in ("'", "’") and self._text(end + 1) == "s"

    def _season(self, index: int) -> _DayRange | None:
        """`spring 2025`, `last winter`, `l'été dernier`. A winter belongs to the year in which it begins."""
        one, two = self._text(index), self._text(index + 1)
        if one in words.SEASONS:
            year, end = self._year(index + 1)
            if year:
                return self._season_of(end, words.SEASONS[one], year)
        for step, name in ((one, two), (two, one)):
            if step not in words.STEPS or name not in words.SEASONS or (step == two and step in words.ONLY_BEFORE):
                continue
            number = words.STEPS[step]
            every = [self._season_of(index + 2, words.SEASONS[name], self._today.year + each) for each in range(-2, 3)]
            if number < 0:
                return [each for each in every if each.last < self._today][-1]
            if number > 0:
                return next(each for each in every if each.first > self._today)
            return next(each for each in every if each.last >= self._today or each.first.year == self._today.year)
        return None

    @staticmethod
    def _season_of(end: int, season: int, year: int) -> _DayRange:
        first = date(year, 3 + 3 * season, 1)
        return _DayRange(end, first, dates.moved(first, 3, "m") - _DAY)

    def _quarter(self, index: int) -> _DayRange | None:
        """`Q3 2025`, `the third quarter of 2025`; without a year only after `in`."""
        text = self._text(index)
        found = _QUARTER.fullmatch(text)
        number, at = (int(found[1]), index + 1) if found else (0, index)
        if not number:
            number = words.ORDINALS.get(text, 0) or self._number(index, 4)
            at = self._skip(index + 1, {"."})
            if not number or words.UNITS.get(self._text(at)) != "quarter":
                return None
            at += 1
        year, end = self._year(at)
        if not year:
            if self._text(self._back(index, words.ARTICLES) - 1) not in words.IN or text[0] == "t":
                return None
            end = at
            year = self._today.year - (date(self._today.year, 3 * number - 2, 1) > self._today)
        return self._whole(end, "quarter", date(year, 3 * number - 2, 1))

    def _part(self, index: int) -> _DayRange | None:
        """`late September` (ten days), `Anfang 2025` (four months), `the second half of May`, `last week of May` (seven
        days)."""
        if words.UNITS.get(self._text(index + 1)) == "week":
            return self._week_of_month(index)
        number, count, at = self._which_part(index)
        if not count:
            return None
        named = self.named(at)
        if named is not None and named.month and not named.day:
            if self._text(at) in words.DOUBTFUL_MONTHS and not self._is_capital_or_last(at):
                return None
            whole = self._days(named)
            days = (whole.last - whole.first).days + 1
            first, behind = (whole.first + days * each // count * _DAY for each in (number, number + 1))
            return _DayRange(whole.end, first, behind - _DAY)
        if _YEAR.fullmatch(self._text(at)):
            new_year = date(int(self._text(at)), 1, 1)
            first, behind = (dates.moved(new_year, 12 // count * each, "m") for each in (number, number + 1))
            return _DayRange(at + 1, first, behind - _DAY)
        return None

    def _week_of_month(self, index: int) -> _DayRange | None:
        text = self._text(index)
        number = words.ORDINALS.get(text, 0)
        at = self._skip(index + 2, words.OF | {"in", "im", "'", "’"})
        named = self.named(at)
        if not (number or text in words.LAST) or named is None or named.day or at == index + 2:
            return None
        whole = self._days(named)
        first = whole.first + 7 * (number - 1) * _DAY if number else whole.last - 6 * _DAY
        return _DayRange(whole.end, first, first + 6 * _DAY)

    def _which_part(self, index: int) -> tuple[int, int, int]:
        """Returns the number of a part, from 0, the number of parts (0 if there is none), and the index of the
        whole."""
        text = self._text(index)
        at = self._skip(index + 1, words.OF | {"-", "'", "’"})
        if text in words.PARTS and (text not in words.PARTS_OF or self._text(index + 1) in words.OF - words.ARTICLES):
            return words.PARTS[text], _THIRDS, at
        if text == "half" and self._text(index + 1) in words.MONTHS:  # Dutch
            return 1, _THIRDS, index + 1
        order = words.ORDINALS.get(text, 0) or self._number(index, 2)
        half = self._skip(index + 1, {"."})
        if order in (1, 2) and self._text(half) in words.HALVES:
            return order - 1, 2, self._skip(half + 1, words.OF | {"'", "’"})
        return 0, 0, index

    def _week(self, index: int) -> _DayRange | None:
        """`the week of 3 August`, `KW 32`, `week 32 of 2026`, `2026-W32`. A week named by a Monday begins on it
        whatever the locale; week numbers are ISO weeks."""
        text = self._text(index)
        if "-W" in text:
            year, number = map(int, text.split("-W"))
            return self._whole_week(index + 1, date.fromisocalendar(year, number, 1))
        found = _WEEK.fullmatch(text)
        if not (found or text == "kw" or words.UNITS.get(text) in ("week", "weekend")):
            return None
        at = self._skip(index + 1, words.OF | words.BEGINNING)
        named = self._named_or_in_numbers(at)
        if named is not None and named.day and not found:
            day = self._days(named)
            if words.UNITS.get(text) == "weekend":
                return self._whole(named.end, "weekend", day.first)
            return self._whole_week(named.end, day.first)
        number = int(found[1]) if found else self._number(index + 1, 53)
        at = index + 1 if found else index + 2
        if not number or words.UNITS.get(text) == "weekend":
            return None
        year, end = self._year(self._skip(at, {"/", "-"}))
        if not year:
            before = self._text(self._back(index, words.ARTICLES) - 1)
            is_in = before in ("in", "en") and self._text(at) not in words.OF
            if not (found or text == "kw" or is_in):
                return None
            end, year = at, self._today.year
            year -= date.fromisocalendar(year, min(number, 52), 1) > self._today
        return self._whole_week(end, date.fromisocalendar(year, number, 1))

    def _whole_week(self, end: int, day: date) -> _DayRange:
        if day.weekday() == 0:
            return _DayRange(end, day, day + 6 * _DAY)
        return self._whole(end, "week", day)

    def _year_alone(self, index: int) -> _DayRange | None:
        """`in 2025`, `im Jahr 2025`; but not `the 2021 edition`."""
        if not _YEAR.fullmatch(self._text(index)) or self._text(index + 1) in words.EDITIONS:
            return None
        year = int(self._text(index))
        before = self._text(index - 1)
        if words.UNITS.get(before) == "year":
            before = self._text(self._back(index - 1, words.ARTICLES) - 1)
        if before not in words.IN | words.SINCE | words.BESIDE:
            return None
        if not _FIRST_YEAR <= year <= self._today.year + _LAST_YEARS:
            return None
        return _DayRange(index + 1, date(year, 1, 1), date(year, 12, 31))

    def _alone(self, index: int) -> _DayRange | None:
        """`what happened on Tuesday`, `what did I do in the summer`: the last one, if the question asks for no more."""
        text = self._text(index)
        if not index or not (text in words.WEEKDAYS or text in words.SEASONS):
            return None
        if not self._asks_for_all(index, index + 1):
            return None
        if text in words.WEEKDAYS:
            return _DayRange(index + 1, *[self._latest(words.WEEKDAYS[text])] * 2)
        every = [self._season_of(index + 1, words.SEASONS[text], self._today.year + each) for each in (-1, 0)]
        return [each for each in every if each.first <= self._today][-1]


_ABOUT_ALL: Final = words.ABOUT_ALL | {
    plain(word) for name in ("en", "de", "fr", "es", "nl") for word in STOP_WORDS[name]
}
_THIRDS: Final = 3
_WITH_MONTH: Final = 4
"""Number of tokens of `3.10.`, and of `3-10-` before the year."""
_DAY: Final = timedelta(days=1)
_LETTER: Final = {"day": "d", "week": "w", "weekend": "w", "month": "m", "quarter": "m", "year": "y"}
"""The letter of a unit for `dates.moved`."""

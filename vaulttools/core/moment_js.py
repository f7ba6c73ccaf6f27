"""Formats dates and durations like moment.js: format tokens, relative times, weeks by locale.

Obsidian uses moment.js for every date format of a vault, so daily notes and Bases have its tokens. Names of months and
days are English.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Final, NamedTuple, TypeVar

D = TypeVar("D", bound=date)

MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
"""English names."""
_DAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")

_TOKENS: Final = re.compile(
    r"\[[^\[]*\]|\\?(?:[Hh]mm(?:ss)?|Mo|MM?M?M?|Do|DDDo|DD?D?D?|ddd?d?|do?|w[o|w]?|W[o|W]?|Qo?|N{1,5}"
    r"|YYYYYY|YYYYY|YYYY|YY|y{2,4}|yo?|gg(?:ggg?)?|GG(?:GGG?)?|e|E|a|A|hh?|HH?|kk?|mm?|ss?|S{1,9}|x|X|zz?|ZZ?"
    r"|LTS|LT|LL?L?L?|l{1,4}|.)"
)
"""Tokens of moment 2.30 (`formattingTokens`); text in square brackets is literal, line ends are dropped."""

_LONG: Final = re.compile(r"\[[^\[]*\]|\\?(?:LTS|LT|LL?L?L?|l{1,4})")

_LONG_FORMATS: Final = {
    "LTS": "h:mm:ss A",
    "LT": "h:mm A",
    "L": "MM/DD/YYYY",
    "LL": "MMMM D, YYYY",
    "LLL": "MMMM D, YYYY h:mm A",
    "LLLL": "dddd, MMMM D, YYYY h:mm A",
    "l": "M/D/YYYY",
    "ll": "MMM D, YYYY",
    "lll": "MMM D, YYYY h:mm A",
    "llll": "ddd, MMM D, YYYY h:mm A",
}


class Weeks(NamedTuple):
    """How a locale counts weeks: moment's `dow` and `doy`."""

    first_day: int = 0
    """From 0, which is Sunday."""
    january: int = 6
    """The first week of the year contains day `7 + first_day - january` of January."""


ENGLISH_WEEKS: Final = Weeks()
ISO_WEEKS: Final = Weeks(1, 4)

_LOCALES: Final[Mapping[str, Weeks]] = {
    name: weeks
    for weeks, names in (
        (
            ISO_WEEKS,
            "af ar-ma ar-tn bm br ca cs cy da de-at de-ch de el en-gb en-ie en-nz en-sg es-do es et fi fil fo fr-ch fr "
            "fy ga gd gl hu is it-ch it km ku-kmr lb lt lv mi mt my nb nl-be nl nn no oc-lnc pl pt ru sd se sk sq ss "
            "sv tet tl-ph tlh tzl uk ur vi x-pseudo yo zh zh-cn",
        ),
        (
            Weeks(1, 7),
            "az be bg bs cv eo eu hr hy-am jv ka kk ky me mk ms-my ms ro sl sr-cyrl sr sw tg tk tr ug-cn uz-latn uz",
        ),
        (Weeks(6, 12), "ar-ly ar fa ku ps tzm-latn tzm"),
        (Weeks(0, 4), "ar-dz en-au es-mx"),
        (Weeks(0, 12), "ar-kw"),
        (Weeks(7, 12), "dv"),
        (Weeks(0, 3), "gom-deva gom-latn"),
        (ENGLISH_WEEKS, "ar-ps ar-sa es-us fr-ca pt-br zh-hk zh-mo zh-tw"),
    )
    for name in names.split()
}
"""The locales of moment 2.30 with other weeks than English, and those whose language alone would mislead.

Obsidian uses `zh` for `zh-cn`, and `no` for `nb`."""


def weeks_of(locale: str) -> Weeks:
    """Returns the weeks of a locale such as `de` or `en-GB`; those of `en` for an unknown one."""
    name = locale.lower().replace("_", "-").partition(".")[0]
    return _LOCALES.get(name) or _LOCALES.get(name.partition("-")[0], ENGLISH_WEEKS)


def formatted(moment: datetime, tokens: str, weeks: Weeks = ENGLISH_WEEKS) -> str:
    """Formats a date and time in a moment.js format: `YYYY-MM-DD` gives `2026-06-10`.

    `moment` is a local time; `Z` and `x` use its zone, or the system's.
    """
    tokens = _expanded(tokens)

    def printed(found: re.Match[str]) -> str:
        token = found[0]
        if token in _PRINTED:
            return _PRINTED[token](moment)
        if token in _IN_WEEKS:
            return _IN_WEEKS[token](moment, weeks)
        if token[0] == "S":
            digits = f"{moment.microsecond // 1000:03}"
            return digits[: len(token)].ljust(len(token), "0")
        if token[0] == "[":
            return token[1:-1] if token[-1] == "]" else token
        return token.replace("\\", "")

    return "".join(map(printed, _TOKENS.finditer(tokens)))


def _expanded(tokens: str) -> str:
    """Returns a format with its long formats expanded."""
    for _ in range(5):  # a long format may contain another
        expanded = _LONG.sub(lambda found: _LONG_FORMATS.get(found[0], found[0]), tokens)
        if expanded == tokens:
            break
        tokens = expanded
    return tokens


def read(text: str, tokens: str, weeks: Weeks = ENGLISH_WEEKS) -> date | None:
    """Returns the day that `formatted` prints as this text; None if the text does not fit, or gives no day.

    >>> read("2026/08/Monday 3rd", "YYYY/MM/dddd Do")
    datetime.date(2026, 8, 3)
    """
    parts: dict[str, int] = {}
    place = 0
    for token in _TOKENS.findall(_expanded(tokens)):
        rest = text[place:]
        if names := _NAMES.get(token):
            name = next(filter(rest.startswith, sorted(names, key=len, reverse=True)), "")
            if not name:
                return None
            if token[0] == "M":
                parts["M"] = names.index(name) + 1
            place += len(name)
        elif token in _PRINTED or token in _IN_WEEKS:
            found = _DIGITS[_WIDTHS.get(token, 2)].match(rest)
            if found is None:
                return None
            parts[token.rstrip("o")[:1] if len(token.rstrip("o")) < 3 else token] = int(found[1])
            place += found.end()
        else:
            literal = token[1:-1] if token[0] == "[" else token.replace("\\", "")
            if not rest.startswith(literal):
                return None
            place += len(literal)
    day = _day_of(parts)
    is_so = day is not None and formatted(datetime.combine(day, time()), tokens, weeks) == text
    return day if is_so else None


_NAMES: Final[Mapping[str, Sequence[str]]] = {
    "MMMM": MONTHS,
    "MMM": [name[:3] for name in MONTHS],
    "dddd": _DAYS,
    "ddd": [name[:3] for name in _DAYS],
    "dd": [name[:2] for name in _DAYS],
}
_WIDTHS: Final = {
    **dict.fromkeys(("Y", "YYYY", "y", "yyy", "yyyy", "gggg", "GGGG"), 4),
    **dict.fromkeys(("DDD", "DDDo", "DDDD"), 3),
}
"""Most digits of a token, if not two."""
_DIGITS: Final = {width: re.compile(rf"(\d{{1,{width}}})(?:st|nd|rd|th)?") for width in (2, 3, 4)}


def _day_of(parts: Mapping[str, int]) -> date | None:
    """Returns the day from numbers by token."""
    year = next((parts[token] for token in ("YYYY", "yyyy", "yyy") if token in parts), parts.get("Y", parts.get("y")))
    try:
        if year is not None and ("DDD" in parts or "DDDD" in parts):
            return date(year, 1, 1) + timedelta(parts.get("DDDD", parts.get("DDD", 1)) - 1)
        return date(2000 + year if year < 100 else year, parts["M"], parts["D"]) if year is not None else None
    except (KeyError, ValueError, OverflowError):
        return None


def week_of(day: date, weeks: Weeks) -> tuple[int, int]:
    """Returns the year that a day's week belongs to, and the number of the week in it, from 1."""
    number = (_day_of_year(day) - (_weekday(day) - weeks.first_day) % 7 + 6 - _offset(day.year, weeks)) // 7
    if number < 1:
        return day.year - 1, number + _weeks_in(day.year - 1, weeks)
    length = _weeks_in(day.year, weeks)
    return (day.year + 1, number - length) if number > length else (day.year, number)


def _offset(year: int, weeks: Weeks) -> int:
    """Returns the day of the year, from 0, on which the first week begins."""
    inside = 7 + weeks.first_day - weeks.january
    local = (7 + (date(max(year, 1), 1, 1) + timedelta(inside - 1)).isoweekday() - weeks.first_day) % 7
    return -local + inside - 1


def _weeks_in(year: int, weeks: Weeks) -> int:
    if not 1 <= year < 9999:
        return 52
    days = _day_of_year(date(year, 12, 31))
    return (days - _offset(year, weeks) + _offset(year + 1, weeks)) // 7


def _weekday(day: date) -> int:
    """Returns the weekday from 0, which is Sunday."""
    return day.isoweekday() % 7


def _ordinal(number: int) -> str:
    if number % 100 // 10 == 1:
        return f"{number}th"
    return f"{number}{({1: 'st', 2: 'nd', 3: 'rd'}).get(number % 10, 'th')}"


def _zone(moment: datetime, between: str) -> str:
    aware = moment if moment.tzinfo else moment.astimezone()
    minutes = round((aware.utcoffset() or timedelta()).total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}{between}{abs(minutes) % 60:02}"


def _twelve(moment: datetime) -> int:
    return moment.hour % 12 or 12


def _day_of_year(moment: date) -> int:
    return moment.timetuple().tm_yday


_PRINTED: Final[Mapping[str, Callable[[datetime], str]]] = {
    "M": lambda at: str(at.month),
    "Mo": lambda at: _ordinal(at.month),
    "MM": lambda at: f"{at.month:02}",
    "MMM": lambda at: MONTHS[at.month - 1][:3],
    "MMMM": lambda at: MONTHS[at.month - 1],
    "D": lambda at: str(at.day),
    "Do": lambda at: _ordinal(at.day),
    "DD": lambda at: f"{at.day:02}",
    "DDD": lambda at: str(_day_of_year(at)),
    "DDDo": lambda at: _ordinal(_day_of_year(at)),
    "DDDD": lambda at: f"{_day_of_year(at):03}",
    "d": lambda at: str(_weekday(at)),
    "do": lambda at: _ordinal(_weekday(at)),
    "dd": lambda at: _DAYS[_weekday(at)][:2],
    "ddd": lambda at: _DAYS[_weekday(at)][:3],
    "dddd": lambda at: _DAYS[_weekday(at)],
    "E": lambda at: str(at.isoweekday()),
    "Q": lambda at: str((at.month + 2) // 3),
    "Qo": lambda at: _ordinal((at.month + 2) // 3),
    "Y": lambda at: f"{at.year:04}",
    "YY": lambda at: f"{at.year % 100:02}",
    "YYYY": lambda at: f"{at.year:04}",
    "YYYYY": lambda at: f"{at.year:05}",
    "YYYYYY": lambda at: f"+{at.year:06}",
    "y": lambda at: str(at.year),
    "yy": lambda at: f"{at.year:02}",
    "yyy": lambda at: f"{at.year:03}",
    "yyyy": lambda at: f"{at.year:04}",
    "yo": lambda at: _ordinal(at.year),
    **dict.fromkeys(("N", "NN", "NNN", "NNNNN"), lambda at: "AD"),
    "NNNN": lambda at: "Anno Domini",
    "H": lambda at: str(at.hour),
    "HH": lambda at: f"{at.hour:02}",
    "h": lambda at: str(_twelve(at)),
    "hh": lambda at: f"{_twelve(at):02}",
    "k": lambda at: str(at.hour or 24),
    "kk": lambda at: f"{at.hour or 24:02}",
    "hmm": lambda at: f"{_twelve(at)}{at.minute:02}",
    "hmmss": lambda at: f"{_twelve(at)}{at.minute:02}{at.second:02}",
    "Hmm": lambda at: f"{at.hour}{at.minute:02}",
    "Hmmss": lambda at: f"{at.hour}{at.minute:02}{at.second:02}",
    "m": lambda at: str(at.minute),
    "mm": lambda at: f"{at.minute:02}",
    "s": lambda at: str(at.second),
    "ss": lambda at: f"{at.second:02}",
    "a": lambda at: "am" if at.hour < 12 else "pm",
    "A": lambda at: "AM" if at.hour < 12 else "PM",
    "x": lambda at: str(_round(at.timestamp() * 1000)),
    "X": lambda at: str(_round(at.timestamp() * 1000) // 1000),
    "Z": lambda at: _zone(at, ":"),
    "ZZ": lambda at: _zone(at, ""),
    **dict.fromkeys(("z", "zz"), lambda at: ""),  # moment has names of zones only with its extension
}

_IN_WEEKS: Final[Mapping[str, Callable[[datetime, Weeks], str]]] = {
    "w": lambda at, weeks: str(week_of(at, weeks)[1]),
    "wo": lambda at, weeks: _ordinal(week_of(at, weeks)[1]),
    "ww": lambda at, weeks: f"{week_of(at, weeks)[1]:02}",
    "W": lambda at, _: str(week_of(at, ISO_WEEKS)[1]),
    "Wo": lambda at, _: _ordinal(week_of(at, ISO_WEEKS)[1]),
    "WW": lambda at, _: f"{week_of(at, ISO_WEEKS)[1]:02}",
    "gg": lambda at, weeks: f"{week_of(at, weeks)[0] % 100:02}",
    "gggg": lambda at, weeks: f"{week_of(at, weeks)[0]:04}",
    "ggggg": lambda at, weeks: f"{week_of(at, weeks)[0]:05}",
    "GG": lambda at, _: f"{week_of(at, ISO_WEEKS)[0] % 100:02}",
    "GGGG": lambda at, _: f"{week_of(at, ISO_WEEKS)[0]:04}",
    "GGGGG": lambda at, _: f"{week_of(at, ISO_WEEKS)[0]:05}",
    "e": lambda at, weeks: str((_weekday(at) - weeks.first_day) % 7),
}


def humanized(months: float, days: float, milliseconds: float) -> str:
    """Returns a duration in words, without its sign: `a day`, `14 days`, `3 months`. The parts are moment's."""
    months, days, milliseconds = abs(months), abs(days), abs(milliseconds)
    in_days = days + _round(months * 146097 / 4800) + milliseconds / 86_400_000
    seconds, minutes, hours = _round(in_days * 86_400), _round(in_days * 1_440), _round(in_days * 24)
    in_months = months + (days + milliseconds / 86_400_000) * 4800 / 146097
    whole_days, whole_months, years = _round(in_days), _round(in_months), _round(in_months / 12)
    steps = (  # moment's thresholds
        (seconds <= 44, "a few seconds"),
        (minutes <= 1, "a minute"),
        (minutes < 45, f"{minutes} minutes"),
        (hours <= 1, "an hour"),
        (hours < 22, f"{hours} hours"),
        (whole_days <= 1, "a day"),
        (whole_days < 26, f"{whole_days} days"),
        (whole_months <= 1, "a month"),
        (whole_months < 11, f"{whole_months} months"),
        (years <= 1, "a year"),
    )
    return next((words for holds, words in steps if holds), f"{years} years")


def relative(moment: datetime, now: datetime) -> str:
    """Returns the time relative to `now`: `3 days ago`, `in 2 hours`. Both have a zone, or neither."""
    months, milliseconds = _difference(now, moment)
    words = humanized(months, 0, milliseconds)
    ahead = months * 146097 / 4800 * 86_400_000 + milliseconds
    return f"in {words}" if ahead > 0 else f"{words} ago"


def _difference(start: datetime, end: datetime) -> tuple[int, float]:
    """Returns whole months and remaining milliseconds between two times; both negative if `end` is earlier."""
    if end < start:
        months, milliseconds = _difference(end, start)
        return -months, -milliseconds
    months = (end.year - start.year) * 12 + end.month - start.month
    if plus_months(start, months) > end:
        months -= 1
    beyond = end - plus_months(start, months)
    return months, beyond / timedelta(milliseconds=1)


def plus_months(moment: D, months: int) -> D:
    """Returns the same day and time some months later, or the last day of a month without such a day.

    Raises:
        ValueError: the year is not between 1 and 9999.
    """
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise ValueError("year out of range")
    return moment.replace(year=year, month=month + 1, day=min(moment.day, monthrange(year, month + 1)[1]))


def _round(number: float) -> int:
    """Rounds like JavaScript: halves upward."""
    return math.floor(number + 0.5)

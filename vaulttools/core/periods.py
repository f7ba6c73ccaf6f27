"""Reads the period that a question names: `last Tuesday`, `im März`.

English, German, French, Spanish and Dutch are read alike, and no language is detected: the words of the five hardly
meet. Where they do (`may`, `march`, `mars`, `hier`, `morgen`), a word counts only beside another one that decides it.
A period orders notes and never removes one, so that a question read wrongly still finds what its words find.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property
from typing import Final, NamedTuple

from vaulttools.core.dates import SUNDAY
from vaulttools.core.moment import plus_months

_LONGEST: Final = 1_000
"""Characters of a question that are read: people ask for a time in its first sentences."""


class Period(NamedTuple):
    """The days that a question asks about."""

    first: date
    last: date
    words: str
    """The words that name them, as written."""
    is_whole: bool
    """Whether the question asks for nothing else, as `what happened last week` does."""

    def sentence(self) -> str:
        """How the period was understood: `Read "the week of 3 August 2026" as 3 to 9 August 2026.`"""
        return f'Read "{self.words}" as {spelled(self.first, self.last)}.'


def period(question: str, today: date, first_weekday: int = SUNDAY) -> Period | None:
    """The first period that a question names outside quotation marks; None where it names none.

    >>> period("what did we do in the week of 3 August 2026?", date(2026, 11, 1)).sentence()
    'Read "the week of 3 August 2026" as 3 to 9 August 2026.'

    Args:
        question: What was asked; of a long one the first 1,000 characters are read.
        today: The day from which `last week` is reckoned.
        first_weekday: The day on which weeks begin, as `date.weekday` counts.
    """
    text = _QUOTED.sub(lambda found: " " * len(found[0]), question[:_LONGEST])
    if _DATE_YEAR.search(text) is None and _OF_TIME.isdisjoint(_WORD.findall(text.casefold())):
        return None
    reading = _Reading(text, today, first_weekday, is_ahead=_AHEAD.search(text) is not None)
    for start in _starts(text):
        try:
            found = max(reading.found_at(start), key=lambda each: each.end, default=None)
        except (ValueError, OverflowError):  # 31 June, or a year beyond 9999
            continue
        if found is not None:
            words = " ".join(text[start : found.end].split())
            rest = _WORD.findall(text[:start] + " " + text[found.end :])
            is_whole = all(word.casefold() in _ABOUT_ANYTHING for word in rest)
            return Period(found.first, found.last, words, is_whole)
    return None


def spelled(first: date, last: date) -> str:
    """A span of days in words: `3 to 9 August 2026`, `30 March to 5 April 2026`, `2025`, `March 2025`."""
    whole_months = first.day == 1 and (last + timedelta(days=1)).day == 1 if last < date.max else first.day == 1
    if first == last:
        return _day(first)
    if whole_months and first.year == last.year:
        if (first.month, last.month) == (1, 12):
            return str(first.year)
        end = f"{_MONTHS[last.month - 1]} {last.year}"
        return end if first.month == last.month else f"{_MONTHS[first.month - 1]} to {end}"
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day} to {_day(last)}"
    if first.year == last.year:
        return f"{first.day} {_MONTHS[first.month - 1]} to {_day(last)}"
    return f"{_day(first)} to {_day(last)}"


def _day(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)

_MONTH_NAMES: Final = (
    "january januar jänner janvier enero januari",
    "february februar feber février fevrier febrero februari",
    "march märz maerz mars marzo maart",
    "april avril abril",
    "may mai mayo mei",
    "june juni juin junio",
    "july juli juillet julio",
    "august août aout agosto augustus",
    "september septembre septiembre setiembre",
    "october oktober octobre octubre",
    "november novembre noviembre",
    "december dezember décembre decembre diciembre",
)
_SHORT_MONTHS: Final = (
    "jan",
    "feb",
    "mar mär",
    "apr",
    "",
    "jun",
    "jul",
    "aug",
    "sep sept",
    "oct okt",
    "nov",
    "dec dez",
)
"""Short names count beside a day or a year only."""
_WEEKDAY_NAMES: Final = (
    "monday montag lundi lunes maandag",
    "tuesday dienstag mardi martes dinsdag",
    "wednesday mittwoch mercredi miércoles miercoles woensdag",
    "thursday donnerstag jeudi jueves donderdag",
    "friday freitag vendredi viernes vrijdag",
    "saturday samstag sonnabend samedi sábado sabado zaterdag",
    "sunday sonntag dimanche domingo zondag",
)
_SEASON_NAMES: Final = (
    "spring frühling frühjahr printemps primavera lente voorjaar",
    "summer sommer été verano zomer",
    "autumn fall herbst automne otoño herfst najaar",
    "winter hiver invierno",
)
"""The first begins in March; a winter belongs to the year of its December."""
_NUMBER_NAMES: Final = (
    "one ein eine einen einem einer un une una een",
    "two zwei deux dos twee couple",
    "three drei trois tres drie",
    "four vier quatre cuatro",
    "five fünf cinq cinco vijf",
    "six sechs seis zes",
    "seven sieben sept siete zeven",
    "eight acht huit ocho",
    "nine neun neuf nueve negen",
    "ten zehn dix diez tien",
)


def _numbered(rows: Sequence[str], first: int = 1) -> dict[str, int]:
    return {name: number for number, names in enumerate(rows, first) for name in names.split()}


_MONTH: Final = _numbered(_MONTH_NAMES)
_ANY_MONTH: Final = {**_MONTH, **_numbered(_SHORT_MONTHS)}
_WEEKDAY: Final = _numbered(_WEEKDAY_NAMES, 0)
_SEASON: Final = _numbered(_SEASON_NAMES, 0)
_NUMBER: Final = _numbered(_NUMBER_NAMES)

_LAST: Final = (
    r"last|past|previous|(?:de[rnm] |die |das |in der |im |am )?(?:letzte|vergangene|vorige)[nmrs]?|(?:de |het )?"
    r"(?:vorige?|afgelopen)|(?:el |la )?pasad[oa]|(?:el |la )?últim[oa]"
)
_NEXT: Final = (
    r"next|coming|upcoming|(?:de[rnm] |die |das |in der |im |am )?(?:nächste|kommende)[nmrs]?|(?:de |het )?"
    r"(?:volgende?|komende?|aanstaande)|(?:el |la )?próxim[oa]|(?:el |la )?proxim[oa]"
)
_THIS: Final = r"this|diese[nmrs]?|deze|dit|est[ea]|cett?e?|ce"
_LAST_BEHIND: Final = r"derni[eè]re?|passée?|pasad[oa]"
_NEXT_BEHIND: Final = r"prochaine?|próxim[oa]|que viene"
_UNITS: Final = {
    "week": r"week|woche|semaine|semana",
    "month": r"month|monat|mois|mes|maand",
    "quarter": r"quarter|quartal|trimestre|kwartaal",
    "year": r"year|jahr|année|ann[ée]e|an|año|jaar",
    "weekend": r"weekend|wochenende|week-?end|fin de semana",
}
_IN: Final = (
    r"in|for|during|throughout|im|für|während|en|pendant|pour|durante|para|voor|au|in de|in het|im jahre?|en el año"
    r"|en la|in het jaar"
)
_ARTICLE: Final = r"(?:the |der |den |dem |des |die |das |le |la |el |de |het |all of |whole |l')?"


def _one_of(names: Sequence[str]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


class Form:
    """A way to name a period: a regex with names of tables in braces, compiled at its first use (all take 50 ms)."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The regex: a blank stands for any blanks, and no letter or digit follows."""
        filled = _TABLE.sub(lambda found: _TABLES[found[1]], self._pattern)
        spaced = filled.replace(" ?", r"\s*").replace(" ", r"\s+")
        return re.compile(rf"(?:{spaced})(?!\w)", re.IGNORECASE)

    def match(self, text: str, start: int) -> re.Match[str] | None:
        """The words of this form that begin at a place."""
        return self.compiled.match(text, start)


_TABLE: Final = re.compile(r"\{([A-Z]+)\}")
_TABLES: Final = {
    "MONTH": _one_of([*_MONTH]),
    "ANYMONTH": _one_of([*_ANY_MONTH]),
    "WEEKDAY": _one_of([*_WEEKDAY]),
    "SEASON": _one_of([*_SEASON]),
    "NUMBER": rf"[0-9]{{1,3}}|{_one_of([*_NUMBER])}",
    "YEAR": r"(?:19|20)[0-9]{2}",
    "UNIT": "|".join(f"(?P<{unit}>{words})" for unit, words in reversed(_UNITS.items())),
    "LAST": _LAST,
    "NEXT": _NEXT,
    "THIS": _THIS,
    "LBEHIND": _LAST_BEHIND,
    "NBEHIND": _NEXT_BEHIND,
    "IN": _IN,
    "ARTICLE": _ARTICLE,
}

_QUOTED: Final = re.compile(r"\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»")
_WORD: Final = re.compile(r"[^\W_]+")
_DATE_YEAR: Final = re.compile(r"(?:19|20)[0-9]{2}")
_OF_TIME: Final = frozenset(
    word
    for row in (
        *(*_MONTH_NAMES, *_SHORT_MONTHS, *_WEEKDAY_NAMES, *_SEASON_NAMES),
        "week kw woche semaine semana month monat mois mes maand quarter quartal trimestre kwartaal weekend wochenende",
        "year jahr année annee an año jaar end fin days day tagen tage tag jours jour días dias día dia dagen dag",
        "weeks wochen semanas weken months monate monaten meses maanden years jahren jahre ans années años jaren",
        "semaines",
        "yesterday night today tonight morning afternoon evening tomorrow gestern vorgestern heute übermorgen hier",
        "avant après aujourd demain ayer anteayer antes hoy mañana gisteren eergisteren vandaag overmorgen morgen",
    )
    for word in row.split()
)
"""Words without which, and without a year, no form is looked for: most questions need no regex."""
_AHEAD: Final = re.compile(
    r"\b(?:will|shall|planned|plan|due|upcoming|coming|going to|geplant|fällig|wird|werden|prévue?s?|va|vais|allons"
    r"|planead[oa]s?|previst[oa]s?|voy|vamos|gepland|ga|gaan|zal)\b",
    re.IGNORECASE,
)
"""Words of a question about what is to come: a date without a year is the next one then."""

_ISO: Final = Form(r"(?P<y>{YEAR})-(?P<m>[01][0-9])(?:-(?P<d>[0-3][0-9]))?")
_ISO_WEEK: Final = Form(r"(?P<y>{YEAR})-?W(?P<w>[0-5][0-9])")
_DOTTED: Final = Form(r"(?P<d>[0-3]?[0-9])\.(?P<m>[01]?[0-9])\.(?P<y>{YEAR})")
_DAY_MONTH: Final = Form(
    r"{ARTICLE}(?P<d>[0-3]?[0-9])(?:st|nd|rd|th|er|\.|º)? ?(?:of |de )?(?P<n>{ANYMONTH})\.?"
    r"(?:,? (?:de |del )?(?P<y>{YEAR}))?"
)
_MONTH_DAY: Final = Form(r"(?P<n>{ANYMONTH})\.? (?:the )?(?P<d>[0-3]?[0-9])(?:st|nd|rd|th)?(?:,? (?P<y>{YEAR}))?")
_MONTH_YEAR: Final = Form(r"(?P<n>{ANYMONTH})\.?(?:,| of| de| del)? (?P<y>{YEAR})")
_IN_MONTH: Final = Form(
    r"(?:{IN}|au mois de|im monat|in the month of|en el mes de|(?P<last>{LAST})|(?P<next>{NEXT})) (?P<n>{MONTH})"
    r"(?:(?:,| of| de| del)? (?P<y>{YEAR}))?"
)
_MONTH_BEHIND: Final = Form(r"(?:en )?(?P<n>{MONTH}) (?:(?P<last>{LBEHIND})|(?P<next>{NBEHIND}))")
_YEAR_ALONE: Final = Form(r"(?:{IN}|during the year|in the year|dans l'année|in all of) (?P<y>{YEAR})(?! edition)")
_WEEK_OF: Final = Form(
    r"{ARTICLE}(?P<kind>week|weekend|woche|wochenende|semaine|week-end|semana|fin de semana) (?:of|commencing|starting|"
    r"beginning|vom|ab dem|ab|des|um den|du|del|de|van)"
)
_WEEK_NUMBER: Final = Form(r"(?:week|kw|woche|semaine|semana) (?P<w>[0-5]?[0-9])(?:(?:,| of| de| van)? (?P<y>{YEAR}))?")
_QUARTER: Final = Form(
    r"(?:(?:q|t)(?P<q>[1-4])|(?P<o>first|second|third|fourth|[1-4]\.|1st|2nd|3rd|4th) (?:quarter|quartal))"
    r"(?: of| de)? (?P<y>{YEAR})"
)
_SEASON_YEAR: Final = Form(
    r"(?:(?:in|im|au|en|en la|en el|in the|in de|in het|the|der|dem|de|l') ?)?(?P<s>{SEASON})"
    r"(?: of| de| del| van| des jahres)? (?P<y>{YEAR})"
)
_SEASON_BEFORE: Final = Form(r"(?:(?P<last>{LAST})|(?P<next>{NEXT})|(?P<this>{THIS})) (?P<s>{SEASON})")
_SEASON_BEHIND: Final = Form(r"(?:l')?(?P<s>{SEASON}) (?:(?P<last>{LBEHIND})|(?P<next>{NBEHIND}))")
_WEEKDAY_BEFORE: Final = Form(r"(?:(?P<last>{LAST})|(?P<next>{NEXT})|(?P<this>{THIS})|on|am|op) (?P<n>{WEEKDAY})")
_WEEKDAY_BEHIND: Final = Form(r"(?:el |le )?(?P<n>{WEEKDAY}) (?:(?P<last>{LBEHIND})|(?P<next>{NBEHIND}))")
_UNIT_BEFORE: Final = Form(r"(?:(?P<last>{LAST})|(?P<next>{NEXT})|(?P<this>{THIS})) (?:{UNIT})")
_UNIT_BEHIND: Final = Form(r"(?:la |le |el |l')?(?:{UNIT}) (?:(?P<last>{LBEHIND})|(?P<next>{NBEHIND}))")
_DAY_UNITS: Final = (
    r"(?:(?P<days>days?|tage?n?|jours?|días?|dias?|dagen|dag)|(?P<weeks>weeks?|wochen?|semaines?|semanas?|weken)"
    r"|(?P<months>months?|monate?n?|mois|mes|meses|maanden)|(?P<years>years?|jahre?n?|ans?|années?|años?|jaren))"
)
_PAST_UNITS: Final = Form(
    r"(?:the |in the |in den |los |las |les |de )?(?:last|past|letzten|vergangenen|últim[oa]s|afgelopen|laatste) "
    r"(?P<c>{NUMBER}) " + _DAY_UNITS
)
_PAST_UNITS_BEHIND: Final = Form(r"les (?P<c>{NUMBER}) derni[eè]re?s " + _DAY_UNITS)
_AGO: Final = Form(r"(?:a |an )?(?P<c>{NUMBER})? ?" + _DAY_UNITS + r" (?:ago|geleden)")
_AGO_BEFORE: Final = Form(r"(?:vor|il y a|hace) (?P<c>{NUMBER}) " + _DAY_UNITS)
_NEAR: Final = tuple(
    (Form(words), days)
    for words, days in (
        (r"the day before yesterday|vorgestern|avant-hier|anteayer|antes de ayer|eergisteren", -2),
        (r"yesterday|last night|gestern|ayer|gisteren", -1),
        (r"today(?!['’]s)|tonight|this (?:morning|afternoon|evening)|heute|aujourd['’]hui|hoy|vandaag", 0),
        (r"tomorrow|demain|(?<!la\s)(?<!esta\s)mañana(?! por| temprano)", 1),
        (r"the day after tomorrow|übermorgen|après-demain|pasado mañana|overmorgen", 2),
    )
)
_HIER: Final = Form(r"hier(?=\s+(?:soir|matin)|\s*[?.!,]|\s*$)")
"""French for yesterday at the end of a question; German for here elsewhere."""
_FRENCH: Final = re.compile(r"\b(?:qu[eo']\w*|ai|est|fait|quel\w*|pass[ée]|le|les|je|nous)\b|ç|ê", re.IGNORECASE)
_MORGEN: Final = Form(r"(?<!heute\s)(?<!gestern\s)(?<!am\s)(?<!guten\s)(?<!jeden\s)morgen")
_SINCE: Final = Form(r"since|seit(?: dem)?|depuis(?: le)?|desde(?: el)?|sinds")
_FROM: Final = Form(r"from|between|vom|von|zwischen|du|entre(?: el| le)?|del|desde|tussen|van")
_TO: Final = Form(r"to|until|till|and|bis(?: zum)?|und|au|et(?: le)?|y(?: el)?|al|hasta|en|tot(?: en met)?|–|-")
_BARE_DAY: Final = Form(r"(?:the |den |le |el )?(?P<d>[0-3]?[0-9])(?:st|nd|rd|th|er|\.)?")
_BARE_MONTH: Final = Form(r"(?P<n>{ANYMONTH})\.?")
_BARE_YEAR: Final = Form(r"{YEAR}")
_DAYS_TO: Final = re.compile(r"\s*(?:–|-|to|bis|au|al|tot|a|(?P<and>and|und|et|y|en))\s*(?=[0-9])", re.IGNORECASE)

_ABOUT_ANYTHING: Final = frozenset(
    word
    for words in (
        "a about all am and any anything are at been did do does doing done during everything for from going had",
        "happen happened happening has have i in is it me my note notes of on our out s so tell that the there this",
        "to up us was we were what whats when which write wrote written you diary journal summary summarise",
        "summarize show list wars war ist los morgen passierte passiert geschah geschehen gemacht habe haben hatte",
        "ich wir im an der die das den dem und es alles mir unser uns mein meine gab gibt notizen tagebuch getan bei",
        "que qu quoi est ce c passé passe arrivé fait ai avons t il y en au la le les du de des j je nous tout pendant",
        "qué pasó paso pasado ha hice hicimos hemos he hecho fue el los las un una yo nosotros notas sucedió ocurrió",
        "durante wat er gebeurd gebeurde deed deden heb hebben gedaan ik wij het een met ons mijn tijdens notities",
    )
    for word in words.split()
)
"""Words of a question that asks for no more than what happened."""


class _Span(NamedTuple):
    end: int
    """The place behind its words."""
    first: date
    last: date
    has_year: bool = True


@dataclass(frozen=True, slots=True)
class _Reading:
    """A question, and the day on which it is read."""

    text: str
    today: date
    first_weekday: int
    is_ahead: bool
    """Whether the question is about what is to come."""

    def found_at(self, start: int) -> Iterator[_Span]:
        """Every reading of the words that begin at a place."""
        for form in _FORMS:
            if (found := form(self, start)) is not None:
                yield found

    def day(self, start: int) -> _Span | None:
        """`3 August 2026`, `August 3`, `2026-08-03`, `3.8.2026`."""
        for pattern in (_ISO, _DOTTED):
            if (found := pattern.match(self.text, start)) and found["d"]:
                day = date(int(found["y"]), int(found["m"]), int(found["d"]))
                return _Span(found.end(), day, day)
        found = _DAY_MONTH.match(self.text, start) or _MONTH_DAY.match(self.text, start)
        if found is None or (found["n"] == "may" and self.text.startswith("may", start)):  # "may 5 people come"
            return None
        month = _ANY_MONTH[found["n"].casefold()]
        if found["y"]:
            day = date(int(found["y"]), month, int(found["d"]))
        else:
            day = self._of_some_year(month, int(found["d"]))
        return _Span(found.end(), day, day, bool(found["y"]))

    def _of_some_year(self, month: int, day: int) -> date:
        """The last such day up to today, or the next one where the question is about what is to come."""
        years = range(self.today.year, self.today.year + 9) if self.is_ahead else range(self.today.year, 0, -1)
        for year in years:
            if (month, day) == (2, 29) and not (year % 4 == 0 and (year % 100 or year % 400 == 0)):
                continue
            found = date(year, month, day)
            if (found >= self.today) if self.is_ahead else (found <= self.today):
                return found
        raise ValueError("no such day")

    def month(self, start: int) -> _Span | None:
        """`March 2025`, `im März`, `last March`, `2025-03`."""
        if (found := _ISO.match(self.text, start)) and not found["d"]:
            return self._month(found.end(), int(found["y"]), int(found["m"]))
        if found := _MONTH_YEAR.match(self.text, start):
            return self._month(found.end(), int(found["y"]), _ANY_MONTH[found["n"].casefold()])
        found = _IN_MONTH.match(self.text, start) or _MONTH_BEHIND.match(self.text, start)
        if found is None:
            return None
        month, this = _MONTH[found["n"].casefold()], self.today.month
        if named_year := found.groupdict().get("y"):
            return self._month(found.end(), int(named_year), month)
        year = self.today.year
        if found["last"]:
            year -= month >= this
        elif found["next"] or self.is_ahead:
            year += month < this or (month == this and bool(found["next"]))
        else:
            year -= month > this
        return self._month(found.end(), year, month)._replace(has_year=False)

    def _month(self, end: int, year: int, month: int) -> _Span:
        first = date(year, month, 1)
        return _Span(end, first, plus_months(first, 1) - timedelta(days=1))

    def year(self, start: int) -> _Span | None:
        """`in 2025`."""
        found = _YEAR_ALONE.match(self.text, start)
        return found and _Span(found.end(), date(int(found["y"]), 1, 1), date(int(found["y"]), 12, 31))

    def quarter(self, start: int) -> _Span | None:
        """`Q3 2025`, `third quarter of 2025`."""
        found = _QUARTER.match(self.text, start)
        if found is None:
            return None
        ordinals = {"first": 1, "second": 2, "third": 3, "fourth": 4}
        number = int(found["q"] or 0) or ordinals.get(found["o"].casefold(), 0) or int(found["o"][0])
        first = date(int(found["y"]), 3 * number - 2, 1)
        return _Span(found.end(), first, plus_months(first, 3) - timedelta(days=1))

    def season(self, start: int) -> _Span | None:
        """`in spring 2025`, `last summer`, `l'été dernier`."""
        if found := _SEASON_YEAR.match(self.text, start):
            first = self._season(int(found["y"]), found["s"])
        elif found := _SEASON_BEFORE.match(self.text, start) or _SEASON_BEHIND.match(self.text, start):
            year = self.today.year
            if found["next"]:
                year += self._season(year, found["s"]) <= self.today
            elif found["last"]:
                while plus_months(self._season(year, found["s"]), 3) > self.today:
                    year -= 1
            first = self._season(year, found["s"])
        else:
            return None
        return _Span(found.end(), first, plus_months(first, 3) - timedelta(days=1))

    def _season(self, year: int, name: str) -> date:
        return date(year, 3 + 3 * _SEASON[name.casefold()], 1)

    def weekday(self, start: int) -> _Span | None:
        """`last Tuesday`, `mardi dernier`, `on Friday`."""
        found = _WEEKDAY_BEFORE.match(self.text, start) or _WEEKDAY_BEHIND.match(self.text, start)
        if found is None:
            return None
        wanted = _WEEKDAY[found["n"].casefold()]
        named = found.groupdict()
        if named.get("this"):
            day = self._week(self.today) + timedelta(days=(wanted - self.first_weekday) % 7)
        elif named["next"] or (self.is_ahead and not named["last"]):
            day = self.today + timedelta(days=(wanted - self.today.weekday() - 1) % 7 + 1)
        else:
            day = self.today - timedelta(days=(self.today.weekday() - wanted - 1) % 7 + 1)
        return _Span(found.end(), day, day)

    def _week(self, day: date) -> date:
        """The first day of the week that holds a day."""
        return day - timedelta(days=(day.weekday() - self.first_weekday) % 7)

    def week_of(self, start: int) -> _Span | None:
        """`the week of 3 August`: seven days from a Monday, a Sunday or the first weekday; else that day's week."""
        intro = _WEEK_OF.match(self.text, start)
        if intro is None or (found := self.day(_behind_blanks(self.text, intro.end()))) is None:
            return None
        if intro["kind"].casefold() in ("weekend", "wochenende", "week-end", "fin de semana"):
            saturday = found.first + timedelta(
                days=(5 - found.first.weekday()) % 7 if found.first.weekday() != 6 else -1
            )
            return _Span(found.end, saturday, saturday + timedelta(days=1))
        begins = found.first.weekday() in (0, SUNDAY, self.first_weekday)
        first = found.first if begins else self._week(found.first)
        return _Span(found.end, first, first + timedelta(days=6))

    def week_number(self, start: int) -> _Span | None:
        """`week 32 of 2026`, `KW 32`, `2026-W32`: ISO weeks."""
        found = _WEEK_NUMBER.match(self.text, start) or _ISO_WEEK.match(self.text, start)
        if found is None:
            return None
        first = date.fromisocalendar(int(found["y"] or self.today.year), int(found["w"]), 1)
        return _Span(found.end(), first, first + timedelta(days=6))

    def unit(self, start: int) -> _Span | None:
        """`last week`, `el mes pasado`, `this year`, `next weekend`."""
        found = _UNIT_BEFORE.match(self.text, start) or _UNIT_BEHIND.match(self.text, start)
        if found is None:
            return None
        named = found.groupdict()
        step = -1 if named["last"] else 1 if named["next"] else 0
        week = self._week(self.today)
        if named["weekend"]:
            saturday = self.today + timedelta(days=(5 - self.today.weekday()) % 7)
            if self.today.weekday() == SUNDAY or (step < 0 and self.today.weekday() == 5):
                saturday = self.today - timedelta(days=self.today.weekday() - 5)
            if not (step < 0 and saturday + timedelta(days=1) < self.today):
                saturday += timedelta(weeks=step)
            return _Span(found.end(), saturday, saturday + timedelta(days=1))
        if named["week"]:
            first = week + timedelta(weeks=step)
            return _Span(found.end(), first, first + timedelta(days=6))
        months = 1 if named["month"] else 3 if named["quarter"] else 12
        month = 1 if months == 12 else self.today.month - (self.today.month - 1) % months
        first = plus_months(date(self.today.year, month, 1), step * months)
        return _Span(found.end(), first, plus_months(first, months) - timedelta(days=1))

    def count(self, start: int) -> _Span | None:
        """`the last two weeks` up to today; `three days ago`, a day, week, month or year."""
        if found := _PAST_UNITS.match(self.text, start) or _PAST_UNITS_BEHIND.match(self.text, start):
            first = self._ago(found)
            return _Span(found.end(), first, self.today)
        found = _AGO.match(self.text, start) or _AGO_BEFORE.match(self.text, start)
        if found is None:
            return None
        day = self._ago(found)
        if found["days"]:
            return _Span(found.end(), day, day)
        if found["weeks"]:
            first = self._week(day)
            return _Span(found.end(), first, first + timedelta(days=6))
        if found["months"]:
            return self._month(found.end(), day.year, day.month)
        return _Span(found.end(), date(day.year, 1, 1), date(day.year, 12, 31))

    def _ago(self, found: re.Match[str]) -> date:
        written = (found["c"] or "1").casefold()
        number = _NUMBER.get(written) or int(written)
        if found["days"] or found["weeks"]:
            return self.today - timedelta(days=number * (7 if found["weeks"] else 1))
        return plus_months(self.today, -number * (12 if found["years"] else 1))

    def near(self, start: int) -> _Span | None:
        """`yesterday`, `übermorgen`, `hier`."""
        for pattern, days in _NEAR:
            if found := pattern.match(self.text, start):
                day = self.today + timedelta(days=days)
                return _Span(found.end(), day, day)
        if (found := _HIER.match(self.text, start)) and _FRENCH.search(self.text):
            yesterday = self.today - timedelta(days=1)
            return _Span(found.end(), yesterday, yesterday)
        if found := _MORGEN.match(self.text, start):
            tomorrow = self.today + timedelta(days=1)
            return _Span(found.end(), tomorrow, tomorrow)
        return None

    def since(self, start: int) -> _Span | None:
        """`since March 2025`, up to today."""
        intro = _SINCE.match(self.text, start)
        if intro is None:
            return None
        at = _behind_blanks(self.text, intro.end())
        inner = replace(self, is_ahead=False)
        spans = [
            inner.day(at),
            inner.month(at),
            inner._since_bare(at),
            inner.near(at),
            inner.unit(at),
            inner.season(at),
        ]
        found = max(filter(None, spans), key=lambda each: each.end, default=None)
        return found and (_Span(found.end, found.first, self.today) if found.first <= self.today else None)

    def _since_bare(self, start: int) -> _Span | None:
        """A year or a month without `in`."""
        if found := _BARE_YEAR.match(self.text, start):
            return _Span(found.end(), date(int(found[0]), 1, 1), date(int(found[0]), 12, 31))
        if found := _BARE_MONTH.match(self.text, start):
            month = _ANY_MONTH[found["n"].casefold()]
            return self._month(found.end(), self.today.year - (month > self.today.month), month)
        return None

    def days_of_month(self, start: int) -> _Span | None:
        """`3 to 9 August 2026`, `vom 3. bis 9. August`."""
        intro = _FROM.match(self.text, start)
        begin = _BARE_DAY.match(self.text, _behind_blanks(self.text, intro.end()) if intro else start)
        if begin is None or (between := _DAYS_TO.match(self.text, begin.end())) is None:
            return None
        if between["and"] and intro is None:  # two days, and no span of them
            return None
        end = self.day(between.end())
        if end is None:
            return None
        first = end.last.replace(day=int(begin["d"]))
        return _Span(end.end, first, end.last) if first <= end.last else None

    def between(self, start: int) -> _Span | None:
        """`between March and May 2025`, `from 28 July to 3 August 2026`."""
        intro = _FROM.match(self.text, start)
        if intro is None:
            return None
        first = self._edge(_behind_blanks(self.text, intro.end()))
        if first is None or (to := _TO.match(self.text, _behind_blanks(self.text, first.end))) is None:
            return None
        last = self._edge(_behind_blanks(self.text, to.end()))
        if last is None:
            return None
        begin = first.first
        if not first.has_year:  # it has the year of the end, or the one before
            begin = begin.replace(year=last.last.year)
            begin = begin.replace(year=begin.year - 1) if begin > last.last else begin
        return _Span(last.end, begin, last.last) if begin <= last.last else None

    def _edge(self, start: int) -> _Span | None:
        """One end of a range: a day, a month or a year."""
        if (found := self.day(start) or self.month(start)) is not None:
            return found
        found = self._since_bare(start)
        return found and found._replace(has_year=self.text[found.end - 1].isdigit())


_FORMS: Final[Sequence[Callable[[_Reading, int], _Span | None]]] = (
    *(_Reading.day, _Reading.month, _Reading.year, _Reading.quarter, _Reading.season, _Reading.weekday),
    *(_Reading.week_of, _Reading.week_number, _Reading.unit, _Reading.count, _Reading.near),
    *(_Reading.since, _Reading.days_of_month, _Reading.between),
)


def _starts(text: str) -> Iterator[int]:
    """Where words and numbers begin."""
    return (found.start() for found in re.finditer(r"(?<!\w)\w", text))


def _behind_blanks(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place

"""Reads what else a question asks for: a period, the latest notes, two things."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Final

from vaulttools.core.dates import Calendar
from vaulttools.notes import periods
from vaulttools.notes.periods import Period
from vaulttools.ranked.days import Days
from vaulttools.ranked.preference import Find, Wanted, for_both_halves, latest_first, of_period_first
from vaulttools.ranked.question import read as read_question
from vaulttools.ranked.ranking import Ranking

_NEWEST: Final = re.compile(
    r"\b(?:now(?:adays)?|current(?:ly)?|these days|at (?:the moment|present)|(?:most )?recent(?:ly)?|latest|lately"
    r"|still|(?:did|do|have|has|had|was|were|is|are) (?:\w+ ){1,3}last|(?:(?:the|this) )?last time"
    # German
    r"|jetzt|zurzeit|zur zeit|derzeit(?:ig\w*)?|aktuell\w*|momentan|heutzutage|inzwischen|zuletzt|letzte[sn]? mal"
    r"|neue?ste[nrsm]?|jüngste[nrsm]?|immer noch|noch immer"
    # French
    r"|maintenant|actuel\w*|en ce moment|ces jours-ci|dernière fois|le plus récent|la plus récente|récemment"
    r"|dernièrement|toujours|encore"
    # Spanish
    r"|ahora|actual(?:es|mente)?|últimamente|última vez|más reciente|recientemente|todavía|aún|sigue"
    # Dutch
    r"|nu|huidige?|momenteel|tegenwoordig|laatste keer|voor het laatst|nieuwste|recentste|nog steeds)\b",
    re.IGNORECASE,
)
_NEXT: Final = re.compile(
    r"\b(?:next(?! to\b)|upcoming|nächste[nrsm]?|kommende[nrsm]?|prochaine?s?|próxim[oa]s?|siguientes?|volgende"
    r"|eerstvolgende)\b",
    re.IGNORECASE,
)

_DUE: Final = re.compile(
    r"\b(?:(?:over)?due|deadlines?|(?:über)?fällig\w*|échéances?|vence[nr]?|vencimientos?|verval(?:t|len))\b",
    re.IGNORECASE,
)
"""Words that make a period one of tasks, which does not say when the notes were written."""
_COMPARED: Final = re.compile(
    r"\b(?:compared (?:with|to)|versus|vs\.?|than|(?:verglichen|im vergleich) (?:mit|zu[mr]?)|als|gegenüber"
    r"|par rapport à|(?:plus|moins) que|comparado con|(?:más|menos) que|vergeleken met|dan)"
    r"\s+(?:in |the |dem |der |im )?$",
    re.IGNORECASE,
)
"""The words before a period that something is compared with; such a period does not say when notes were written."""
_BETWEEN: Final = re.compile(
    r"[,;]\s+(?:and|und|et|y|e|en)\s+|[;:?.!]\s+(?=\w)"
    r"|\s+(?:and|und|et|y|en)\s+(?=(?:who|whose|what|when|where|which|why|how|wer|wessen|was|wann|wo|welche\w*|warum|wie|qui|que|quand|où|quel\w*|pourquoi|comment|combien|quién|qué|cuándo|dónde"
    r"|cuál|por qué|cómo|cuánt\w+|wie|wat|wanneer|waar|welke?|waarom|hoe)\b)",
    re.IGNORECASE,
)
"""The separator of the halves of a question."""
_FEWEST: Final = 2
"""A half has at least this many terms."""


@dataclass(frozen=True, slots=True)
class Intent:
    """What one question asks for."""

    words: str
    """The part of the question that is searched for."""
    today: date
    period: Period | None = None
    wanted: Wanted | None = None
    """Whether it asks for the newest or for what comes next; None for neither."""
    has_halves: bool = False
    """Whether it asks for two things."""

    def rank(self, find: Find, notes: frozenset[str], days: Days, stop: Callable[[], bool]) -> Ranking:
        """Returns what `find` finds among `notes`, in the order that the question asks for."""
        ranking = find(notes)
        if self.period is not None:
            ranking = of_period_first(ranking, self.period, find, notes, days)
        if self.wanted is not None:
            ranking = latest_first(ranking, self.wanted, self.today, days, stop)
        if self.has_halves and self.period is None:
            ranking = for_both_halves(ranking)
        return ranking


def intent(question: str, calendar: Calendar) -> Intent:
    """Read what a question asks for, by the day and the first weekday of a calendar."""
    today = calendar.today()
    if len(question) > periods.LONGEST:
        return Intent(question, today)
    period = None if _DUE.search(question) else periods.period(question, today, calendar.first_weekday)
    if period is not None and _COMPARED.search(question[: period.span[0]]):
        period = None
    rest = question if period is None else _without_period(question, period)
    # The words of a period stay: `KW 43` is in a table, `November` in a name.
    words = question
    wanted: Wanted | None = "next" if _NEXT.search(rest) else "newest" if _NEWEST.search(rest) else None
    parts = _BETWEEN.split(words, maxsplit=1)
    has_halves = len(parts) == 2 and all(len(read_question(each).terms) >= _FEWEST for each in parts)
    return Intent(words if wanted is None else _without_asking(words), today, period, wanted, has_halves)


def _without_period(question: str, period: Period) -> str:
    """Remove the words of the period from a question, since notes write dates in other ways."""
    start, end = period.span
    return f"{question[:start]} {question[end:]}".strip()


def _without_asking(question: str) -> str:
    """Remove the words that ask for the latest state, since notes hold them for other reasons; return the whole
    question if nothing else is left."""
    rest = _NEXT.sub(" ", _NEWEST.sub(_without_last, question))
    return rest if read_question(rest).terms else question


def _without_last(found: re.Match[str]) -> str:
    """Returns `did I` for a match of `did I last`; a blank for any other match."""
    words = found[0].split()
    return " ".join(words[:-1]) if len(words) > 1 and words[-1].lower() == "last" else " "

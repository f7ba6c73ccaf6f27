"""Puts the notes of the period that a question names before all others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Final

from vaulttools.index import passages
from vaulttools.notes.periods import Period
from vaulttools.ranked.days import Days, in_time, is_in
from vaulttools.ranked.evidence import Evidence, RankedNote
from vaulttools.ranked.ranking import AsAsked, Ranking
from vaulttools.ranked.showing import TermsOf
from vaulttools.ranked.weights import TIME

Find = Callable[[frozenset[str]], Ranking]
"""Ranks some notes for the question."""


def of_period_first(ranking: Ranking, period: Period, find: Find, wanted: frozenset[str], days: Days) -> Ranking:
    """A ranking of the wanted notes with those of a period first: as `find` ranks these alone, or in order of time
    where the question asks about the period and nothing else."""
    firsts = days.notes_in(period, wanted)
    if not firsts:
        return ranking
    own = None if period.is_all else find(frozenset(firsts))
    if own is None or not own.notes:
        notes = AsAsked(_in_order_of_time(ranking, period, firsts, days))
        ranking = replace(ranking, notes=notes, is_by_time=True)
        return replace(ranking, weakness="", absences=()) if period.is_all else ranking
    return replace(
        ranking,
        notes=AsAsked(_joined(own, ranking, period, days)),
        weakness=ranking.weakness and own.weakness,
        unread=[*ranking.unread, *own.unread],
    )


_DATE: Final = re.compile(r"(?<![\d-])(?:(\d{4})-)?(\d\d)-(\d\d)(?![\d-])")


def with_days(terms_of: TermsOf, period: Period) -> TermsOf:
    """What tells where terms stand in a text, and as a further one the dates of a period, of any year where none is
    written."""

    years = {day.year for day in period.days}

    def stands(text: str) -> list[tuple[int, int]]:
        days = [
            (found.start(), -1)
            for found in _DATE.finditer(text)
            if any(is_in(f"{found[1] or year}-{found[2]}-{found[3]}", period) for year in years)
        ]
        return sorted([*terms_of(text), *days])

    return stands


def _joined(own: Ranking, ranking: Ranking, period: Period, days: Days) -> Iterator[RankedNote]:
    first = [_of_its_days(note, period, days) for note in islice(own.notes, TIME.of_period)]
    first.sort(key=lambda note: -note.score)
    seen = {note.path for note in first}
    yield from first
    for note in ranking.notes:
        if note.path not in seen:
            yield replace(note, score=max(round(note.score * (TIME.elsewhere if seen else 1), 3), 0.001))


def _in_order_of_time(ranking: Ranking, period: Period, firsts: Mapping[str, str], days: Days) -> Iterator[RankedNote]:
    """The notes of a period by the first day of it that each tells, and then those that hold the question's words."""
    for path in sorted(firsts, key=lambda path: (in_time(firsts[path]), path)):
        note = days.read(path)
        if note is not None:
            yield _of_its_days(RankedNote(path, 1.0, passages.of(note), ()), period, days, by_place=True)
    yield from (replace(note, score=0.001) for note in ranking.notes if note.path not in firsts)


def _of_its_days(note: RankedNote, period: Period, days: Days, *, by_place: bool = False) -> RankedNote:
    """A note by the passages that are about days of a period, where its passages tell their days: the others count
    little."""
    own = {number for number, some in enumerate(days.of_passages(note)) if any(is_in(day, period) for day in some)}
    if not own:
        return note
    known = {each.number: each for each in note.evidence}
    first = [known.get(number, Evidence(number, 0.0, frozenset())) for number in sorted(own)]
    first.sort(key=lambda each: 0 if by_place else -each.score)
    best = note.evidence[0].score if note.evidence else 0.0
    worth = TIME.log + (1 - TIME.log) * first[0].score / best if best else 1.0
    rest = [each._replace(score=each.score * TIME.other_days) for each in note.evidence if each.number not in own]
    least = max([each.score for each in rest], default=0.0)
    first = [each._replace(score=max(each.score, least)) for each in first]
    return replace(note, score=round(note.score * worth, 3), evidence=[*first, *rest])

"""Puts the notes of a period, the newest, or those for both halves first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import islice
from typing import Final, Literal, TypeAlias

from vaulttools.core.folding.identity import identity
from vaulttools.index import passages
from vaulttools.notes.note import Note
from vaulttools.notes.periods import Period
from vaulttools.ranked.days import Days, in_time, is_in
from vaulttools.ranked.evidence import Evidence, RankedNote
from vaulttools.ranked.ranking import AsAsked, Ranking
from vaulttools.ranked.showing import TermsOf
from vaulttools.ranked.weights import DIVERSITY, TIME

OF_OTHER_TIMES: Final = 0.001
"""The score of other notes if a question asks about a period alone."""
_NONE_THEN: Final = "No note that was searched is dated then."
"""Says that the notes shown are of other times: how the period was read would pass for a filter."""

Find = Callable[[frozenset[str]], Ranking]
"""Ranks some notes for the question."""


def of_period_first(ranking: Ranking, period: Period, find: Find, wanted: frozenset[str], days: Days) -> Ranking:
    """Returns a ranking of the wanted notes with those of a period first: in the order that `find` gives for them
    alone, or in order of time if the question asks about nothing but the period. If there is none, the ranking says
    so, unless not all days are known yet."""
    firsts = days.notes_in(period, wanted)
    if not firsts:
        is_sure = bool(wanted) and days.view is not None and not days.stop()
        return replace(ranking, absences=(_NONE_THEN, *ranking.absences)) if is_sure else ranking
    of_period = None if period.is_all else find(frozenset(firsts))
    if of_period is None or not of_period.notes:
        notes = AsAsked(_in_order_of_time(ranking, period, firsts, days))
        ranking = replace(ranking, notes=notes, is_by_time=True)
        return replace(ranking, is_weak=False, absences=()) if period.is_all else ranking
    return replace(
        ranking,
        notes=AsAsked(_with_others(of_period, ranking, period, days)),
        is_weak=ranking.is_weak and of_period.is_weak,
        unread=[*ranking.unread, *of_period.unread],
    )


_DATE: Final = re.compile(r"(?<![\d-])(?:(\d{4})-)?(\d\d)-(\d\d)(?![\d-])")


def with_days(terms_of: TermsOf, period: Period) -> TermsOf:
    """Extend `terms_of`: it also finds the dates of a period, as term -1; a date without a year matches any year."""

    years = {day.year for day in period.days}

    def places(text: str) -> list[tuple[int, int]]:
        days = [
            (found.start(), -1)
            for found in _DATE.finditer(text)
            if any(is_in(f"{found[1] or year}-{found[2]}-{found[3]}", period) for year in years)
        ]
        return sorted([*terms_of(text), *days])

    return places


def _with_others(of_period: Ranking, ranking: Ranking, period: Period, days: Days) -> Iterator[RankedNote]:
    first = [_of_its_days(note, period, days) for note in islice(of_period.notes, TIME.of_period)]
    first.sort(key=lambda note: -note.score)
    seen = {note.path for note in first}
    yield from first
    for note in ranking.notes:
        if note.path not in seen:
            yield replace(note, score=max(round(note.score * (TIME.elsewhere if seen else 1), 3), 0.001))


def _in_order_of_time(ranking: Ranking, period: Period, firsts: Mapping[str, str], days: Days) -> Iterator[RankedNote]:
    """Yields the notes of a period by the first day of it in each, then those that hold the question's words."""
    for path in sorted(firsts, key=lambda path: (in_time(firsts[path]), path)):
        note = days.read(path)
        if note is not None:
            yield _of_its_days(RankedNote(path, 1.0, passages.of(note), ()), period, days, by_place=True)
    yield from (replace(note, score=OF_OTHER_TIMES) for note in ranking.notes if note.path not in firsts)


def _of_its_days(note: RankedNote, period: Period, days: Days, *, by_place: bool = False) -> RankedNote:
    """Returns a note scored by its passages about days of a period, which come first; the others count little. A note
    without such passages is returned unchanged."""
    in_period = {
        number for number, some in enumerate(days.of_passages(note)) if any(is_in(day, period) for day in some)
    }
    if not in_period:
        return note
    known = {each.number: each for each in note.evidence}
    first = [known.get(number, Evidence(number, 0.0, frozenset())) for number in sorted(in_period)]
    first.sort(key=lambda each: 0 if by_place else -each.score)
    best = note.evidence[0].score if note.evidence else 0.0
    worth = TIME.log + (1 - TIME.log) * first[0].score / best if best else 1.0
    rest = [each._replace(score=each.score * TIME.other_days) for each in note.evidence if each.number not in in_period]
    least = max([each.score for each in rest], default=0.0)
    first = [each._replace(score=max(each.score, least)) for each in first]
    return replace(note, score=round(note.score * worth, 3), evidence=[*first, *rest])


Wanted: TypeAlias = Literal["newest", "next"]
"""What a question asks for: the newest notes, or the nearest ahead."""

_ARCHIVES: Final = re.compile(
    r"\W*(?:archived?|archives|old|attic|archiv|ablage|alt|anciens?|vieux|archivos?|viejos?|antiguos?|archief|oud)\W*",
    re.IGNORECASE,
)
"""Names of folders for things that are over."""
_OVER: Final = re.compile(
    r"superseded|replaced|obsolete|outdated|deprecated|archived|cancell?ed|rejected|expired|retired|withdrawn"
    r"|abgelöst|ersetzt|veraltet|archiviert|hinfällig|abgelehnt|remplacée?|obsolète|archivée?|annulée?|périmée?"
    r"|reemplazad[oa]|obsolet[oa]|archivad[oa]|anulad[oa]|vervangen|verouderd|gearchiveerd|vervallen",
    re.IGNORECASE,
)
"""Values of a status that say that a note is over."""
_STATUS: Final = ("status", "state", "estado", "statut", "zustand")


def latest_first(ranking: Ranking, wanted: Wanted, today: date, days: Days, stop: Callable[[], bool]) -> Ranking:
    """Reorder the notes that answer about as well as the best one: the newest first, or the nearest ahead first if
    that is `wanted`; likewise the passages of each note. Archived and superseded notes count less."""
    return replace(ranking, notes=AsAsked(_latest(ranking.notes, wanted, today.isoformat(), days, stop)))


def _latest(
    notes: Sequence[RankedNote], wanted: Wanted, today: str, days: Days, stop: Callable[[], bool]
) -> Iterator[RankedNote]:
    first: list[tuple[RankedNote, str]] = []
    over: list[RankedNote] = []
    for note in islice(notes, TIME.compared):
        if stop():
            break
        if _is_over(days.read(note.path), note.path):
            over.append(replace(note, score=round(note.score * TIME.over, 3)))
        else:
            first.append(_by_day(note, wanted, today, days))
    least = max((note.score for note, _ in first), default=0.0) * TIME.alike
    alike = [each for each in first if each[0].score >= least]
    dated = iter(sorted((each for each in alike if each[1]), key=lambda each: _rank(each[1], wanted, today)))
    in_time = [next(dated) if day else (note, day) for note, day in alike]  # a note without a day keeps its place
    yield from (replace(note, score=before.score) for (note, _), (before, _) in zip(in_time, alike, strict=True))
    yield from sorted([*(note for note, _ in first[len(alike) :]), *over], key=lambda note: -note.score)
    yield from islice(notes, len(first) + len(over), None)


def _by_day(note: RankedNote, wanted: Wanted, today: str, days: Days) -> tuple[RankedNote, str]:
    """Order the passages of a note that answer about equally well by their days; return it with the first one's day."""
    of_passages = days.of_passages(note)
    if not note.evidence or not any(of_passages):
        return note, days.of_note(note.path)
    day = {each.number: _best(of_passages[each.number], wanted, today) for each in note.evidence}
    least = note.evidence[0].score * TIME.alike_passages
    alike = [each for each in note.evidence if each.score >= least]
    alike.sort(key=lambda each: (_rank(day[each.number], wanted, today), -each.score, each.number))
    worths = [each.score for each in note.evidence]
    evidence = [each._replace(score=worth) for each, worth in zip(alike, worths, strict=False)]
    evidence += note.evidence[len(alike) :]
    return replace(note, evidence=evidence), day[evidence[0].number] or days.of_note(note.path)


def _best(some: frozenset[str], wanted: Wanted, today: str) -> str:
    return min(some, key=lambda day: _rank(day, wanted, today), default="")


def _rank(day: str, wanted: Wanted, today: str) -> tuple[int, int]:
    """Returns the sort key of a day. `newest` puts days up to today first, the last one foremost; `next` puts days from
    today on first, the nearest foremost. No day comes last."""
    if not day:
        return 2, 0
    number = int(day.replace("-", "").ljust(8, "0"))
    is_ahead = day > today if wanted == "newest" else day >= today
    if wanted == "next":
        return (0, number) if is_ahead else (1, -number)
    return (1, number) if is_ahead else (0, -number)


def _is_over(note: Note | None, path: str) -> bool:
    """Whether a note lies in an archive, or its status says that it is over."""
    if any(_ARCHIVES.fullmatch(folder) for folder in path.split("/")[:-1]):
        return True
    properties = {} if note is None else note.properties
    status = next((value for name, value in properties.items() if identity(name) in _STATUS), "")
    return _OVER.fullmatch(str(status).strip()) is not None


def for_both_halves(ranking: Ranking) -> Ranking:
    """Keep the first note of a ranking; raise later ones with words that the notes before them lack."""
    return replace(ranking, notes=AsAsked(_both_halves(ranking.notes, ranking.rarities)))


def _both_halves(notes: Sequence[RankedNote], rarities: Sequence[float]) -> Iterator[RankedNote]:
    left = list(islice(notes, DIVERSITY.compared))
    lacking = dict(enumerate(rarities))
    total = sum(rarities) or 1.0

    def worth(note: RankedNote) -> float:
        new = sum(lacking.get(term, 0.0) for term in sorted(_held(note)))
        return round(note.score * (1 + DIVERSITY.weight * new / total), 3)

    last = 1.0
    while left:
        best = left[0] if len(lacking) == len(rarities) else max(left, key=worth)  # of equal ones the first
        last = min(last, best.score if len(lacking) == len(rarities) else worth(best))
        yield replace(best, score=last)
        left.remove(best)
        for term in _held(best):
            lacking.pop(term, None)
    yield from islice(notes, DIVERSITY.compared, None)


def _held(note: RankedNote) -> frozenset[int]:
    """Returns the numbers of the terms in the best passage of a note."""
    return note.evidence[0].terms if note.evidence else frozenset()

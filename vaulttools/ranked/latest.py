"""Puts the newest of equally good answers first where a question asks for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from itertools import islice
from typing import Final, Literal, TypeAlias

from vaulttools.notes.note import Note
from vaulttools.ranked.days import Days
from vaulttools.ranked.evidence import RankedNote
from vaulttools.ranked.ranking import AsAsked, Ranking
from vaulttools.ranked.weights import TIME

Wanted: TypeAlias = Literal["newest", "next"]
"""What a question asks for: the newest, or what is nearest ahead."""

_ARCHIVES: Final = re.compile(
    r"\W*(?:archived?|archives|old|attic|archiv|ablage|alt|anciens?|vieux|archivos?|viejos?|antiguos?|archief|oud)\W*",
    re.IGNORECASE,
)
"""Names of folders of what is over."""
_OVER: Final = re.compile(
    r"superseded|replaced|obsolete|outdated|deprecated|archived|cancell?ed|rejected|expired|retired|withdrawn"
    r"|abgelöst|ersetzt|veraltet|archiviert|hinfällig|abgelehnt|remplacée?|obsolète|archivée?|annulée?|périmée?"
    r"|reemplazad[oa]|obsolet[oa]|archivad[oa]|anulad[oa]|vervangen|verouderd|gearchiveerd|vervallen",
    re.IGNORECASE,
)
"""Values of a status that is over."""
_STATUS: Final = ("status", "state", "estado", "statut", "zustand")


def latest_first(ranking: Ranking, wanted: Wanted, today: date, days: Days, stop: Callable[[], bool]) -> Ranking:
    """A ranking with those notes first, of those that answer about as well as the best, whose day is the newest, or the
    nearest ahead, where the question asks for it; likewise the passages of each note. What is archived or superseded
    counts less."""
    return replace(ranking, notes=AsAsked(_ordered(ranking.notes, wanted, today.isoformat(), days, stop)))


def _ordered(
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
    yield from (replace(note, score=own.score) for (note, _), (own, _) in zip(in_time, alike, strict=True))
    yield from sorted([*(note for note, _ in first[len(alike) :]), *over], key=lambda note: -note.score)
    yield from islice(notes, len(first) + len(over), None)


def _by_day(note: RankedNote, wanted: Wanted, today: str, days: Days) -> tuple[RankedNote, str]:
    """A note with its passages that answer about equally well by their days, and the day of the first one."""
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
    """The lower the better: for the newest days that do not lie ahead come first, for the next those that do; what has
    no day comes last."""
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
    status = next((value for name, value in properties.items() if name.casefold() in _STATUS), "")
    return _OVER.fullmatch(str(status).strip()) is not None

"""Ranks the notes that filters and operators select by a question in plain words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from vaulttools.answers import answer, corpus, dated, filters
from vaulttools.answers.exact import Order, Sort, exact
from vaulttools.answers.filters import Filters
from vaulttools.core.work import INCOMPLETE, Work
from vaulttools.errors import BadArgument
from vaulttools.query import foreign, tree
from vaulttools.query.language import parse
from vaulttools.ranked.order import RankedNote
from vaulttools.ranked.question import read, without_operators
from vaulttools.ranked.search import Best, best
from vaulttools.session import Session


@dataclass(frozen=True, slots=True)
class Ranked:
    """The notes that answer a question, and what a reader must know of them."""

    best: Best
    notes: Sequence[RankedNote]
    """In the order asked for."""
    doubts: Sequence[str]
    """What must be read before the notes: that the evidence is weak, and which words stand nowhere."""
    notices: Sequence[str]
    is_ready: bool
    """Whether the index was."""


def has_words(question: str) -> bool:
    """Whether a question, apart from its operators, has words to rank by."""
    return bool(read(without_operators(question)[0]).terms)


def ranked(
    vault: Session, work: Work, request: Filters, given: str, most: int, *, name: str, sort: Sort | None = None
) -> Ranked:
    """The notes that answer a question best, `most` at most, of those that match its operators and the filters.

    `name` is that of the argument that holds the question.

    Raises:
        BadArgument: the question has no words, or a filter is wrong.
    """
    question, operators = without_operators(given)
    if not read(question).terms:
        raise BadArgument(f"{name} must hold a letter or a digit, got {json.dumps(given[:80])}")
    times, told = dated.file_times(request, vault.calendar)
    within: frozenset[str] | None = None
    order: Order | None = None
    is_sorted = sort not in (None, "relevance")
    apart = Work(work.time_limit, work.cancel, deadline=work.deadline, started=work.started)
    nodes = filters.nodes(request)
    if operators or is_sorted or nodes:
        matching, _ = exact(vault, apart, request, tree.both([parse(operators or "path:.md"), *nodes]), given)
        order = Order(vault, matching, sort) if is_sorted else None
        if operators or nodes:
            within = frozenset(matching.matching(list))
        if operators:
            told.append(f"Only notes that match {operators} as in mode obsidian.")
    scope, is_ready = corpus.scope_now(
        vault, work, request.folder, request.glob, times=times, include_excluded=request.include_excluded
    )
    if not is_ready:
        told.append("Ranked without the index, which is being built.")
    found = best(vault, work, question, most, scope, within, is_ready=is_ready)
    for reason in INCOMPLETE & apart.skipped.keys():  # what an operator could not be put to
        work.skipped.setdefault(reason, apart.skipped[reason])
    notes = found.ranking.notes
    if order is not None:
        by_path = {note.path: note for note in notes}
        notes = [by_path[path] for path in order(by_path.keys())]
    told += [*foreign.in_question(question), *found.ranking.notices, *found.meant]
    told += [
        *filters.unselected(request, found.asked, operators),
        *corpus.notices(found.asked, work, found=bool(notes)),
    ]
    told += answer.unextracted(work, found=False) if notes else []  # else it is told already
    doubts = [*filter(None, [found.ranking.weakness]), *found.ranking.absences]
    return Ranked(found, notes, doubts, told, is_ready)

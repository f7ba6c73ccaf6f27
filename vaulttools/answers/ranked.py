"""Ranks the notes that filters and operators select by a question in plain words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from heapq import nsmallest
from typing import Final

from vaulttools.answers import answer, corpus, dated, filters
from vaulttools.answers.best import Best, best
from vaulttools.answers.exact import Order, Sort, exact, finds_any
from vaulttools.answers.filters import Filters
from vaulttools.core.work import INCOMPLETE, Work
from vaulttools.errors import BadArgument
from vaulttools.query import foreign, tree
from vaulttools.query.language import parse
from vaulttools.query.tree import Term, Within
from vaulttools.ranked.order import RankedNote
from vaulttools.ranked.question import read, without_operators
from vaulttools.session import Session

_LOOKED_FOR: Final = 5
"""Words that no text holds and that are looked for where else they may stand."""
_LIKELY: Final = 4
"""Files that are looked into for each when notes are found by other words: half a millisecond each."""
_NOMINATED: Final = 2_000
"""Of more files that may hold a word, such as one of two letters, none is likely."""


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
    if is_ready:
        told += _elsewhere(vault, work, request, given, found.ranking.nowhere, thorough=not notes)
    told += [
        *filters.unselected(request, found.asked, operators),
        *corpus.notices(found.asked, work, found=bool(notes)),
    ]
    told += answer.unextracted(work, found=False) if notes else []  # else it is told already
    doubts = [*filter(None, [found.ranking.weakness]), *found.ranking.absences]
    return Ranked(found, notes, doubts, told, is_ready)


def _elsewhere(
    vault: Session, work: Work, request: Filters, given: str, words: Sequence[str], *, thorough: bool
) -> list[str]:
    """Which words stand where ranked search does not look: in properties, inside other words, on canvases. Not
    `thorough`, it looks into few files."""
    if not words or work.remaining() <= 0:
        return []
    matching, _ = exact(vault, work.again(), request, parse("path:.md"), given)
    matching = replace(matching, reader=replace(matching.reader, contents=vault.contents))
    index = matching.regexes.candidates

    def likely(files: AbstractSet[str]) -> Sequence[str]:
        if thorough or index is None:
            return list(files)
        # A short file is the least likely to hold the trigrams of a word without the word.
        return nsmallest(_LIKELY, files, key=index.size) if len(files) <= _NOMINATED else []

    held = [
        word
        for word in words[:_LOOKED_FOR]
        if finds_any(matching, likely, node=tree.both([Within("content", Term(word)), *filters.nodes(request)]))
    ]
    if not held:
        return []
    call = json.dumps({"query": held[0], "mode": "obsidian", **filters.kept(request)}, ensure_ascii=False)
    named = ", ".join(f'"{word}"' for word in held)
    return [f"Properties, canvases or the insides of words hold {named}: query {call}"]

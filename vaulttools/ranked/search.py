"""Runs ranked search over the notes that filters and operators select."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import filterfalse, islice
from typing import TYPE_CHECKING, Final

from vaulttools.answers import all_notes, answer, date_arguments, filters
from vaulttools.answers.filters import Filters
from vaulttools.answers.obsidian_query import Order, Sort, prepared, scope_of
from vaulttools.call import Call
from vaulttools.core import limits, paths
from vaulttools.core.work import UNREAD, Reason, named
from vaulttools.errors import BadArgument, VaultToolsError
from vaulttools.notes.note import Note
from vaulttools.notes.note_date import Dating
from vaulttools.notes.periods import Period
from vaulttools.notes.properties import values as property_values
from vaulttools.notes.properties.values import Value
from vaulttools.patterns.pattern import MAX_CHARACTERS
from vaulttools.query import explain, tree
from vaulttools.query.language import parse
from vaulttools.query.quoting import quoted
from vaulttools.ranked.allotment import Allotted, allotted
from vaulttools.ranked.by_meaning import ByMeaning
from vaulttools.ranked.copies import Deduplicator, copies_in
from vaulttools.ranked.counting import RipgrepCounter
from vaulttools.ranked.days import Days
from vaulttools.ranked.embeds import PART, with_embeds
from vaulttools.ranked.evidence import RankedNote
from vaulttools.ranked.intent import Intent, intent
from vaulttools.ranked.like import Like, kin_first
from vaulttools.ranked.preference import with_days
from vaulttools.ranked.question import read as read_question
from vaulttools.ranked.question import without_operators
from vaulttools.ranked.ranking import AsAsked, Ranking, rank
from vaulttools.ranked.search_space import Asked, SearchSpace, Selected, search_space, selected
from vaulttools.ranked.showing import TermsOf
from vaulttools.ranked.weights import IN_ORDER_OF_TIME, LIKENESS, OF_PERIOD

if TYPE_CHECKING:
    from vaulttools.meaning.languages import Meaning
    from vaulttools.notes.links.resolution import LinkIndex

_PROPERTY_CHARACTERS: Final = 200
"""Upper bound of the characters of a note's properties."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The notes that answer a question, with notices about them."""

    ranking: Ranking
    notes: Sequence[RankedNote]
    """The notes in the requested order."""
    doubts: Sequence[str]
    """Sentences to show before the notes: how a period was understood, which words no note holds."""
    notices: Sequence[str]
    is_ready: bool
    """Whether the index was ready."""
    part: str
    """A sentence if the filters, or the days of a period, covered only part of the notes; else `""`."""
    by_words_alone: int | None
    """Number of notes that meaning did not search, or not in full; None if meaning was not to search."""
    deduplicator: Deduplicator
    """Folds the copies among its notes."""
    like: Like | None
    """The note that they are like; None if they answer a question."""
    _missed: Mapping[str, Reason]
    """Notes that could not be read so far, each with the reason."""
    call: Call
    """The call to go on with, and to use alone: `ranked` may have waited for the index."""
    _reported: set[str]
    """The missed notes that were reported to the work of `call`."""
    _dating: Dating
    links: Callable[[], LinkIndex]
    """Returns the names that links can use."""
    period: Period | None
    """The period that the question names; its notes come first."""
    selected: int | None
    """Number of notes that match the filters and operators; None without any."""
    is_sorted: bool
    """Whether the notes are in another order than the best first."""

    def unfolded(self, start: int, count: int) -> Sequence[RankedNote]:
        """Returns `count` notes from `start` on, and the next one; folded copies do not count. Call it once: it
        compares every note with all notes before it."""
        return list(islice(self.deduplicator.unfolded(self.notes), start, start + count + 1))

    def allotted(self, notes: Sequence[RankedNote], characters: int) -> Allotted:
        """Returns the notes of a page, and their passages, that fit into `characters`."""
        sharing = self.ranking.sharing
        if self.period is not None:
            sharing = IN_ORDER_OF_TIME if self.ranking.is_by_time else OF_PERIOD
        sharing = sharing if self.like is None else LIKENESS
        terms_of: TermsOf = self.ranking.finder.occurrences
        if self.period is not None:
            terms_of = with_days(terms_of, self.period)
        found = allotted(
            notes, self.deduplicator, characters, terms_of, self._described, is_sorted=self.is_sorted, sharing=sharing
        )
        if any(PART.search(passage.shown) for note in found.notes for passage in note.passages):
            found = replace(found, notes=with_embeds(found.notes, self.deduplicator, self.links, characters))
        if self.like is not None:
            linked = self.like.linked
            found = replace(found, notes=[replace(each, is_linked=each.note.path in linked) for each in found.notes])
        return found

    def report_missed(self) -> None:
        """Report the notes that could not be read or shown to the work, each once."""
        missed: dict[str, Reason] = {**dict.fromkeys(self.ranking.unread, UNREAD), **self._missed}
        for path, reason in missed.items():
            if path in self.deduplicator.among and path not in self._reported:
                self._reported.add(path)
                self.call.work.pass_over(path, reason)

    def date_of(self, note: Note) -> str:
        """Returns the day when a note was written, as `2026-05-12`; `""` if unknown."""
        found = self._dating.of(note.path, note)
        return "" if found is None else found.day

    def _described(self, note: Note, is_first: bool) -> tuple[str, str]:
        """Returns the date of a note and its properties that hold a word of the question; for the first note with the
        others about its subject, tags last, if they all fit, else with their number."""
        terms_of = self.ranking.finder.occurrences
        held = {name: of for name, of in note.properties.items() if terms_of(f"{name} {property_values.text(of)}")}
        others: dict[str, Value] = {}
        if is_first:
            others = {
                name: of for name, of in note.properties.items() if name not in {*held, *property_values.OF_PAGES}
            }
            others |= {name: others.pop(name) for name in ("tags", "tag") if name in others}
        return self.date_of(note), property_values.fitting(held, others, _PROPERTY_CHARACTERS)


def has_words(question: str) -> bool:
    """Whether a question has words to rank by, apart from its operators."""
    return bool(read_question(without_operators(question)[0]).terms)


def ranked(
    call: Call,
    request: Filters,
    given: str | Like,
    most: int,
    *,
    name: str,
    sort: Sort | None = None,
    leaves_out: AbstractSet[str] = frozenset(),
    also: Sequence[str] = (),
) -> Ranked:
    """Returns up to `most` notes that answer a question best or are like a note, among those that match its operators
    and the filters and are not in `leaves_out`. It waits for the index first; the call to go on with is in the result.

    Without an index, ripgrep's counts of the words nominate notes. With one, notes near in meaning are added if
    passages are embedded. `name` is the argument that holds the question; `also` are other wordings of it.

    Raises:
        BadArgument: the question has no words, or a filter is wrong.
    """
    like = given if isinstance(given, Like) else None
    words = given.words if isinstance(given, Like) else given
    question, operators = without_operators(words) if like is None else (words, "")
    if not read_question(question).terms:
        raise BadArgument(f"{name} must hold a letter or a digit, got {json.dumps(words[:80], ensure_ascii=False)}")
    order = None if sort == "relevance" else sort
    asked = Asked(request, words, question, operators, like, tuple(filter(has_words, also)), order, leaves_out)
    calendar = call.session.calendar
    # A note has no intent, and a requested order overrides one.
    is_plain = like is not None or order is not None
    asks = Intent(question, calendar.today()) if is_plain else intent(question, calendar)

    chosen = selected(call, asked)
    notes = search_space(chosen, asked, needs_days=asks.period is not None)
    models, without = _models(asked, notes)
    meaning = None if models is None or notes.view is None else ByMeaning(models, notes.view, asked, notes)
    found = _found(asked, asks, most, chosen, notes, meaning)
    return _told(asked, asks, chosen, notes, meaning or without, found)


def _models(asked: Asked, notes: SearchSpace) -> tuple[Meaning | None, list[str]]:
    """Starts the models. Returns them, and a notice if they are wanted and cannot be used; None if there are none, the
    index is not ready, or the question has a quoted phrase."""
    session = notes.call.session
    if any(term.is_phrase for term in read_question(asked.question).terms):
        return None, []
    if notes.view is None:
        return None, ["Only words were searched for."] if session.wants_meaning else []
    try:
        models = session.meaning
    except VaultToolsError as error:
        return None, [f"{error}. Only words were searched for."]
    if models is not None:
        models.start()
    return models, []


@dataclass(frozen=True, slots=True)
class _Ranked:
    """The notes that answer, in the order that the question asks for."""

    ranking: Ranking
    words: str
    """What was searched for: the question in words of the notes."""
    translations: Mapping[str, str]
    """By word of the question that no note has, the word that was searched for instead."""
    dating: Dating
    part: str
    """A sentence if only part of the days or the words were looked at; else `""`."""


def _found(
    asked: Asked, asks: Intent, most: int, chosen: Selected, notes: SearchSpace, meaning: ByMeaning | None
) -> _Ranked:
    """Ranks the notes by words, joins this with what is near in meaning, and puts it in the order that is asked for."""
    call, work = notes.call, notes.call.work
    counter = RipgrepCounter(call)
    compared = asks.words if asked.like is None else asked.like.text
    translated = None if meaning is None else meaning.translated(asks.words)
    words, content = (asks.words, "") if translated is None else (translated.text, translated.content)

    def find(among: frozenset[str]) -> Ranking:
        """Returns the notes in `among` that answer."""
        ranking = rank(
            words,
            among,
            notes.view,
            notes.read,
            lambda: work.remaining() <= 0,
            most,
            counter,
            work.is_over,
            asked.wordings,
        )
        return ranking if meaning is None else meaning.joined(ranking, among, compared, content)

    days, part = _days(asks, chosen, notes)
    ranking = asks.rank(find, notes.wanted, days, work.is_over)
    if asked.like is not None:
        ranking = replace(ranking, notes=AsAsked(kin_first(ranking.notes, asked.like.kinship)))
    if ranking.part:
        work.cut()
    translations = {} if translated is None else translated.words
    return _Ranked(ranking, words, translations, days.dating, chosen.part or part or ranking.part)


_DAYS_BY_NAME: Final = "Part of the answer: days are read from names alone so far. Ask again for the rest."


def _days(asks: Intent, chosen: Selected, notes: SearchSpace) -> tuple[Days, str]:
    """Returns the days of the notes, and a sentence if they are those of their names alone; then the notes count as
    passed over by the filters."""
    call, view, part = notes.call, notes.view, ""
    if asks.period is not None and view is None:
        view = call.snapshot
        if view is None or not (view.has_facts or view.is_known(notes.listing, all_notes.FEW_TO_READ)):
            view, part = None, _DAYS_BY_NAME
            chosen.tally.pass_over_all(sorted(notes.wanted, key=paths.order), "time limit")
    return Days(call.session.dating(), view, notes.read, call.work.is_over), part


def _told(
    asked: Asked,
    asks: Intent,
    chosen: Selected,
    notes: SearchSpace,
    meaning: ByMeaning | list[str],
    found: _Ranked,
) -> Ranked:
    """Reports to the work what was passed over, and returns the result with its sentences. `meaning` is why there are
    no models, if there are none."""
    call, work, ranking = notes.call, notes.call.work, found.ranking
    missed = notes.missed(ranking.waiting)
    unsearched: int | None
    changed: AbstractSet[str] = frozenset()
    if isinstance(meaning, ByMeaning):
        unsearched, changed, by_meaning = meaning.coverage(missed)
    else:
        unsearched, by_meaning = len(notes.wanted) if meaning else None, meaning
    searched, waiting = notes.report(missed, chosen.tally)
    ordered = ranking.notes if chosen.order is None else _sorted(ranking.notes, chosen.order)
    if unsearched and not ordered and asked.like is None:
        known = sorted(notes.wanted if unsearched >= len(notes.wanted) else changed, key=paths.order)
        work.pass_over_all(
            known, "not searched by meaning yet", unnamed=min(unsearched, len(notes.wanted)) - len(known)
        )
    copies = copies_in(notes.view, notes.wanted, notes.read, work.is_over)
    return Ranked(
        ranking=ranking,
        notes=ordered,
        doubts=_doubts(asks, found) if asked.like is None else [],
        notices=[
            *chosen.notices,
            *filter(None, [notes.unready]),
            *([] if asked.like is not None else explain.foreign_in_question(asked.question)),
            *by_meaning,
            *_left_out(asked, notes, found, searched, waiting),
        ],
        is_ready=notes.view is not None,
        part=found.part,
        by_words_alone=unsearched,
        deduplicator=Deduplicator(notes.read, copies, notes.wanted, work.remaining),
        like=asked.like,
        _missed=missed,
        call=call,
        _reported=set(missed),
        _dating=found.dating,
        links=lambda: call.again().links(),
        period=asks.period,
        selected=len(notes.wanted) if asked.operators or filters.names(asked.request) else None,
        is_sorted=chosen.order is not None,
    )


def _sorted(notes: Sequence[RankedNote], order: Order) -> list[RankedNote]:
    """Returns the notes in the order that the caller asks for."""
    by_path = {note.path: note for note in notes}
    return [by_path[path] for path in order(by_path.keys())]


def _left_out(asked: Asked, notes: SearchSpace, found: _Ranked, searched: int, waiting: int) -> list[str]:
    """Returns the sentences about what was not searched; for `waiting` notes there was no time."""
    work, is_found = notes.call.work, bool(found.ranking.notes)
    indexing = f"Indexing: {searched:,} of {searched + waiting:,} notes; ask again for the full answer."
    return [
        *filters.unselected(asked.request, searched + waiting, asked.operators),
        *([indexing] if waiting else []),
        *answer.told(work, found=is_found, reported=("time limit",)),
        *_elsewhere(asked, notes, found),
        *(answer.unextracted(work, found=False) if is_found else []),  # else `told` has it
    ]


_NAMED: Final = 8
"""Translated words that are named."""


def _doubts(asks: Intent, found: _Ranked) -> list[str]:
    """Returns how a period was understood, how words were translated, and which telling words no note holds."""
    doubts = [] if asks.period is None else [asks.period.sentence]
    if found.translations:
        pairs = [f'"{word}" as "{instead}"' for word, instead in found.translations.items()]
        more = f" and {len(pairs) - _NAMED} more" if len(pairs) > _NAMED else ""
        doubts.append(f"Words that no note has were translated: {', '.join(pairs[:_NAMED])}{more}.")
    return [*doubts, *found.ranking.absences]


def _elsewhere(asked: Asked, notes: SearchSpace, found: _Ranked) -> list[str]:
    """Returns a sentence if canvases, which are not ranked, hold words that no note holds; if no note was found, also
    one if mode obsidian finds such words, as parts of longer ones. Each says how to see them."""
    ranking = found.ranking
    lacking = [*found.translations, *ranking.unfound, *ranking.corrected]
    if not ranking.notes:
        lacking = [term.text for term in read_question(found.words).terms]
    if not lacking or asked.like is not None or notes.view is None:
        return []
    told = _seen(asked, notes, lacking, in_canvases=True)
    if ranking.notes:  # too often a word of a sentence is a part of another one
        return told
    longer = [word for word in lacking if len(word) >= _SHORTEST_PART]
    return [*told, *_seen(asked, notes, longer, in_canvases=False)]


_SHORTEST_PART: Final = 3
"""Fewer characters are a part of some word in nearly every note."""


def _seen(asked: Asked, notes: SearchSpace, words: Sequence[str], *, in_canvases: bool) -> list[str]:
    """Returns a sentence that says which canvases, or other files, hold letters of some words; none if there are
    none."""
    request, work = asked.request, notes.call.work
    either = " OR ".join(word.lower() if word.isalnum() else quoted(word) for word in words)
    if in_canvases or asked.operators:
        either = f"{'path:.canvas ' if in_canvases else ''}({either}) {asked.operators}".rstrip()
    if not words or len(either) > MAX_CHARACTERS:  # words of thousands of characters are no words
        return []
    again, node = notes.call.again(), tree.both([parse(either), *filters.nodes(request)])
    matching, _ = prepared(again, scope_of(again, request), request, node, either)
    wanted = (filter if in_canvases else filterfalse)(
        matching.plan.files.canvases.__contains__, matching.matching(sorted)
    )
    holding = list(islice(wanted, limits.NAMED_PATHS + 1))
    if not holding:
        return []
    fact = (
        "Canvases are not ranked; words that no note has are"
        if in_canvases
        else "Mode obsidian, which also looks inside words, paths and comments, finds them"
    )
    more = " and more" if len(holding) > limits.NAMED_PATHS else ""
    given = {name: value for name in _KEPT if (value := getattr(request, name))}
    see = work.voice.call("query", {"query": either, "mode": "obsidian", **given})
    return [f"{fact} in {named(holding[: limits.NAMED_PATHS])}{more}. To see them: {see}"]


_KEPT: Final = ("folder", "glob", "tags", "properties", *date_arguments.NAMES, "include_excluded")
"""The filters that mode obsidian takes, too."""

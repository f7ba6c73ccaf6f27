"""Runs ranked search over the notes that filters and operators select."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

from vaulttools.answers import answer, corpus, dated, filters
from vaulttools.answers.exact import Order, Sort, awaited, exact, scope_of
from vaulttools.answers.filters import Filters
from vaulttools.answers.incremental import Corpus
from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.core.voice import Voice
from vaulttools.core.work import INCOMPLETE, PROPERTIES, UNREAD, Reason, Work, named
from vaulttools.errors import BadArgument, VaultToolsError
from vaulttools.files.catalogue import Entry
from vaulttools.files.document import NotRead
from vaulttools.files.listing import Listing
from vaulttools.files.providers import Extracts, timeout
from vaulttools.files.scope import Scope
from vaulttools.notes.language import ENGLISH
from vaulttools.notes.note import ExtractedNote, Note
from vaulttools.notes.note_date import Dating
from vaulttools.notes.periods import Period
from vaulttools.notes.properties import values as property_values
from vaulttools.notes.properties.values import Value
from vaulttools.patterns.pattern import MAX_CHARACTERS
from vaulttools.query import explain, tree
from vaulttools.query.language import parse
from vaulttools.query.quoting import quoted
from vaulttools.ranked.allotment import Allotted, allotted
from vaulttools.ranked.copies import Deduplicator, copies_in
from vaulttools.ranked.counting import RipgrepCounter
from vaulttools.ranked.days import Days
from vaulttools.ranked.embeds import PART, with_embeds
from vaulttools.ranked.evidence import RankedNote
from vaulttools.ranked.intent import Intent, intent
from vaulttools.ranked.like import Like, kin_first
from vaulttools.ranked.pointers import pointed_to
from vaulttools.ranked.preference import with_days
from vaulttools.ranked.question import read as read_question
from vaulttools.ranked.question import without_operators
from vaulttools.ranked.ranking import AsAsked, Ranking, rank
from vaulttools.ranked.showing import NamedLine, ShownNote, TermsOf
from vaulttools.ranked.weights import IN_ORDER_OF_TIME, LIKENESS, OF_PERIOD
from vaulttools.session import Session

if TYPE_CHECKING:
    from vaulttools.index.snapshot import Snapshot
    from vaulttools.meaning.languages import Meaning
    from vaulttools.meaning.translation import Translated
    from vaulttools.notes.links.targets import LinkIndex

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
    _links: Callable[[], LinkIndex]
    period: Period | None
    """The period that the question names; its notes come first."""
    selected: int | None
    """Number of notes that match the filters and operators; None without any."""

    def unfolded(self, start: int, count: int) -> Sequence[RankedNote]:
        """Returns `count` notes from `start` on, and the next one; folded copies do not count. Call it once: it
        compares every note with all notes before it."""
        return list(islice(self.deduplicator.unfolded(self.notes), start, start + count + 1))

    def allotted(self, notes: Sequence[RankedNote], characters: int, *, is_sorted: bool) -> Allotted:
        """Returns the notes of a page, and their passages, that fit into `characters`."""
        sharing = self.ranking.sharing
        if self.period is not None:
            sharing = IN_ORDER_OF_TIME if self.ranking.is_by_time else OF_PERIOD
        sharing = sharing if self.like is None else LIKENESS
        terms_of: TermsOf = self.ranking.finder.occurrences
        if self.period is not None:
            terms_of = with_days(terms_of, self.period)
        found = allotted(
            notes, self.deduplicator, characters, terms_of, self._described, is_sorted=is_sorted, sharing=sharing
        )
        if any(PART.search(passage.shown) for note in found.notes for passage in note.passages):
            found = replace(found, notes=with_embeds(found.notes, self.deduplicator, self._links, characters))
        if self.like is not None:
            linked = self.like.linked
            found = replace(found, notes=[replace(each, is_linked=each.note.path in linked) for each in found.notes])
        return found

    def pointed_to(self, shown: Sequence[ShownNote]) -> list[NamedLine]:
        """Returns notes that the shown ones link to and that hold words of the question; none for notes like a note."""
        if self.like is not None:
            return []
        return pointed_to(shown, self.deduplicator, self._links, self.ranking.finder.occurrences)

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
    session, work = call.session, call.work
    like = given if isinstance(given, Like) else None
    given = given.words if isinstance(given, Like) else given
    question, operators = without_operators(given) if like is None else (given, "")
    if not read_question(question).terms:
        raise BadArgument(f"{name} must hold a letter or a digit, got {json.dumps(given[:80])}")
    wordings = tuple(filter(has_words, also))
    times, notices = dated.file_times(request, session.calendar)
    within: frozenset[str] | None = None
    part = ""
    order: Order | None = None
    is_sorted = sort not in (None, "relevance")
    filtering = call.with_work(Work(work.time_limit, work.cancel, deadline=work.deadline, started=work.started))
    nodes = filters.nodes(request)
    if operators or is_sorted or nodes:
        filtering, selected = awaited(filtering, request)
        node = tree.both([parse(operators or "path:.md"), *nodes])
        matching, filtered = exact(filtering, selected, request, node, given)
        part = corpus.part(filtered)
        call = filtering.with_work(work)  # the notes are ranked as of the moment at which they were filtered
        order = Order(session, matching, sort) if is_sorted else None
        if operators or nodes:
            within = frozenset(matching.matching(list))
        if operators:
            notices.append(f"Only notes that match {operators} as in mode obsidian.")
    calendar = session.calendar
    is_plain = like is not None or order is not None  # a note has no intent, and a requested order overrides one
    asks = Intent(question, calendar.today()) if is_plain else intent(question, calendar)
    may_wait = not call.has_waited
    call, scope, is_ready = corpus.awaited_briefly(
        call, request.folder, request.glob, times=times, include_excluded=request.include_excluded
    )
    if asks.period is not None and not is_ready and may_wait:
        call = call.waited(min(_DAYS_SECONDS, work.remaining()))
        scope = replace(scope, names=call.snapshot, warnings=[])
    if not is_ready:
        why = "the index, which is being built" if session.has_index else "an index"
        notices.append(f"Ranked without {why}.")

    listing = corpus.listed(scope)
    view = call.snapshot if is_ready else None
    extracts = scope.extracts

    def made() -> _Notes:
        return _Notes.of(listing, are_searched=extracts is not None)

    notes = made() if view is None else view.kept(("notes", listing), made)
    work.unextracted += notes.unextracted
    large = frozenset() if view is None else notes.files & view.large
    wanted = notes.files - large if large else notes.files
    wanted = wanted if within is None else wanted & within
    wanted -= leaves_out
    read = _Reader(call, extracts, view)
    counter = None if is_ready else RipgrepCounter(call)
    meaning, meant = _meaning(session, question, is_ready=view is not None)
    compared = asks.words if like is None else like.text
    words, content = asks.words, ""
    translations: Mapping[str, str] = {}
    languages = read_question(words).languages
    if meaning is not None and like is None and languages and ENGLISH not in languages:
        words, content, translations = _translated(meaning, words, languages)

    def find(among: frozenset[str]) -> Ranking:
        """Rank the notes in `among` that answer."""
        ranking = rank(words, among, view, read, lambda: work.remaining() <= 0, most, counter, work.is_over, wordings)
        if meaning is None or view is None:
            return ranking
        from vaulttools.ranked.fusion import with_meaning

        return with_meaning(
            ranking, meaning, compared, view, among, read, work, meant, translated=content, also=wordings
        )

    dating = session.dating()
    dated_by = view
    if asks.period is not None and view is None:
        dated_by = call.snapshot
        if dated_by is None or not (dated_by.has_facts or dated_by.is_known(listing, corpus.FEW_TO_READ)):
            dated_by, part = None, part or _DAYS_BY_NAME
            filtering.work.pass_over_all(sorted(wanted, key=paths.order), "time limit")
    ranking = asks.put_in_order(find, wanted, Days(dating, dated_by, read, work.is_over), work.is_over)
    if like is not None:
        ranking = replace(ranking, notes=AsAsked(kin_first(ranking.notes, like.kinship)))
    if ranking.part:
        part = part or ranking.part
        work.cut()
    meant = list(dict.fromkeys(meant))  # each call of `find` may append the same sentences
    missed = read.missed
    if view is not None:
        missed.update(dict.fromkeys(view.holding("nul"), "binary"))
        missed.update(view.textless(notes.attachments))
    missed.update(dict.fromkeys(large, "too large"))
    missed.update(dict.fromkeys(ranking.waiting, "time limit"))
    by_words_alone = len(wanted) if meant else None
    changed: AbstractSet[str] = frozenset()
    if meaning is not None and view is not None:
        meant += _progress(meaning, len(notes.files), meant, work.voice)
        if not by_words_alone:
            by_words_alone, changed = _unsearched(meaning, view, wanted, missed, meant)
    asked = _passed_over(work, scope, notes, wanted, large, missed)
    for reason in (INCOMPLETE | {PROPERTIES}) & filtering.work.skipped.keys():  # notes that the filters could not check
        work.skipped.setdefault(reason, filtering.work.skipped[reason])
    ordered = ranking.notes
    if order is not None:
        by_path = {note.path: note for note in ordered}
        ordered = [by_path[path] for path in order(by_path.keys())]
    if by_words_alone and not ordered and like is None:
        known = sorted(wanted if by_words_alone >= len(wanted) else changed, key=paths.order)
        unnamed = min(by_words_alone, len(wanted)) - len(known)
        work.pass_over_all(known, "not searched by meaning yet", unnamed)
    notices += [*([] if like is not None else explain.foreign_in_question(question)), *meant]
    notices += [*filters.unselected(request, asked, operators), *corpus.notices(asked, work, found=bool(ordered))]
    lacking = [*translations, *ranking.unfound, *ranking.corrected]
    if not ranking.notes:
        lacking = [term.text for term in read_question(words).terms]
    if lacking and like is None and view is not None:
        notices += _in_canvases(call, request, operators, lacking)
    notices += answer.unextracted(work, found=False) if ordered else []  # else `corpus.notices` has it
    understood = [] if asks.period is None else [asks.period.sentence]
    if translations:
        pairs = [f'"{word}" as "{instead}"' for word, instead in translations.items()]
        more = f" and {len(pairs) - _NAMED} more" if len(pairs) > _NAMED else ""
        understood.append(f"Words that no note has were translated: {', '.join(pairs[:_NAMED])}{more}.")
    return Ranked(
        ranking,
        ordered,
        [*understood, *ranking.absences] if like is None else [],
        notices,
        is_ready,
        part,
        by_words_alone,
        Deduplicator(read, copies_in(view, wanted, read, work.is_over), wanted, work.remaining),
        like,
        missed,
        call,
        set(missed),
        dating,
        lambda: call.again().links(),
        asks.period,
        len(wanted) if operators or filters.names(request) else None,
    )


_NAMED: Final = 8
"""Translated words that are named."""

_DAYS_SECONDS: Final = 1.5
"""How long a question about a period waits for the structure of the notes: it takes up to 3 s by ripgrep's counts."""

_DAYS_BY_NAME: Final = "Part of the answer: days are read from names alone so far. Ask again for the rest."


def _in_canvases(call: Call, request: Filters, operators: str, words: Sequence[str]) -> list[str]:
    """Returns a sentence if canvases, which are not ranked, hold words that no note holds; it says how to see them."""
    either = " OR ".join(word.casefold() if word.isalnum() else quoted(word) for word in words)
    asked = f"path:.canvas ({either}) {operators}".rstrip()
    if len(asked) > MAX_CHARACTERS:  # words of thousands of characters are no words
        return []
    again, node = call.again(), tree.both([parse(asked), *filters.nodes(request)])
    matching, _ = exact(again, scope_of(again, request), request, node, asked)
    found = [path for path in matching.matching(list) if path in matching.plan.files.canvases]
    if not found:
        return []
    given = {name: value for name in _KEPT_FOR_CANVASES if (value := getattr(request, name))}
    see = call.work.voice.call("query", {"query": asked, "mode": "obsidian", **given})
    return [f"Canvases are not ranked; words that no note has are in {named(found)}. To see them: {see}"]


_KEPT_FOR_CANVASES: Final = ("folder", "glob", *dated.NAMES, "include_excluded")
"""The filters that apply to canvases, too."""


def _passed_over(
    work: Work,
    scope: Scope,
    notes: _Notes,
    wanted: frozenset[str],
    large: AbstractSet[str],
    missed: Mapping[str, Reason],
) -> Corpus[None]:
    """Report skipped files and warnings to `work`, and return the corpus of the answer.

    Missed notes outside the scope do not count: they only show how frequent a word is.
    """
    of_scope = sorted((path for path in missed if path in wanted or path in large), key=paths.order)
    passed_over = [*notes.left_out, *((Entry(path, "file"), missed[path]) for path in of_scope)]
    asked = Corpus(None, len(wanted) - sum(path in wanted for path in missed), passed_over)
    for entry, reason in passed_over:
        work.pass_over(entry.path, reason, is_folder=entry.kind == "folder")
    for _, warning in scope.warnings:
        work.warn(warning)
    work.searched = asked.notes
    return asked


def _meaning(vault: Session, question: str, *, is_ready: bool) -> tuple[Meaning | None, list[str]]:
    """Start the models and return them, with notices; None if there are no models, the index is not ready, or the
    question has a quoted phrase."""
    if any(term.is_phrase for term in read_question(question).terms):
        return None, []
    if not is_ready:
        return None, ["Only words were searched for."] if vault.wants_meaning else []
    try:
        meaning = vault.meaning
    except VaultToolsError as error:
        return None, [f"{error}. Only words were searched for."]
    if meaning is not None:
        meaning.start()
    return meaning, []


def _translated(meaning: Meaning, question: str, languages: AbstractSet[str]) -> Translated:
    """Returns the question in words of the notes; as it is if models fail, which `with_meaning` reports."""
    from vaulttools.meaning.translation import Translated

    try:
        return meaning.translated(question, languages)
    except VaultToolsError:
        return Translated(question, "", {})


_BY_WORDS_SO_FAR: Final = "Only words were searched for. To search by meaning too"
_OTHERS_BY_WORDS: Final = "Notes in other languages are searched by words alone."


def _progress(meaning: Meaning, notes: int, given: Sequence[str], voice: Voice) -> list[str]:
    """Returns a sentence with the progress of embedding unless it is done, and why it stopped unless `given` has it."""
    try:
        done, total = meaning.main.seen()
        reason = meaning.why_not()
    except VaultToolsError:
        return []  # a notice has it already
    if done >= total and (total or not notes or meaning.main.embeds_nothing):
        is_given = any(each.startswith(reason) for each in given)
        return [f"{reason}. {_OTHERS_BY_WORDS}"] if reason and not is_given else []
    if not reason and (command := voice.embedding()):
        so_far = f"Meaning: {done:,} of {total or notes:,} notes. For the rest" if done else _BY_WORDS_SO_FAR
        return [f"{so_far}: {command}"]
    fault = f" {reason}." if reason and not any(each.startswith(reason) for each in given) else ""
    return [f"Meaning: {done:,} of {total or notes:,} notes.{fault}"]


def _unsearched(
    meaning: Meaning, view: Snapshot, wanted: frozenset[str], missed: Collection[str], notices: list[str]
) -> tuple[int, AbstractSet[str]]:
    """Returns how many notes meaning did not search, or not in full, and those of them that changed since the progress
    was counted; append a notice about these."""
    try:
        waiting, changed = meaning.unsearched(view, wanted)
    except VaultToolsError:
        return len(wanted), frozenset()  # a notice has it already
    changed = changed.difference(missed)
    if count := len(changed):
        notices.append(
            f"{corpus.counted(count, 'changed note')} {'is' if count == 1 else 'are'} not searched by meaning yet."
        )
    return waiting + count, changed


@dataclass(frozen=True, slots=True)
class _Notes:
    """The entries of a listing: notes and attachments to search, and the rest."""

    files: frozenset[str]
    attachments: Sequence[str]
    """The attachments in `files`, by their names."""
    unextracted: int
    """Number of attachments that are not in `files`, since nothing extracts their text."""
    left_out: Sequence[tuple[Entry, Reason]]

    @classmethod
    def of(cls, listing: Listing, *, are_searched: bool) -> _Notes:
        """Sort the entries of a listing; `are_searched` says whether attachments are."""
        files = listing.files
        attachments = [path for path in files if not paths.is_note(path)]
        return cls(
            frozenset(files if are_searched else filter(paths.is_note, files)),
            attachments if are_searched else [],
            0 if are_searched else len(attachments),
            [(entry, entry.left_out) for entry in listing.left_out if entry.left_out is not None],
        )


_EXTRACTING_SECONDS: Final = 3.0
"""Time that one answer waits for extractions: an answer that names what is missing is better than a late one."""


class _Reader:
    """Reads notes and attachments, each once."""

    def __init__(self, call: Call, extracts: Extracts | None, view: Snapshot | None) -> None:
        self.missed: Final[dict[str, Reason]] = {}
        """By path, why a file could not be read."""
        self._work = call.work
        self._extracts = extracts
        self._view = view
        self._notes = replace(call.session.notes(view), contents=call.session.contents)
        self._read: dict[str, Note | None] = {}
        self._until = time.monotonic() + _EXTRACTING_SECONDS

    def __call__(self, path: str) -> Note | None:
        """Returns the note at a path; None if it cannot be read or is no note."""
        if path not in self._read:
            self._read[path] = None
            try:
                self._read[path] = self._made(path)
            except NotRead as error:
                self.missed[path] = error.reason
        return self._read[path]

    def _made(self, path: str) -> Note | None:
        if self._extracts is None or paths.is_note(path):
            document = self._notes.document(path)
            return self._notes.note(replace(document, content=document.normalised))
        seconds = max(0.0, min(timeout(self._work), self._until - time.monotonic()))
        digest = None if self._view is None else partial(self._view.digest, path)
        extracted = self._extracts.read(path, seconds, digest)
        if extracted is None:
            return None  # not an attachment with text, in spite of its name
        if not extracted.is_whole:
            self.missed[path] = "not extracted whole"
        return ExtractedNote.of(extracted)

"""Answers `query` in mode ranked: a page of notes, as much as fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from vaulttools.answers import answer
from vaulttools.answers.conflict_copies import conflict_copies
from vaulttools.answers.proposals import ListLine, WholeList
from vaulttools.core import limits, paths, render
from vaulttools.core.work import PROPERTIES
from vaulttools.ranked.allotment import every_passage
from vaulttools.ranked.evidence import RankedNote
from vaulttools.ranked.like import Like
from vaulttools.ranked.pointers import pointed_to
from vaulttools.ranked.preference import OF_OTHER_TIMES
from vaulttools.ranked.search import Ranked
from vaulttools.ranked.showing import NamedLine, ShownNote, ShownPassage, named_line, reading_on
from vaulttools.tools.query.answers import (
    EmbeddedPart,
    ListedRow,
    NamedNote,
    NoteRanked,
    Passage,
    ProposedCall,
    QueryRequest,
    RankedAnswer,
)

_CLOSING_CHARACTERS: Final = 320
"""Characters reserved for the first line and the next steps."""
_BESIDE_LIST: Final = 800
"""Most characters of the passages below a list."""
_LEAST_CHARACTERS: Final = 160
"""Characters that passages may always have, however little room is left."""
_NAMED: Final = 9
"""Notes that are only named: all of a usual page, because the next page begins after them."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What a page says beside its notes, however many of them fit."""

    request: QueryRequest
    found: Ranked
    next_page: int | None
    whole: WholeList | None
    """The list that the question asks for."""
    explanation: str
    """How the question was understood."""
    doubts: Sequence[str]
    """Sentences beside the first line."""
    notices: Sequence[str]
    calls: Sequence[str]
    """The sentence that names the call for the list; empty without one."""

    @property
    def room(self) -> int:
        """The characters of `max_chars` that are left for the list and the passages."""
        fixed = sum(len(each) + 3 for each in (self.found.part, *self.doubts, *self.notices, *self.calls) if each)
        fixed += len(self.explanation) + 20 if self.request.explain else 0
        return max(self.request.max_chars - fixed - _CLOSING_CHARACTERS, _LEAST_CHARACTERS)


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its frame, and what is shown in it."""

    frame: Frame
    rows: Sequence[ListLine]
    """The first rows of the list."""
    listed: str
    """These rows as text."""
    notes: Sequence[ShownNote]
    named: Sequence[NamedLine]
    """Notes that are only named."""
    steps: Sequence[str]
    """Sentences about what to do next, the most useful one first."""


def answered(request: QueryRequest, found: Ranked, listing: WholeList | str | None = None) -> RankedAnswer:
    """Returns the page, with as many passages as fit into `max_chars`. If the question asks for a list, its rows come
    first and the call that makes it comes last; if the list could not be made, the first line says so."""
    notes = found.unfolded((request.page - 1) * request.limit, request.limit)
    next_page = request.page + 1 if len(notes) > request.limit else None
    notes = notes[: request.limit]
    whole = listing if isinstance(listing, WholeList) else None
    unlisted = [listing] if isinstance(listing, str) else []
    notices = _notices(request, found, notes, has_list=whole is not None)
    doubts = found.doubts if whole is None else [] if found.period is None else [found.period.sentence]
    doubts = [render.line(doubt, most=limits.NOTICE_CHARACTERS) for doubt in (*unlisted, *doubts)]
    found.report_missed()
    explanation = "\n".join(found.ranking.explanation)
    calls = [] if whole is None else [whole.call(found.call.work.voice)]
    page, text = _written(Frame(request, found, next_page, whole, explanation, doubts, notices, calls), notes)
    absences = found.ranking.absences if whole is None else []  # its list answers the words of the question
    told = [found.part, *unlisted, *absences, *page.frame.notices, *page.steps, *calls]
    return _details(page, text, told, notes)


def _notices(request: QueryRequest, found: Ranked, notes: Sequence[RankedNote], *, has_list: bool) -> list[str]:
    notices = ["Case is ignored: match_case works in mode obsidian only."] if request.match_case else []
    notices += found.notices
    if found.like is not None and found.like.unread:
        notices.append(f"Links of {render.counted(found.like.unread, 'note')} are not read yet.")
    notices += answer.passed_over(found.call.work, {PROPERTIES}) if has_list else []
    if found.deduplicator.is_cut:
        notices.append("Time ran out: notes far down were not compared, so copies may be among them.")
    return notices


def _written(frame: Frame, notes: Sequence[RankedNote]) -> tuple[Page, str]:
    """Returns the page of some notes, and its text of at most `max_chars` characters and 50 KiB."""
    found, room, rows, listed = frame.found, frame.room, [], ""
    if frame.whole is not None:
        rows = frame.whole.read(found.deduplicator.read, room - _LEAST_CHARACTERS)
        listed = frame.whole.block(rows)
        room = min(max(room - len(listed), _LEAST_CHARACTERS), _BESIDE_LIST)
    terms_of = found.ranking.finder.occurrences
    while True:
        allotted = found.allotted(notes, room)
        named = [] if found.like is not None else pointed_to(allotted.notes, found.deduplicator, found.links, terms_of)
        pointed = {each.path for each in named}
        also = [each for each in allotted.also if each.path not in pointed]
        named += [named_line(each, found.deduplicator.read(each.path), terms_of) for each in also[:_NAMED]]
        steps = list(_next_steps(frame, allotted.notes))
        copies = conflict_copies(_paths(notes, allotted.notes, rows, named))
        told = replace(frame, notices=[*frame.notices, *copies])
        page, text = _fitted(Page(told, rows, listed, allotted.notes, named, steps))
        octets = len(text.encode("utf-8", "surrogatepass"))
        if octets <= limits.TEXT_BYTES or room <= _LEAST_CHARACTERS:
            return page, text
        room = max(room * limits.TEXT_BYTES // octets - 1, _LEAST_CHARACTERS)  # scripts beyond ASCII take more bytes


def _paths(
    notes: Sequence[RankedNote], shown: Sequence[ShownNote], rows: Sequence[ListLine], named: Sequence[NamedLine]
) -> Iterator[str]:
    """Yields the files that a page names."""
    yield from (note.path for note in notes)
    yield from (row.path for row in rows)
    yield from (line.path for line in named)
    for passage in (passage for each in shown for passage in each.passages):
        yield from passage.copies
        yield from (each.path for each in passage.embedded)


def _next_steps(frame: Frame, shown: Sequence[ShownNote]) -> Iterator[str]:
    found, voice = frame.found, frame.found.call.work.voice
    is_far = found.ranking.is_weak or found.like is not None or frame.whole is not None
    following = None if is_far else reading_on(shown, found.deduplicator.read)
    if following is not None:
        yield answer.to_read_on(*following, voice)
    if frame.next_page is not None:
        yield f"{voice.set('page', frame.next_page)} for the next notes."


def _fitted(page: Page) -> tuple[Page, str]:
    """Returns as much of a page as fits into `max_chars`, and its text, which is cut if a path or notices alone are
    longer. The notes are written once, and measured."""
    most = page.frame.request.max_chars
    notes = ["\n".join([each.heading, *each.lines]) for each in page.notes]
    less, blocks = page, list[str]()
    for less in _shorter(page):
        blocks = _blocks(less, notes[: len(less.notes)])
        if sum(map(len, blocks)) + 2 * (len(blocks) - 1) <= most:
            return less, "\n\n".join(blocks)
    text = "\n\n".join(blocks)
    return less, f"{text[: most - 1].rstrip()}…"


def _shorter(page: Page) -> Iterator[Page]:
    """Yields a page, and then what is left of it if one thing after the other goes: the lines of notes that are only
    named, these notes but the first, next steps, that note, and the shown notes but the first."""
    yield page
    for at in reversed(range(len(page.named))):
        if page.named[at].text:
            bare = NamedLine(page.named[at].path, None, "")
            page = replace(page, named=[*page.named[:at], bare, *page.named[at + 1 :]])
            yield page
    while len(page.named) > 1:
        page = replace(page, named=page.named[:-1])
        yield page
    while page.steps:
        page = replace(page, steps=page.steps[:-1])
        yield page
    if page.named:
        page = replace(page, named=())
        yield page
    while len(page.notes) > (0 if page.listed else 1):
        page = replace(page, notes=page.notes[:-1])
        yield page


def _blocks(page: Page, notes: Sequence[str]) -> list[str]:
    """Returns the parts of the text of a page, which blank lines divide; `notes` are those of its notes."""
    frame = page.frame
    understood = f"Understood as:\n{frame.explanation}" if frame.request.explain else ""
    number = "" if page.listed and not page.notes else _first_line(frame, page.notes)
    first = " ".join(filter(None, [number, *frame.doubts]))
    named = "\n".join(["Named only:", *map(str, page.named)]) if page.named else ""
    closing = "\n".join(answer.bracketed([*frame.notices, *page.steps, *frame.calls]))
    return [*filter(None, [understood, frame.found.part, first, page.listed, *notes, named, closing])]


def _first_line(frame: Frame, shown: Sequence[ShownNote]) -> str:
    found, page = frame.found, frame.request.page
    work = found.call.work
    if shown:
        order = "" if found.is_sorted else ", best first"
        if found.ranking.is_by_time:
            order = ", in order of time"
            if shown[-1].note.score <= OF_OTHER_TIMES:
                order = ", those of the period in order of time, then others"
        what = "" if found.like is None else f" like {paths.shown(found.like.path)}"
        if found.selected is not None:
            return f"Showing {len(shown)} of {render.counted(found.selected, 'note')} that match the filters{order}."
        return f"Showing {render.counted(len(shown), 'note')}{what}{order}."
    if page > 1 and not found.part:
        if "time limit" in work.skipped:
            return f"Page {page:,} was not reached: {work.incomplete_because()}."
        return f"Page {page:,} is past the end."
    if found.part:
        return "No notes found so far."
    nothing = "No notes found."
    if found.like is not None and not found.like.has_text:
        nothing = f"No notes found: {paths.shown(found.like.path)} has no text, so only its name was compared."
    return answer.nothing_found(work, nothing)


def _details(page: Page, text: str, told: Sequence[str], notes: Sequence[RankedNote]) -> RankedAnswer:
    """Returns the answer with a text; `notes` are all of the page, also those that the text does not show."""
    frame, found, whole = page.frame, page.frame.found, page.frame.whole
    held = {each.note.path for each in page.notes}
    left = [note for note in notes if note.path not in held]
    others = every_passage(left, found.deduplicator, found.ranking.finder.occurrences)
    found.report_missed()
    is_found = bool(page.notes or whole)
    return RankedAnswer(
        **answer.envelope(found.call.work, text, told, found=is_found),
        shown={"notes": [_note(each, found.like, is_cut=True) for each in page.notes]},
        notes=[_note(each, found.like) for each in (*page.notes, *others)],
        shown_notes=len(page.notes),
        weak=found.ranking.is_weak and whole is None if found.like is None else None,
        by_words_alone=found.by_words_alone,
        named=[NamedNote(path=paths.portable(each.path), line=each.line, text=each.text) for each in page.named],
        period=None if found.period is None else [day.isoformat() for day in found.period.days],
        explanation=frame.explanation,
        next_page=frame.next_page,
        **({} if whole is None else _of_list(whole, page.rows)),
    )


def _of_list(whole: WholeList, shown: Sequence[ListLine]) -> dict[str, Any]:
    """Returns the fields of an answer about the list that the question asks for."""
    call = ProposedCall(tool=whole.proposal.tool, arguments=dict(whole.proposal.arguments))
    rows = [ListedRow(path=each.path, line=each.line or None, text=each.text) for each in shown]
    return {"proposed_calls": [call], "listed": rows, "listed_total": whole.total}


def _note(found: ShownNote, like: Like | None, *, is_cut: bool = False) -> NoteRanked:
    """Returns a note as details; if `is_cut`, with the passages as the text shows them."""
    path = found.note.path
    return NoteRanked(
        path=paths.portable(path),
        title=paths.portable(paths.stem(path)),
        score=found.note.score,
        date=found.date or None,
        linked=None if like is None else path in like.linked,
        passages=[
            Passage(
                start_line=each.shown_lines[0] if is_cut else each.start_line,
                end_line=each.shown_lines[1] if is_cut else each.end_line,
                page=each.page,
                heading=list(each.heading),
                text=each.shown if is_cut else each.text,
                found_by=list(each.found_by),
                copies=list(map(paths.portable, each.copies)),
                embedded=_embedded(each) if each.embedded else None,
            )
            for each in found.passages
        ],
    )


def _embedded(passage: ShownPassage) -> list[EmbeddedPart]:
    return [EmbeddedPart(**part._asdict() | {"path": paths.portable(part.path)}) for part in passage.embedded]

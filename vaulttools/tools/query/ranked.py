"""Answers `query` in mode ranked: the passages that answer a question, or are like a note."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from vaulttools.answers import answer, corpus
from vaulttools.answers.answer import is_none
from vaulttools.answers.proposals import WholeList
from vaulttools.call import Call
from vaulttools.core import limits, paths, render
from vaulttools.core.work import PROPERTIES
from vaulttools.models import BaseModel, Field
from vaulttools.ranked.allotment import every_passage
from vaulttools.ranked.evidence import RankedNote
from vaulttools.ranked.like import Like, like
from vaulttools.ranked.search import Ranked, ranked
from vaulttools.ranked.showing import ShownNote, ShownPassage
from vaulttools.tools.query.listing import whole_list
from vaulttools.tools.query.modes import NoteFound, QueryAnswer, QueryRequest
from vaulttools.tools.query.page import Frame, Page, written

_COPIES: Final = 20
"""Notes ranked beyond the page, because copies are folded into one."""


class EmbeddedPart(BaseModel):
    """A block or section of another note that a passage embeds."""

    path: str
    start_line: int = Field(description="Number of the first line, from 1.")
    end_line: int = Field(description="Number of the last line.")
    text: str = Field(description="At most 350 characters; `…` at its end where it was cut.")


class Passage(BaseModel):
    """A passage of a note that answers: a paragraph, list item, table row, code block or short section."""

    start_line: int = Field(description="Number of the first line, from 1.")
    end_line: int = Field(description="Number of the last line.")
    page: int | None = Field(None, description="Page of a PDF, from 1; null in notes.")
    heading: list[str] = Field(description="Headings above it, outermost first.")
    text: str = Field(description="Whole; a row of a table begins with the header row.")
    found_by: list[str] = Field(description="Which lists found it: words, meaning.")
    copies: list[str] = Field(description="Other notes that hold a copy of it.")
    embedded: list[EmbeddedPart] | None = Field(
        None, exclude_if=is_none, description="Blocks and sections that it embeds, as far as the text shows them."
    )


class NoteRanked(NoteFound):
    """A note or attachment that answers a question, or is like a note."""

    score: float = Field(description="From 0 to 1, higher is better.")
    date: str | None = Field(None, exclude_if=is_none, description="When it was written, `2026-05-12`.")
    linked: bool | None = Field(
        None, exclude_if=is_none, description="With `like`: whether one of the two notes links to the other."
    )
    passages: list[Passage] = Field(description="The passages that answer.")


class NamedNote(BaseModel):
    """A further close note, with the line that speaks for it."""

    path: str
    line: int | None = Field(description="Number of the line, from 1; null if the note has no text.")
    text: str = Field(description="At most 120 characters of the line.")


class ProposedCall(BaseModel):
    """A call that lists all that a question asks for."""

    tool: str
    arguments: dict[str, Any]


class ListedRow(BaseModel):
    """A row of the list that a question asks for: a note, or a task of one."""

    path: str
    line: int | None = Field(description="Line of the task, from 1; null if the row is a whole note.")
    text: str = Field(description="A task as written; for a note, the properties asked about, in one line.")


class RankedAnswer(QueryAnswer):
    """The answer of `query` in mode ranked."""

    notes: list[NoteRanked] = Field(description="The notes of the page, in the order asked for.")
    shown_notes: int = Field(description="How many of them the text shows.")
    weak: bool | None = Field(
        None,
        exclude_if=is_none,
        description="True if no note holds a word of the question and no passage is near in meaning.",
    )
    by_words_alone: int | None = Field(
        None, exclude_if=is_none, description="With meaning: notes not yet searched by it, or only in part."
    )
    named: list[NamedNote] = Field(description="Further close notes, each with one line.")
    period: list[str] | None = Field(
        None, exclude_if=is_none, description="The first and the last day of the period that the question names."
    )
    proposed_calls: list[ProposedCall] = Field(
        description="Calls that list all that the question asks for; each was run and found something."
    )
    listed: list[ListedRow] | None = Field(
        None, exclude_if=is_none, description="The first rows of such a call; the text begins with them."
    )
    listed_total: int | None = Field(None, exclude_if=is_none, description="Rows of that call, shown or not.")


def of_question(call: Call, request: QueryRequest, question: str, wordings: Sequence[str]) -> RankedAnswer:
    """Returns one page of the notes that answer a question, and the list that it asks for.

    Raises:
        BadArgument: the question has no words, or a filter is wrong.
    """
    most = request.page * request.limit + _COPIES
    found = ranked(call, request, question, most, name="query", sort=request.sort, also=wordings)
    return _answer(request, found, whole_list(found.call, request, question, is_ready=found.is_ready))


def of_note(call: Call, request: QueryRequest, given: str) -> RankedAnswer:
    """Returns one page of the notes that are like one.

    Raises:
        BadArgument: no note has this name, or a filter is wrong.
    """
    call, compared = like(call, given)
    most = request.page * request.limit + _COPIES
    leaves_out = {compared.path, *(compared.linked if request.unlinked else ())}
    found = ranked(call, request, compared, most, name="like", sort=request.sort, leaves_out=leaves_out)
    return _answer(request, found, None)


def _answer(request: QueryRequest, found: Ranked, listing: WholeList | str | None) -> RankedAnswer:
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
    page, text = written(Frame(request, found, next_page, whole, explanation, doubts, notices), notes)
    absences = found.ranking.absences if whole is None else []  # its list answers the words of the question
    told = [found.part, *unlisted, *absences, *notices, *page.steps, *page.frame.calls]
    return _details(page, text, told, notes)


def _notices(request: QueryRequest, found: Ranked, notes: Sequence[RankedNote], *, has_list: bool) -> list[str]:
    notices = ["Case is ignored: match_case works in mode obsidian only."] if request.match_case else []
    notices += found.notices
    if found.like is not None and found.like.unread:
        notices.append(f"Links of {corpus.counted(found.like.unread, 'note')} are not read yet.")
    notices += answer.conflict_copies(note.path for note in notes)
    notices += answer.passed_over(found.call.work, {PROPERTIES}) if has_list else []
    if found.deduplicator.is_cut:
        notices.append("Time ran out: notes far down were not compared, so copies may be among them.")
    return notices


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
        **_of_list(page),
    )


def _of_list(page: Page) -> dict[str, Any]:
    """Returns the fields of an answer about the list that the question asks for."""
    whole = page.frame.whole
    if whole is None:
        return {"proposed_calls": []}
    call = ProposedCall(tool=whole.proposal.tool, arguments=dict(whole.proposal.arguments))
    rows = [ListedRow(path=each.path, line=each.line or None, text=each.text) for each in page.rows]
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

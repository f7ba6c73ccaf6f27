"""Declares the arguments of `query`, and the answers of its modes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from vaulttools.answers import date_arguments
from vaulttools.answers.answer import Answer, is_none
from vaulttools.answers.date_arguments import DateText
from vaulttools.answers.obsidian_query import Sort
from vaulttools.answers.request import Request, Tags, Values, Wordings
from vaulttools.core import limits
from vaulttools.models import BaseModel, Field


class QueryRequest(Request):
    """The arguments of `query`."""

    untold: ClassVar[tuple[str, ...]] = (
        "unlinked",
        "glob",
        "modified_before",
        "created_after",
        "created_before",
        "sort",
        "match_case",
        "explain",
    )

    positional: ClassVar[tuple[str, ...]] = ("query",)
    joins: ClassVar[bool] = True

    query: str | None = Field(None, description="A question or words; in mode obsidian a query of its language.")
    also: Wordings | None = Field(
        None,
        description="Two or three other wordings of the question: synonyms, concrete terms, a likely title, the notes' "
        "other language. Send them with every question: they find a third more.",
    )
    like: str | None = Field(None, description="Instead of query: notes like this one, or `note#heading`.")
    unlinked: bool = Field(False, description="With like: only notes not linked with it.")
    mode: Literal["ranked", "obsidian"] = Field(
        "ranked",
        description="ranked: the best passages. obsidian: exactly what Obsidian finds.",
    )
    folder: str | None = Field(None, description="Only in this folder: `Projects`.")
    glob: str | None = Field(None, description="Only what this glob selects: `Daily/**`.")
    tags: Tags | None = Field(None, description="All of these, nested ones too: `work`.")
    properties: Values | None = Field(None, description='`{"status": "active"}`; null: present and empty.')
    modified_after: DateText | None = Field(None, description=date_arguments.MODIFIED_AFTER)
    modified_before: DateText | None = Field(None, description=date_arguments.MODIFIED_BEFORE)
    created_after: DateText | None = Field(None, description=date_arguments.CREATED_AFTER)
    created_before: DateText | None = Field(None, description=date_arguments.CREATED_BEFORE)
    limit: int = Field(10, ge=1, le=limits.RESULTS, description="Notes on a page.")
    max_chars: int = Field(3_000, ge=500, le=50_000, description="Characters, in mode ranked.")
    page: int = Field(1, ge=1, le=limits.RESULTS, description="From 1.")
    sort: Sort | None = Field(None, description="modified, created: newest first; - reverses.")
    match_case: bool = Field(False, description="Compare case; in mode obsidian.")
    explain: bool = Field(False, description="Say how the query was understood.")
    include_excluded: bool = Field(False, description="Excluded files too.")


class NoteFound(BaseModel):
    """One note, canvas, or other file."""

    path: str
    title: str = Field(description="The file name without its extension.")


class QueryAnswer(Answer):
    """The answer of `query`: a `RankedAnswer`, or an `ObsidianAnswer`, also to a question of operators alone."""

    notes: Sequence[NoteFound] = Field(description="The notes of the page, in the order asked for.")
    explanation: str = Field(description="How the query was understood, in words.")
    next_page: int | None = Field(description="The page after this one; null on the last.")


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
        default_factory=list,
        description="Calls that list all that the question asks for; each was run and found something.",
    )
    listed: list[ListedRow] | None = Field(
        None, exclude_if=is_none, description="The first rows of such a call; the text begins with them."
    )
    listed_total: int | None = Field(None, exclude_if=is_none, description="Rows of that call, shown or not.")


class NoteExcerpt(BaseModel):
    """Consecutive lines of one note."""

    start_line: int = Field(description="Number of the first line, from 1, as `read` counts.")
    lines: list[str] = Field(description="Whole lines without their ends.")
    heading: list[str] = Field(description="Headings above the first line, outermost first.")


class NoteMatch(NoteFound):
    """A file that matches a query."""

    excerpts: list[NoteExcerpt] = Field(description="Where it matches; none where only the name or a property does.")


class ObsidianAnswer(QueryAnswer):
    """The answer of `query` in mode obsidian."""

    notes: list[NoteMatch] = Field(description="The notes of the page, in the order asked for.")
    total_notes: int = Field(description="Matching notes, shown or not.")
    total_is_exact: bool = Field(
        description="False when counting stopped at `total_notes`, or not all was searched.",
    )

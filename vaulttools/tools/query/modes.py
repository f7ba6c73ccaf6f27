"""Holds what both modes of `query` take and answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from vaulttools.answers import dated
from vaulttools.answers.answer import Answer
from vaulttools.answers.dated import DateText
from vaulttools.answers.exact import Sort
from vaulttools.answers.request import Request, Tags, Values, Wordings
from vaulttools.core import limits, paths
from vaulttools.core.voice import Voice
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
    modified_after: DateText | None = Field(None, description=dated.MODIFIED_AFTER)
    modified_before: DateText | None = Field(None, description=dated.MODIFIED_BEFORE)
    created_after: DateText | None = Field(None, description=dated.CREATED_AFTER)
    created_before: DateText | None = Field(None, description=dated.CREATED_BEFORE)
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


def to_read_on(path: str, line: int, voice: Voice) -> str:
    """Returns the sentence that names the call for a note from a line on."""
    return f"To read on: {voice.call('read', {'note': paths.portable(path), 'start_line': line})}"

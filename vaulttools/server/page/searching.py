"""Searches with the tools, and turns their answers into results for the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any, Final, get_args

from markupsafe import Markup

from vaulttools.answers.proposals import how_many
from vaulttools.answers.shown_lines import FileMatch
from vaulttools.core import paths, render
from vaulttools.server.page.addresses import Addresses, Mode
from vaulttools.server.page.highlighting import finder, marked, marked_html
from vaulttools.server.page.rendering.note import Rendering
from vaulttools.server.page.vault_notes import VaultNotes
from vaulttools.server.question_words import Finder
from vaulttools.tools.query import ObsidianAnswer, QueryAnswer, RankedAnswer
from vaulttools.tools.query.answers import NoteFound, NoteMatch, NoteRanked
from vaulttools.tools.search_files import SearchFilesAnswer
from vaulttools.vault import Vault

MODES: Final[tuple[Mode, ...]] = get_args(Mode)

NOTES: Final = 20
"""Notes on a page of results."""

MOST_FILES: Final = 500
"""Files that exact search shows if more are requested; it has no pages."""

_PASSAGE_CHARACTERS: Final = 1_000
"""Characters shown of one passage."""


@dataclass(frozen=True, slots=True)
class PassageResult:
    """A part of a note that was found."""

    address: str
    where: str
    """The headings above it, and its page number; otherwise its first line."""
    html: Markup | None
    """The rendered passage, as safe HTML."""
    rows: Sequence[tuple[Markup, bool]] = ()
    """Its lines as written, and whether each matches; used if the file is not Markdown, or if rendering would hide the
    match."""


@dataclass(frozen=True, slots=True)
class NoteResult:
    """A note that was found."""

    path: str
    title: str
    passages: Sequence[PassageResult]
    more: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """The list that a question asks for."""

    how_many: str
    rows: Sequence[tuple[str, str, str]]
    """For each row: the address, the place as shown, and its text."""


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a search."""

    summary: str
    found: Sequence[NoteResult]
    tool: str
    """The tool that was called, and its arguments."""
    arguments: dict[str, Any]
    reason: str = ""
    """The tool's reason why nothing was found, or why the results may not answer the question."""
    complete: bool = True
    notices: Sequence[str] = ()
    listed: Listed | None = None
    next: dict[str, Any] = field(default_factory=dict)
    """Parameters of the next page's address besides `q` and `mode`; empty if there are no more results."""


def mode_of(given: str) -> Mode:
    """Returns the named mode; `ranked` by default."""
    return next((mode for mode in MODES if mode == given), "ranked")


def results(
    vault: Vault, addresses: Addresses, query: str, mode: Mode, page: int, limit: int, cancel: Event
) -> Results:
    """Run a search; `page` is for the modes of `query`, `limit` for the others.

    Raises:
        VaultToolsError: the tool refused, with its sentence.
    """
    if mode == "ranked" or mode == "obsidian":
        return _by_query(vault, addresses, query, mode, page, cancel)
    return _by_search_files(vault, addresses, query, mode, limit, cancel)


def _by_query(vault: Vault, addresses: Addresses, query: str, mode: Mode, page: int, cancel: Event) -> Results:
    arguments: dict[str, Any] = {"query": query, "mode": mode, "limit": NOTES, "page": page}
    answer: QueryAnswer = vault.answer("query", arguments, cancel=cancel)
    shown = _Shown(addresses, Rendering(VaultNotes(vault, cancel), addresses), finder(query, mode), must_mark=False)
    found = list(map(shown.note, answer.notes))
    if isinstance(answer, ObsidianAnswer):
        summary = _counted(answer.total_notes, len(found), answer.complete, answer.total_is_exact)
    elif found:  # ranked search counts nothing: it ends where no word occurs any more
        summary = "Best notes" if page == 1 else f"Best notes, page {page}"
    else:
        summary = _counted(0, 0, answer.complete, is_exact=True)
    more = {} if answer.next_page is None else {"page": answer.next_page}
    reason = _reason(answer.text)
    notices = [each for each in answer.notices if each.rstrip(".") not in reason]
    listed = _listed(answer, addresses)
    return Results(summary, found, "query", arguments, reason, answer.complete, notices, listed, more)


def _listed(answer: QueryAnswer, addresses: Addresses) -> Listed | None:
    if not isinstance(answer, RankedAnswer) or not answer.listed:
        return None
    rows = [
        (addresses.note(each.path, line=each.line), title(each.path), render.line(each.text)) for each in answer.listed
    ]
    return Listed(how_many(len(rows), answer.listed_total or 0), rows)


def _by_search_files(
    vault: Vault, addresses: Addresses, pattern: str, mode: Mode, limit: int, cancel: Event
) -> Results:
    arguments: dict[str, Any] = {"pattern": pattern, "max_results": limit, "context_lines": 1}
    arguments |= {"fixed": True, "case_sensitive": False} if mode == "text" else {}
    answer: SearchFilesAnswer = vault.answer("search_files", arguments, cancel=cancel)
    shown = _Shown(addresses, Rendering(VaultNotes(vault, cancel), addresses), finder(pattern, mode), must_mark=True)
    found = list(map(shown.file, answer.files))
    summary = _counted(answer.total_files, len(found), answer.complete, answer.total_is_exact)
    reason = "" if found else _reason(answer.text)
    more = {"limit": MOST_FILES} if answer.total_files > len(found) and limit < MOST_FILES else {}
    return Results(summary, found, "search_files", arguments, reason, answer.complete, answer.notices, None, more)


def _reason(text: str) -> str:
    """Returns the text after a tool's first sentence, which only counts."""
    first_line, _, _ = text.partition("\n")
    return first_line.partition(". ")[2]


def _counted(total: int, found: int, is_whole: bool, is_exact: bool) -> str:
    if not is_whole and not (total or found):
        return "No notes found so far."
    if not total:
        return "No notes found."
    return f"{'' if is_exact else 'More than '}{total:,} note{'s' if total != 1 else ''}"


def title(path: str) -> str:
    """Returns the name of a file; a note's without its extension."""
    name = path.rpartition("/")[2]
    return name[:-3] if name.lower().endswith(".md") else name


@dataclass(frozen=True, slots=True)
class _Shown:
    """Turns answers of the tools into results."""

    addresses: Addresses
    rendering: Rendering
    find: Finder
    must_mark: bool
    """Whether the match is in the lines as written, where it may be markup rather than text: `[[`, `**`."""

    def note(self, note: NoteFound) -> NoteResult:
        """Returns the result for a note that `query` found."""
        passages = []
        if isinstance(note, NoteRanked):
            for each in note.passages:
                where = _where(each.heading, each.start_line, each.page)
                passages.append(self._passage(note.path, each.start_line, where, _cut(each.text)))
        if isinstance(note, NoteMatch):
            for excerpt in note.excerpts:
                where = _where(excerpt.heading, excerpt.start_line)
                passages.append(self._passage(note.path, excerpt.start_line, where, "\n".join(excerpt.lines)))
        return NoteResult(note.path, marked(note.title, self.find), passages)

    def file(self, file: FileMatch) -> NoteResult:
        """Returns the result for a file that `search_files` found."""
        passages = []
        for each in file.excerpts:
            above = [] if each.above is None else [line.text for line in each.above]
            line = next(iter(each.matching_lines), each.start_line)
            where = _where(each.heading, each.start_line, each.page)
            shown = self._passage(file.path, line, where, "\n".join(_with_table_head(above, each.lines)))
            if shown.html is None:
                rows = [
                    _row(line, self.find, is_match=True) if number in each.matching_lines else _row(line)
                    for number, line in enumerate(each.lines, each.start_line)
                ]
                shown = replace(shown, rows=rows)
            passages.append(shown)
        shown_lines = sum(len(each.matching_lines) for each in file.excerpts)
        more = f"{file.match_count - shown_lines:,} more matching lines" if file.match_count > shown_lines else ""
        return NoteResult(file.path, title(file.path), passages, more)

    def _passage(self, path: str, line: int, where: str, text: str) -> PassageResult:
        address = self.addresses.note(path, line=line)
        if paths.is_note(path):
            html = marked_html(self.rendering.passage(path, text), self.find)
            if "<mark>" in html or not self.must_mark:
                return PassageResult(address, where, html)
        return PassageResult(address, where, None, [_row(line, self.find) for line in text.split("\n")])


def _with_table_head(above: Sequence[str], lines: Sequence[str]) -> Sequence[str]:
    """Returns the lines, after the header row of the table that they begin in."""
    head = next((line for line in reversed(above) if "|" in line), None)
    if head is None or not lines or "|" not in lines[0]:
        return lines
    return [head, "|".join(["---"] * (head.strip().strip("|").count("|") + 1)).join("||"), *lines]


def _row(line: str, find: Finder = lambda _: (), *, is_match: bool = False) -> tuple[Markup, bool]:
    return marked(render.line(line), find), is_match


def _where(heading: Sequence[str], line: int, page: int | None = None) -> str:
    return " › ".join([*heading, *([f"page {page}"] if page is not None else [])]) or f"Line {line}"


def _cut(text: str) -> str:
    return text if len(text) <= _PASSAGE_CHARACTERS else f"{text[:_PASSAGE_CHARACTERS]}{render.ELLIPSIS}"

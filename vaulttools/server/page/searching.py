"""Searches with the tools, and turns their answers into results for the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import Any, Final, get_args

from markupsafe import Markup

from vaulttools.answers.proposals import how_many
from vaulttools.answers.shown_lines import FileMatch
from vaulttools.core import paths, render
from vaulttools.core.folding.identity import is_same
from vaulttools.notes.canvas import is_canvas
from vaulttools.server.page.addresses import Addresses, Mode
from vaulttools.server.page.asking import ask
from vaulttools.server.page.highlighting import finder, marked, marked_html
from vaulttools.server.page.rendering.note import Rendering
from vaulttools.server.page.vault_notes import VaultNotes
from vaulttools.server.question_words import Finder
from vaulttools.tools.query import ObsidianAnswer, QueryAnswer, RankedAnswer
from vaulttools.tools.query.answers import NoteMatch, Passage
from vaulttools.tools.search_files import SearchFilesAnswer
from vaulttools.vault import Vault

MODES: Final[tuple[Mode, ...]] = get_args(Mode)

NOTES: Final = 10
"""Notes that are shown at first, as many as the command line shows; then twice as many, and so on."""

MOST_NOTES: Final = 2_560
"""Notes that are shown at most."""

_PASSAGES: Final = 3
"""Passages of a note that hold an exact text."""

_LINE_CHARACTERS: Final = 160
"""Characters shown of a note that is only named."""

_PASSAGE_LINE: Final = 4_000
"""Characters shown of a line of a passage: a file may be one line of megabytes."""


@dataclass(frozen=True, slots=True)
class PassageResult:
    """A part of a note that was found."""

    address: str
    where: Markup
    """The headings above it, except the note's title, and its page number; otherwise its first line."""
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
    is_brief: bool = False
    """Whether it is only named, with one line of it: its name leads to that line."""


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
    more: int = 0
    """The limit that shows more notes; 0 if all are shown."""


def mode_of(given: str) -> Mode:
    """Returns the named mode; `ranked` by default."""
    return next((mode for mode in MODES if mode == given), "ranked")


def results(
    vault: Vault, addresses: Addresses, query: str, mode: Mode, limit: int, cancel: Event, *, names_only: bool = False
) -> Results:
    """Run a search, and show `limit` notes; with `names_only` their passages have addresses alone.

    Raises:
        VaultToolsError: the tool refused, with its sentence.
    """
    is_exact = mode == "text" or mode == "regex"
    rendering = None if names_only else Rendering(VaultNotes(vault, cancel), addresses)
    shown = _Shown(addresses, rendering, finder(query, mode), must_mark=is_exact)
    run = _by_search_files if is_exact else _by_query
    return run(vault, shown, query, mode, limit, cancel)


def _by_query(vault: Vault, shown: _Shown, query: str, mode: Mode, limit: int, cancel: Event) -> Results:
    arguments: dict[str, Any] = {"query": query, "mode": mode, "limit": limit}
    answer: QueryAnswer = ask(vault, "query", arguments, cancel)
    if isinstance(answer, ObsidianAnswer):
        found = list(map(shown.note, answer.notes))
        summary = _counted(answer.total_notes, len(found), answer.complete, answer.total_is_exact)
    else:  # ranked search counts nothing: it ends where no word occurs any more
        assert isinstance(answer, RankedAnswer)
        found = list(shown.ranked(answer, is_whole=limit > NOTES))
        summary = "Best notes" if found else _counted(0, 0, answer.complete, is_exact=True)
    has_more = answer.next_page is not None or len(found) < len(answer.notes)
    reason = _reason(answer.text)
    notices = [each for each in answer.notices if each.rstrip(".") not in reason]
    listed = _listed(answer, shown.addresses)
    more = _more(limit, notices) if has_more else 0
    return Results(summary, found, "query", arguments, reason, answer.complete, notices, listed, more)


def _more(limit: int, notices: list[str]) -> int:
    """Returns the next limit; 0 after the last one, and adds a notice that more was found."""
    if limit < MOST_NOTES:
        return min(2 * limit, MOST_NOTES)
    notices.append(f"The first {MOST_NOTES:,} notes are shown. Search for more words to see others.")
    return 0


def _listed(answer: QueryAnswer, addresses: Addresses) -> Listed | None:
    if not isinstance(answer, RankedAnswer) or not answer.listed:
        return None
    rows = [
        (addresses.note(each.path, line=each.line), paths.title(each.path), render.line(each.text))
        for each in answer.listed
    ]
    return Listed(how_many(len(rows), answer.listed_total or 0), rows)


def _by_search_files(vault: Vault, shown: _Shown, pattern: str, mode: Mode, limit: int, cancel: Event) -> Results:
    arguments: dict[str, Any] = {
        "pattern": pattern,
        "max_results": limit,
        "max_per_file": _PASSAGES,
        "context_lines": 1,
    }
    arguments |= {"fixed": True, "case_sensitive": False} if mode == "text" else {}
    answer: SearchFilesAnswer = ask(vault, "search_files", arguments, cancel)
    found = list(map(shown.file, answer.files))
    summary = _counted(answer.total_files, len(found), answer.complete, answer.total_is_exact)
    reason = "" if found else _reason(answer.text)
    more = _more(limit, answer.notices) if answer.total_files > len(found) else 0
    return Results(summary, found, "search_files", arguments, reason, answer.complete, answer.notices, None, more)


def _reason(text: str) -> str:
    """Returns the text after a tool's first sentence, which only counts."""
    return text.partition(". ")[2]


def _counted(total: int, found: int, is_whole: bool, is_exact: bool) -> str:
    if not is_whole and not (total or found):
        return "No notes found so far."
    if not total:
        return "No notes found."
    return f"{'' if is_exact else 'More than '}{total:,} note{'s' if total != 1 else ''}"


@dataclass(frozen=True, slots=True)
class _Shown:
    """Turns answers of the tools into results."""

    addresses: Addresses
    rendering: Rendering | None
    """None if only names and addresses are shown."""
    find: Finder
    must_mark: bool
    """Whether the match is in the lines as written, where it may be markup rather than text: `[[`, `**`."""

    def ranked(self, answer: RankedAnswer, *, is_whole: bool) -> Iterator[NoteResult]:
        """Yields what the text of an answer shows: passages of the best notes, and a line of some others; then, if
        `is_whole`, a line of each further note."""
        best = answer.shown["notes"]
        for note in best:
            passages = [
                self._passage(note.path, each.start_line, each.heading, each.text, page=each.page)
                for each in note.passages
            ]
            yield NoteResult(note.path, marked(paths.title(note.path), self.find), passages)
        # The text may lack room for a line of a note that it names.
        lines = {note.path: self._line(note.passages[0]) for note in answer.notes if note.passages}
        lines |= {each.path: (each.line, each.text) for each in answer.named if each.text}
        further = [note.path for note in answer.notes] if is_whole else []
        done = {note.path for note in best}
        for path in dict.fromkeys([*(each.path for each in answer.named), *further]):
            if path not in done:
                yield self._brief(path, *lines.get(path, (None, "")))

    def note(self, note: NoteMatch) -> NoteResult:
        """Returns the result for a note that `query` found in mode obsidian."""
        passages = [
            self._passage(note.path, each.start_line, each.heading, "\n".join(each.lines)) for each in note.excerpts
        ]
        return NoteResult(note.path, marked(paths.title(note.path), self.find), passages)

    def file(self, file: FileMatch) -> NoteResult:
        """Returns the result for a file that `search_files` found."""
        passages = []
        for each in file.excerpts:
            above = [] if each.above is None else [line.text for line in each.above]
            line = next(iter(each.matching_lines), each.start_line)
            text = "\n".join(_with_table_head(above, each.lines))
            has_head = each.start_line not in each.matching_lines
            shown = self._passage(file.path, line, each.heading, text, page=each.page, may_cut_head=has_head)
            if shown.html is None:
                rows = [
                    _row(line, self.find, is_match=True) if number in each.matching_lines else _row(line)
                    for number, line in enumerate(each.lines, each.start_line)
                    if line.strip() or number in each.matching_lines
                ]
                shown = replace(shown, rows=rows)
            passages.append(shown)
        if is_canvas(file.path):  # its lines are those of JSON, which no page shows
            passages = [replace(each, address=self.addresses.note(file.path)) for each in passages]
        shown_lines = sum(len(each.matching_lines) for each in file.excerpts)
        more = f"{file.match_count - shown_lines:,} more matching lines" if file.match_count > shown_lines else ""
        return NoteResult(file.path, paths.title(file.path), passages, more)

    def _passage(
        self,
        path: str,
        line: int,
        heading: Sequence[str],
        text: str,
        *,
        page: int | None = None,
        may_cut_head: bool = True,
    ) -> PassageResult:
        address = self.addresses.note(path, line=line)
        if self.rendering is None:
            return PassageResult(address, Markup(), Markup())
        name = paths.title(path)
        text = "\n".join(map(self._shortened, text.split("\n")))
        if may_cut_head:
            text = _without_heading(text, (name, *heading[-1:]))
        above = [*below(name, heading), *([f"page {page}"] if page is not None else [])]
        where = marked(" › ".join(above) or f"Line {line}", self.find if above else lambda _: ())
        if paths.is_note(path):
            html = marked_html(self.rendering.passage(path, text), self.find)
            if "<mark>" in html or not self.must_mark:
                return PassageResult(address, where, html)
        return PassageResult(address, where, None, [_row(line, self.find) for line in text.split("\n")])

    def _shortened(self, line: str) -> str:
        if len(line) <= _PASSAGE_LINE:
            return line
        place = next(iter(self.find(line)), None)
        return render.line(line, None if place is None else place[0], most=_PASSAGE_LINE)

    def _brief(self, path: str, line: int | None, text: str) -> NoteResult:
        name = paths.title(path)
        shown = _without_heading(text, (name,))
        if shown.startswith("|"):  # a row alone is no table
            shown = " · ".join(filter(None, map(str.strip, _CELL_EDGE.split(shown))))
        html = Markup()
        if shown and self.rendering is not None:
            html = marked_html(self.rendering.passage(path, shown), self.find)
        place = PassageResult(self.addresses.note(path, line=line), Markup(), html)
        return NoteResult(path, marked(name, self.find), [place], is_brief=True)

    def _line(self, passage: Passage) -> tuple[int | None, str]:
        """Returns the first line of a passage that holds a word of the question, with its number; else its first."""
        lines = passage.text.split("\n")
        places = (next(iter(self.find(line)), None) for line in lines)
        number, at = next(((number, place[0]) for number, place in enumerate(places) if place), (0, 0))
        return passage.start_line + number, render.line(lines[number], at, most=_LINE_CHARACTERS)


_CELL_EDGE: Final = re.compile(r"(?<!\\)\|")
_HEADING: Final = re.compile(r"#{1,6}[ \t]+(.*?)[ \t]*#*(?:\n|$)")


def _without_heading(text: str, said: Sequence[str]) -> str:
    """Returns the text without a first heading that says once more what is said above it."""
    found = _HEADING.match(text)
    is_said = found is not None and any(is_same(found[1], each) for each in said)
    return text[found.end() :].lstrip("\n") if found is not None and is_said else text


def below(name: str, heading: Sequence[str]) -> Sequence[str]:
    """Returns the headings without a first one that is the note's title."""
    return heading[1:] if heading and is_same(heading[0], name) else heading


def _with_table_head(above: Sequence[str], lines: Sequence[str]) -> Sequence[str]:
    """Returns the lines, after the header row of the table that they begin in."""
    head = next((line for line in reversed(above) if "|" in line), None)
    if head is None or not lines or "|" not in lines[0]:
        return lines
    return [head, "|".join(["---"] * (head.strip().strip("|").count("|") + 1)).join("||"), *lines]


def _row(line: str, find: Finder = lambda _: (), *, is_match: bool = False) -> tuple[Markup, bool]:
    return marked(render.line(line), find), is_match

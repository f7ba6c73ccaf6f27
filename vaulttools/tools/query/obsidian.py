"""Answers `query` in mode obsidian: exactly what Obsidian's search finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Final, NamedTuple

from vaulttools.answers import all_notes, answer, cut, date_arguments, filters, plugin_data, shown_lines
from vaulttools.answers.cut import Section
from vaulttools.answers.incremental import Aggregate
from vaulttools.answers.obsidian_query import Order, awaited, in_other_form, other_readings, prepared
from vaulttools.call import Call
from vaulttools.core import limits, paths, render
from vaulttools.core.voice import Voice
from vaulttools.core.work import UNREAD, Work
from vaulttools.query import tree
from vaulttools.query.explain import explain, foreign_in_query
from vaulttools.query.facts import Facts
from vaulttools.query.language import parse
from vaulttools.query.matching_files import Match, PreparedQuery
from vaulttools.query.text import Text
from vaulttools.query.tree import Node
from vaulttools.tools.query.answers import NoteExcerpt, NoteMatch, ObsidianAnswer, QueryRequest

EXCERPTS: Final = 3
"""Excerpts shown of one note: an answer with ten notes stays near 2 KB."""


class Found(NamedTuple):
    """A query that is ready to run."""

    node: Node
    """Without what filters add."""
    query: PreparedQuery
    order: Order
    asked: Aggregate[Facts]
    """The facts about the notes that the filters select."""


def found(call: Call, request: QueryRequest, query: str) -> Found:
    """Returns a query with the filters of a request, ready to run on what the index knows by now; it waits for that.

    Raises:
        BadArgument: the query is malformed, or a filter is wrong.
    """
    node = parse(query)
    call, scope = awaited(call, request)
    both = tree.both([node, *filters.nodes(request)])
    ready, asked = prepared(call, scope, request, both, query, match_case=request.match_case)
    return Found(node, ready, Order(call.session, ready, request.sort), asked)


def answered(call: Call, request: QueryRequest, query: str, sentences: Sequence[str] = ()) -> ObsidianAnswer:
    """Returns one page of what a query finds; `sentences` are the first of its notices.

    Raises:
        BadArgument: the query is malformed, or a filter is wrong.
    """
    work = call.work
    node, ready, order, asked = found(call, request, query)
    _, dates = date_arguments.file_times(request, call.session.calendar)
    page = _page(ready, order, request)
    notices = [
        *sentences,
        *dates,
        *foreign_in_query(node),
        *filters.unselected(request, asked.notes + asked.waiting),
        *answer.told(work, found=page.total > 0, shown=[each.path for each in page.shown], reported=("time limit",)),
        *plugin_data.among_places(page.shown),
    ]
    if page.total == 0 and work.complete:
        notices += other_readings(request, query, ready, order)
    if work.complete:
        notices += in_other_form(ready)
    what, part = "file" if ready.plan.files.others else "note", all_notes.part(asked)
    if not part and page.total and not {"time limit", UNREAD}.isdisjoint(work.skipped):
        part = f"Part of the answer: {work.incomplete_because()}."
    return _printed(request, work, page, part, _first_line(request, page, what, part, work), notices, explain(node))


@dataclass(frozen=True, slots=True)
class _Page:
    """One page of the files that match."""

    shown: Sequence[Match]
    total: int
    """The files that match; those that were counted, if there are more."""
    is_exact: bool
    next_page: int | None


def _page(found: PreparedQuery, order: Order, request: QueryRequest) -> _Page:
    bound = max(limits.COUNTED_FILES, request.page * request.limit)
    first = list(islice(found.matching(order), bound + 1))
    start = (request.page - 1) * request.limit
    shown = found.shown(first[start : min(start + request.limit, bound)])
    next_page = request.page + 1 if start + len(shown) < len(first) else None
    return _Page(shown, min(len(first), bound), len(first) <= bound, next_page)


def _printed(
    request: QueryRequest, work: Work, page: _Page, part: str, first: str, notices: Sequence[str], explanation: str
) -> ObsidianAnswer:
    closing = list(_closing(request, page, work.voice))
    head = f"Understood as:\n{explanation}\n\n{first}" if request.explain else first
    files = list(map(_printed_file, page.shown))
    most, raising = limits.TEXT_BYTES, ""
    if request.mode == "ranked":
        most, raising = request.max_chars, f"Raise {work.voice.name('max_chars')}. "
    to_see_more = f"{raising}Lower {work.voice.name('limit')} and use {work.voice.name('page')}, or narrow the query."
    fit = cut.fit(head, files, answer.bracketed([*notices, *closing]), advice=to_see_more, most=most)
    return ObsidianAnswer(
        **answer.fitted("notes", fit, work, [part, *notices, *fit.cut, *closing], found=bool(page.shown)),
        notes=[each.note for each in files],
        total_notes=page.total,
        total_is_exact=page.is_exact and work.complete,
        explanation=explanation,
        next_page=page.next_page,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _File(Section):
    """A file as details and as text."""

    note: NoteMatch
    excerpt_of: Sequence[int | None]
    """By line, the number of its excerpt from 0; None for lines between excerpts."""

    def up_to(self, count: int) -> list[NoteMatch]:
        """Returns the note with only what the first `count` lines show."""
        counts = Counter(number for number in self.excerpt_of[:count] if number is not None)
        shown = [
            each.model_copy(update={"lines": each.lines[: counts[number]]})
            for number, each in enumerate(self.note.excerpts)
            if counts[number]
        ]
        return [self.note.model_copy(update={"excerpts": shown})]


def _printed_file(match: Match) -> _File:
    windows = shown_lines.of_places(match.places)
    best = sorted(windows, key=lambda window: -window.places)[:EXCERPTS]
    shown = sorted(best, key=lambda window: window.start)
    excerpts: list[NoteExcerpt] = []
    lines: list[str] = []
    excerpt_of: list[int | None] = []
    under: Sequence[str] = ()
    for window in shown:
        assert match.text is not None
        for start, end in _runs(match.text, window.start, window.end):
            text, first = match.text.lines[start - 1 : end], match.text.line_read(start)
            heading = list(match.text.breadcrumb(start))
            excerpts.append(NoteExcerpt(start_line=first, lines=text, heading=heading))
            # A heading needs no headings above it; `#todo` is not a heading.
            is_heading = heading and text[0].startswith("#") and text[0].lstrip("#").lstrip().startswith(heading[-1])
            above = heading[:-1] if is_heading else heading
            if above and above != under:
                lines.append(f"Under {render.line(' > '.join(above))}:")
                excerpt_of.append(None)
            under = heading
            lines += [f"Line {number}: {render.line(line)}".rstrip() for number, line in enumerate(text, first)]
            excerpt_of += [len(excerpts) - 1] * len(text)
        if window.reach > window.end:
            lines.append(f"(goes on to line {match.text.line_read(window.reach):,})")
            excerpt_of.append(None)
    left = len(windows) - len(shown)
    closing = f"({left:,} more place{'s' if left != 1 else ''} in this note)" if left else ""
    note = NoteMatch(path=paths.portable(match.path), title=paths.portable(paths.stem(match.path)), excerpts=excerpts)
    return _File(f"## {paths.shown(match.path)}", lines, closing, note=note, excerpt_of=excerpt_of)


def _runs(text: Text, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields the first and last lines of runs that `read` shows one after the other, too: it has something between two
    cards of a canvas, and another order. The empty line between two cards is of neither."""
    for _, run in groupby(range(start, end + 1), key=lambda line: text.line_read(line) - line):
        lines = list(run)
        if lines[-1] < end:
            lines.pop()
        if lines:
            yield lines[0], lines[-1]


def _first_line(request: QueryRequest, page: _Page, what: str, part: str, work: Work) -> str:
    total = render.counted(page.total, what)
    if page.total == 0:
        return all_notes.nothing_found(part, work, f"No {what}s found.")
    if not page.shown and part:
        return all_notes.first_line(part, f"Found {total} so far, too few for page {request.page:,}.")
    if not page.shown:
        return f"Page {request.page:,} is past the end: {total} in all."
    return all_notes.first_line(part, f"Found {'' if page.is_exact else 'more than '}{total}:")


def _closing(request: QueryRequest, page: _Page, voice: Voice) -> Iterator[str]:
    """Yields the next steps: the next page, and the first note to read on in."""
    if page.next_page is not None:
        start = (request.page - 1) * request.limit
        of = f"{page.total:,}" if page.is_exact else f"more than {page.total:,}"
        last = start + len(page.shown)
        yield f"Showing {start + 1:,}-{last:,} of {of}. {voice.set('page', page.next_page)} for the next."
    match = next((each for each in page.shown if each.places and paths.is_note(each.path)), None)
    if match is not None:
        yield answer.to_read_on(match.path, max(1, min(match.places)[0]), voice)

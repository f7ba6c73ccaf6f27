"""Writes a page of ranked notes, as much of it as fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from vaulttools.answers import answer, corpus
from vaulttools.answers.proposals import Row, WholeList
from vaulttools.core import limits, paths
from vaulttools.ranked.evidence import RankedNote
from vaulttools.ranked.preference import OF_OTHER_TIMES
from vaulttools.ranked.search import Ranked
from vaulttools.ranked.showing import NamedLine, ShownNote, named_line, reading_on
from vaulttools.tools.query.modes import QueryRequest, to_read_on

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

    @property
    def is_sorted(self) -> bool:
        """Whether the notes are in another order than the best first."""
        return self.request.sort not in (None, "relevance")

    @property
    def calls(self) -> list[str]:
        """The sentence that names the call for the list; empty without one."""
        return [] if self.whole is None else [self.whole.call(self.found.call.work.voice)]

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
    rows: Sequence[Row]
    """The first rows of the list."""
    listed: str
    """These rows as text."""
    notes: Sequence[ShownNote]
    named: Sequence[NamedLine]
    """Notes that are only named."""
    steps: Sequence[str]
    """Sentences about what to do next, the most useful one first."""


def written(frame: Frame, notes: Sequence[RankedNote]) -> tuple[Page, str]:
    """Returns the page of some notes, and its text of at most `max_chars` characters and 50 KiB."""
    room, rows, listed = frame.room, [], ""
    if frame.whole is not None:
        rows = frame.whole.read(frame.found.deduplicator.read, room - _LEAST_CHARACTERS)
        listed = frame.whole.block(rows)
        room = min(max(room - len(listed), _LEAST_CHARACTERS), _BESIDE_LIST)
    while True:
        page, text = _fitted(_filled(Page(frame, rows, listed, (), (), ()), notes, room))
        octets = len(text.encode("utf-8", "surrogatepass"))
        if octets <= limits.TEXT_BYTES or room <= _LEAST_CHARACTERS:
            return page, text
        room = max(room * limits.TEXT_BYTES // octets - 1, _LEAST_CHARACTERS)  # scripts beyond ASCII take more bytes


def _filled(page: Page, notes: Sequence[RankedNote], room: int) -> Page:
    """Returns the page with the passages that fit into `room` characters, and the lines and steps that go with them."""
    found = page.frame.found
    allotted = found.allotted(notes, room, is_sorted=page.frame.is_sorted)
    named = found.pointed_to(allotted.notes)
    pointed = {each.path for each in named}
    also = [each for each in allotted.also if each.path not in pointed]
    terms_of = found.ranking.finder.occurrences
    named += [named_line(each, found.deduplicator.read(each.path), terms_of) for each in also[:_NAMED]]
    steps = list(_next_steps(page.frame, allotted.notes))
    return replace(page, notes=allotted.notes, named=named, steps=steps)


def _next_steps(frame: Frame, shown: Sequence[ShownNote]) -> Iterator[str]:
    found, voice = frame.found, frame.found.call.work.voice
    is_far = found.ranking.is_weak or found.like is not None or frame.whole is not None
    following = None if is_far else reading_on(shown, found.deduplicator.read)
    if following is not None:
        yield to_read_on(*following, voice)
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
        order = "" if frame.is_sorted else ", best first"
        if found.ranking.is_by_time:
            order = ", in order of time"
            if shown[-1].note.score <= OF_OTHER_TIMES:
                order = ", those of the period in order of time, then others"
        what = "" if found.like is None else f" like {paths.shown(found.like.path)}"
        if found.selected is not None:
            return f"Showing {len(shown)} of {corpus.counted(found.selected, 'note')} that match the filters{order}."
        return f"Showing {corpus.counted(len(shown), 'note')}{what}{order}."
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

"""Chooses what is shown of ranked notes: whole passages, as many as fit.

The first passage may have `ALLOTTED[0]` characters, the following ones less. A passage that needs less than it may have
takes in what stands beside it under the same heading; one that needs more is cut around the words of the question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import zip_longest
from typing import Final, NamedTuple

from vaulttools.core import paths, render
from vaulttools.index.passages import Passages
from vaulttools.notes.note import Note
from vaulttools.notes.passages import cut, sentence_starts
from vaulttools.ranked.evidence import Evidence
from vaulttools.ranked.folding import PASSAGES_OF_NOTE, Folder, nearly, text_of
from vaulttools.ranked.order import RankedNote

ALLOTTED: Final = (800, 400, 400, 400, 400)
"""Characters of the first passages that are shown, in their order."""
ALLOTTED_FURTHER: Final = 160

_WORTH_ADDING: Final = 80
"""Characters of the next passage that are worth showing when it does not fit as a whole."""

ELLIPSIS: Final = "…"
_PADDING: Final = re.compile(r"[ \t]{2,}")
_DASHES: Final = re.compile(r"-{4,}")
_WITH_TEXT: Final = re.compile(r"[^\n]*[^\s][^\n]*")
"""A line that is not blank."""

TermsOf = Callable[[str], Sequence[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """One passage of a note, with what is shown beside it."""

    start_line: int
    """From 1; likewise the last one."""
    end_line: int
    heading: tuple[str, ...]
    """The headings it stands under, outermost first."""
    text: str
    """Whole; the header row of its table first."""
    shown: str
    """As much of it as it may have, without blank lines and padding; `…` where it was cut."""
    copies: Sequence[str]
    """The other notes of the scope that hold a copy, in order."""
    found_by: tuple[str, ...] = ("words",)
    """As `Evidence` has it."""
    page: int | None = None
    """The page of a PDF that it stands on, from 1."""
    span: tuple[int, int] = (0, 0)
    """Offsets in the text of the note, in characters; the second one behind its last character."""
    cut: int | None = None
    """Where in the text of the note that begins which is not shown; None: it is shown to its end."""


@dataclass(frozen=True, slots=True)
class ShownNote:
    """One note with the passages that answer."""

    note: RankedNote
    passages: Sequence[ShownPassage]
    """In the order of the note; empty when it could not be read any more."""
    best_line: int = 0
    """Number of the first line of the one that answers best."""
    line_count: int = 0
    """Lines of the note."""

    @property
    def best(self) -> ShownPassage | None:
        """The passage that answers best; None when none is shown."""
        of_line = (each for each in self.passages if each.start_line <= self.best_line <= each.end_line)
        return next(of_line, self.passages[0] if self.passages else None)

    @property
    def heading(self) -> str:
        """The line above the passages, with the page of the first one."""
        return heading_of(self.note.path, self.passages[0].page if self.passages else None)

    @property
    def lines(self) -> list[str]:
        """The passages as lines of an answer's text; one on another page than the one before it says so."""
        before = (None, *(passage.page for passage in self.passages))
        pages = [passage.page for passage in self.passages]
        turned = [number > 0 and page != before[number] for number, page in enumerate(pages)]
        shown = zip(self.passages, turned, strict=True)
        return [line for passage, is_turned in shown for line in lines_of(passage, names_page=is_turned)]


@dataclass(slots=True)
class Budget:
    """How many characters the passages of a page may still have."""

    room: int
    passages: int = 0
    """Shown so far."""

    @property
    def allotted(self) -> int:
        """Characters of the next passage."""
        return ALLOTTED[self.passages] if self.passages < len(ALLOTTED) else ALLOTTED_FURTHER


def chosen(notes: Sequence[RankedNote], *, is_sure: bool = False) -> list[tuple[int, Evidence | None]]:
    """The passages of a page in the order in which they get room: which note, from 0, and which passage of it.

    Both passages of the first note come first where it `is_sure` to be about what was asked: of 57 tuning questions 32
    are so answered instead of 30.
    """
    passages: list[tuple[float, int, int, Evidence | None]] = []
    for place, ranked in enumerate(notes):
        if not ranked.evidence:
            passages.append((-ranked.score, place, 0, None))
        for number, each in enumerate(ranked.evidence[:PASSAGES_OF_NOTE]):
            share = each.score / ranked.evidence[0].score if ranked.evidence[0].score else 1.0
            if number == 0 or share >= nearly(place):
                worth = ranked.score * (1.0 if is_sure and not place else share)
                passages.append((-worth, place, number, each))
    # The order of the notes is the caller's, perhaps not that of the scores; a second passage only ever moves down.
    ordered: list[tuple[int, Evidence | None]] = []
    waiting: list[tuple[float, int, Evidence | None]] = []
    for score, place, number, evidence in passages:
        if number:
            waiting.append((score, place, evidence))
            continue
        due = sorted((other for other in waiting if other[0] <= score), key=lambda other: other[:2])
        ordered += [(other, second) for _, other, second in due]
        waiting = [other for other in waiting if other not in due]
        ordered.append((place, evidence))
    return ordered + [(other, second) for _, other, second in sorted(waiting, key=lambda other: other[:2])]


def grown(passages: Passages, number: int, text: str, room: int, taken: Collection[int] = ()) -> tuple[int, int]:
    """The first and the last of the passages around one that fit, under the same heading, into so many characters."""
    first = last = number
    heading = passages.headings[number]

    def end(of: int) -> int:
        return passages.starts[of] + passages.lengths[of]

    def fits(one: int, other: int) -> bool:
        return (
            one >= 0
            and other < len(passages.starts)
            and passages.headings[one] == passages.headings[other] == heading
            and one not in taken
            and other not in taken
            and end(other) - passages.starts[one] <= room
        )

    while True:
        if fits(first, last + 1):
            last += 1
        elif fits(first - 1, last):
            first -= 1
        else:
            return first, last


class Showing:
    """Shows passages of the notes of one page, in any room; what several rooms show is made once."""

    def __init__(self, folder: Folder, terms_of: TermsOf, *, is_sure: bool = False) -> None:
        """`terms_of` tells where in a text the terms of the question stand: offsets in characters, and which term.
        `is_sure` is as `chosen` has it."""
        self._folder = folder
        self._is_sure = is_sure
        self._terms_of = cache(terms_of)
        self._made: dict[tuple[str, tuple[int, int, int], int, bool], _Made] = {}
        """By note, the numbers of its passages, room, and whether the next passage may begin in it."""

    def within(self, notes: Sequence[RankedNote], budget: Budget) -> list[ShownNote]:
        """The notes with as many passages as there is room for; of the first one at least its beginning."""
        passages: dict[int, list[_Made]] = {}
        """By note."""
        taken: dict[int, set[int]] = {}
        gone: set[int] = set()
        for place, evidence in chosen(notes, is_sure=self._is_sure):
            ranked = notes[place]
            note = self._folder.read(ranked.path)
            if note is None:
                gone.add(place)
                continue
            if evidence is not None and evidence.number in taken.get(place, ()):
                continue  # stands in what is shown already
            least = len(heading_of(ranked.path)) + _LEAST if place not in passages else _LEAST
            if budget.passages and budget.room < least:
                break
            number = evidence.number if evidence is not None else 0
            if number >= len(ranked.passages.starts):
                passages.setdefault(place, [])
                continue
            room = min(budget.allotted, max(budget.room - least + _LEAST // 2, _LEAST))
            others = [each.number for each in ranked.evidence[:PASSAGES_OF_NOTE] if each.number != number]
            first, last = grown(ranked.passages, number, note.text, room, [*others, *taken.get(place, ())])
            taken.setdefault(place, set()).update(range(first, last + 1))
            is_free = last + 1 not in others and last + 1 not in taken[place]
            made = self._passage(note, ranked, (first, number, last), room, takes_next=is_free)
            if last + 1 < len(ranked.passages.starts) and made.passage.span[1] > ranked.passages.starts[last + 1]:
                taken[place].add(last + 1)
            passages.setdefault(place, []).append(made)
            budget.passages += 1
            budget.room -= made.size
            budget.room -= len(heading_of(ranked.path)) + 2 if len(passages[place]) == 1 else 0
        best_lines = {place: found[0].passage.start_line for place, found in passages.items() if found}
        read = {place: self._folder.read(notes[place].path) for place in sorted({*passages, *gone})}
        return [
            ShownNote(
                notes[place],
                _apart(note, passages.get(place, [])),
                best_lines.get(place, 0),
                note.line_count if note is not None else 0,
            )
            for place, note in read.items()
        ]

    def _passage(
        self, note: Note, ranked: RankedNote, numbers: tuple[int, int, int], room: int, *, takes_next: bool
    ) -> _Made:
        key = ranked.path, numbers, room, takes_next
        if key not in self._made:
            self._made[key] = _passage(note, ranked, numbers, room, self._folder, self._terms_of, takes_next=takes_next)
        return self._made[key]


class _Made(NamedTuple):
    """A passage that may be shown."""

    passage: ShownPassage
    size: int
    """Characters of its lines, with their ends."""


def _apart(note: Note | None, passages: Sequence[_Made]) -> list[ShownPassage]:
    """The passages in the order of the note, no line twice: those that share one, as the pieces of a long paragraph
    do, are one passage. Where its paragraph goes on, an ellipsis says so."""
    found: list[ShownPassage] = []
    for passage in sorted((made.passage for made in passages), key=lambda each: each.span):
        if note is None or not found or passage.start_line > found[-1].end_line:
            found.append(passage)
            continue
        before = found[-1]
        (start, end), (following, last) = before.span, passage.span
        left = end if before.cut is None and note.text[end:following].strip() else before.cut
        is_cut = left is not None or passage.shown.startswith(ELLIPSIS)
        between = f" {ELLIPSIS} " if is_cut else " "
        found[-1] = replace(
            before,
            end_line=passage.end_line,
            text=note.text[start:last],
            shown=before.shown.removesuffix(ELLIPSIS) + between + passage.shown.removeprefix(ELLIPSIS),
            copies=[path for path in before.copies if path in passage.copies],
            found_by=tuple(dict.fromkeys((*before.found_by, *passage.found_by))),
            span=(start, last),
            cut=passage.cut if left is None else left,
        )
    if note is None:
        return found
    return [
        replace(passage, shown=passage.shown.removesuffix(ELLIPSIS) + ELLIPSIS, cut=place)
        if passage.cut is None
        and (place := _goes_on(note.text, passage.span[1], following)) is not None
        and note.page_of(note.text.count("\n", 0, place) + 1) == passage.page
        else passage
        for passage, following in zip_longest(found, (each.span[0] for each in found[1:]))
    ]


_PARAGRAPH_GOES_ON: Final = re.compile(r"[ \t]*(?:\n[ \t]*(?!\s|[-*+>|#=]|\d+[.)]\s|```|~~~|:::|<|\Z))?[^\s]")
"""Further text on the same line, or on the next one, where no other block begins."""


def _goes_on(text: str, end: int, following: int | None) -> int | None:
    """Where the paragraph that is shown up to a place goes on; None when it does not, or what is shown next is that."""
    if (following is not None and not text[end:following].strip()) or text[end - 1 : end] == "\n":
        return None
    found = _PARAGRAPH_GOES_ON.match(text, end)
    return None if found is None else found.end() - 1


_LEAST: Final = 160
"""Characters without which no further passage is begun: its place, and enough of it to tell what it is about."""


def heading_of(path: str, page: int | None = None) -> str:
    """The line above the passages of a note, or of a page of an attachment."""
    return f"## {paths.shown(path)}{f', page {page}' if page is not None else ''}"


def lines_of(passage: ShownPassage, *, names_page: bool = False) -> list[str]:
    """A passage as lines of an answer's text: where it stands, what it says, where else it stands."""
    one = passage.start_line == passage.end_line
    where = f"Line {passage.start_line}" if one else f"Lines {passage.start_line}-{passage.end_line}"
    where = f"Page {passage.page}, {where.lower()}" if names_page else where
    starts_with_heading = passage.shown.startswith("#")
    above = passage.heading[:-1] if starts_with_heading else passage.heading  # a heading says itself
    under = f", under {render.line(' > '.join(above), most=_HEADING_CHARACTERS)}" if above else ""
    # Indented, so that no line of a note can look like one of ours.
    lines = [f"{where}{under}:", *(f"  {render.line(line, most=_ANY)}" for line in passage.shown.split("\n"))]
    if passage.copies:
        few = ", ".join(map(paths.shown, passage.copies[:_COPIES_NAMED]))
        more = len(passage.copies) - _COPIES_NAMED
        lines.append(f"also in: {few}" + (f" and {more:,} more" if more > 0 else ""))
    return lines


_HEADING_CHARACTERS: Final = 100
_COPIES_NAMED: Final = 2
_ANY: Final = 100_000


def _passage(
    note: Note,
    ranked: RankedNote,
    numbers: tuple[int, int, int],
    room: int,
    folder: Folder,
    terms_of: TermsOf,
    *,
    takes_next: bool,
) -> _Made:
    """A passage with those around it, and with `takes_next` perhaps the beginning of the next one; `numbers` are those
    of the first, the passage itself, and the last."""
    first, number, last = numbers
    passages = ranked.passages
    start, end = passages.starts[first], passages.starts[last] + passages.lengths[last]
    text = note.text[start:end]
    parent = passages.parents[first]
    header = f"{text_of(note, passages, parent)}\n" if 0 <= parent < first else ""
    compacted = compact(text)
    first_shown, end_shown = span_around_terms(compacted, room, terms_of)
    shown = _cut_out(compacted, first_shown, end_shown)
    cut_at = None if end_shown == len(compacted) else start + _before_compacting(text, compacted, end_shown)
    if header:
        shown = f"{compact(header)}\n{shown}"
    following = last + 1
    if (
        takes_next
        and len(text) < room - _WORTH_ADDING
        and following < len(passages.starts)
        and passages.headings[following] == passages.headings[number]
    ):
        added = text_of(note, passages, following)
        kept = cut(added, room - len(shown))
        if kept >= _WORTH_ADDING:
            shown += f"\n{compact(added[:kept].rstrip())}{ELLIPSIS if kept < len(added) else ''}"
            end = passages.starts[following] + kept
            cut_at = end if kept < len(added) else None
            text = note.text[start:end].rstrip()
    start_line = note.text.count("\n", 0, start) + 1
    line = note.text.count("\n", 0, passages.starts[number]) + 1
    made = ShownPassage(
        start_line,
        start_line + text.count("\n"),
        note.breadcrumb(line),
        header + text,
        shown,
        folder.copies(ranked.path, number, passages.digests[number]),
        next((each.found_by for each in ranked.evidence if each.number == number), ("words",)),
        note.page_of(line),
        (start, start + len(text)),
        cut_at,
    )
    return _Made(made, sum(len(line) + 1 for line in lines_of(made)))


def compact(text: str) -> str:
    """A text without blank lines, and without the padding in the rows of its tables."""
    lines = (line.rstrip() for line in text.split("\n"))
    return "\n".join(_squeezed(line) if line.lstrip().startswith("|") else line for line in lines if line)


def _squeezed(row: str) -> str:
    return _DASHES.sub("---", _PADDING.sub(" ", row))


def _before_compacting(text: str, compacted: str, end: int) -> int:
    """Where in a text the line begins at which, as compacted, it is cut."""
    while compacted[end].isspace():
        end += 1
    return [found.start() for found in _WITH_TEXT.finditer(text)][compacted.count("\n", 0, end)]


def around_terms(text: str, room: int, terms_of: TermsOf) -> str:
    """A text, or as much of it as there is room for: the sentences that hold most terms of the question."""
    return _cut_out(text, *span_around_terms(text, room, terms_of))


def _cut_out(text: str, start: int, end: int) -> str:
    return f"{ELLIPSIS if start else ''}{text[start:end]}{ELLIPSIS if end < len(text) else ''}"


def span_around_terms(text: str, room: int, terms_of: TermsOf) -> tuple[int, int]:
    """Where what there is room for of a text begins and ends, in characters."""
    if len(text) <= room:
        return 0, len(text)
    stands = terms_of(text)
    best = (-1, 0, 0)
    for start in sentence_starts(text):
        likely = len({term for offset, term in stands if start <= offset < start + room})
        if likely <= best[0] and best[1] < best[2]:
            continue  # what it is cut to holds no more terms
        end = start + cut(text[start:], room)
        held = len({term for offset, term in stands if start <= offset < end})
        if held > best[0] or best[2] <= best[1]:
            best = (held, start, end)
    _, start, end = best
    return start, start + len(text[start:end].rstrip()) if end < len(text) else end

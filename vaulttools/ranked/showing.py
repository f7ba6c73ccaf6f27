"""Writes the passages of a note as lines of an answer, whole or cut."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from vaulttools.core import paths, render
from vaulttools.core.moment import MONTHS
from vaulttools.notes.note import Note
from vaulttools.notes.passages import cut, sentence_starts
from vaulttools.ranked.candidates import Reader
from vaulttools.ranked.copies import Deduplicator, text_of
from vaulttools.ranked.evidence import RankedNote

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
    """Number of the first line, from 1."""
    end_line: int
    """Number of the last line."""
    heading: tuple[str, ...]
    """The headings it stands under, outermost first."""
    text: str
    """Whole; the header row of its table first."""
    shown: str
    """As much of it as it may have, without blank lines and padding; `…` where it was cut."""
    copies: Sequence[str]
    """The other notes of the scope that hold a copy, in order."""
    found_by: tuple[str, ...] = ("words",)
    """The lists that it is in: `words`, `meaning`."""
    page: int | None = None
    """The page of a PDF that it stands on, from 1."""
    span: tuple[int, int] = (0, 0)
    """Offsets in the text of the note, in characters; the second one behind its last character."""
    cut: int | None = None
    """Where in the text of the note that begins which is not shown; None: it is shown to its end."""
    shown_lines: tuple[int, int] = (0, 0)
    """Numbers of the first and the last line of which something is shown."""


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
    date: str = ""
    """When it was written, as `2026-05-12`; `""`: nothing tells."""
    properties: str = ""
    """Those of its properties that the question names, in one line."""
    is_linked: bool | None = None
    """Whether it is linked with the note that it is like; None: it answers a question."""

    @property
    def best(self) -> ShownPassage | None:
        """The passage that answers best; None when none is shown."""
        of_line = (each for each in self.passages if each.start_line <= self.best_line <= each.end_line)
        return next(of_line, self.passages[0] if self.passages else None)

    @property
    def is_whole(self) -> bool:
        """Whether all passages of the note are shown, uncut."""
        starts, lengths = self.note.passages.starts, self.note.passages.lengths
        shown = [(each.span, each.cut) for each in self.passages]
        return (
            len(shown) == 1
            and shown[0][1] is None
            and bool(lengths)
            and shown[0][0][0] <= starts[0]
            and shown[0][0][1] >= starts[-1] + lengths[-1]
        )

    @property
    def heading(self) -> str:
        """The line above the passages, with the page of the first one, the note's date and its size where more of it
        could be read."""
        page = self.passages[0].page if self.passages else None
        lines = "" if self.is_whole or page is not None else f"{self.line_count:,} line{'s' * (self.line_count != 1)}"
        told = ", ".join(filter(None, [written(self.date), lines, "linked" if self.is_linked else ""]))
        return heading_of(self.note.path, page) + (f" ({told})" if told else "")

    @property
    def lines(self) -> list[str]:
        """The passages as lines of an answer's text; one on another page than the one before it says so."""
        before = (None, *(passage.page for passage in self.passages))
        pages = [passage.page for passage in self.passages]
        turned = [number > 0 and page != before[number] for number, page in enumerate(pages)]
        shown = zip(self.passages, turned, strict=True)
        return [
            *([f"Properties: {self.properties}"] if self.properties else []),
            *(line for passage, is_turned in shown for line in lines_of(passage, names_page=is_turned)),
        ]


def written(date: str) -> str:
    """A date as people write it: `12 May 2026`; of a month or a year as it is."""
    parts = date.split("-")
    return f"{int(parts[2])} {MONTHS[int(parts[1]) - 1]} {parts[0]}" if len(parts) == 3 else date


def heading_of(path: str, page: int | None = None) -> str:
    """The line above the passages of a note, or of a page of an attachment."""
    return f"## {paths.shown(path)}{f', page {page}' if page is not None else ''}"


def lines_of(passage: ShownPassage, *, names_page: bool = False) -> list[str]:
    """A passage as lines of an answer's text: where it stands, what it says, where else it stands."""
    first, last = passage.shown_lines
    where = f"Line {first}" if first == last else f"Lines {first}-{last}"
    where = f"Page {passage.page}, {where.lower()}" if names_page else where
    lines = [f"{where}{under(passage.heading, passage.shown)}:", *indented(passage.shown)]
    if passage.copies:
        few = ", ".join(map(paths.shown, passage.copies[:_COPIES_NAMED]))
        more = len(passage.copies) - _COPIES_NAMED
        lines.append(f"also in: {few}" + (f" and {more:,} more" if more > 0 else ""))
    return lines


def under(heading: Sequence[str], shown: str) -> str:
    """The headings that a passage stands under, as words that follow on its place; a heading says itself."""
    above = heading[:-1] if shown.startswith("#") else heading
    return f", under {render.line(' > '.join(above), most=_HEADING_CHARACTERS)}" if above else ""


def indented(text: str) -> list[str]:
    """The lines of a text of a note, indented, so that none can look like one of ours."""
    return [f"  {render.line(line, most=len(line))}" for line in text.split("\n")]


_HEADING_CHARACTERS: Final = 100
_COPIES_NAMED: Final = 2


def passage_of(
    note: Note,
    ranked: RankedNote,
    numbers: tuple[int, int, int],
    room: int,
    deduplicator: Deduplicator,
    terms_of: TermsOf,
) -> ShownPassage:
    """Passages of a note in a row, cut to so many characters; `numbers` are those of the first, of the one that answers
    best, and of the last. What they hang on stands first: the header row of a table, the items around a list item."""
    first, best, last = numbers
    passages = ranked.passages
    start, end = passages.starts[first], passages.starts[last] + passages.lengths[last]
    text = note.text[start:end]
    lead = _lead(note, ranked, first)
    compacted = compact(text)
    first_shown, end_shown = span_around_terms(compacted, max(room - len(lead), room // 2), terms_of)
    shown = lead + _cut_out(compacted, first_shown, end_shown)
    line = note.text.count("\n", 0, start) + 1
    return ShownPassage(
        line,
        line + text.count("\n"),
        note.breadcrumb(line),
        lead + text,
        shown,
        deduplicator.copies(ranked.path, best, passages.digests[best]),
        next((each.found_by for each in ranked.evidence if each.number == best), ("words",)),
        note.page_of(line),
        (start, start + len(text)),
        None if end_shown == len(compacted) else start + _before_compacting(text, compacted, end_shown),
        _lines_shown(text, compacted, first_shown, end_shown, line),
    )


_ITEM: Final = re.compile(r"(\s*)(?:[-*+]|\d+[.)])\s")
_LONGEST_LEAD: Final = 200
"""Characters of one line that a list item hangs on."""


def _lead(note: Note, ranked: RankedNote, first: int) -> str:
    """The lines that a passage hangs on, each with its end: the header row of its table, or the list items that the
    first one is nested in."""
    passages = ranked.passages
    if 0 <= passages.parents[first] < first:
        return f"{compact(text_of(note, passages, passages.parents[first]))}\n"
    start = passages.starts[first]
    begin = note.text.rfind("\n", 0, start) + 1
    indent = _indent(note.text[begin:].split("\n", 1)[0])
    found: list[str] = []
    for line in reversed(note.text[:begin].split("\n")[-_LOOKED_BACK:-1] if indent else []):
        if line.strip() and _indent(line) == 0 and not _ITEM.match(line):
            break
        if line.strip() and _indent(line) < indent and _ITEM.match(line):
            indent = _indent(line)
            found.insert(0, line.rstrip()[:_LONGEST_LEAD])
    return "".join(f"{line}\n" for line in found)


_LOOKED_BACK: Final = 60
"""Lines before a list item among which those are looked for that it is nested in."""


def _indent(line: str) -> int:
    wide = line.expandtabs(4)
    return len(wide) - len(wide.lstrip())


def compact(text: str) -> str:
    """A text without blank lines, and without the padding in the rows of its tables."""
    lines = (line.rstrip() for line in text.split("\n"))
    return "\n".join(_squeezed(line) if line.lstrip().startswith("|") else line for line in lines if line)


def _squeezed(row: str) -> str:
    return _DASHES.sub("---", _PADDING.sub(" ", row))


def _before_compacting(text: str, compacted: str, place: int) -> int:
    """The offset, in the text itself, of the line that holds a place of the compacted text; at a blank, of the next."""
    while place < len(compacted) and compacted[place].isspace():
        place += 1
    lines = islice(_WITH_TEXT.finditer(text), compacted.count("\n", 0, place), None)
    return next((found.start() for found in lines), 0)


def _lines_shown(text: str, compacted: str, start: int, end: int, line: int) -> tuple[int, int]:
    """The numbers of the first and the last line of a text, which begins on `line`, that are shown as compacted."""
    first, last = (_before_compacting(text, compacted, place) for place in (start, max(end - 1, start)))
    return line + text.count("\n", 0, first), line + text.count("\n", 0, last)


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


_TEXT: Final = re.compile(r"\S")


def reading_on(shown: Sequence[ShownNote], read: Reader) -> tuple[str, int] | None:
    """The path of the first note and the line, from 1, where the text begins that is not shown after its best
    passage; None where nothing is left there."""
    first = shown[0] if shown else None
    best = first.best if first is not None else None
    note = read(first.note.path) if first is not None and best is not None else None
    if first is None or best is None or note is None:
        return None
    place = best.span[1] if best.cut is None else best.cut
    for start, end in (passage.span for passage in first.passages if passage.cut is None):
        found = _TEXT.search(note.text, place)
        if found is not None and start <= found.start() < end:
            place = end
    found = _TEXT.search(note.text, place)
    return None if found is None else (note.path, note.text.count("\n", 0, found.start()) + 1)

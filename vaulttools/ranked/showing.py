"""Writes the passages of a note as lines of an answer, whole or cut."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Final, NamedTuple

from vaulttools.core import paths, render
from vaulttools.core.moment_js import MONTHS
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


class Embedded(NamedTuple):
    """A part of another note that a passage embeds."""

    path: str
    start_line: int
    """Number of its first line, from 1."""
    end_line: int
    text: str
    """Its text, without blank lines; `…` at its end where it was cut."""


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """One passage of a note, as shown in an answer."""

    start_line: int
    """Number of the first line, from 1."""
    end_line: int
    """Number of the last line."""
    heading: tuple[str, ...]
    """The headings above it, outermost first."""
    text: str
    """The whole text, after the header row of its table."""
    shown: str
    """The part of the text that fits, without blank lines and padding; `…` where it was cut."""
    copies: Sequence[str]
    """The other notes of the scope that hold a copy, in order."""
    found_by: tuple[str, ...] = ("words",)
    """How it was found: `words`, `meaning`."""
    page: int | None = None
    """The page of a PDF on which it begins, from 1; None in notes."""
    span: tuple[int, int] = (0, 0)
    """Start and end offsets in the text of the note, in characters; the end is after its last character."""
    cut: int | None = None
    """Offset in the text of the note at which the part that is not shown begins; None if its end is shown."""
    shown_lines: tuple[int, int] = (0, 0)
    """Numbers of the first and the last line that is shown, at least in part."""
    embedded: Sequence[Embedded] = ()
    """The embedded parts that are shown with it."""


@dataclass(frozen=True, slots=True)
class ShownNote:
    """One note with the passages that answer."""

    note: RankedNote
    passages: Sequence[ShownPassage]
    """Passages in the order of the note; empty if it could not be read any more."""
    best_line: int = 0
    """Number of the first line of the passage that answers best."""
    line_count: int = 0
    """Lines of the note."""
    date: str = ""
    """Day when it was written, as `2026-05-12`; `""` if unknown."""
    properties: str = ""
    """Its properties that the question names, in one line."""
    is_linked: bool | None = None
    """Whether a link joins it to the note that it is like; None if it answers a question."""

    @property
    def best(self) -> ShownPassage | None:
        """The passage that answers best; None if no passage is shown."""
        of_line = (each for each in self.passages if each.start_line <= self.best_line <= each.end_line)
        return next(of_line, self.passages[0] if self.passages else None)

    @property
    def is_whole(self) -> bool:
        """Whether all passages of the note are shown, uncut."""
        starts, lengths = self.note.passages.starts, self.note.passages.lengths
        if len(self.passages) != 1 or not lengths:
            return False
        start, end = self.passages[0].span
        return self.passages[0].cut is None and start <= starts[0] and end >= starts[-1] + lengths[-1]

    @property
    def heading(self) -> str:
        """The line above the passages: path, page of the first one, date, and size unless the whole note is shown or
        the passages have pages."""
        page = self.passages[0].page if self.passages else None
        lines = "" if self.is_whole or page is not None else f"{self.line_count:,} line{'s' * (self.line_count != 1)}"
        more = ", ".join(filter(None, [written(self.date), lines, "linked" if self.is_linked else ""]))
        return heading_of(self.note.path, page) + (f" ({more})" if more else "")

    @property
    def lines(self) -> list[str]:
        """The passages as lines of an answer's text; a passage names its page if the one before it is on another."""
        lines = [f"Properties: {self.properties}"] if self.properties else []
        page = self.passages[0].page if self.passages else None
        for passage in self.passages:
            lines += lines_of(passage, names_page=passage.page != page)
            page = passage.page
        return lines


class NamedLine(NamedTuple):
    """A note that is named without its passages, with the line that speaks for it."""

    path: str
    line: int | None
    """Number of that line, from 1; None if the note could not be read or has no text."""
    text: str
    """At most `LINE_CHARACTERS` of it."""

    def __str__(self) -> str:
        place = "" if self.line is None else f", line {self.line}"
        return f"- {paths.shown(self.path)}{place}{f': {self.text}' if self.text else ''}"


LINE_CHARACTERS: Final = 120
"""Characters of the line of a note that is only named: enough to see what it says."""


def named_line(ranked: RankedNote, note: Note | None, terms_of: TermsOf) -> NamedLine:
    """Returns the line of a note's best passage that holds most terms of the question, cut around them."""
    if note is None or not ranked.passages.starts:
        return NamedLine(ranked.path, None, "")
    number = ranked.evidence[0].number if ranked.evidence else 0
    start = ranked.passages.starts[number]
    end = start + ranked.passages.lengths[number]
    return best_line(note, start, end, terms_of(note.said.text[start:end]), terms_of)


def best_line(note: Note, start: int, end: int, terms: Sequence[tuple[int, int]], terms_of: TermsOf) -> NamedLine:
    """Returns the line with most terms of the question in a part of a note, cut around them. `start` and `end` are the
    part's offsets, `terms` the offsets of the terms in it."""
    lines = note.said.text[start:end].split("\n")
    begins = [0, *accumulate(len(line) + 1 for line in lines)]
    held: list[set[int]] = [set() for _ in lines]
    for place, term in terms:
        held[bisect_right(begins, place) - 1].add(term)
    best = max(range(len(lines)), key=lambda number: len(held[number]) if lines[number].strip() else -1)
    shown = around_terms(_squeezed(lines[best].strip()), LINE_CHARACTERS, terms_of)
    line = note.text.count("\n", 0, start) + 1 + best
    return NamedLine(note.path, line, render.line(shown, most=LINE_CHARACTERS + 1))


def written(date: str) -> str:
    """Returns a date as people write it: `12 May 2026`; a month or a year unchanged."""
    parts = date.split("-")
    return f"{int(parts[2])} {MONTHS[int(parts[1]) - 1]} {parts[0]}" if len(parts) == 3 else date


def heading_of(path: str, page: int | None = None) -> str:
    """Returns the line above the passages of a note, or of a page of an attachment."""
    return f"## {paths.shown(path)}{f', page {page}' if page is not None else ''}"


def lines_of(passage: ShownPassage, *, names_page: bool = False) -> list[str]:
    """Returns a passage as lines of an answer's text: its place, its text, the notes with copies."""
    first, last = passage.shown_lines
    where = f"Line {first}" if first == last else f"Lines {first}-{last}"
    where = f"Page {passage.page}, {where.lower()}" if names_page else where
    lines = [f"{where}{under(passage.heading, passage.shown)}:", *indented(passage.shown)]
    lines += [line for part in passage.embedded for line in embedded_lines(part)]
    if passage.copies:
        few = ", ".join(map(paths.shown, passage.copies[:_COPIES_NAMED]))
        more = len(passage.copies) - _COPIES_NAMED
        lines.append(f"also in: {few}" + (f" and {more:,} more" if more > 0 else ""))
    return lines


def embedded_lines(part: Embedded) -> list[str]:
    """Returns an embedded part as lines of an answer's text: its place, its text."""
    where = render.line_range(part.start_line, part.end_line)
    return [f"Embedded there, {paths.shown(part.path)}, {where}:", *indented(part.text)]


def under(heading: Sequence[str], shown: str) -> str:
    """Returns the headings above a passage, to follow its place in a line; a heading in its own text is left out."""
    above = heading[:-1] if shown.startswith("#") else heading
    return f", under {render.line(' > '.join(above), most=_HEADING_CHARACTERS)}" if above else ""


def indented(text: str) -> list[str]:
    """Returns the lines of a note's text, indented, so that no line can look like one of the answer's own."""
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
    """Returns a run of passages of a note, cut to `room` characters; `numbers` are those of the first, the best and the
    last passage. The lines that give them sense come first: a table's header row, the items around a list item."""
    first, best, last = numbers
    passages = ranked.passages
    start, end = passages.starts[first], passages.starts[last] + passages.lengths[last]
    text = note.said.text[start:end]
    lead = _lead(note, ranked, first)
    own = note.says(start, end)
    compacted = compact(own)
    first_shown, end_shown = span_around_terms(compacted, max(room - len(lead), room // 2), terms_of)
    end_shown = _whole_sentence(compacted, first_shown, end_shown, terms_of)
    end_shown = _with_a_row(compacted, first_shown, end_shown)
    shown = lead + _cut_out(compacted, first_shown, end_shown)
    line = note.text.count("\n", 0, start) + 1
    return ShownPassage(
        line,
        line + text.count("\n"),
        note.said_breadcrumb(line),
        lead + own,
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
"""Upper bound of the characters of one list item around the passage."""


def _lead(note: Note, ranked: RankedNote, first: int) -> str:
    """Returns the lines that give a passage sense, with line ends: the header row of its table, or the list items
    around its first one."""
    passages = ranked.passages
    if 0 <= passages.parents[first] < first:
        return f"{compact(text_of(note, passages, passages.parents[first]))}\n"
    start = passages.starts[first]
    begin = note.text.rfind("\n", 0, start) + 1
    indent = _indent(note.said.text[begin:].split("\n", 1)[0])
    found: list[str] = []
    for line in reversed(note.said.text[:begin].split("\n")[-_LOOKED_BACK:-1] if indent else []):
        if line.strip() and _indent(line) == 0 and not _ITEM.match(line):
            break
        if line.strip() and _indent(line) < indent and _ITEM.match(line):
            indent = _indent(line)
            found.insert(0, line.rstrip()[:_LONGEST_LEAD])
    return "".join(f"{line}\n" for line in found)


_LOOKED_BACK: Final = 60
"""Lines before a list item that are searched for the items around it."""


def _indent(line: str) -> int:
    wide = line.expandtabs(4)
    return len(wide) - len(wide.lstrip())


def compact(text: str) -> str:
    """Returns a text without blank lines and without the padding in table rows."""
    lines = filter(None, map(str.rstrip, text.split("\n")))
    return "\n".join(_squeezed(line) if line.lstrip().startswith("|") else line for line in lines)


def _squeezed(row: str) -> str:
    return _DASHES.sub("---", _PADDING.sub(" ", row))


def _before_compacting(text: str, compacted: str, place: int) -> int:
    """Returns the offset in the text of the line that holds an offset of the compacted text, or the next non-blank."""
    while place < len(compacted) and compacted[place].isspace():
        place += 1
    lines = islice(_WITH_TEXT.finditer(text), compacted.count("\n", 0, place), None)
    return next((found.start() for found in lines), 0)


def _lines_shown(text: str, compacted: str, start: int, end: int, line: int) -> tuple[int, int]:
    """Returns the first and last line shown of a text that begins on `line`, by offsets in the compacted text."""
    first = _before_compacting(text, compacted, start)
    last = _before_compacting(text, compacted, max(end - 1, start))
    return line + text.count("\n", 0, first), line + text.count("\n", 0, last)


def around_terms(text: str, room: int, terms_of: TermsOf) -> str:
    """Returns a text, cut to `room` characters with most terms of the question; it begins at a sentence."""
    return _cut_out(text, *span_around_terms(text, room, terms_of))


def _cut_out(text: str, start: int, end: int) -> str:
    return f"{ELLIPSIS if start else ''}{text[start:end]}{ELLIPSIS if end < len(text) else ''}"


def span_around_terms(text: str, room: int, terms_of: TermsOf) -> tuple[int, int]:
    """Returns the start and end offsets, in characters, of the part that `around_terms` shows."""
    if len(text) <= room:
        return 0, len(text)
    places = terms_of(text)
    offsets = [offset for offset, _ in places]
    best = (-1, 0, 0)
    for start in sentence_starts(text):
        near = places[bisect_left(offsets, start) : bisect_left(offsets, start + room)]
        likely = len({term for _, term in near})
        if likely <= best[0] and best[1] < best[2]:
            continue  # the cut text holds no more terms than this
        end = start + cut(text[start:], room)
        held = len({term for offset, term in near if offset < end})
        if held > best[0] or best[2] <= best[1]:
            best = (held, start, end)
    _, start, end = best
    return start, start + len(text[start:end].rstrip()) if end < len(text) else end


_LONGEST_REST: Final = 250
"""So many characters more are shown to end a sentence that holds a term of the question."""
_RULE: Final = re.compile(r"\|?[ \t|:-]*-[ \t|:-]*")


def _whole_sentence(text: str, start: int, end: int, terms_of: TermsOf) -> int:
    """Returns the end of the sentence that a cut divides, if it holds a term of the question and its rest is short."""
    if end == len(text):
        return end
    edges = [*sentence_starts(text), len(text)]
    begun = max(edge for edge in edges if edge <= end)
    ends = start + len(text[start : min(edge for edge in edges if edge >= end)].rstrip())
    is_held = any(max(begun, start) <= term < ends for term, _ in terms_of(text))
    return ends if is_held and end < ends <= end + _LONGEST_REST else end


def _with_a_row(text: str, start: int, end: int) -> int:
    """Returns the end of the first row of a table whose header alone would be shown."""
    lines = text[start:end].rstrip().split("\n")
    if end == len(text) or not _RULE.fullmatch(lines[-1]) or not lines[-1].lstrip().startswith("|"):
        return end
    following = text.find("\n", end + 1)
    return len(text) if following < 0 else following


_TEXT: Final = re.compile(r"\S")


def reading_on(shown: Sequence[ShownNote], read: Reader) -> tuple[str, int] | None:
    """Returns the path of the first note and the line, from 1, of the first text after its best passage that is not
    shown; None if the rest is shown."""
    first = shown[0] if shown else None
    best = first.best if first is not None else None
    note = read(first.note.path) if first is not None and best is not None else None
    if first is None or best is None or note is None:
        return None
    place = best.span[1] if best.cut is None else best.cut
    for start, end in (passage.span for passage in first.passages if passage.cut is None):
        found = _TEXT.search(note.said.text, place)
        if found is not None and start <= found.start() < end:
            place = end
    found = _TEXT.search(note.said.text, place)
    return None if found is None else (note.path, note.text.count("\n", 0, found.start()) + 1)

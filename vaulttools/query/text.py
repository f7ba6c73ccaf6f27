"""Divides a note or canvas into the lines, blocks, sections and tasks of queries."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import accumulate, takewhile
from typing import Final, Literal, TypeAlias

from vaulttools.core.cached import cached_property
from vaulttools.core.folding.identity import composed, identity, is_same
from vaulttools.notes import canvas
from vaulttools.notes.note import Note
from vaulttools.notes.parts import Heading, Span, Task
from vaulttools.query.tree import Node, Phrase, Term

Unit: TypeAlias = Literal["line", "block", "section", "task", "task-todo", "task-done"]
UNITS: Final[tuple[Unit, ...]] = ("line", "block", "section", "task", "task-todo", "task-done")


@dataclass(frozen=True)  # not slotted: its folded form is cached
class TextUnit:
    """Consecutive lines; everything that a query asks for within a unit must be in them."""

    text: str
    """Line ends are ``\\n``; of a task without the text up to its box."""
    line: int
    """Its first line, from 1."""
    end_line: int
    heading: Heading | None = None
    """The heading of a section."""
    is_whole: bool = False
    """Whether it is the whole file."""

    @cached_property
    def folded(self) -> str:
        """The text in the form that is compared without case: other characters than in the text."""
        return identity(self.text)

    def form(self, *, sensitive: bool) -> str:
        """Returns the text in the form that is compared."""
        return composed(self.text) if sensitive else self.folded

    def holds(self, line: int) -> bool:
        """Whether it includes a line."""
        return self.line <= line <= self.end_line

    def covers(self, start: int, end: int) -> bool:
        """Whether it includes all lines from `start` to `end`."""
        return self.line <= start and end <= self.end_line


class Text:
    """A note, or the text cards of a canvas with an empty line between two (rule-S01)."""

    def __init__(
        self,
        texts: Sequence[str],
        notes: Callable[[], Sequence[Note]],
        first_lines: Callable[[], Sequence[int]] = lambda: [1],
    ) -> None:
        """Takes the text of the note, or of each card; `notes` returns them as notes, once parts are needed, and
        `first_lines` the lines where they begin in what `read` shows."""
        texts = [text.replace("\r\n", "\n") for text in texts]
        self._notes = notes
        self._first_lines = first_lines
        self.text = "\n\n".join(texts)
        """All of it; line ends as ``\n``."""
        above = accumulate((text.count("\n") + 2 for text in texts), initial=0)
        self._above = tuple(above)[:-1]

    @classmethod
    def of_canvas(cls, source: str) -> Text:
        """Takes the text cards in a `.canvas` file."""
        texts = [card.text for card in canvas.cards(source)]
        return cls(texts, lambda: [Note("", text) for text in texts], lambda: canvas.text_lines(source))

    @cached_property
    def _sheets(self) -> Sequence[Note]:
        return self._notes()

    @cached_property
    def lines(self) -> list[str]:
        """Its lines; the first is line 1."""
        lines = self.text.split("\n")
        return lines if lines[-1] else lines[:-1]

    @cached_property
    def whole(self) -> TextUnit:
        """The whole text."""
        end = self.text.count("\n") + (not self.text.endswith("\n")) if self.text else 0
        return TextUnit(self.text, 1, end, is_whole=True)

    def line_read(self, line: int) -> int:
        """Returns the number by which `read` shows a line."""
        card = bisect_left(self._above, line) - 1
        return self._read_lines[card] + line - self._above[card] - 1

    @cached_property
    def _read_lines(self) -> Sequence[int]:
        return self._first_lines()

    def breadcrumb(self, line: int) -> tuple[str, ...]:
        """Returns the headings above a line, outermost first."""
        for sheet, above in zip(reversed(self._sheets), reversed(self._above), strict=True):
            if line > above:
                return sheet.breadcrumb(line - above)
        return ()

    @property
    def data_lines(self) -> AbstractSet[int]:
        """The lines that hold nothing but what a plugin keeps there: a drawing, or other data."""
        return {line + above for sheet, above in self._placed for line in sheet.data_lines}

    def tag_lines(self) -> Iterator[tuple[str, int]]:
        """The tags in the body, without `#`, each with its line."""
        return ((tag.name, tag.line + above) for sheet, above in self._placed for tag in sheet.structure.tags)

    def property_lines(self, name: Node) -> Iterator[int]:
        """Yields the first line of each property whose name is a word or phrase; nothing if the name is a regex."""
        if not isinstance(name, Term | Phrase):
            return
        for sheet, above in self._placed:
            for number in range(2, sheet.body_line):
                key, colon, _ = self.lines[above + number - 1].partition(":")
                if colon and is_same(key.strip(" \t\"'"), name.text):
                    yield above + number

    def value_lines(self, name: Node, holds: Callable[[str], bool]) -> Iterator[int]:
        """Yields, for each property of that name, the lines for which `holds`, or else its first line."""
        ends = [above + sheet.body_line for sheet, above in self._placed]
        for number in self.property_lines(name):
            end = min(end for end in ends if end > number)
            lines = [self.lines[number - 1].partition(":")[2]]
            lines += takewhile(lambda line: line[:1] in ("", " ", "\t", "-"), self.lines[number : end - 2])
            found = [place for place, line in enumerate(lines, number) if holds(line)]
            yield from found or [number]

    def regions(self, unit: Unit, within: TextUnit, lines: Sequence[int] | None) -> Iterator[TextUnit]:
        """Yields the lines, blocks, sections or tasks in a region, in order: all, or those that hold any of `lines`
        (ascending).

        A section ends before the next heading of any level (rule-S26); the text above the first heading is a section
        too. A section includes those of its sub-headings (rule-S27); a line, block or task includes no section.
        """
        if unit == "line":
            every = within.text.split("\n")
            for number in self._numbers(within) if lines is None else dict.fromkeys(lines):
                yield TextUnit(every[number - within.line], number, number)
            return
        if unit == "section":
            yield from (
                self._region(start, end, heading)
                for start, end, heading in self._sections(within)
                if lines is None or _any_in(lines, start, end)
            )
        elif unit == "block":
            for start, end in self._blocks():
                if within.covers(start, end) and (lines is None or _any_in(lines, start, end)):
                    yield self._region(start, end)
        else:
            for task, above in self._tasks(unit):
                start, end = task.line + above, task.end_line + above
                if within.covers(start, end) and (lines is None or _any_in(lines, start, end)):
                    yield self._task(task, above)

    @property
    def _placed(self) -> Iterator[tuple[Note, int]]:
        return zip(self._sheets, self._above, strict=True)

    def _numbers(self, within: TextUnit) -> Iterator[int]:
        """Yields the line numbers of a region, without those between cards."""
        for sheet, above in self._placed:
            yield from range(max(within.line, above + 1), min(within.end_line, above + sheet.line_count) + 1)

    def _region(self, start: int, end: int, heading: Heading | None = None) -> TextUnit:
        return TextUnit("\n".join(self.lines[start - 1 : end]), start, end, heading)

    def _blocks(self) -> Iterator[Span]:
        """Yields the blocks; the properties are one too (rule-X01)."""
        for sheet, above in self._placed:
            if sheet.body_line > 1:
                yield above + 1, above + sheet.body_line - 1
            for block in sheet.structure.blocks:
                yield above + block.start_line, above + block.end_line

    def _sections(self, within: TextUnit) -> Iterator[tuple[int, int, Heading | None]]:
        for sheet, above in self._placed:
            headings = sheet.headings
            last = sheet.line_count
            if within.is_whole:
                end = headings[0].line - 1 if headings else last
                if end >= sheet.body_line:
                    yield above + sheet.body_line, above + end, None
            elif within.heading is None:
                return
            for place, heading in enumerate(headings):
                end = headings[place + 1].line - 1 if place + 1 < len(headings) else last
                if within.is_whole or self._is_below(heading, above, within):
                    yield above + heading.line, above + end, heading

    def _is_below(self, heading: Heading, above: int, section: TextUnit) -> bool:
        """Whether a heading is below that of a section."""
        assert section.heading is not None
        shift = section.line - section.heading.line
        return shift == above and section.heading.line < heading.line <= section.heading.end_line

    def _tasks(self, unit: Unit) -> Iterator[tuple[Task, int]]:
        """Yields the tasks; any other character than a blank means done (rule-S28, rule-D01)."""
        for sheet, above in self._placed:
            for task in sheet.structure.tasks:
                if unit == "task" or (task.status == " ") == (unit == "task-todo"):
                    yield task, above

    def _task(self, task: Task, above: int) -> TextUnit:
        start, end = task.line + above, task.end_line + above
        first, *rest = self.lines[start - 1 : end]
        _, box, said = first.partition(f"[{task.status}]")
        # A task of Logseq has a word in the place of the box.
        return TextUnit("\n".join([said.lstrip(" \t") if box else first, *rest]), start, end)


def _any_in(lines: Sequence[int], start: int, end: int) -> bool:
    place = bisect_left(lines, start)
    return place < len(lines) and lines[place] <= end

"""A note: a path and a text, and what its Markdown says, each part read when first asked for."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from vaulttools.notes.blocks import Heading, Span
from vaulttools.notes.frontmatter import Block, Properties, load, split
from vaulttools.notes.structure import Structure, parse
from vaulttools.notes.tags import covers, distinct, property_tags

if TYPE_CHECKING:
    from vaulttools.notes.safe_yaml import Value

Part: TypeAlias = Literal["anywhere", "body", "frontmatter", "headings", "code", "tasks", "comments"]
"""Which part of a note a matching line must lie in (spec 4, ``within``)."""


def breadcrumbs(lines: Sequence[str], wanted: Sequence[int]) -> list[tuple[str, ...]]:
    """The headings that lines of a text stand under, as `Note.breadcrumb`, for the line numbers `wanted` (ascending).

    Only the text up to the last of them is parsed, on to the blank line that ends its block: what comes later changes
    no heading before it. That halves the cost of an excerpt on average.
    """
    if not wanted:
        return []
    end = next((index for index in range(wanted[-1], len(lines)) if not lines[index].strip()), len(lines))
    note = Note("", "\n".join(lines[:end]))
    return [note.breadcrumb(line) for line in wanted]


class LineSet:
    """Lines of a note, from 1; tells membership quickly and iterates in order."""

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        """From first and last lines, in any order, overlapping or not."""
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start <= self._ends[-1] + 1:
                self._ends[-1] = max(self._ends[-1], end)
            elif start <= end:
                self._starts.append(start)
                self._ends.append(end)

    def __contains__(self, line: int) -> bool:
        return bisect_right(self._starts, line) > bisect_left(self._ends, line)

    def __iter__(self) -> Iterator[int]:
        for start, end in zip(self._starts, self._ends, strict=True):
            yield from range(start, end + 1)

    def __bool__(self) -> bool:
        return bool(self._starts)


@dataclass(frozen=True)  # not slotted: the parts that were read are kept in the instance
class Note:
    """A note's text, decoded, without byte order mark; reading a part never raises, whatever the text holds."""

    path: str
    text: str

    @cached_property
    def frontmatter(self) -> Block | None:
        """The properties block, or None."""
        return split(self.text)

    @cached_property
    def structure(self) -> Structure:
        """What stands where in the body. The first call in a process loads the Markdown parser."""
        return parse(self.text, self.body_line)

    @cached_property
    def _loaded(self) -> Properties:
        return load(self.frontmatter) if self.frontmatter else Properties()

    @property
    def properties(self) -> Mapping[str, Value]:
        """The values of the properties block by name as written; empty when there is none or it cannot be read."""
        return self._loaded.values

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the properties block."""
        return self._loaded.warnings

    @property
    def body_line(self) -> int:
        """The first line after the properties block; one past the end when nothing follows."""
        return self.frontmatter.body_line if self.frontmatter else 1

    @cached_property
    def line_count(self) -> int:
        """Lines of the file; a line ends at ``\\n``, and an empty file has none."""
        return self.text.count("\n") + (not self.text.endswith("\n")) if self.text else 0

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The tags without `#`, those of the properties first, once each in the casing first seen (rules T03, T06)."""
        return distinct([*self._property_tags, *(tag.name for tag in self.structure.tags)])

    @cached_property
    def _property_tags(self) -> tuple[str, ...]:
        # `tags` in any casing (S23); the singular `tag` is no longer read (T09).
        return tuple(
            tag for name, value in self.properties.items() if name.casefold() == "tags" for tag in property_tags(value)
        )

    def has_tag(self, tag: str) -> bool:
        """Whether the note has the tag or one nested in it; case and a leading `#` do not matter (T03, T05).

        The body is parsed only when the properties do not answer.
        """
        return any(covers(tag, name) for name in self._property_tags) or (
            "#" in self.text and any(covers(tag, name) for name in self.tags)
        )

    def has_property(self, name: str, value: str | None) -> bool:
        """Whether a property matches, as `[name:value]` does with a plain word (spec 4).

        The name is compared without case (S39). The value is found in the text of the property, or of any element of
        a list, without case (S05, S19); booleans read `true` and `false`, dates and numbers as written. ``None`` asks
        for a property that is there and empty: null, not `""` and not `[]` (S36).
        """
        held = [kept for key, kept in self.properties.items() if key.casefold() == name.casefold()]
        if value is None:
            return None in held
        wanted = value.casefold()
        return any(wanted in text.casefold() for kept in held for text in _texts(kept))

    def breadcrumb(self, line: int) -> tuple[str, ...]:
        """The headings that a line stands under, outermost first; of a heading's own line, that heading too."""
        headings = self.structure.headings
        trail: list[str] = []
        level = 7
        for index in range(bisect_right(self._heading_lines, line) - 1, -1, -1):
            if headings[index].level < level:
                level = headings[index].level
                trail.append(headings[index].text)
                if level == 1:
                    break
        return tuple(reversed(trail))

    def section(self, headings: Sequence[str]) -> Heading | None:
        """The heading that a chain of headings leads to, `[[Note#H1#H2]]` (L05): each below the one before, the first
        that fits; upper and lower case and runs of blanks do not matter. None when there is none."""
        wanted = [_plain(text) for text in headings]
        trail: list[Heading] = []
        for heading in self.structure.headings:
            while trail and trail[-1].level >= heading.level:
                trail.pop()
            if len(trail) < len(wanted) and _plain(heading.text) == wanted[len(trail)]:
                trail.append(heading)
                if len(trail) == len(wanted):
                    return heading
        return None

    @cached_property
    def _heading_lines(self) -> list[int]:
        return [heading.line for heading in self.structure.headings]

    def lines_in(self, part: Part) -> LineSet:
        """The lines of one part. Fences belong to the code, an underline to its heading, a task has its own lines.

        Only the last four parse the body.
        """
        match part:
            case "anywhere":
                return LineSet([(1, self.line_count)])
            case "frontmatter":
                return LineSet([(1, self.body_line - 1)])
            case "body":
                return LineSet([(self.body_line, self.line_count)])
            case "headings":
                return LineSet((heading.line, heading.last_line) for heading in self.structure.headings)
            case "code":
                return LineSet(self.structure.code)
            case "tasks":
                return LineSet((task.line, task.end_line) for task in self.structure.tasks)
            case "comments":
                return LineSet(self.structure.comments)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _texts(value: Value) -> Iterator[str]:
    """The texts of the single values in a property; none for null and for empty lists."""
    if isinstance(value, bool):
        yield "true" if value else "false"
    elif isinstance(value, list):
        for element in value:
            yield from _texts(element)
    elif isinstance(value, dict):
        for element in value.values():
            yield from _texts(element)
    elif value is not None:
        yield str(value)

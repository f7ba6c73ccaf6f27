"""Answers questions about a note's parts, from its text or from the index."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from vaulttools.core import limits, render, spelling
from vaulttools.core.cached import cached_property
from vaulttools.core.folding.identity import composed, identity, is_same
from vaulttools.errors import PartNotFound
from vaulttools.notes.properties.numerals import Numeral
from vaulttools.notes.properties.values import EMPTY
from vaulttools.notes.tags import covers, distinct, property_tags

if TYPE_CHECKING:
    from vaulttools.notes.links.references import Reference
    from vaulttools.notes.parts import BlockId, DatedLine, Heading, Structure
    from vaulttools.notes.properties.values import Scalar, Value


Part: TypeAlias = Literal["anywhere", "body", "frontmatter", "headings", "code", "tasks", "comments"]
"""The part of a note in which a matching line must lie."""


_PUNCTUATION: Final = re.compile(r"""[!"#$%&()*+,./:;<=>?@\[\\\]^`{|}~]""")
"""ASCII punctuation that is no part of a word; `-`, `_` and `'` are."""


class Contents(ABC):
    """The parts of a note, and questions about them. Each part is read at its first use."""

    @property
    @abstractmethod
    def properties(self) -> Mapping[str, Value]:
        """The values of the properties block by name as written; empty if there is no block or it cannot be read."""

    @property
    @abstractmethod
    def warnings(self) -> tuple[str, ...]:
        """Sentences about what is wrong with the properties block."""

    @property
    def is_misread(self) -> bool:
        """Whether there is a properties block and nothing in it could be read."""
        return not self.properties and any(warning != EMPTY for warning in self.warnings)

    @property
    @abstractmethod
    def body_line(self) -> int:
        """The first line after the properties block, from 1; one past the end if nothing follows."""

    @property
    @abstractmethod
    def line_count(self) -> int:
        """Lines of the file; a line ends at ``\\n``, and an empty file has none."""

    @property
    @abstractmethod
    def structure(self) -> Structure:
        """The parts of the body with their lines."""

    @property
    @abstractmethod
    def references(self) -> tuple[Reference, ...]:
        """The links and embeds, first those in the properties (rule-P05)."""

    @property
    @abstractmethod
    def dated_lines(self) -> tuple[DatedLine, ...]:
        """The headings, list items and table rows that give the date of what they hold."""

    @property
    def headings(self) -> tuple[Heading, ...]:
        """The outline of the body."""
        return self.structure.headings

    @cached_property
    def above(self) -> Sequence[int]:
        """By heading, the number of the heading whose section it lies in, from 0; -1 if there is none."""
        found: list[int] = []
        headings = self.headings
        for number, heading in enumerate(headings):
            over = number - 1
            while over >= 0 and headings[over].level >= heading.level:
                over = found[over]
            found.append(over)
        return found

    @property
    def links(self) -> Iterator[tuple[int, str]]:
        """The line and the target of each of `references` that stays in the vault."""
        return ((each.line, each.target) for each in self.references if each.kind != "external")

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The tags without `#`, first those in the properties, each once in the casing first seen (rule-T03,
        rule-T06)."""
        return distinct(self.written_tags)

    @property
    def written_tags(self) -> tuple[str, ...]:
        """The tags without `#`, first those in the properties, as often and in the casing as written."""
        return (*self.property_tags, *self.body_tags)

    @property
    def body_tags(self) -> tuple[str, ...]:
        """The tags in the body, as written."""
        return tuple(tag.name for tag in self.structure.tags)

    @cached_property
    def aliases(self) -> tuple[str, ...]:
        """Other names of the note: the list `aliases`, or one string with commas (rule-A01).

        The property's name may have any casing; the singular `alias` is no longer read (rule-P09).
        """
        return tuple(dict.fromkeys(name for value in self._named("aliases") for name in _aliases(value)))

    @cached_property
    def property_tags(self) -> tuple[str, ...]:
        """The tags in the properties, as written."""
        # `tags` in any casing (rule-S23); the singular `tag` is no longer read (rule-T09).
        return tuple(tag for value in self._named("tags") for tag in property_tags(value))

    def has_tag(self, tag: str) -> bool:
        """Whether the note has the tag or one nested in it; case and a leading `#` do not matter (rule-T03, rule-T05).

        The body is read only if no property has the tag.
        """
        return any(covers(tag, name) for name in self.property_tags) or any(
            covers(tag, name) for name in self.body_tags
        )

    def has_property(self, name: str, value: str | None) -> bool:
        """Whether a property matches, as `[name:value]` does with a plain word.

        The name is compared without case (rule-S39). The text of the property, or of any element of a list, must
        contain the value, without case (rule-S05, rule-S19). The text of booleans is `true` and `false`, that of dates
        is as written, that of numbers also as we write them. ``None`` matches an empty property: null, not `""` and
        not `[]` (rule-S36).
        """
        held = self._named(name)
        if value is None:
            return None in held
        wanted = identity(value)
        return any(wanted in identity(text) for kept in held for text in searched_texts(kept))

    def _named(self, name: str) -> list[Value]:
        """Returns the values of the properties with a name, in any casing."""
        wanted = identity(name)
        return [value for key, value in self.properties.items() if identity(key) == wanted]

    def breadcrumb(self, line: int) -> tuple[str, ...]:
        """Returns the headings above a line (from 1), outermost first, each of at most `limits.LINE_CHARACTERS`; the
        line of a heading includes that heading."""
        return self.trail(bisect_right(self.headings, line, key=attrgetter("line")) - 1)

    def trail(self, number: int) -> tuple[str, ...]:
        """Returns a heading, given by number from 0, after those above it; nothing for -1.

        Every task and passage below them repeats their texts, so long ones are cut.
        """
        found: list[str] = []
        while number >= 0:
            found.append(render.shortened(self.headings[number].text, limits.LINE_CHARACTERS))
            number = self.above[number]
        return tuple(reversed(found))

    def section(self, headings: Sequence[str]) -> Heading | None:
        """Returns the heading that a chain of headings leads to, `[[Note#H1#H2]]` (rule-L05); None if there is none.

        Each heading is the first fitting one below the heading before; case and runs of blanks do not matter. If no
        heading fits, punctuation does not matter either: Obsidian removes it in the links that it writes to headings
        (`stripHeading` of its API; 3 of 422 such links in its own help need it).
        """
        return _leading(self.headings, headings, _plain) or _leading(self.headings, headings, _stripped)

    def required_section(self, headings: Sequence[str], name: str) -> Heading:
        """Returns the heading that a chain of headings leads to (rule-L05); errors call the note `name`.

        Raises:
            PartNotFound: there is no such heading.
        """
        if found := self.section(headings):
            return found
        there = list(dict.fromkeys(heading.text for heading in self.headings if heading.text))
        close = spelling.closest(headings[-1], there)
        raise PartNotFound("Heading", " > ".join(headings), name, close=close, there=there)

    def block(self, block_id: str) -> BlockId | None:
        """Returns the first block with an id, without regard to case; None if there is none."""
        return next((found for found in self.structure.block_ids if is_same(found.id, block_id)), None)

    def required_block(self, block_id: str, name: str) -> BlockId:
        """Returns the block with an id, given without `^` (rule-L06); errors call the note `name`.

        Raises:
            PartNotFound: there is no such block.
        """
        if found := self.block(block_id):
            return found
        there = [f"^{each.id}" for each in self.structure.block_ids]
        raise PartNotFound("Block", f"^{block_id}", name, close=spelling.closest(block_id, there), there=there)


def _aliases(value: Value) -> Iterator[str]:
    if isinstance(value, str):
        yield from filter(None, (name.strip() for name in value.split(",")))
    elif isinstance(value, list):
        yield from filter(None, (text.strip() for element in value for text in texts(element)))
    else:
        yield from texts(value)


def texts(value: Value) -> Iterator[str]:
    """Yields the texts of the single values in a property; no text for null and empty lists."""
    return map(_text, singles(value))


def searched_texts(value: Value) -> Iterator[str]:
    """Yields the texts that a search finds the single values of a property by: a number such as `12.50` has two, what
    is written and `12.5`."""
    for single in singles(value):
        yield _text(single)
        if isinstance(single, Numeral) and (plain := str(single.plain)) != str(single):
            yield plain


def singles(value: Value) -> Iterator[Scalar]:
    """Yields the values in a property that are no lists or maps, without null."""
    if isinstance(value, list | dict):
        for element in value if isinstance(value, list) else value.values():
            yield from singles(element)
    elif value is not None:
        yield value


def _text(single: Scalar) -> str:
    return str(single).lower() if isinstance(single, bool) else str(single)


def _leading(headings: Sequence[Heading], chain: Sequence[str], plain: Callable[[str], str]) -> Heading | None:
    wanted = [plain(text) for text in chain]
    if not all(wanted):
        return None
    trail: list[Heading] = []
    for heading in headings:
        while trail and trail[-1].level >= heading.level:
            trail.pop()
        if len(trail) < len(wanted) and plain(heading.text) == wanted[len(trail)]:
            trail.append(heading)
            if len(trail) == len(wanted):
                return heading
    return None


def _plain(text: str) -> str:
    return identity(" ".join(text.split()))


def _stripped(text: str) -> str:
    return _plain(_PUNCTUATION.sub(" ", composed(text)))

"""Decides whether and where one text matches a query of Obsidian's search language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final, NamedTuple

from vaulttools.core.cached import cached_property
from vaulttools.notes.parts import Span
from vaulttools.notes.tags import covers
from vaulttools.query import tree, wording
from vaulttools.query.text import UNITS, Text, TextUnit, Unit
from vaulttools.query.tree import Node

MOST_PLACES: Final = 100
"""Places of each word, phrase, regex or operator in one file; excerpts show only a few."""

_TAGS: Final = tree.Term("tags")
"""The property that holds tags (rule-P08)."""

_TAG_NAMES: Final = re.compile(r"[^\s,\[\]\"'#]+")
"""A tag name between the punctuation of a list of tags."""


@dataclass(frozen=True)  # not slotted: the text is cached
class Subject:
    """One note or canvas, and what is known about it without its text."""

    read: Callable[[], Text]
    """Returns the text; called only if the text matters."""
    holds: Callable[[Node, bool], bool]
    """Whether the file matches a node without its text: TagNode, PropertyNode, a name; a bare word: by its path."""
    lines: Callable[[tree.Regex, bool], AbstractSet[int]]
    """Returns the lines in which a regex matches; the bool says whether case is compared."""
    is_over: Callable[[], bool] = lambda: False
    """Whether the time of the call is over."""

    @cached_property
    def text(self) -> Text:
        """The text, read at the first use."""
        return self.read()


class _Where(NamedTuple):
    """The place where one node must match, and how many places are wanted."""

    part: TextUnit | None
    """None: the whole file."""
    sensitive: bool
    named: bool
    """Whether a word may also match the path of the file (rule-S02)."""
    most: int


def places(node: Node, subject: Subject, *, sensitive: bool, most: int = MOST_PLACES) -> list[Span] | None:
    """Returns the lines (first, last) that match a query, one span for each place, unsorted; None if there is no match.

    Facts about the whole file, such as its name or an excluded word, have no place. At most `most` places of one word,
    regex or operator are returned.

    Raises:
        OutOfTimeError: the time of the call is over.
    """
    return _places(node, subject, _Where(None, sensitive, True, most))


def _places(node: Node, subject: Subject, where: _Where) -> list[Span] | None:
    if subject.is_over():
        raise tree.OutOfTimeError
    match node:
        case tree.And(parts):
            found: list[Span] = []
            for part in sorted(parts, key=_looks_into_text):
                more = _places(part, subject, where)
                if more is None:
                    return None
                found += more
            return found
        case tree.Or(parts):
            answers = [more for part in parts if (more := _places(part, subject, where)) is not None]
            return [span for more in answers for span in more] if answers else None
        case tree.Not(part):
            return [] if _places(part, subject, where) is None else None
        case tree.Case(sensitive, part):
            return _places(part, subject, where._replace(sensitive=sensitive))
        case tree.Within("content", part):
            return _places(part, subject, where._replace(named=False))
        case tree.Within("file" | "path"):
            return [] if subject.holds(node, where.sensitive) else None
        case tree.PropertyNode(name):
            return _lines(subject.text.property_lines(name), where) if subject.holds(node, where.sensitive) else None
        case tree.Within(unit, part):
            assert unit in UNITS
            return _within(unit, part, subject, where)
        case tree.TagNode():
            return _tag(node, subject, where)
        case tree.Term() | tree.Phrase():
            return _or_named(_wording(node, subject, where), node, subject, where)
        case tree.Regex():
            return _or_named(_regex(node, subject, where), node, subject, where)
        case _:
            raise AssertionError(f"a value outside of a property: {node}")


def _within(unit: Unit, part: Node, subject: Subject, where: _Where) -> list[Span] | None:
    """Returns the matches in a section, or whole smaller units (rule-S30)."""
    region = where.part or subject.text.whole
    lines = None
    if (needed := _needed(part)) is not None:
        # The sections of sub-headings are after the section that is searched.
        around = subject.text.whole if unit == "section" else region
        lines = list(_lines_of(needed, around, where.sensitive))
        if not lines:
            return None
    spans: list[Span] = []
    is_found = False
    for smaller in subject.text.regions(unit, region, lines):
        found = _places(part, subject, _Where(smaller, where.sensitive, False, where.most))
        if found is not None:
            is_found = True
            spans += found if unit == "section" and found else [(smaller.line, smaller.end_line)]
            if len(spans) >= where.most:
                break
    return spans if is_found else None


def _needed(part: Node) -> tree.Term | tree.Phrase | None:
    """Returns a word or phrase that every match of a node holds, to search only units with it; None without one."""
    for each in part.parts if isinstance(part, tree.And) else (part,):
        if isinstance(each, tree.Term | tree.Phrase) and each.text:
            return each
    return None


def _or_named(found: list[Span] | None, node: Node, subject: Subject, where: _Where) -> list[Span] | None:
    return [] if found is None and where.named and subject.holds(node, where.sensitive) else found


def _wording(node: tree.Term | tree.Phrase, subject: Subject, where: _Where) -> list[Span] | None:
    if not node.text:
        return []
    region = where.part or subject.text.whole
    breaks = node.text.count("\n")
    found = islice(_lines_of(node, region, where.sensitive), where.most)
    return [(line, line + breaks) for line in found] or None


def _lines_of(node: tree.Term | tree.Phrase, region: TextUnit, sensitive: bool) -> Iterator[int]:
    """Yields the line of each place at which a word or phrase begins in a region."""
    text = region.form(sensitive=sensitive)
    line, before = region.line, 0
    for offset in wording.places(node, text, sensitive=sensitive):
        line += text.count("\n", before, offset)
        before = offset
        yield line


def _regex(node: tree.Regex, subject: Subject, where: _Where) -> list[Span] | None:
    lines = sorted(subject.lines(node, where.sensitive))
    return _lines(lines if where.part is None else filter(where.part.holds, lines), where) or None


def _tag(node: tree.TagNode, subject: Subject, where: _Where) -> list[Span] | None:
    """In a part of a note only its own tags count; in the whole note those of the properties too (rule-S20, rule-S23).
    A canvas has no tags, whatever its cards say (rule-S31)."""
    if not subject.holds(node, where.sensitive):
        return None
    lines = (line for name, line in subject.text.tag_lines() if covers(node.name, name))
    if where.part is not None:
        return _lines(filter(where.part.holds, lines), where) or None
    return _lines(lines, where) or _lines(subject.text.value_lines(_TAGS, partial(_names, node.name)), where)


def _names(tag: str, line: str) -> bool:
    """Whether a line of properties names a tag or one nested in it."""
    return any(covers(tag, name) for name in _TAG_NAMES.findall(line))


def _lines(lines: Iterable[int], where: _Where) -> list[Span]:
    return [(line, line) for line in islice(lines, where.most)]


def _looks_into_text(node: Node) -> bool:
    """Whether a node can only be decided by reading the text; False for a regex: ripgrep has already searched for it.

    Of the parts of an And, those that need no text come first.
    """
    match node:
        case tree.Term() | tree.Phrase():
            return True
        case tree.Regex() | tree.TagNode() | tree.PropertyNode() | tree.Within("file" | "path"):
            return False
        case _:
            return any(map(_looks_into_text, tree.parts(node)))

"""Counts the tags and the properties of notes (rule-T01 to rule-T09, rule-P02 to rule-P09)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, Self, TypeAlias

from vaulttools.core import paths
from vaulttools.core.cached import cached_property
from vaulttools.core.folding.identity import identity
from vaulttools.notes.difference import Change, Draft
from vaulttools.notes.properties.numerals import MARK, stored
from vaulttools.notes.properties.values import PropertyType, Value, property_type
from vaulttools.notes.tags import levels

Part: TypeAlias = tuple[str, Mapping[str, Mapping[str, int]]]
"""What one note adds to a tally: its first spelling of the name, and its counts by kind and value."""


@dataclass(slots=True)
class Tally:
    """The notes and counts of one name, in any casing."""

    spellings: dict[str, set[str]] = field(default_factory=dict)
    """By spelling, the notes that have it first."""
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    """By kind and value, the count."""

    def copy(self) -> Tally:
        """Returns a copy that can be changed."""
        spellings = {spelling: set(notes) for spelling, notes in self.spellings.items()}
        return Tally(spellings, {kind: dict(found) for kind, found in self.counts.items()})

    def __bool__(self) -> bool:
        return bool(self.spellings)

    def add(self, path: str, part: Part, number: int) -> None:
        """Add a note's part; subtract it if `number` is -1."""
        spelling, counted = part
        notes = self.spellings.get(spelling)
        if notes is None:
            notes = self.spellings[spelling] = set()
        (notes.add if number > 0 else notes.discard)(path)
        if not notes:
            del self.spellings[spelling]
        for kind, found in counted.items():
            held = self.counts.get(kind)
            if held is None:
                held = self.counts[kind] = {}
            for each, times in found.items():
                if count := held.get(each, 0) + number * times:
                    held[each] = count
                else:
                    del held[each]

    @property
    def notes(self) -> int:
        """Number of notes that have the name."""
        return sum(map(len, self.spellings.values()))

    @property
    def spelling(self) -> str:
        """The spelling of the first note in path order."""
        if len(self.spellings) == 1:
            return next(iter(self.spellings))
        return min(self.spellings, key=lambda spelling: min(map(paths.order, self.spellings[spelling])))

    def most_first(self, kind: str) -> list[tuple[Any, int]]:
        """Returns the values of a kind with their counts, highest first, then by name; numbers before texts."""
        return sorted(self.counts[kind].items(), key=lambda each: (-each[1], each[0].removeprefix(f'"{MARK}')))


class _Tallies:
    """The tallies of notes, by folded name; never changes once made."""

    def __init__(self, tallies: Mapping[str, Tally] | None = None) -> None:
        self._tallies = tallies or {}

    @classmethod
    def of_plain(cls, plain: Mapping[str, tuple[dict[str, set[str]], dict[str, dict[str, int]]]]) -> Self:
        """Restore what `plain` returned."""
        return cls({folded: Tally(*tally) for folded, tally in plain.items()})

    def plain(self) -> object:
        """Returns the tallies as plain values."""
        return {folded: (tally.spellings, tally.counts) for folded, tally in self._tallies.items()}

    @property
    def misread(self) -> AbstractSet[str]:
        """The notes whose properties cannot be read."""
        return self._tallies[_MISREAD].spellings[""] if _MISREAD in self._tallies else frozenset()

    def _after(self, changes: Iterable[tuple[str, Mapping[str, Part], Mapping[str, Part]]]) -> Self:
        """Returns the tallies after changes of notes: path, parts before, parts after."""
        draft: Draft[str, Tally, Tally] = Draft(self._tallies, Tally.copy, Tally)
        for path, before, after in changes:
            for folded in before.keys() | after.keys() if before else after:
                old, new = before.get(folded), after.get(folded)
                if old == new:
                    continue
                if old is not None:
                    draft[folded].add(path, old, -1)
                if new is not None:
                    draft[folded].add(path, new, 1)
        return type(self)(draft.merged(lambda tally: tally))


_encode: Final = json.JSONEncoder(ensure_ascii=False).encode

WrittenTags: TypeAlias = tuple[str, ...]
"""The tags of one note as often as they are written, without `#`; an empty one if its properties cannot be read."""

_MISREAD: Final = "MISREAD"
"""The key of the notes whose properties cannot be read; no folded name has capitals."""


class TagUsage(NamedTuple):
    """One tag, with the tags nested in it."""

    tag: str
    """The tag in the casing of the first note by path."""
    notes: int
    occurrences: int


class TagCounts(_Tallies):
    """The tag counts of notes."""

    def changed(self, changes: Sequence[Change[WrittenTags]]) -> TagCounts:
        """Returns the counts after some notes changed."""
        return self._after(
            (path, _tags(before or ()), _tags(after or ())) for path, before, after in changes if before or after
        )

    @cached_property
    def all(self) -> Sequence[TagUsage]:
        """Every tag, those in most notes first, then by name."""
        found = (
            TagUsage(each.spelling, each.notes, each.counts["times"][""])
            for folded, each in self._tallies.items()
            if folded != _MISREAD
        )
        return sorted(found, key=lambda each: (-each.notes, identity(each.tag)))


def _tags(written: WrittenTags) -> dict[str, Part]:
    """Returns how often a note has each tag, and each tag that one of them is nested in."""
    found: dict[str, tuple[str, int]] = {}
    for tag in written:
        for level in levels(tag) if tag else ():
            folded = identity(level)
            spelling, times = found.get(folded, (level, 0))
            found[folded] = spelling, times + 1
    parts: dict[str, Part] = {folded: (spelling, {"times": {"": times}}) for folded, (spelling, times) in found.items()}
    if "" in written:
        parts[_MISREAD] = "", {}
    return parts


WrittenProperties: TypeAlias = tuple[tuple[str, Value], ...] | Literal[False]
"""The properties of one note: names as written, and values; False if they could not be read."""


class PropertyUsage(NamedTuple):
    """One property."""

    name: str
    """The name in the casing of the first note by path; case does not matter."""
    notes: int
    types: Mapping[PropertyType, int]
    """By type, the number of notes; highest first."""
    values: Sequence[tuple[str, int]]
    """The distinct values as JSON of what `numerals.stored` returns, which distinguishes 1, 1.0 and true, with their
    numbers of notes, highest first."""


class PropertyCounts(_Tallies):
    """The property counts of notes."""

    def changed(self, changes: Sequence[Change[WrittenProperties]]) -> PropertyCounts:
        """Returns the counts after some notes changed."""
        return self._after((path, _properties(before), _properties(after)) for path, before, after in changes)

    @cached_property
    def all(self) -> Sequence[PropertyUsage]:
        """Every property, those in most notes first, then by name."""
        found = (
            PropertyUsage(each.spelling, each.notes, dict(each.most_first("types")), each.most_first("values"))
            for folded, each in self._tallies.items()
            if folded != _MISREAD
        )
        return sorted(found, key=lambda each: (-each.notes, identity(each.name)))


def _properties(properties: WrittenProperties | None) -> Mapping[str, Part]:
    """Returns each property of a note with its types and values, each once; two names may differ in case alone."""
    if properties is False:
        return {_MISREAD: ("", {})}
    found: dict[str, tuple[str, dict[str, dict[str, int]]]] = {}
    for name, value in properties or ():
        counts = found.setdefault(identity(name), (name, {"types": {}, "values": {}}))[1]
        counts["types"][property_type(name, value)] = 1
        for each in _elements(value) if isinstance(value, list) else (value,):
            counts["values"][_encode(stored(each))] = 1
    return found


def _elements(value: Value) -> Iterator[Value]:
    """Yields a value, or the elements of a list except null; an empty list is a value."""
    if isinstance(value, list) and value:
        for element in value:
            if element is not None:
                yield from _elements(element)
    else:
        yield value

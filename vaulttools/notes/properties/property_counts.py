"""Counts the properties of notes, with their types and values (rule-P02 to rule-P09)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from vaulttools.core import paths
from vaulttools.core.cached import cached_property
from vaulttools.notes.difference import Change, Draft, is_same
from vaulttools.notes.packed_notes import PackedNotes, packed
from vaulttools.notes.properties.safe_yaml import Value
from vaulttools.notes.properties.values import PropertyType, property_type

T = TypeVar("T")

Written = tuple[tuple[str, Value], ...]
"""The properties of one note: names as written, and values."""


class PropertyUsage(NamedTuple):
    """One property."""

    name: str
    """In the casing first seen, in path order; case does not matter."""
    notes: int
    types: Mapping[PropertyType, int]
    """Notes by type, the most first."""
    values: Sequence[tuple[str, int]]
    """The different values as JSON, which tells 1 from 1.0 and from true, with their notes, the most first."""


@dataclass(slots=True)
class _Tally:
    spellings: Mapping[str, AbstractSet[str]] = field(default_factory=dict)
    """By the spelling that a note has first, the notes."""
    types: Counter[PropertyType] = field(default_factory=Counter)
    values: Counter[str] = field(default_factory=Counter)
    counted: PropertyUsage | None = None
    """What this comes to, once that was asked for."""

    def sum(self) -> PropertyUsage:
        if self.counted is None:
            self.counted = PropertyUsage(
                _first(self.spellings),
                sum(map(len, self.spellings.values())),
                dict(sorted(self.types.items(), key=lambda each: (-each[1], each[0]))),
                sorted(self.values.items(), key=lambda each: (-each[1], each[0])),
            )
        return self.counted


@dataclass(slots=True)
class _Draft:
    """A tally while it changes."""

    spellings: dict[str, set[str]] = field(default_factory=dict)
    types: Counter[PropertyType] = field(default_factory=Counter)
    values: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, tally: _Tally) -> _Draft:
        spellings = {spelling: set(notes) for spelling, notes in tally.spellings.items()}
        return cls(spellings, tally.types.copy(), tally.values.copy())

    def __bool__(self) -> bool:
        return bool(self.spellings)

    def add(self, path: str, pairs: Written, number: int) -> None:
        """Add what a note has, or with -1 take it away."""
        _add(self.types, {property_type(name, value) for name, value in pairs}, number)
        _add(self.values, {json.dumps(each, ensure_ascii=False) for each in _elements(pairs)}, number)
        notes = self.spellings.setdefault(pairs[0][0], set())
        (notes.add if number > 0 else notes.discard)(path)
        if not notes:
            del self.spellings[pairs[0][0]]


class PropertyCounts:
    """The properties of some notes; never changes once made."""

    def __init__(self, tallies: Mapping[str, _Tally] | None = None) -> None:
        self._tallies = tallies or {}
        """By the name as it is compared."""

    def changed(self, changes: Sequence[Change[Written]]) -> PropertyCounts:
        """The same after some notes changed."""
        draft: Draft[str, _Tally, _Draft] = Draft(self._tallies, _Draft.of, _Draft)
        for path, before, after in changes:
            old, new = _by_name(before or ()), _by_name(after or ())
            for folded in old.keys() | new.keys():
                if is_same(old.get(folded), new.get(folded)):
                    continue
                if folded in old:
                    draft[folded].add(path, old[folded], -1)
                if folded in new:
                    draft[folded].add(path, new[folded], 1)
        return PropertyCounts(draft.merged(lambda each: _Tally(each.spellings, each.types, each.values)))

    def plain(self, places: Mapping[str, int]) -> object:
        """The same as plain values."""
        return {
            folded: (
                {spelling: packed(notes, places) for spelling, notes in tally.spellings.items()},
                dict(tally.types),
                dict(tally.values),
            )
            for folded, tally in self._tallies.items()
        }

    @classmethod
    def of_plain(
        cls,
        plain: Mapping[str, tuple[Mapping[str, bytes], dict[PropertyType, int], dict[str, int]]],
        notes: Sequence[str],
    ) -> PropertyCounts:
        """What `plain` was given."""
        tallies = {}
        for folded, (given, types, values) in plain.items():
            spellings = {spelling: PackedNotes(data, notes) for spelling, data in given.items()}
            tallies[folded] = _Tally(spellings, Counter(types), Counter(values))
        return cls(tallies)

    @cached_property
    def all(self) -> Sequence[PropertyUsage]:
        """Every property, those of most notes first, then by name."""
        return sorted(
            (tally.sum() for tally in self._tallies.values()), key=lambda each: (-each.notes, each.name.casefold())
        )


def _first(spellings: Mapping[str, AbstractSet[str]]) -> str:
    """The spelling of the first note in path order."""
    if len(spellings) == 1:
        return next(iter(spellings))
    return min(spellings, key=lambda spelling: min(map(paths.order, spellings[spelling])))


def _by_name(properties: Written) -> dict[str, Written]:
    """The properties of one note by the name as it is compared; two may differ in case alone."""
    found: dict[str, Written] = {}
    for name, value in properties:
        folded = name.casefold()
        found[folded] = (*found.get(folded, ()), (name, value))
    return found


def _add(counter: Counter[T], found: Iterable[T], number: int) -> None:
    for each in found:
        counter[each] += number
        if not counter[each]:
            del counter[each]


def _elements(pairs: Written) -> Iterator[Value]:
    """Each value, of a list its elements; nothing of one that is null among others."""
    for _, value in pairs:
        yield from _elements_of(value)


def _elements_of(value: Value) -> Iterator[Value]:
    if isinstance(value, list) and value:
        for element in value:
            if element is not None:
                yield from _elements_of(element)
    else:
        yield value

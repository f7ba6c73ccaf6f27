"""Counts the properties of notes, with their types and values (rule-P02 to rule-P09)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from vaulttools.core.cached import cached_property
from vaulttools.notes.difference import Change, Draft, first_spelling, is_same
from vaulttools.notes.properties.values import PropertyType, Value, property_type

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
    """What one property comes to."""

    spellings: dict[str, set[str]] = field(default_factory=dict)
    """By the spelling that a note has first, the notes."""
    types: Counter[PropertyType] = field(default_factory=Counter)
    values: Counter[str] = field(default_factory=Counter)

    def copy(self) -> _Tally:
        spellings = {spelling: set(notes) for spelling, notes in self.spellings.items()}
        return _Tally(spellings, self.types.copy(), self.values.copy())

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

    def sum(self) -> PropertyUsage:
        return PropertyUsage(
            first_spelling(self.spellings),
            sum(map(len, self.spellings.values())),
            dict(sorted(self.types.items(), key=lambda each: (-each[1], each[0]))),
            sorted(self.values.items(), key=lambda each: (-each[1], each[0])),
        )


class PropertyCounts:
    """The properties of some notes; never changes once made."""

    def __init__(self, tallies: Mapping[str, _Tally] | None = None) -> None:
        self._tallies = tallies or {}
        """By the name as it is compared."""

    def changed(self, changes: Sequence[Change[Written]]) -> PropertyCounts:
        """The same after some notes changed."""
        draft: Draft[str, _Tally, _Tally] = Draft(self._tallies, _Tally.copy, _Tally)
        for path, before, after in changes:
            old, new = _by_name(before or ()), _by_name(after or ())
            for folded in old.keys() | new.keys():
                if is_same(old.get(folded), new.get(folded)):
                    continue
                if folded in old:
                    draft[folded].add(path, old[folded], -1)
                if folded in new:
                    draft[folded].add(path, new[folded], 1)
        return PropertyCounts(draft.merged(lambda tally: tally))

    def plain(self) -> object:
        """The same as plain values."""
        return {
            folded: (tally.spellings, dict(tally.types), dict(tally.values)) for folded, tally in self._tallies.items()
        }

    @classmethod
    def of_plain(
        cls, plain: Mapping[str, tuple[dict[str, set[str]], dict[PropertyType, int], dict[str, int]]]
    ) -> PropertyCounts:
        """What `plain` gave."""
        return cls(
            {
                folded: _Tally(spellings, Counter(types), Counter(values))
                for folded, (spellings, types, values) in plain.items()
            }
        )

    @cached_property
    def all(self) -> Sequence[PropertyUsage]:
        """Every property, those of most notes first, then by name."""
        return sorted(
            (tally.sum() for tally in self._tallies.values()), key=lambda each: (-each.notes, each.name.casefold())
        )


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

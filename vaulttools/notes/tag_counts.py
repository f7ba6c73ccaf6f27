"""Counts the tags of notes with those nested in them (rule-T01 to rule-T09)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple

from vaulttools.core import paths
from vaulttools.core.cached import cached_property
from vaulttools.notes.difference import Change, Draft
from vaulttools.notes.packed_notes import PackedNotes, packed

Written = tuple[str, ...]
"""The tags of one note as often as they are written, without `#`."""


class TagUsage(NamedTuple):
    """One tag; what is nested in it counts for it too."""

    tag: str
    """In the casing first seen, in path order."""
    notes: int
    occurrences: int


@dataclass(slots=True)
class _Tally:
    spellings: Mapping[str, AbstractSet[str]]
    """By the spelling that a note has first, the notes."""
    occurrences: int
    counted: TagUsage | None = None
    """What this comes to, once that was asked for."""

    def sum(self) -> TagUsage:
        if self.counted is None:
            self.counted = TagUsage(_first(self.spellings), sum(map(len, self.spellings.values())), self.occurrences)
        return self.counted


@dataclass(slots=True)
class _Draft:
    """A tally while it changes."""

    spellings: dict[str, set[str]] = field(default_factory=dict)
    occurrences: int = 0

    @classmethod
    def of(cls, tally: _Tally) -> _Draft:
        return cls({spelling: set(notes) for spelling, notes in tally.spellings.items()}, tally.occurrences)

    def __bool__(self) -> bool:
        return bool(self.spellings)


class TagCounts:
    """The tags of some notes; never changes once made."""

    def __init__(self, tallies: Mapping[str, _Tally] | None = None) -> None:
        self._tallies = tallies or {}
        """By the tag as it is compared."""

    def changed(self, changes: Sequence[Change[Written]]) -> TagCounts:
        """The same after some notes changed."""
        draft: Draft[str, _Tally, _Draft] = Draft(self._tallies, _Draft.of, _Draft)
        for path, before, after in changes:
            for folded, (spelling, times) in _counted(before or ()).items():
                tally = draft[folded]
                tally.occurrences -= times
                tally.spellings[spelling].discard(path)
                if not tally.spellings[spelling]:
                    del tally.spellings[spelling]
            for folded, (spelling, times) in _counted(after or ()).items():
                tally = draft[folded]
                tally.occurrences += times
                tally.spellings.setdefault(spelling, set()).add(path)
        return TagCounts(draft.merged(lambda each: _Tally(each.spellings, each.occurrences)))

    def plain(self, places: Mapping[str, int]) -> object:
        """The same as plain values."""
        return {
            folded: (
                {spelling: packed(notes, places) for spelling, notes in tally.spellings.items()},
                tally.occurrences,
            )
            for folded, tally in self._tallies.items()
        }

    @classmethod
    def of_plain(cls, plain: Mapping[str, tuple[Mapping[str, bytes], int]], notes: Sequence[str]) -> TagCounts:
        """What `plain` was given."""
        return cls(
            {
                folded: _Tally(
                    {spelling: PackedNotes(data, notes) for spelling, data in spellings.items()}, occurrences
                )
                for folded, (spellings, occurrences) in plain.items()
            }
        )

    @cached_property
    def all(self) -> Sequence[TagUsage]:
        """Every tag, those of most notes first, then by name."""
        return sorted(
            (tally.sum() for tally in self._tallies.values()), key=lambda each: (-each.notes, each.tag.casefold())
        )


def _first(spellings: Mapping[str, AbstractSet[str]]) -> str:
    """The spelling of the first note in path order."""
    if len(spellings) == 1:
        return next(iter(spellings))
    return min(spellings, key=lambda spelling: min(map(paths.order, spellings[spelling])))


def _counted(written: Written) -> dict[str, tuple[str, int]]:
    """Each tag of a note, and each that one is nested in, as it is compared: its first spelling, and how often it is
    written."""
    found: dict[str, tuple[str, int]] = {}
    for tag in written:
        for folded, name in _levels(tag):
            spelling, times = found.get(folded, (name, 0))
            found[folded] = spelling, times + 1
    return found


def _levels(tag: str) -> Iterator[tuple[str, str]]:
    """A tag and those it is nested in, each as it is compared and as it is written."""
    yield tag.casefold(), tag
    while name := tag.rpartition("/")[0].rstrip("/"):
        yield name.casefold(), name
        tag = name

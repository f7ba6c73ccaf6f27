"""Defines what a tag is, and counts the tags of notes (rule-T01 to rule-T09)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from vaulttools.core.cached import cached_property
from vaulttools.notes.difference import Change, Draft, first_spelling

if TYPE_CHECKING:
    from vaulttools.notes.properties.values import Value

# The expression of Obsidian's app.js, as quoted in obsidianmd/obsidian-help issue 816 (rule-T01): all but blanks, the
# general and supplemental punctuation blocks, and ASCII punctuation other than `_`, `-` and `/`.
CHARACTER = r"""[^\u2000-\u206f\u2e00-\u2e7f'!"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s]"""
_NAME = re.compile(CHARACTER + "+")


def tag_name(written: str) -> str | None:
    """The name that ``written`` (without its `#`) stands for, or None when it is no tag (rule-T01, rule-T02, rule-T04).

    A trailing `/` is not part of it; digits alone are no tag.
    """
    name = written.rstrip("/")
    if not _NAME.fullmatch(name) or (name.isascii() and name.isdigit()):
        return None
    return name


def property_tags(value: Value) -> Iterator[str]:
    """The tags that the property `tags` names: a list or one string, each with or without `#`, split at blanks
    (rule-T06).

    A string with a comma names none, as in Obsidian since 1.9.
    """
    for entry in value if isinstance(value, list) else [value]:
        if isinstance(entry, str) and "," not in entry:
            yield from (name for word in entry.split() if (name := tag_name(word.removeprefix("#"))))


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """The names once each, case ignored, in the order and the casing of their first appearance (rule-T03)."""
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(name.casefold(), name)
    return tuple(first.values())


def covers(asked: str, name: str) -> bool:
    """Whether a note with the tag ``name`` answers to ``asked``: the same tag or one nested in it (rule-T03,
    rule-T05)."""
    wanted = asked.removeprefix("#").rstrip("/").casefold()
    return bool(wanted) and (name.casefold() + "/").startswith(wanted + "/")


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
    """What one tag comes to."""

    spellings: dict[str, set[str]] = field(default_factory=dict)
    """By the spelling that a note has first, the notes."""
    occurrences: int = 0

    def copy(self) -> _Tally:
        return _Tally({spelling: set(notes) for spelling, notes in self.spellings.items()}, self.occurrences)

    def __bool__(self) -> bool:
        return bool(self.spellings)

    def sum(self) -> TagUsage:
        return TagUsage(first_spelling(self.spellings), sum(map(len, self.spellings.values())), self.occurrences)


class TagCounts:
    """The tags of some notes; never changes once made."""

    def __init__(self, tallies: Mapping[str, _Tally] | None = None) -> None:
        self._tallies = tallies or {}
        """By the tag as it is compared."""

    def changed(self, changes: Sequence[Change[Written]]) -> TagCounts:
        """The same after some notes changed."""
        draft: Draft[str, _Tally, _Tally] = Draft(self._tallies, _Tally.copy, _Tally)
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
        return TagCounts(draft.merged(lambda tally: tally))

    def plain(self) -> object:
        """The same as plain values."""
        return {folded: (tally.spellings, tally.occurrences) for folded, tally in self._tallies.items()}

    @classmethod
    def of_plain(cls, plain: Mapping[str, tuple[dict[str, set[str]], int]]) -> TagCounts:
        """What `plain` gave."""
        return cls({folded: _Tally(*tally) for folded, tally in plain.items()})

    @cached_property
    def all(self) -> Sequence[TagUsage]:
        """Every tag, those of most notes first, then by name."""
        return sorted(
            (tally.sum() for tally in self._tallies.values()), key=lambda each: (-each.notes, each.tag.casefold())
        )


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

"""Defines what a tag is (rule-T01 to rule-T09)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import TYPE_CHECKING, Final

from vaulttools.core.folding.identity import identity
from vaulttools.notes.properties.numerals import Numeral

if TYPE_CHECKING:
    from vaulttools.notes.properties.values import Value

# The regex of Obsidian's app.js, as quoted in obsidianmd/obsidian-help issue 816 (rule-T01): all but blanks, the
# general and supplemental punctuation blocks, and ASCII punctuation other than `_`, `-` and `/`.
CHARACTER = r"""[^\u2000-\u206f\u2e00-\u2e7f'!"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s]"""
_NAME = re.compile(CHARACTER + "+")

MOST_LEVELS: Final = 32
"""A tag counts for so many of the tags that it is nested in, the outermost ones. All levels of one tag of 100 kB
would take 2.5 GB: each level repeats those above it."""

_LEVEL_END: Final = re.compile("(?<=[^/])/")


def tag_name(written: str) -> str | None:
    """Returns the name of the tag ``written`` (without `#`), or None if it is no tag (rule-T01, rule-T02, rule-T04).

    A trailing `/` is not part of it; digits alone are no tag.
    """
    name = written.rstrip("/")
    if not _NAME.fullmatch(name) or (name.isascii() and name.isdigit()):
        return None
    return name


def property_tags(value: Value) -> Iterator[str]:
    """Yields the tags in a value of the property `tags`: a list or one string, each with or without `#`, split at
    blanks (rule-T06).

    A string with a comma has no tags, as in Obsidian since 1.9. A number such as `1e3` is read as it is spelled.
    """
    for entry in value if isinstance(value, list) else [value]:
        if isinstance(entry, str | Numeral) and "," not in str(entry):
            yield from (name for word in str(entry).split() if (name := tag_name(word.removeprefix("#"))))


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Returns each name once, case ignored, in the order and the casing of its first appearance (rule-T03)."""
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(identity(name), name)
    return tuple(first.values())


def covers(asked: str, name: str) -> bool:
    """Whether ``asked`` matches a note with the tag ``name``: the same tag or one nested in it (rule-T03, rule-T05)."""
    wanted = identity(asked.removeprefix("#").rstrip("/"))
    return bool(wanted) and (identity(name) + "/").startswith(wanted + "/")


def levels(name: str) -> list[str]:
    """Returns a tag, then the tags that it is nested in, the innermost first; of these only the outermost
    `MOST_LEVELS`."""
    if "/" not in name:  # most tags
        return [name]
    ends = [found.start() for found in islice(_LEVEL_END.finditer(name), MOST_LEVELS)]
    return [name, *(name[:end] for end in reversed(ends))]


def is_deep(name: str) -> bool:
    """Whether `levels` may leave out this tag for a tag that is nested in it."""
    return name.count("/") >= MOST_LEVELS


class Tagged:
    """The notes of each tag and of the tags nested in it; immutable."""

    def __init__(self, notes: Mapping[str, AbstractSet[str]]) -> None:
        self.notes = notes
        """The notes by each of a tag's `levels`."""
        self._deep: list[str] | None = None

    def under(self, name: str) -> AbstractSet[str]:
        """Returns the notes with a tag, spelled like the keys, or with one nested in it, at any depth."""
        found = self.notes.get(name, frozenset())
        if not is_deep(name):
            return found
        if self._deep is None:
            self._deep = sorted(filter(is_deep, self.notes))
        start, end = (bisect_left(self._deep, name + sign) for sign in "/0")  # `0` is the character after `/`
        return frozenset(found).union(*(self.notes[each] for each in self._deep[start:end]))

"""Collects the properties, values, tags and folders that the notes of a vault use."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from vaulttools.answers import corpus
from vaulttools.answers.incremental import NoteProjection
from vaulttools.core.work import Work
from vaulttools.notes.contents import Contents
from vaulttools.notes.period_words import plain
from vaulttools.notes.tallies import PropertyCounts, TagCounts, WrittenProperties
from vaulttools.session import Session

MOST_WORDS: Final = 5
"""Words of the longest value or name to look for in a question: longer ones are texts, not names."""
_LONGEST: Final = 60
"""Characters of such a value."""
_WORD: Final = re.compile(r"[^\W_]+")


def _properties(note: Contents) -> WrittenProperties:
    return not note.is_misread and tuple(note.properties.items())


def _tags(note: Contents) -> tuple[str, ...]:
    return ("", *note.written_tags) if note.is_misread else note.written_tags


PROPERTIES: Final = NoteProjection(
    "properties",
    _properties,
    PropertyCounts(),
    PropertyCounts.changed,
    PropertyCounts.plain,
    PropertyCounts.of_plain,
)
"""What counts of each note: its properties."""

TAGS: Final = NoteProjection("tags", _tags, TagCounts(), TagCounts.changed, TagCounts.plain, TagCounts.of_plain)
"""What counts of each note: its tags, as often as they are written."""


class Name(NamedTuple):
    """A property that a question may name."""

    name: str
    """As written."""
    type: str
    """The type in most notes."""
    is_list: bool
    is_mixed: bool = False
    """Whether it is a list in some notes and a single value in others."""


class Meaning(NamedTuple):
    """A value that a question may name."""

    property: Name
    value: Any
    notes: int


class Group(NamedTuple):
    """A tag or a folder that a question may name."""

    name: str
    notes: int


class Vocabulary(NamedTuple):
    """The names that a vault uses. A key is the stem of a word, or of several words with blanks between."""

    names: Mapping[str, Name]
    values: Mapping[str, Sequence[Meaning]]
    tags: Mapping[str, Group]
    folders: Mapping[str, Group]


def of(vault: Session, work: Work) -> Vocabulary:
    """The vocabulary of all notes that are not excluded."""
    scope = corpus.scope_of(vault, work, None, None)
    properties = corpus.answered(vault, PROPERTIES, work, scope)
    tags = corpus.answered(vault, TAGS, work, scope)
    folders = Counter[str]()  # notes by folder, including those in its subfolders
    for folder, notes in Counter(path.rpartition("/")[0] for path in properties.files).items():
        names = folder.split("/")
        folders.update(dict.fromkeys(("/".join(names[:end]) for end in range(1, len(names) + 1)), notes))
    return _made(properties.answer, tags.answer, frozenset(folders.items()))


@lru_cache(maxsize=4)  # for the vaults of one process; recomputed if a property, a tag or a folder changes
def _made(properties: PropertyCounts, tags: TagCounts, folders: frozenset[tuple[str, int]]) -> Vocabulary:
    names: dict[str, Name] = {}
    ambiguous: set[str] = set()
    values: dict[str, list[Meaning]] = {}
    for usage in properties.all:
        kind = next((each for each in usage.types if each != "empty"), "empty")
        is_list = "list" in usage.types
        name = Name(usage.name, kind, is_list, is_list and any(each not in ("list", "empty") for each in usage.types))
        if names.setdefault(stems(usage.name), name) is not name:
            ambiguous.add(stems(usage.name))  # `lent_to` and `lent to`: a question may mean either
        for written, count in usage.values:
            value = json.loads(written)
            if isinstance(value, str | int | float) and not isinstance(value, bool) and len(str(value)) <= _LONGEST:
                values.setdefault(stems(str(value)), []).append(Meaning(name, value, count))
    for each in ambiguous:
        del names[each]
    by_tag = {stems(each.tag): Group(each.tag, each.notes) for each in reversed(tags.all)}
    in_order = sorted((Group(*each) for each in folders if each[0]), key=lambda each: each.notes)
    by_folder = {stems(each.name.rpartition("/")[2]): each for each in in_order}
    return Vocabulary(names, values, by_tag, by_folder)


def stems(text: str) -> str:
    """Returns the words of a text for comparison: `Lent_to` equals `[[Lent to]]`, and a plural its singular."""
    return " ".join(map(stem, _WORD.findall(text)))


def stem(word: str) -> str:
    """Returns a word without case, accents, and the `s` of a plural."""
    word = plain(word)
    if len(word) < 4 or not word.endswith("s") or word.endswith("ss"):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") and len(word) > 5 else word[:-1]

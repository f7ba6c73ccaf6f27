"""Keeps the tags, properties and tasks of notes for queries, without their text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from vaulttools.notes.contents import Contents
from vaulttools.notes.safe_yaml import Value
from vaulttools.query import values
from vaulttools.query.lines import Lines
from vaulttools.query.tree import Phrase, Term


class NoteFacts(NamedTuple):
    """Of one note."""

    tags: tuple[str, ...]
    """Folded, without `#`, each once, with all that one is nested in."""
    properties: Mapping[str, Value]
    todo: bool
    """Whether a task of it is open."""
    done: bool
    """Whether a task of it has any character in its box."""


class Values:
    """What one property holds in all notes: each value once."""

    def __init__(self, held: Sequence[tuple[Value, set[str]]]) -> None:
        """From the values, each with the notes that have it."""
        self.values = [value for value, _ in held]
        self.notes = [notes for _, notes in held]
        found = [(place, text) for place, value in enumerate(self.values) for text in values.texts(value)]
        self._places = [place for place, _ in found]
        self._lines = Lines([text for _, text in found])

    @property
    def texts(self) -> Sequence[str]:
        """The single values of all as text."""
        return self._lines.texts

    def holding(self, wanted: Term | Phrase, *, sensitive: bool) -> set[int]:
        """The places of the values in which a word or phrase stands, in any element."""
        return {self._places[line] for line in self._lines.holding(wanted, sensitive=sensitive)}

    def among(self, texts: AbstractSet[str]) -> set[int]:
        """The places of the values of which some text, of any element, is among those given."""
        return {place for place, text in zip(self._places, self.texts, strict=True) if text in texts}


class Facts:
    """Of all notes, found by what they say."""

    def __init__(self, notes: Sequence[tuple[str, NoteFacts]]) -> None:
        self.notes = frozenset(path for path, _ in notes)
        """Their paths."""
        tagged: dict[str, set[str]] = defaultdict(set)
        held: dict[str, dict[str, tuple[Value, set[str]]]] = defaultdict(dict)
        for path, of in notes:
            for tag in of.tags:
                tagged[tag].add(path)
            for name, value in of.properties.items():
                held[name].setdefault(repr(value), (value, set()))[1].add(path)
        self._tagged = dict(tagged)
        self.properties: Mapping[str, Values] = {name: Values([*each.values()]) for name, each in held.items()}
        """By name as written."""
        self.todo = frozenset(path for path, of in notes if of.todo)
        """Those with an open task."""
        self.done = frozenset(path for path, of in notes if of.done)
        """Those with a task that is not open."""

    def tagged(self, tag: str) -> AbstractSet[str]:
        """The notes with a tag or one nested in it, case ignored (rule-S20 to rule-S23)."""
        return self._tagged.get(tag.rstrip("/").casefold(), frozenset())


def of(note: Contents) -> NoteFacts:
    """The facts of one note."""
    tags: dict[str, None] = {}
    for written in note.tags:
        tag = written.casefold()
        while tag:
            tags[tag] = None
            tag = tag.rpartition("/")[0].rstrip("/")
    open_ = [task.status == " " for task in note.tasks]
    return NoteFacts(tuple(tags), note.properties, any(open_), not all(open_))

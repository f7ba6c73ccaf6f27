"""What queries ask of notes without their text: tags, properties, and whether there are tasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from vaulttools.notes.contents import Contents
from vaulttools.notes.safe_yaml import Value


class Of(NamedTuple):
    """Of one note."""

    tags: tuple[str, ...]
    """Folded, without `#`, each once, with all that one is nested in."""
    properties: Mapping[str, Value]
    todo: bool
    """Whether a task of it is open."""
    done: bool
    """Whether a task of it has any character in its box."""


class Held(NamedTuple):
    """One value of a property, and the notes in which that has it."""

    value: Value
    notes: set[str]


class Facts:
    """Of all notes, found by what they say."""

    def __init__(self, notes: Sequence[tuple[str, Of]]) -> None:
        self.notes = frozenset(path for path, _ in notes)
        """Their paths."""
        tagged: dict[str, set[str]] = defaultdict(set)
        values: dict[str, dict[str, Held]] = defaultdict(dict)
        for path, of in notes:
            for tag in of.tags:
                tagged[tag].add(path)
            for name, value in of.properties.items():
                values[name].setdefault(repr(value), Held(value, set())).notes.add(path)
        self._tagged = dict(tagged)
        self.properties: Mapping[str, Sequence[Held]] = {name: [*held.values()] for name, held in values.items()}
        """By name as written: every value it has anywhere, each once."""
        self.todo = frozenset(path for path, of in notes if of.todo)
        """Those with an open task."""
        self.done = frozenset(path for path, of in notes if of.done)
        """Those with a task that is not open."""

    def tagged(self, tag: str) -> AbstractSet[str]:
        """The notes with a tag or one nested in it, case ignored (rules S20 to S23)."""
        return self._tagged.get(tag.rstrip("/").casefold(), frozenset())


def of(note: Contents) -> Of:
    """The facts of one note."""
    tags: dict[str, None] = {}
    for written in note.tags:
        tag = written.casefold()
        while tag:
            tags[tag] = None
            tag = tag.rpartition("/")[0].rstrip("/")
    open_ = [task.status == " " for task in note.tasks]
    return Of(tuple(tags), note.properties, any(open_), not all(open_))

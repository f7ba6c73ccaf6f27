"""Keeps the tags, properties and tasks of notes for queries, without their text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, TypeAlias

from vaulttools.core.cached import cached_property
from vaulttools.core.folding.identity import identity
from vaulttools.notes import contents
from vaulttools.notes.contents import Contents
from vaulttools.notes.difference import Change, Draft
from vaulttools.notes.properties import numerals
from vaulttools.notes.properties.numerals import restored, stored
from vaulttools.notes.properties.values import Scalar, Value
from vaulttools.notes.tags import Tagged, levels
from vaulttools.query.tree import Compare, Is, Phrase, Term
from vaulttools.query.wording import Lines

_MISREAD: Final = "MISREAD"
"""Stands among the tags of a note whose properties cannot be read; no folded tag has capitals."""


class NoteFacts(NamedTuple):
    """The facts about one note."""

    tags: tuple[str, ...]
    """By their identity, without `#`, each once, together with the tags that they are nested in (`tags.levels`); and
    `_MISREAD` if the properties cannot be read."""
    properties: Mapping[str, Value]
    todo: bool
    """Whether one of its tasks is open."""
    done: bool
    """Whether one of its tasks has any character in its box."""


Read: TypeAlias = tuple[tuple[str, ...], Mapping[str, Value], bool, bool]
"""The same as plain values, which an index can keep on disk."""


class Values:
    """The values of one property in all notes, each value once."""

    def __init__(self, held: Mapping[str, tuple[Value, AbstractSet[str]]]) -> None:
        self.held = held
        """By `repr` of the value: the value, and the notes that have it."""

    @cached_property
    def values(self) -> Sequence[Value]:
        """The values, by place (from 0)."""
        return [value for value, _ in self.held.values()]

    @cached_property
    def notes(self) -> Sequence[AbstractSet[str]]:
        """By place, the notes that have the value."""
        return [notes for _, notes in self.held.values()]

    @cached_property
    def _single(self) -> tuple[Sequence[int], Lines]:
        """The single values of all values as text, each with the place of the value that holds it."""
        found = [(place, text) for place, value in enumerate(self.values) for text in _texts(value)]
        return [place for place, _ in found], Lines([text for _, text in found])

    @property
    def texts(self) -> Sequence[str]:
        """The single values of all values as text."""
        return self._single[1].texts

    def holding(self, wanted: Term | Phrase, *, sensitive: bool) -> set[int]:
        """Returns the places of the values that hold a word or phrase in any element."""
        places, lines = self._single
        return {places[line] for line in lines.holding(wanted, sensitive=sensitive)}

    def among(self, texts: AbstractSet[str]) -> set[int]:
        """Returns the places of the values with an element whose text is in `texts`."""
        places, lines = self._single
        return {place for place, text in zip(places, lines.texts, strict=True) if text in texts}


class Facts:
    """The facts about some notes, indexed by content; immutable."""

    def __init__(
        self,
        notes: AbstractSet[str] = frozenset(),
        tagged: Mapping[str, AbstractSet[str]] | None = None,
        properties: Mapping[str, Values] | None = None,
        todo: AbstractSet[str] = frozenset(),
        done: AbstractSet[str] = frozenset(),
    ) -> None:
        self.notes = notes
        """Paths of the notes."""
        self._tagged = Tagged(tagged or {})
        self.properties = properties or {}
        """By name as written."""
        self.todo = todo
        """Notes with an open task."""
        self.done = done
        """Notes with a task that is not open."""

    def changed(self, read: Sequence[Change[Read]]) -> Facts:
        """Returns a copy, updated after some notes changed."""
        nothing = NoteFacts((), {}, todo=False, done=False)
        changes = [
            (path, NoteFacts._make(old) if old else nothing, NoteFacts._make(new) if new else nothing)
            for path, old, new in read
        ]
        tagged: Draft[str, AbstractSet[str], set[str]] = Draft(self._tagged.notes, set, set)
        properties = Draft(self.properties, lambda values: _changing(values.held), lambda: _changing({}))
        for path, before, after in changes:
            for tag in {*before.tags}.difference(after.tags):
                tagged[tag].discard(path)
            for tag in {*after.tags}.difference(before.tags):
                tagged[tag].add(path)
            held = {name: repr(value) for name, value in before.properties.items()}
            for name, value in after.properties.items():
                if (new := repr(value)) != held.get(name):
                    holding = properties[name][new]
                    holding.value = value
                    holding.notes.add(path)
                else:
                    del held[name]
            for name, old in held.items():
                properties[name][old].notes.discard(path)
        values = properties.merged(lambda held: Values(held.merged(lambda each: (each.value, each.notes))))
        return Facts(
            _present(self.notes, [(path, after is not None) for path, _, after in read]),
            tagged.merged(lambda notes: notes),
            {name: held for name, held in values.items() if held.held},
            _present(self.todo, [(path, after.todo) for path, _, after in changes]),
            _present(self.done, [(path, after.done) for path, _, after in changes]),
        )

    def plain(self) -> object:
        """Returns the facts as plain values."""
        properties = {
            name: {key: (stored(value), notes) for key, (value, notes) in values.held.items()}
            for name, values in self.properties.items()
        }
        return self.notes, self._tagged.notes, properties, self.todo, self.done

    @classmethod
    def of_plain(cls, plain: Any) -> Facts:
        """Restores the result of `plain`."""
        notes, tagged, properties, todo, done = plain
        values = {
            name: Values({key: (restored(value), having) for key, (value, having) in held.items()})
            for name, held in properties.items()
        }
        return cls(notes, tagged, values, todo, done)

    def tagged(self, tag: str) -> AbstractSet[str]:
        """Returns the notes with a tag or one nested in it, case ignored (rule-S20 to rule-S23)."""
        return frozenset(self._tagged.under(identity(tag.rstrip("/"))))

    @property
    def misread(self) -> AbstractSet[str]:
        """The notes whose properties cannot be read."""
        return self._tagged.notes.get(_MISREAD, frozenset())


def of(note: Contents) -> Read:
    """Returns the facts about one note; the fields are those of `NoteFacts`."""
    tags: dict[str, None] = {_MISREAD: None} if note.is_misread else {}
    for written in note.tags:
        tags |= dict.fromkeys(levels(identity(written)))
    open_ = [task.status == " " for task in note.structure.tasks]
    return tuple(tags), note.properties, any(open_), not all(open_)


@dataclass(slots=True)
class _Holding:
    """A value and its notes, while they change."""

    value: Value = None
    notes: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.notes)


def _changing(
    held: Mapping[str, tuple[Value, AbstractSet[str]]],
) -> Draft[str, tuple[Value, AbstractSet[str]], _Holding]:
    """Returns a draft of the values of one property."""
    return Draft(held, lambda holding: _Holding(holding[0], set(holding[1])), _Holding)


def _present(notes: AbstractSet[str], changes: Sequence[tuple[str, bool]]) -> AbstractSet[str]:
    """Removes notes that are gone and adds new ones; returns the same set if nothing changed."""
    changes = [(path, is_there) for path, is_there in changes if is_there is not (path in notes)]
    if not changes:
        return notes
    gone = {path for path, is_there in changes if not is_there}
    return frozenset(notes).difference(gone).union(path for path, is_there in changes if is_there)


def _texts(value: Value) -> Iterator[str]:
    """Yields the single values of a property as text, on one line: `true`, `2.5`, `2024-01-31`; nothing for null."""
    return (text.replace("\n", " ") for text in contents.searched_texts(value))


def has_fact(value: Value, asked: Is) -> bool:
    """Whether a value is null in YAML, unlike `""` and `[]` (rule-S36); or empty, true, false (rule-S37)."""
    match asked.fact:
        case "null":
            return value is None
        case "EMPTY":
            return value is None or value in ("", [], {})
        case "TRUE":
            return value is True
        case "FALSE":
            return value is False


def compares(value: Value, asked: Compare) -> bool:
    """Whether any single value is greater or less: numbers compare as numbers, dates as dates, others never
    (rule-S38)."""
    return any(_compares(single, asked) for single in contents.singles(value))


def _compares(single: Scalar, asked: Compare) -> bool:
    for read in (_number, _date):
        left, right = read(single), read(asked.than)
        if left is not None and right is not None:
            return left < right if asked.sign == "<" else left > right
    return False


def _number(single: Scalar) -> float | None:
    """Returns a number, or what a text would be without quotation marks: `5`, `-1.5`, `1e3`; Python would also accept
    `1_000` and `nan`."""
    if isinstance(single, str):
        return numerals.read(single.strip())
    return None if isinstance(single, bool) else single


def _date(single: Scalar) -> float | None:
    """Returns seconds for a date or a date and time (rule-P03); without a zone it counts as UTC, so any two compare."""
    try:
        read = datetime.fromisoformat(str(single).strip())
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None

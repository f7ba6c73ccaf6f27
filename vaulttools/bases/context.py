"""Holds what an expression is computed in: the call, one row, bound names.

Reads the values of a note's properties: links, dates, URLs and tags in texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from typing import Any, Final, NamedTuple, Protocol

from vaulttools.bases import numbers
from vaulttools.bases.syntax import Failed
from vaulttools.bases.times import Clock, Date, read_date
from vaulttools.bases.values import MAX_TEXT, Setting, Tags, TagValue, Url, Value, read_link, tag_of

NOTE_DATE: Final = "note_date"
"""The day that a note is of, whatever tells it: a name of ours, where a note has no property that is called so."""
MAX_LIST: Final = 100_000
"""Elements of one list."""
_STEPS: Final = 256
"""Calls of functions and elements of lists between two looks at the time."""
_SIZE_OF_STEP: Final = 128
"""Characters of a text, or elements of a list, that count as one step more."""

_URL: Final = re.compile(r"(?:https?|ftp|wss?)://[^\s/]+\S*|(?!(?:https?|ftp|wss?):)[A-Za-z][A-Za-z0-9+.-]*:\S*")


class FileFacts(NamedTuple):
    """What expressions read of one file besides its path and times."""

    properties: Mapping[str, Any] = {}
    tags: tuple[str, ...] = ()
    """With `#`, those of the body first, each once."""
    links: tuple[tuple[str, str | None], ...] = ()
    """Target and display text: those of the properties, then of the body, then the embeds."""
    embeds: int = 0
    """How many at the end of `links` are embeds."""
    is_misread: bool = False
    """Whether its properties could not be read."""


class Times(NamedTuple):
    """What the file system says of a file; milliseconds since 1970."""

    size: int
    modified: float
    created: float


class FileSource(Protocol):
    """The files of the vault."""

    def facts(self, path: str) -> FileFacts:
        """What a file says; nothing of one that is no note."""

    def times(self, path: str) -> Times:
        """The size and the times of a file; zero of one that is gone."""

    def note_date(self, path: str) -> date | None:
        """The day that a note is of; None: it is gone."""

    def linking_to(self, path: str) -> Sequence[str]:
        """The notes that link to a file, each once, in path order."""


@dataclass(slots=True)
class Context:
    """One call: what all of its rows share."""

    setting: Setting
    files: FileSource
    stop: Callable[[], None] = lambda: None
    """Raises `OutOfTime` when the call has no time left."""
    random: Callable[[], float] = lambda: 0.5
    this: str | None = None
    """The file that `this` means."""
    tick: Callable[..., None] = field(init=False)

    def __post_init__(self) -> None:
        self.tick = _ticking(self.stop)
        self.setting = replace(self.setting, tick=self.tick)

    def note_date(self, path: str) -> Date | None:
        """The day that a note is of; None: nothing tells it."""
        day = self.files.note_date(path)
        return None if day is None else Date(self.setting.clock.instant(datetime.combine(day, time())), False)

    def text(self, text: str) -> str:
        """A text that was made, unless it is too long."""
        self.tick(text)
        if len(text) > MAX_TEXT:
            raise Failed(f"The text is longer than {MAX_TEXT:,} characters.")
        return text

    def list(self, made: list[Any]) -> list[Any]:
        """A list that was made, unless it is too long."""
        self.tick(made)
        if len(made) > MAX_LIST:
            raise Failed(f"The list has more than {MAX_LIST:,} elements.")
        return made


def _ticking(stop: Callable[[], None]) -> Callable[..., None]:
    """A function that calls `stop` every `_STEPS` steps; a call is a step, and long texts and lists count as many more.

    It refers to no context: a circle of references would keep the vault until the garbage collector finds it.
    """
    left = _STEPS

    def tick(*values: object) -> None:
        nonlocal left
        left -= 1
        for value in values:
            if isinstance(value, str | list):
                left -= len(value) // _SIZE_OF_STEP
        if left <= 0:
            left = _STEPS
            stop()

    return tick


class BaseRow:
    """One file, with the values that were computed for it."""

    __slots__ = ("_properties", "computed", "context", "facts", "path")

    def __init__(self, context: Context, path: str, facts: FileFacts) -> None:
        self.context = context
        self.path = path
        self.facts = facts
        self.computed: dict[str, Value | Failed] = {}
        """By formula."""
        self._properties: dict[str, Value] = {}

    def formula(self, name: str) -> Value:
        """The value of a formula, which is computed by now.

        Raises:
            Failed: it has none.
        """
        known = self.computed[name]
        if isinstance(known, Failed):
            raise known
        return known

    def property(self, name: str) -> Value:
        """The value of a property of the note; null when it has none."""
        try:
            return self._properties[name]
        except KeyError:
            key, held = found_in(self.facts.properties, name)
            value = converted(key, held, self.path, self.context.setting.clock)
            if value is None and name == NOTE_DATE:
                value = self.context.note_date(self.path)
            self._properties[name] = value
            return value


class Frame:
    """What names mean where an expression is computed."""

    __slots__ = ("acc", "context", "index", "row", "value", "values")

    def __init__(self, row: BaseRow, values: list[Any] | None = None) -> None:
        self.row = row
        self.context = row.context
        self.value: Value = None
        self.index: int = 0
        self.acc: Value = None
        self.values = values
        """What a summary is made from."""

    def inner(self) -> Frame:
        """A frame for the elements of a list."""
        frame = Frame(self.row, self.values)
        frame.acc = self.acc
        return frame


def found_in(properties: Mapping[str, Any], name: str) -> tuple[str, Any]:
    """The name of a property as written, and what it holds; case matters only between names that differ in nothing
    else. Null when there is none."""
    if name in properties:
        return name, properties[name]
    lower = name.lower()
    return next(((key, held) for key, held in properties.items() if key.lower() == lower), (name, None))


def converted(name: str, held: Any, source: str, clock: Clock) -> Value:
    """The value of a property of the note at `source`."""
    if isinstance(held, str):
        if name.lower() == "tags":
            return Tags([TagValue(tag_of(held))])
        return _text(held, source, clock)
    if isinstance(held, list):
        if name.lower() == "tags" and all(element is None or isinstance(element, str) for element in held):
            return Tags(TagValue(tag_of(element)) for element in held if element is not None)
        return [converted("", element, source, clock) for element in held]
    if isinstance(held, dict):
        return {key: converted(key, element, source, clock) for key, element in held.items()}
    value: Value = numbers.bounded(held) if type(held) is int else held
    return value


def _text(text: str, source: str, clock: Clock) -> Value:
    first = text[:1]
    if first == "[" and (link := read_link(text, source)) is not None:
        return link
    if first.isdigit() and (date := read_date(text, clock)) is not None:
        return date
    return Url(text) if ":" in text and _URL.fullmatch(text) else text

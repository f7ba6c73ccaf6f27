"""Holds what an expression needs while it is computed: the call, one row, bound names.

Also converts the values of a note's properties: links, dates, URLs and tags in texts.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from typing import Any, Final, NamedTuple, Protocol

from vaulttools.bases.syntax import MAX_TEXT, TOO_LONG, Failed
from vaulttools.bases.times import Clock, Date, read_date
from vaulttools.bases.values import LinkValue, Setting, Tags, TagValue, Url, Value, read_link, tag_of
from vaulttools.core.folding.identity import identity, is_same
from vaulttools.notes.properties.numerals import WHOLE, Numeral

NOTE_DATE: Final = "note_date"
"""Our name for the day of a note (`docs/bases.md` says how it is found), unless a property has this name."""
MAX_LIST: Final = 100_000
"""Upper bound of the elements of one list."""
_STEPS: Final = 256
"""Function calls and list elements between two checks of the time."""
_SIZE_OF_STEP: Final = 128
"""Characters of a text, or elements of a list, that count as one more step."""
_MAX_MADE: Final = 150_000_000
"""Bytes that one expression may make for one row."""
UNSETTLED: Final = 50_000_000
"""Bytes that a function of lists may make before what it no longer needs is taken off."""
_MAX_KEPT: Final = 100_000_000
"""Bytes of all values that one call keeps: of formulas, groups, cells and summaries."""
_ELEMENT: Final = 72
"""Bytes of an element of a list or an object: a reference, and a small value."""
_MAX_PROPERTIES: Final = 1_000
"""Properties that a row remembers; an expression can ask for any number of names."""

_URL: Final = re.compile(r"(?:https?|ftp|wss?)://[^\s/]+\S*|(?!(?:https?|ftp|wss?):)[A-Za-z][A-Za-z0-9+.-]*:\S*")


class FileFacts(NamedTuple):
    """What expressions read of a file, except its path and times."""

    properties: Mapping[str, Any] = {}
    tags: tuple[str, ...] = ()
    """With `#`, tags of the body first, each once."""
    is_misread: bool = False
    """True if the file's properties could not be read."""


class FileLinks(NamedTuple):
    """The links of a file, which few expressions read."""

    links: tuple[tuple[str, str | None], ...] = ()
    """Target and display text: links of the properties, then of the body, then embeds."""
    embeds: int = 0
    """Number of embeds, which are last in `links`."""


class Times(NamedTuple):
    """A file's size in bytes and its times in milliseconds since 1970, from the file system."""

    size: int
    modified: float
    created: float


class FileSource(Protocol):
    """The files of the vault."""

    def facts(self, path: str) -> FileFacts:
        """Returns the facts of a file; empty facts if it is not a note."""

    def links_of(self, path: str) -> FileLinks:
        """Returns the links of a file; none if it is not a note."""

    def times(self, path: str) -> Times:
        """Returns the size and the times of a file; zeros if it is gone."""

    def note_date(self, path: str) -> date | None:
        """Returns the day of a note; None if the note is gone."""

    def linking_to(self, path: str) -> Sequence[str]:
        """Returns the notes that link to a file, each once, in path order."""


@dataclass(slots=True)
class Context:
    """What all rows of one call share."""

    setting: Setting
    files: FileSource
    stop: Callable[[], None] = lambda: None
    """Raises `OutOfTime` when the call has no time left."""
    random: Callable[[], float] = lambda: 0.5
    this: str | None = None
    """Path of the file that `this` means."""
    is_this_read: bool = False
    """Whether an expression has used `this`."""
    made: int = 0
    """Bytes of the texts and lists that the expression has made for the row so far."""
    kept: int = 0
    """Bytes of the values that the call keeps so far."""
    tick: Callable[..., None] = field(init=False)
    """Counts a step, and checks the time now and then; values given to it count by their length."""

    def __post_init__(self) -> None:
        self.tick = _ticking(self.stop)
        self.setting = replace(self.setting, tick=self.tick)

    def note_date(self, path: str) -> Date | None:
        """Returns the day of a note; None if nothing says it."""
        day = self.files.note_date(path)
        return None if day is None else Date(self.setting.clock.instant(datetime.combine(day, time())), False)

    def text(self, text: str) -> str:
        """Returns a computed text; raises `Failed` if it is longer than `MAX_TEXT`."""
        self.tick(text)
        if len(text) > MAX_TEXT:
            raise Failed(TOO_LONG)
        self.charge(sys.getsizeof(text))
        return text

    def list(self, made: list[Any]) -> list[Any]:
        """Returns a computed list; raises `Failed` if it has more than `MAX_LIST` elements."""
        self.tick(made)
        if len(made) > MAX_LIST:
            raise Failed(f"The list has more than {MAX_LIST:,} elements.")
        self.charge(len(made) * _ELEMENT)
        return made

    def charge(self, size: int) -> None:
        """Count bytes that the expression has made; raises `Failed` if there are more than it may make."""
        self.made += size
        if self.made > _MAX_MADE:
            raise Failed(f"The expression makes more than {_MAX_MADE // 1_000_000} MB of values.")

    def settle(self, before: int, held: Any) -> int:
        """Of what was made since `made` was `before`, count only what a value holds; return what `made` may become
        before this is worth another look at the whole value."""
        self.made = before + self.weight(held)
        return self.made + UNSETTLED

    def keep(self, value: Value) -> None:
        """Count a value that stays until the call ends; raises `Failed` if all of them are too large."""
        if isinstance(value, str):
            self.kept += sys.getsizeof(value)
        else:
            self.kept += _ELEMENT if isinstance(value, int | float | None) else self.weight(value)
        if self.kept > _MAX_KEPT:
            raise Failed(f"All computed values take more than {_MAX_KEPT // 1_000_000} MB.")

    def weight(self, value: Value) -> int:
        """Returns the bytes of a value and of all that it holds, each once."""
        waiting: list[Value] = [value]
        seen = set[int]()
        size = 0
        while waiting:
            each = waiting.pop()
            self.tick()
            size += _ELEMENT
            if isinstance(each, str):
                if len(each) < _ELEMENT:
                    size += len(each)
                elif id(each) not in seen:
                    seen.add(id(each))
                    size += sys.getsizeof(each)
            elif isinstance(each, list | Mapping) and id(each) not in seen:
                seen.add(id(each))
                waiting += each.values() if isinstance(each, Mapping) else each
            elif isinstance(each, LinkValue):
                waiting += (each.target, each.display)
        return size


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
    """One file and the values computed for it."""

    __slots__ = ("_properties", "computed", "context", "facts", "path")

    def __init__(self, context: Context, path: str, facts: FileFacts) -> None:
        self.context = context
        self.path = path
        self.facts = facts
        self.computed: dict[str, Value | Failed] = {}
        """Values by the name of the formula."""
        self._properties: dict[str, Value] = {}

    def formula(self, name: str) -> Value:
        """Returns the value of a formula that is already computed.

        Raises:
            Failed: the formula has no value.
        """
        known = self.computed[name]
        if isinstance(known, Failed):
            raise known.alone()
        return known

    def property(self, name: str) -> Value:
        """Returns the value of a property of the note; null if the note does not have it."""
        try:
            return self._properties[name]
        except KeyError:
            key, held = found_in(self.facts.properties, name)
            value = converted(key, held, self.path, self.context.setting.clock)
            if value is None and name == NOTE_DATE:
                value = self.context.note_date(self.path)
            if len(self._properties) < _MAX_PROPERTIES:
                self._properties[name] = value
            return value

    def computed_by(self, compute: Callable[[Frame], Value]) -> Value:
        """Returns what an expression means for this row.

        Raises:
            Failed: it has no value, or is nested too deeply.
        """
        self.context.made = 0
        try:
            return compute(Frame(self))
        except RecursionError:
            raise Failed("The value is nested too deeply.") from None


class Frame:
    """The meaning of names where an expression is computed."""

    __slots__ = ("acc", "context", "index", "row", "value", "values")

    def __init__(self, row: BaseRow, values: list[Any] | None = None) -> None:
        self.row = row
        self.context = row.context
        self.value: Value = None
        self.index: int = 0
        self.acc: Value = None
        self.values = values
        """The values that a summary adds up."""

    def inner(self) -> Frame:
        """Returns a new frame for the elements of a list."""
        frame = Frame(self.row, self.values)
        frame.acc = self.acc
        return frame


def found_in(properties: Mapping[str, Any], name: str) -> tuple[str, Any]:
    """Returns the name of a property as written and its value; case matters only if two names differ in nothing else.
    The value is null if no property has the name."""
    if name in properties:
        return name, properties[name]
    wanted = identity(name)
    return next(((key, held) for key, held in properties.items() if identity(key) == wanted), (name, None))


def converted(name: str, held: Any, source: str, clock: Clock) -> Value:
    """Convert a value from the YAML of the note at `source`."""
    if isinstance(held, str):
        if is_same(name, "tags"):
            return Tags([TagValue(tag_of(held))])
        return _text(held, source, clock)
    if isinstance(held, list):
        if is_same(name, "tags") and all(isinstance(element, str | Numeral | None) for element in held):
            return Tags(TagValue(tag_of(str(element))) for element in held if element is not None)
        return [converted("", element, source, clock) for element in held]
    if isinstance(held, dict):
        return {key: converted(key, element, source, clock) for key, element in held.items()}
    is_spelled = type(held) is int and abs(held) >= WHOLE
    value: Value = Numeral(str(held)) if is_spelled else held
    return value


def _text(text: str, source: str, clock: Clock) -> Value:
    first = text[:1]
    if first == "[" and (link := read_link(text, source)) is not None:
        return link
    if first.isdigit() and (date := read_date(text, clock)) is not None:
        return date
    return Url(text) if ":" in text and _URL.fullmatch(text) else text

"""Holds what an expression is computed in: the call, one row, bound names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, Protocol

from vaulttools.bases.faults import Failed
from vaulttools.bases.properties import converted, found_in
from vaulttools.bases.values import MAX_TEXT, Setting, Value

MAX_LIST: Final = 100_000
"""Elements of one list."""
_STEPS: Final = 256
"""Calls of functions and elements of lists between two looks at the time."""
_SIZE_OF_STEP: Final = 128
"""Characters of a text, or elements of a list, that count as one step more."""


class FileFacts(NamedTuple):
    """What expressions read of one file besides its path and times."""

    properties: Mapping[str, Any] = {}
    tags: tuple[str, ...] = ()
    """With `#`, those of the body first, each once."""
    links: tuple[tuple[str, str | None], ...] = ()
    """Target and display text: those of the properties, then of the body, then the embeds."""
    embeds: int = 0
    """How many at the end of `links` are embeds."""


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
        """The size and the times of a file."""

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
    _left: int = field(default=_STEPS, init=False)

    def __post_init__(self) -> None:
        self.setting = replace(self.setting, tick=self.tick)

    def tick(self, *values: object) -> None:
        """Look at the time, now and then; long texts and lists count as much as many short ones."""
        self._left -= 1
        for value in values:
            if isinstance(value, str | list):
                self._left -= len(value) // _SIZE_OF_STEP
        if self._left <= 0:
            self._left = _STEPS
            self.stop()

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


class BaseRow:
    """One file, with the values that were computed for it."""

    __slots__ = ("_properties", "computed", "context", "facts", "frames", "path")

    def __init__(self, context: Context, path: str, facts: FileFacts) -> None:
        self.context = context
        self.path = path
        self.facts = facts
        self.computed: dict[str, Value | Failed] = {}
        """By formula."""
        self.frames = 0
        """Of Python's stack, taken by what is being computed."""
        self._properties: dict[str, Value] = {}

    def property(self, name: str) -> Value:
        """The value of a property of the note; null when it has none."""
        try:
            return self._properties[name]
        except KeyError:
            key, held = found_in(self.facts.properties, name)
            value = self._properties[name] = converted(key, held, self.path, self.context.setting.clock)
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

"""Reads YAML into JSON-safe values from parser events: no construction, no recursion, bounded aliases.

`frontmatter` knows where the values are in a note. Import this late: it loads PyYAML.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import yaml

from vaulttools.notes.properties.values import Scalar, Value, resolve

# Beyond these limits a parser's time is no longer bounded by the note's size.
MAX_DEPTH = 64
MAX_ALIAS_NODES = 100

_CORE = "tag:yaml.org,2002:"
_PLAIN_TAGS = frozenset(_CORE + name for name in ("int", "float", "bool", "null", "timestamp"))
_COLLECTION_TAGS = frozenset(_CORE + name for name in ("map", "seq", "set", "omap", "pairs"))


class Problem(NamedTuple):
    """A fault in a few words, without text of the note, and its offset in the loaded text, in characters."""

    text: str
    offset: int


class Loaded(NamedTuple):
    """The root value, and what was changed or left out to make it JSON-safe, in order of appearance."""

    value: Value
    problems: tuple[Problem, ...]


class Refused(yaml.YAMLError):
    """The text is well-formed so far but exceeds a limit, which the message names."""

    def __init__(self, text: str, offset: int) -> None:
        self.offset = offset
        super().__init__(text)


@dataclass(slots=True)
class _Open:
    """A collection whose end has not been read."""

    value: list[Value] | dict[str, Value]
    anchor: str | None
    tag: str | None
    start: int
    nodes: int = 1
    key: str | None = None


@dataclass(slots=True)
class _Builder:
    """Builds the root value of one document from events."""

    source: str
    problems: list[Problem] = field(default_factory=list)
    open: list[_Open] = field(default_factory=list)
    anchors: dict[str, tuple[Value, int]] = field(default_factory=dict)
    alias_nodes: int = 0
    root: Value = None

    def scalar(self, event: Any) -> None:
        word: str = event.value
        tag: str | None = event.tag
        value: Scalar = word
        problem = ""
        if tag in _PLAIN_TAGS or (event.implicit[0] and tag != "!"):
            value, problem = resolve(word)
        elif tag == _CORE + "binary":
            value = "".join(word.split())
            problem = "" if _is_base64(value) else "a !!binary value is not base64"
        elif tag not in (None, "!", _CORE + "str"):
            problem = "an unknown tag was left out"
        start = _offset(event)
        frame = self.open[-1] if self.open else None
        if frame and isinstance(frame.value, dict) and frame.key is None:
            frame.key = word if word or not event.implicit[0] else "null"
            problem = ""
            self._note_repeat(frame, start)
        else:
            self._put(value, 1, start, start)
        if problem:
            self.problems.append(Problem(problem, start))
        if event.anchor:
            self.anchors[event.anchor] = (value, 1)

    def start(self, event: Any, value: list[Value] | dict[str, Value]) -> None:
        start = _offset(event)
        if len(self.open) >= MAX_DEPTH:
            raise Refused(f"nested deeper than {MAX_DEPTH} levels", start)
        if event.tag and event.tag != "!" and event.tag not in _COLLECTION_TAGS:
            self.problems.append(Problem("an unknown tag was left out", start))
        if event.anchor:
            self.anchors.pop(event.anchor, None)
        self.open.append(_Open(value, event.anchor, event.tag, start))

    def end(self, event: Any) -> None:
        done = self.open.pop()
        value: Value = done.value
        if isinstance(value, dict) and done.tag == _CORE + "set":
            value = [*sorted(value)]
        if done.anchor:
            self.anchors[done.anchor] = (value, done.nodes)
        self._put(value, done.nodes, done.start, event.end_mark.index)

    def alias(self, event: Any) -> None:
        name: str = event.anchor
        start = _offset(event)
        if name in self.anchors:
            value, nodes = self.anchors[name]
            self.alias_nodes += nodes
            if self.alias_nodes > MAX_ALIAS_NODES:
                raise Refused(f"aliases expand to more than {MAX_ALIAS_NODES} values", start)
        elif any(frame.anchor == name for frame in self.open):
            value, nodes = f"*{name}", 1
            self.problems.append(Problem("a value that contains itself was cut", start))
        else:
            raise Refused("found undefined alias", start)
        self._put(value, nodes, start, event.end_mark.index)

    def _put(self, value: Value, nodes: int, start: int, end: int) -> None:
        if not self.open:
            self.root = value
            return
        frame = self.open[-1]
        frame.nodes += nodes
        if isinstance(frame.value, list):
            frame.value.append(value)
        elif frame.key is None:
            frame.key = self.source[start:end]
            self.problems.append(Problem("a key is not plain text", start))
            self._note_repeat(frame, start)
        else:
            frame.value[frame.key] = value
            frame.key = None

    def _note_repeat(self, frame: _Open, offset: int) -> None:
        assert isinstance(frame.value, dict)  # for mypy: only mappings have keys
        if frame.key in frame.value:
            self.problems.append(Problem("a name appears twice; the last value counts", offset))


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _offset(event: Any) -> int:
    """Returns the offset of an event, in characters; both parsers of PyYAML count these."""
    index: int = event.start_mark.index
    return index


class _FromEvents:
    """A mixin for a PyYAML loader: it uses the parser's events, not its composer, whose C recursion can crash
    (fault-Y03)."""

    get_event: Callable[[], Any]

    def __init__(self, stream: str) -> None:
        self._source = stream
        super().__init__(stream)  # type: ignore[call-arg]  # the loader that this is mixed into

    def get_single_data(self) -> Loaded:
        """Returns the only document of the stream.

        Raises:
            Refused: a limit was exceeded, or there is a second document.
            yaml.YAMLError: the text is not YAML.
        """
        build = _Builder(self._source)
        documents = 0
        while not isinstance(event := self.get_event(), yaml.StreamEndEvent):
            if isinstance(event, yaml.ScalarEvent):
                build.scalar(event)
            elif isinstance(event, yaml.MappingStartEvent):
                build.start(event, {})
            elif isinstance(event, yaml.SequenceStartEvent):
                build.start(event, [])
            elif isinstance(event, yaml.CollectionEndEvent):
                build.end(event)
            elif isinstance(event, yaml.AliasEvent):
                build.alias(event)
            elif isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise Refused("a second document begins", _offset(event))
        return Loaded(build.root, tuple(build.problems))


class PureLoader(_FromEvents, yaml.SafeLoader):
    """The loader on PyYAML's own parser, used if libyaml is missing."""


if yaml.__with_libyaml__:

    class FastLoader(_FromEvents, yaml.CSafeLoader):
        """The loader on libyaml: 0.03 ms for an ordinary block, a tenth of the other's time (measured)."""

    Loader: type[FastLoader | PureLoader] = FastLoader
else:
    Loader = PureLoader

"""Packs a note's parts into bytes for the index, and unpacks them one by one.

One line of JSON for each part, in the order of `_PARTS`: those that nobody asks for are never decoded. The bytes hold
no version: the index parses all notes anew when this module, or what it reads, changes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import starmap
from typing import TYPE_CHECKING, Any, get_args

from vaulttools.core.cached import cached_property
from vaulttools.notes.contents import Contents
from vaulttools.notes.links.references import Reference, wikilink
from vaulttools.notes.parts import Block, BlockId, BlockKind, DatedLine, Heading, Span, Structure, Tag, Task

if TYPE_CHECKING:
    from vaulttools.notes.properties.values import Value

_PARTS = (
    "lines",
    "headings",
    "properties",
    "warnings",
    "tags",
    "references",
    "tasks",
    "blocks",
    "block_ids",
    "code",
    "comments",
    "dated_lines",
)
_PLACES = {name: place for place, name in enumerate(_PARTS)}
_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)
_KIND_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}

_decode = json.JSONDecoder().raw_decode
"""Nothing stands before or behind a part: to look for blanks there takes as long as to decode a few headings."""
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


def dump(note: Contents) -> bytes:
    """The parts of a note; never raises."""
    found = note.structure
    parts = (
        (note.body_line, note.line_count),
        found.headings,
        note.properties,
        note.warnings,
        found.tags,
        [_reduced(reference) for reference in note.references],
        found.tasks,
        _numbers(found.blocks),
        found.block_ids,
        found.code,
        found.comments,
        note.dated_lines,
    )
    # Half of a surrogate pair can stand in a text, and UTF-8 has no form for it.
    return "\n".join(_encode(part) if part else "" for part in parts).encode("utf-8", "surrogatepass")


class Stored(Contents):
    """A note without its text, from what `dump` made of it. Each part is decoded when first asked for."""

    def __init__(self, data: bytes) -> None:
        self._parts = data.split(b"\n")

    def _part(self, name: str) -> Any:
        part = self._parts[_PLACES[name]]
        return _decode(part.decode("utf-8", "surrogatepass"))[0] if part else ()

    @property
    def body_line(self) -> int:
        """The first line after the properties block; one past the end when nothing follows."""
        return int(self._part("lines")[0])

    @property
    def line_count(self) -> int:
        """Lines of the file."""
        return int(self._part("lines")[1])

    @cached_property
    def properties(self) -> Mapping[str, Value]:
        """The values of the properties block by name as written; empty when there is none or it cannot be read."""
        return dict(self._part("properties"))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the properties block."""
        return tuple(self._part("warnings"))

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """The links and embeds, those of the properties first."""
        return tuple(map(_reference, self._part("references")))

    @property
    def dated_lines(self) -> tuple[DatedLine, ...]:
        """The headings, list items and rows that say when what they hold was."""
        return tuple(starmap(DatedLine, self._part("dated_lines")))

    @property
    def property_references(self) -> tuple[Reference, ...]:
        """The links in the properties (rule-P05)."""
        return tuple(reference for reference in self.references if reference.in_property is not None)

    @cached_property
    def structure(self) -> Structure:
        """What stands where in the body."""
        return _StoredStructure(self)


class _StoredStructure(Structure):
    """Decodes each part when it is first asked for."""

    _note: Stored
    _part: Callable[[str], Any]

    def __init__(self, note: Stored) -> None:
        self.__dict__.update(_note=note, _part=note._part)

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        return tuple(starmap(Heading, self._part("headings")))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        return tuple(_blocks(self._part("blocks")))

    @cached_property
    def block_ids(self) -> tuple[BlockId, ...]:
        return tuple(starmap(BlockId, self._part("block_ids")))

    @cached_property
    def code(self) -> tuple[Span, ...]:
        return tuple(map(tuple, self._part("code")))

    @cached_property
    def comments(self) -> tuple[Span, ...]:
        return tuple(map(tuple, self._part("comments")))

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        return tuple(starmap(Task, self._part("tasks")))

    @cached_property
    def tags(self) -> tuple[Tag, ...]:
        return tuple(starmap(Tag, self._part("tags")))

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        return tuple(reference for reference in self._note.references if reference.in_property is None)


def _numbers(blocks: Iterable[Block]) -> list[int]:
    """Three numbers a block: its kind, how far behind the last block it begins, and how far behind that it ends.

    They are small and much alike: an eighth less of all the bytes, compressed, than with line numbers (measured).
    """
    numbers: list[int] = []
    last = 0
    for kind, start, end in blocks:
        numbers += (_KIND_NUMBERS[kind], start - last, end - start)
        last = end
    return numbers


def _blocks(numbers: Iterable[int]) -> Iterator[Block]:
    """The blocks that `_numbers` turned into these numbers."""
    given = iter(numbers)
    last = 0
    for kind, gap, length in zip(given, given, given, strict=True):
        start = last + gap
        last = start + length
        yield Block(_KINDS[kind], start, last)


def _reduced(reference: Reference) -> tuple[object, ...]:
    """A wikilink says itself what it names: nearly half the bytes of all references (measured)."""
    if reference.kind != "wikilink":
        return reference
    if reference.in_property is None:
        return reference.line, reference.written
    return reference.line, reference.written, reference.in_property


def _reference(fields: list[Any]) -> Reference:
    if len(fields) > 3:
        return Reference._make((*fields[:5], tuple(fields[5]), *fields[6:]))
    line, written, *in_property = fields
    found = wikilink(written, line, *in_property)
    assert found is not None  # one that names nothing was never a reference
    return found

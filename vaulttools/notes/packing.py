"""Packs a note's parts into bytes for the index, and unpacks them one by one.

Each part is one line of JSON; parts that nobody uses are never decoded, and groups of parts never decompressed. The
bytes hold no version: the index parses all notes again when this module, or the code behind the parts, changes.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from struct import Struct
from typing import TYPE_CHECKING, Any, Final, get_args

from vaulttools.core.cached import cached_property
from vaulttools.notes.contents import Contents
from vaulttools.notes.links.references import Reference, wikilink
from vaulttools.notes.links.resolution import target_of
from vaulttools.notes.parts import Block, BlockId, BlockKind, DatedLine, Heading, Structure, Tag, Task
from vaulttools.notes.properties.numerals import MARK_BYTES, restored, stored

if TYPE_CHECKING:
    from vaulttools.notes.properties.values import Value

_GROUPS: Final = (
    ("lines", "properties", "warnings", "tags", "tasks", "comments", "dated_lines"),
    ("references",),
    ("headings", "blocks", "block_ids", "code"),
)
"""Each group but the first is compressed by itself. Questions about all notes read the first one, a tenth of the bytes:
to decompress everything took them half of their time (measured)."""
_PLACES: Final = {name: (number, place) for number, names in enumerate(_GROUPS) for place, name in enumerate(names)}
_BYTES: Final = Struct("<II")
"""At the beginning: the bytes of the first two groups."""
_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)
_KIND_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}

_decode = json.JSONDecoder().raw_decode
"""Expects no blanks around a part: searching for them takes as long as decoding a few headings."""
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


def dump(note: Contents) -> bytes:
    """Pack the parts of a note; never raises."""
    found = note.structure
    parts: Mapping[str, object] = {
        "lines": (note.body_line, note.line_count),
        "properties": stored(note.properties),
        "warnings": note.warnings,
        "references": [_reduced(reference) for reference in note.references],
        "blocks": _numbers(found.blocks),
        "dated_lines": note.dated_lines,
        **{name: getattr(found, name) for name in ("tags", "tasks", "comments", "headings", "block_ids", "code")},
    }
    lines = ("\n".join(_encode(parts[name]) if parts[name] else "" for name in names) for names in _GROUPS)
    # A text may hold half of a surrogate pair, which UTF-8 cannot encode.
    first, *others = (group.encode("utf-8", "surrogatepass") for group in lines)
    second, third = (zlib.compress(group) if group else b"" for group in others)
    return b"".join((_BYTES.pack(len(first), len(second)), first, second, third))


def _reference(fields: list[Any]) -> Reference:
    if len(fields) > 3:
        return Reference._make((*fields[:5], tuple(fields[5]), *fields[6:]))
    line, written, *in_property = fields
    found = wikilink(written, line, *in_property)
    assert found is not None  # a wikilink without a target never became a reference
    return found


class _Parts:
    """The parts of a note and of its structure. They share this, and not each other: circles of objects, made for every
    note, would cost the garbage collector 12 ms for 6,000 notes."""

    __slots__ = ("_data", "_groups")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._groups: dict[int, list[bytes]] = {}

    def __call__(self, name: str) -> Any:
        """Returns the plain values of a part."""
        part = self._bytes(name)
        return _decode(part.decode("utf-8", "surrogatepass"))[0] if part else ()

    def properties(self) -> dict[str, Value]:
        """Returns the values of the properties by name."""
        values = dict(self("properties"))
        return restored(values) if MARK_BYTES in self._bytes("properties") else values

    def _bytes(self, name: str) -> bytes:
        """Returns a part as it is stored; empty if it has no values."""
        number, place = _PLACES[name]
        group = self._groups.get(number)
        if group is None:
            group = self._groups[number] = self._group(number).split(b"\n")
        return group[place] if place < len(group) else b""

    def _group(self, number: int) -> bytes:
        first, second = _BYTES.unpack_from(self._data)
        start = _BYTES.size
        if not number:
            return self._data[start : start + first]
        start += first
        group = self._data[start : start + second] if number == 1 else self._data[start + second :]
        return zlib.decompress(group) if group else group


def _decoded(name: str, make: Callable[[Any], Any]) -> Any:
    """Returns a cached property: what `make` makes of each value of a part."""
    return cached_property(lambda holder: tuple(map(make, holder._part(name))))


class PackedNote(Contents):
    """A note without its text, unpacked from the bytes of `dump`. Each part is decoded at its first use."""

    warnings: tuple[str, ...] = _decoded("warnings", str)
    references: tuple[Reference, ...] = _decoded("references", _reference)
    dated_lines: tuple[DatedLine, ...] = _decoded("dated_lines", DatedLine._make)

    def __init__(self, data: bytes) -> None:
        self._part = _Parts(data)

    @cached_property
    def body_line(self) -> int:
        """The first line after the properties block, from 1; one past the end if nothing follows."""
        return int(self._part("lines")[0])

    @cached_property
    def line_count(self) -> int:
        """Lines of the file."""
        return int(self._part("lines")[1])

    @cached_property
    def properties(self) -> Mapping[str, Value]:
        """The values of the properties block by name as written; empty if there is no block or it cannot be read."""
        return self._part.properties()

    @property
    def links(self) -> Iterator[tuple[int, str]]:
        """The line and the target of each of `references` that stays in the vault; made without references."""
        for fields in self._part("references"):
            if len(fields) < 4:
                written = fields[1]
                yield fields[0], target_of(written[2 + (written[0] == "!") : -2])
            elif fields[2] != "external":
                yield fields[0], fields[4]

    @property
    def body_tags(self) -> tuple[str, ...]:
        """The tags in the body, as written; made without the structure."""
        return tuple([tag for tag, _ in self._part("tags")])

    @cached_property
    def structure(self) -> Structure:
        """The parts of the body with their lines."""
        return _StoredStructure(self._part)


class _StoredStructure(Structure):
    """Decodes each part at its first use."""

    _part: _Parts
    headings = _decoded("headings", Heading._make)
    block_ids = _decoded("block_ids", BlockId._make)
    code = _decoded("code", tuple)
    comments = _decoded("comments", tuple)
    tasks = _decoded("tasks", Task._make)
    tags = _decoded("tags", Tag._make)

    def __init__(self, part: _Parts) -> None:
        self.__dict__["_part"] = part  # the class is frozen

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        return tuple(_blocks(self._part("blocks")))

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        every = map(_reference, self._part("references"))
        return tuple(reference for reference in every if reference.in_property is None)


def _numbers(blocks: Iterable[Block]) -> list[int]:
    """Returns three numbers per block: its kind, the lines from the last block's end to its start, and from there to
    its end. They are small and similar: compared with line numbers, all bytes compress to an eighth less (measured).
    """
    numbers: list[int] = []
    last = 0
    for kind, start, end in blocks:
        numbers += (_KIND_NUMBERS[kind], start - last, end - start)
        last = end
    return numbers


def _blocks(numbers: Iterable[int]) -> Iterator[Block]:
    """Yields the blocks that `_numbers` turned into these numbers."""
    given = iter(numbers)
    last = 0
    for kind, gap, length in zip(given, given, given, strict=True):
        start = last + gap
        last = start + length
        yield Block(_KINDS[kind], start, last)


def _reduced(reference: Reference) -> tuple[object, ...]:
    """Leave out fields that a wikilink's text holds: this saves nearly half the bytes of references (measured)."""
    if reference.kind != "wikilink":
        return reference
    if reference.in_property is None:
        return reference.line, reference.written
    return reference.line, reference.written, reference.in_property

"""Says what counts of each note: its properties, or its tags."""

from __future__ import annotations

from typing import Final

from vaulttools.answers.incremental import NoteProjection
from vaulttools.notes.contents import Contents
from vaulttools.notes.tallies import PropertyCounts, TagCounts, WrittenProperties


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

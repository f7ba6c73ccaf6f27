"""Reads the notes of a vault for one call.

The tools and both query modes read notes through it, so they agree on which files are unreadable or binary.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from vaulttools.core.recent import Recent
from vaulttools.core.work import Work
from vaulttools.files import document as documents
from vaulttools.files.content_caches import ContentCache
from vaulttools.files.document import Document, NotRead
from vaulttools.files.root import Root

if TYPE_CHECKING:
    from vaulttools.notes.note import Note
    from vaulttools.notes.packing import PackedNote

T = TypeVar("T")

_TOGETHER: Final = 500
"""Structures read at once: 25 µs per note instead of 75 (measured), for some megabytes."""

_RECENT: Final = 32
"""Upper bound of cached parsed notes: those that just changed and are not in the index yet."""

_RECENT_CHARACTERS: Final = 256 * 1024
"""Upper bound of the characters of a cached note."""


class NoteIndex(Protocol):
    """The parts of a vault's notes as of the beginning of one call."""

    def lasting(self, key: Hashable, make: Callable[[], T]) -> T:
        """Returns the cached result of `make` for the key; many newer keys replace it. It must track changes itself."""

    def structure(self, note: Document) -> bytes | None:
        """Returns what `notes.packing.dump` made of a note with exactly this text; None if unknown."""

    def structures(self, notes: Sequence[str]) -> Callable[[Document], bytes | None]:
        """Returns a function like `structure` for these notes alone, which are read at once."""


@dataclass(frozen=True, slots=True)
class NoteReader:
    """Reads the texts and the notes of one vault."""

    root: Root
    max_bytes: int
    parts: NoteIndex | None = None
    """The index's parts of notes, which save parsing."""
    ahead: _Ahead | None = None
    """Reads the structures of many notes at once."""
    contents: ContentCache | None = None
    """Caches the bytes of files for repeated reads."""

    def of_many(self, notes: Sequence[str]) -> NoteReader:
        """Returns a reader that is fast for many notes in about this order."""
        return self if self.parts is None else replace(self, ahead=_Ahead(self.parts, notes))

    def document(self, path: str) -> Document:
        """Returns the text of a file.

        Raises:
            NotRead: the file cannot be read or is binary; `reason` says which.
        """
        if self.contents is None:
            document = documents.read(self.root, path, self.max_bytes)
        else:
            document = documents.decode(path, self.contents.current(self.root, path, self.max_bytes))
        if document.is_binary:
            raise NotRead("binary")
        return document

    def document_or_tally(self, path: str, work: Work) -> Document | None:
        """Returns the text of a file; None if it cannot be read or is binary, which is reported to `work`."""
        try:
            return self.document(path)
        except NotRead as error:
            work.pass_over(path, error.reason)
            return None

    def note(self, document: Document) -> Note:
        """Returns the note of a text; its parts come from the index, else from parsing at their first use."""
        from vaulttools.notes.note import Note

        stored = self.stored(document)
        made = Note(document.path, document.text, stored, self.root.is_logseq)
        if stored is not None or self.parts is None or len(document.text) > _RECENT_CHARACTERS:
            return made
        recent: Recent[str, Note] = self.parts.lasting("recent notes", lambda: Recent(_RECENT))
        known = recent.get(document.path)
        if known is not None and known.text == document.text:
            return known
        recent.put(document.path, made, 1)
        return made

    def stored(self, document: Document) -> PackedNote | None:
        """Returns the index's parts of exactly this text; None if it has no such parts."""
        source = self.ahead or self.parts
        data = None if source is None else source.structure(document)
        if data is None:
            return None
        from vaulttools.notes.packing import PackedNote

        return PackedNote(data)


class _Ahead:
    """Reads structures ahead, for callers that use notes in about this order."""

    def __init__(self, parts: NoteIndex, notes: Sequence[str]) -> None:
        self._parts = parts
        self._notes = notes
        self._places = dict(zip(notes, range(len(notes)), strict=True))
        self._read = range(0)
        self._structure: Callable[[Document], bytes | None] = parts.structure

    def structure(self, note: Document) -> bytes | None:
        place = self._places.get(note.path)
        if place is None:
            return self._parts.structure(note)
        if place not in self._read:
            self._read = range(place, place + _TOGETHER)
            self._structure = self._parts.structures(self._notes[place : place + _TOGETHER])
        return self._structure(note)

"""Reads the notes of a vault for one call.

The tools and both query modes read notes through it, so that they agree on what is unreadable and what is binary.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from vaulttools.core.recent import Recent
from vaulttools.core.work import Work
from vaulttools.files import document as documents
from vaulttools.files.document import Document, NotRead
from vaulttools.files.kept import ContentCache
from vaulttools.files.root import Root

if TYPE_CHECKING:
    from vaulttools.notes.note import Note
    from vaulttools.notes.stored import Stored

T = TypeVar("T")

_TOGETHER: Final = 500
"""Structures read at once: 25 us a note instead of 75 (measured), and some megabytes."""

_RECENT: Final = 32
"""Parsed notes kept: those that changed a moment ago, and are not in the index yet."""

_RECENT_CHARACTERS: Final = 256 * 1024
"""Characters of the longest text that is kept."""


class NoteIndex(Protocol):
    """The parts of a vault's notes as of the beginning of one call."""

    def lasting(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gave for the key, unless many other keys were asked for since; it must follow changes itself."""

    def structure(self, note: Document) -> bytes | None:
        """What `notes.stored` made of a note with this very text; None when that is not known."""

    def structures(self, notes: Sequence[str]) -> Callable[[Document], bytes | None]:
        """What `structure` does, for these notes alone, which are read at once."""


@dataclass(frozen=True, slots=True)
class NoteReader:
    """Reads texts of one vault, and the notes that they are."""

    root: Root
    max_bytes: int
    parts: NoteIndex | None = None
    """The parts that an index has of notes; they save parsing."""
    ahead: _Ahead | None = None
    """Gives the structures of many notes in fewer reads."""
    contents: ContentCache | None = None
    """Keeps the bytes of files, for whoever asks for the same ones again."""

    def of_many(self, notes: Sequence[str]) -> NoteReader:
        """The same, for whoever goes through many notes in about this order."""
        return self if self.parts is None else replace(self, ahead=_Ahead(self.parts, notes))

    def document(self, path: str) -> Document:
        """The text of a file.

        Raises:
            NotRead: the file cannot be read, or is binary; `reason` says which.
        """
        if self.contents is None:
            document = documents.read(self.root, path, self.max_bytes)
        else:
            document = documents.decode(path, self.contents.current(self.root, path, self.max_bytes))
        if document.is_binary:
            raise NotRead("binary")
        return document

    def document_or_tally(self, path: str, work: Work) -> Document | None:
        """The text of a file; None when it cannot be read or is binary, and the call's tally says so."""
        try:
            return self.document(path)
        except NotRead as error:
            work.pass_over(path, error.reason)
            return None

    def note(self, document: Document) -> Note:
        """The note that a text is; its parts come from the index, else from parsing when they are first asked for."""
        from vaulttools.notes.note import Note

        stored = self.stored(document)
        if stored is None and self.parts is not None:
            return self.parts.lasting("recent notes", _RecentNotes).note(document)
        return Note(document.path, document.text, stored)

    def stored(self, document: Document) -> Stored | None:
        """The parts that the index has of this very text; None when it has none."""
        source = self.ahead or self.parts
        data = None if source is None else source.structure(document)
        if data is None:
            return None
        from vaulttools.notes.stored import Stored

        return Stored(data)


class _Ahead:
    """The structures of some notes, for those who ask for them in about this order."""

    def __init__(self, parts: NoteIndex, notes: Sequence[str]) -> None:
        self._parts = parts
        self._notes = notes
        self._places = {path: place for place, path in enumerate(notes)}
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


class _RecentNotes:
    """The last notes that were parsed, for any number of threads."""

    def __init__(self) -> None:
        self._notes: Recent[str, Note] = Recent(_RECENT)

    def note(self, document: Document) -> Note:
        known = self._notes.get(document.path)
        if known is not None and known.text == document.text:
            return known
        from vaulttools.notes.note import Note

        made = Note(document.path, document.text)
        if len(document.text) <= _RECENT_CHARACTERS:
            self._notes.put(document.path, made, 1)
        return made

"""Keeps the last notes that were parsed, for the next questions about the same texts."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Final

from vaulttools.files.document import Document

if TYPE_CHECKING:
    from vaulttools.notes.note import Note

MOST: Final = 32
"""Notes kept: those that changed a moment ago, and are not in the index yet."""

CHARACTERS: Final = 256 * 1024
"""Characters of the longest text that is kept."""


class RecentNotes:
    """Notes by path and text, for any number of threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._notes: OrderedDict[str, Note] = OrderedDict()

    def note(self, document: Document) -> Note:
        """The note that a text is."""
        with self._lock:
            known = self._notes.get(document.path)
            if known is not None and known.text == document.text:
                self._notes.move_to_end(document.path)
                return known
        from vaulttools.notes.note import Note

        made = Note(document.path, document.text)
        if len(document.text) <= CHARACTERS:
            with self._lock:
                self._notes[document.path] = made
                self._notes.move_to_end(document.path)
                while len(self._notes) > MOST:
                    self._notes.popitem(last=False)
        return made

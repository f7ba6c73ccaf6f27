"""Declares what the rendering asks of a vault."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class NoteSource(Protocol):
    """The files of one vault, as far as a caller may see them."""

    def resolve(self, target: str, source: str) -> str | None:
        """The path of the file that a link in the note `source` leads to; None: there is none that may be seen."""

    def read(self, path: str, headings: Sequence[str], block: str | None) -> str:
        """The text of a note, or of the section or block of it that a link names.

        Raises:
            VaultToolsError: it cannot be read, or has no such part.
        """

"""Defines what an index answers about the parts of notes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol, TypeVar

from vaulttools.files.document import Document

T = TypeVar("T")


class NoteIndex(Protocol):
    """The parts of a vault's notes as of the beginning of one call."""

    moment: int | None
    """Counts the changes of the vault; None while some may be missed."""

    def lasting(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gave for the key, unless many other keys were asked for since; it must follow changes itself."""

    def changed_since(self, moment: int) -> AbstractSet[str] | None:
        """The files that changed after a moment, or may have; None when not all of them are remembered."""

    def version(self) -> Hashable:
        """A value that changes with every name and text; None while a text is not known."""

    def structure(self, note: Document) -> bytes | None:
        """What `notes.stored` made of a note with this very text; None when that is not known."""

    def structures(self, notes: Sequence[str]) -> Callable[[Document], bytes | None]:
        """What `structure` does, for these notes alone, which are read at once."""

    def facts(
        self, kind: str, notes: Sequence[str], read: Callable[[bytes], T], stop: Callable[[], bool]
    ) -> dict[str, tuple[bytes, T]]:
        """What `read` makes of the stored parts of notes, by path, each with the digest of the text; in no order.

        Notes whose text is not known are missing, and so are all others once `stop` returns true. A value is kept
        under `kind` for as long as a note has the text.
        """

"""Carries what the rules of the parser must know of the note that is rendered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from vaulttools.notes.links.references import Reference
from vaulttools.notes.note import Note
from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.rendering.formulas import Formulas

IMAGES: Final = (".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp")
"""What a browser shows in an `<img>`, where no script of an SVG runs."""


class NoteSource(Protocol):
    """The files of one vault, as far as a caller may see them."""

    def resolve(self, target: str, source: str) -> str | None:
        """The path of the file that a link in the note `source` leads to; None: there is none that may be seen."""

    def read(self, path: str, headings: Sequence[str], block: str | None) -> str:
        """The text of a note, or of the section or block of it that a link names.

        Raises:
            VaultToolsError: it cannot be read, or has no such part.
        """


@dataclass(frozen=True, slots=True)
class RenderContext:
    """The note that is rendered, and what its links lead to."""

    note: Note
    notes: NoteSource
    addresses: Addresses
    embed: Callable[[Reference, str], str]
    """The HTML of an embedded note, given its path."""
    formulas: Formulas = field(default_factory=Formulas)
    """Those of the page so far."""
    is_embedded: bool = False
    """Whether another note holds this one, so that the anchors of the page are not its own."""
    here: int | None = None
    """The line that is meant by the address of the page, from 1."""

    def path_of(self, reference: Reference) -> str | None:
        """The file that a link leads to."""
        return self.notes.resolve(reference.target, self.note.path)

    def address_of(self, reference: Reference) -> str | None:
        """Where a link leads; None: nowhere, or to what a page may not link to."""
        if reference.kind == "external":
            return reference.target if is_web(reference.target) else None
        path = self.path_of(reference)
        if path is None:
            return None
        if path == self.note.path and reference.headings and not self.is_embedded:
            found = self.note.section(reference.headings)
            if found is not None:
                return f"#{heading_id(found.line)}"
        at = f"^{reference.block}" if reference.block else "#".join(reference.headings)
        return self.addresses.note(path, at=at)


def context(env: Any) -> RenderContext:
    """The context that the environment of a parse holds."""
    found: RenderContext = env["context"]
    return found


def heading_id(line: int) -> str:
    """The anchor of the heading on a line."""
    return f"s-h{line}"


def is_web(address: str) -> bool:
    """Whether a note may link to an address elsewhere. Other schemes start programs, and some of them act at once."""
    return address.lower().startswith(("http://", "https://", "mailto:"))


def is_image(path: str) -> bool:
    """Whether a file is shown as an image."""
    return path.lower().endswith(IMAGES)


def link_text(reference: Reference) -> str:
    """What a link shows: its own text, else `Note > Heading`."""
    return reference.display or target_text(reference)


def target_text(reference: Reference) -> str:
    """What a link names, as `Note > Heading`."""
    parts = (reference.target, *reference.headings, f"^{reference.block}" if reference.block else "")
    return " > ".join(filter(None, parts))

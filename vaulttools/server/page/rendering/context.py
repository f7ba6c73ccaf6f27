"""Carries what the rules of the parser must know about the rendered note."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from vaulttools.notes.links.references import Reference
from vaulttools.notes.note import Note
from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.rendering.formulas import Formulas
from vaulttools.tools.base import BaseAnswer, ViewShown

IMAGES: Final = (".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp")
"""Files that a browser shows in an `<img>`, where the scripts of an SVG do not run."""


class NoteSource(Protocol):
    """The files of one vault that a caller may see."""

    def resolve(self, target: str, source: str) -> str | None:
        """Returns the path of the file that a link in the note `source` leads to; None if there is none to see."""

    def read(self, path: str, headings: Sequence[str], block: str | None, most: int = 0) -> str:
        """Returns the text of a note, or of the section or block that a link names, after as many empty lines as the
        note has before it. `most` is how many characters are needed at least; 0 means all.

        Raises:
            VaultToolsError: it cannot be read, or has no such part.
        """

    def source(self, path: str) -> str:
        """Returns the text of a file as it is written.

        Raises:
            VaultToolsError: it cannot be read.
        """

    def views(self, base: str) -> Sequence[ViewShown]:
        """Returns the views of a base.

        Raises:
            VaultToolsError: there is no such base, or it cannot be read.
        """

    def table(self, base: str, view: str, page: int, this: str, *, is_inline: bool) -> BaseAnswer:
        """Returns a view of a base, the first for `""`; `this` is the path of the note that embeds it, or `""`. A table
        within a note is `is_inline`: the note does not wait long for it.

        Raises:
            VaultToolsError: there is no such base or view, it cannot be read, or there is no time for it.
        """


@dataclass(frozen=True, slots=True)
class RenderContext:
    """The rendered note, and where its links lead."""

    note: Note
    notes: NoteSource
    addresses: Addresses
    embed: Callable[[Reference, str], str]
    """Returns the HTML of an embedded note, given its path."""
    formulas: Formulas = field(default_factory=Formulas)
    """The formulas of the page so far."""
    base_block: Callable[[int], str] = lambda _: ""
    """Returns the HTML of the `base` block on a line, from 1; empty where it stays code."""
    deeper: int = 0
    """Levels by which headings become deeper."""
    is_embedded: bool = False
    """Whether the note is embedded in another one, which owns the page's anchors."""
    here: int | None = None
    """The line that the page's address names, from 1."""

    def path_of(self, reference: Reference) -> str | None:
        """Returns the path of the file that a link leads to; None if there is none."""
        return self.notes.resolve(reference.target, self.note.path)

    def address_of(self, reference: Reference) -> str | None:
        """Returns the address that a link leads to; None if it leads nowhere, or where no page may link to."""
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
    """Returns the context from the environment of a parse."""
    found: RenderContext = env["context"]
    return found


def heading_id(line: int) -> str:
    """Returns the anchor of the heading on a line."""
    return f"s-h{line}"


def is_web(address: str) -> bool:
    """Whether a note may link to an external address. Other schemes start programs, and some of them act at once."""
    return address.lower().startswith(("http://", "https://", "mailto:"))


def is_image(path: str) -> bool:
    """Whether a file is shown as an image."""
    return path.lower().endswith(IMAGES)


def link_text(reference: Reference) -> str:
    """Returns the text of a link: its own text, or else `Note > Heading`."""
    return reference.display or target_text(reference)


def target_text(reference: Reference) -> str:
    """Returns the target of a link as `Note > Heading`."""
    parts = (reference.target, *reference.headings, f"^{reference.block}" if reference.block else "")
    return " > ".join(filter(None, parts))

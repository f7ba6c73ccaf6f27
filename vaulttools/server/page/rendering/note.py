"""Renders one note, and the notes that it embeds."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from html import escape
from typing import Any, Final

from vaulttools.core import paths
from vaulttools.errors import VaultToolsError
from vaulttools.notes.links.references import Reference
from vaulttools.notes.markdown.structure import comment_offsets
from vaulttools.notes.note import Note
from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.rendering.context import NoteSource, RenderContext
from vaulttools.server.page.rendering.formulas import Formulas
from vaulttools.server.page.rendering.parser import parser
from vaulttools.server.page.rendering.sanitizer import in_texts, sanitized

EMBED_DEPTH: Final = 3
"""Levels of notes within notes; Obsidian allows five."""

EMBEDS: Final = 30
"""Notes embedded in one page: each is read separately."""

EMBED_CHARACTERS: Final = 100_000
"""Characters of all notes embedded in one page."""


@dataclass(slots=True)
class _Budget:
    """What the embedded notes of one page may still use."""

    embeds: int = EMBEDS
    characters: int = EMBED_CHARACTERS


@dataclass(frozen=True, slots=True)
class Rendering:
    """Renders the notes of one vault for one page."""

    notes: NoteSource
    addresses: Addresses
    _budget: _Budget = field(default_factory=_Budget)
    _formulas: Formulas = field(default_factory=Formulas)

    def html(self, path: str, text: str, here: int | None = None) -> str:
        """Returns the body of a note as safe HTML, without its properties; `here` is the line to mark, from 1."""
        return self._finished(self._rendered(path, text, here, (path,)))

    def passage(self, path: str, text: str) -> str:
        """Returns some lines of a note as safe HTML: without anchors, and with links in place of embedded notes."""
        note = Note(path, f"\n{text}")  # after an empty line no properties can begin
        context = RenderContext(note, self.notes, self.addresses, lambda *_: "", self._formulas, is_embedded=True)
        # Each passage of a page has its own footnotes.
        env = {"context": context, "docId": f"{zlib.crc32(text.encode('utf-8', 'replace')):x}"}
        rendered: str = parser().render(text, env)
        return self._finished(rendered)

    def _finished(self, html: str) -> str:
        return in_texts(sanitized(html, self.addresses), self._formulas.placed)

    def _rendered(self, path: str, text: str, here: int | None, above: tuple[str, ...]) -> str:
        """Returns the unsanitised HTML of a note; `above` are its embedding notes and itself, the outermost first."""
        note = Note(path, text.removeprefix("\ufeff").replace("\r\n", "\n"))

        def embed(reference: Reference, target: str) -> str:
            return self._embedded(reference, target, above)

        context = RenderContext(
            note, self.notes, self.addresses, embed, self._formulas, is_embedded=len(above) > 1, here=here
        )
        # Empty lines replace the properties, so that all lines keep their numbers.
        body = _without_comments(note).split("\n")[note.body_line - 1 :]
        env: dict[str, Any] = {
            "context": context,
            **({"docId": str(EMBEDS - self._budget.embeds)} if len(above) > 1 else {}),
        }
        rendered: str = parser().render("\n" * (note.body_line - 1) + "\n".join(body), env)
        return rendered

    def _embedded(self, reference: Reference, path: str, above: tuple[str, ...]) -> str:
        if path in above:
            return _notice("This note is shown further up.")
        if len(above) > EMBED_DEPTH or not self._budget.embeds or self._budget.characters <= 0:
            return _notice("Not shown here: the page embeds too much.")
        self._budget.embeds -= 1
        try:
            text = self.notes.read(path, reference.headings, reference.block)
        except VaultToolsError as error:
            return _notice(str(error))
        self._budget.characters -= len(text)
        if self._budget.characters < 0:
            return _notice("Not shown here: the note is long.")
        return self._rendered(path, text, None, (*above, path))


def _without_comments(note: Note) -> str:
    """Returns the text without `%%comments%%`, but with their line ends."""
    parts: list[str] = []
    done = 0
    for start, end in comment_offsets(note.text, note.body_line):
        parts += (note.text[done:start], "\n" * note.text.count("\n", start, end + 1))
        done = end + 1
    return "".join((*parts, note.text[done:]))


def _notice(sentence: str) -> str:
    return f'<p class="n-notice">{escape(paths.shown(sentence))}</p>'

"""Renders one note, and the notes, bases and canvases that it embeds."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Final

from vaulttools.bases.definition import is_base
from vaulttools.core import paths, render
from vaulttools.errors import InvalidBase, VaultToolsError
from vaulttools.notes import canvas
from vaulttools.notes.canvas import Node, is_canvas
from vaulttools.notes.links.references import Reference
from vaulttools.notes.links.resolution import parse_linktext
from vaulttools.notes.markdown.structure import comment_offsets
from vaulttools.notes.note import Note
from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.rendering.canvases import CanvasCards, card_title
from vaulttools.server.page.rendering.context import NoteSource, RenderContext, is_image
from vaulttools.server.page.rendering.formulas import Formulas
from vaulttools.server.page.rendering.parser import parser
from vaulttools.server.page.rendering.parts import PagePart
from vaulttools.server.page.rendering.sanitizer import in_texts, sanitized
from vaulttools.server.page.rendering.tables import BaseTable, failed
from vaulttools.server.page.rendering.values import Addressed, link

EMBED_DEPTH: Final = 3
"""Levels of notes within notes; Obsidian allows five."""

EMBEDS: Final = 30
"""Notes, bases and canvases embedded in one page: each is read separately."""

EMBED_CHARACTERS: Final = 100_000
"""Characters of all notes embedded in one page."""

_BEGINNING: Final = 300
"""Characters of the note that a canvas shows in a card: about as many as a card of the usual size in the app."""

_READ: Final = 4_000
"""Characters read for it: properties come first, and are not shown."""

_LAST_WORD: Final = re.compile(r"(?<=\s)\S*\Z")


@dataclass(slots=True)
class _Budget:
    """What the embedded notes of one page may still use."""

    embeds: int = EMBEDS
    characters: int = EMBED_CHARACTERS
    parts: int = 0
    """Bases and canvases so far."""
    is_told: bool = False
    """Whether the page has said that it embeds too much: a canvas may embed thousands of notes."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """Renders the notes of one vault for one page."""

    notes: NoteSource
    addresses: Addresses
    chosen: Mapping[str, str] = field(default_factory=dict)
    """The views and pages of bases and canvases that the page's address chooses."""
    is_preview: bool = False
    """Whether the page is shown beside a link, on another page."""
    _budget: _Budget = field(default_factory=_Budget)
    _formulas: Formulas = field(default_factory=Formulas)

    def html(self, path: str, text: str, here: int | None = None) -> str:
        """Returns the body of a note as safe HTML, without its properties; `here` is the line to mark, from 1."""
        return self._finished(self._rendered(path, text, here, (path,)))

    def base(self, path: str, view: str) -> str:
        """Returns a base as safe HTML, with the view that the page's address chooses, else `view`, else the first.

        Raises:
            VaultToolsError: it cannot be read.
        """
        return self._finished(self._table(path, view, "", (path,)))

    def canvas(self, path: str, line: int | None = None) -> str | None:
        """Returns the cards of a canvas as safe HTML, or the one that holds a line; None if the file holds no canvas.

        Raises:
            VaultToolsError: it cannot be read.
        """
        html = self._cards(path, (path,), line)
        return None if html is None else self._finished(html)

    def address_in_canvas(self, path: str, line: int) -> str:
        """Returns the address of the card that holds a line of a canvas, as `read` counts lines; "" without one.

        Raises:
            VaultToolsError: it cannot be read.
        """
        found = canvas.read(self.notes.source(path))
        card = None if found is None else canvas.card_at(found, line)
        if found is None or card is None:
            return ""
        return CanvasCards(found, self._part((path,)), str, card_title).address_of(card)

    def passage(self, path: str, text: str) -> str:
        """Returns some lines of a note as safe HTML: without anchors, and with links in place of embedded notes."""
        return self._finished(self._passage(path, text, 0))

    def _passage(self, path: str, text: str, deeper: int) -> str:
        note = Note(path, f"\n{text}")  # after an empty line no properties can begin
        context = RenderContext(
            note, self.notes, self.addresses, lambda *_: "", self._formulas, deeper=deeper, is_embedded=True
        )
        return _parsed(context, text)

    def _finished(self, html: str) -> str:
        return in_texts(sanitized(html, self.addresses), self._formulas.placed)

    def _rendered(self, path: str, text: str, here: int | None, above: tuple[str, ...]) -> str:
        """Returns the unsanitised HTML of a note; `above` are its embedding notes and itself, the outermost first."""
        note = Note(path, text.removeprefix("\ufeff").replace("\r\n", "\n"))

        def embed(reference: Reference, target: str) -> str:
            return self._embedded(reference, target, above)

        def base_block(line: int) -> str:
            return self._with_budget(lambda: self._table(f"{path}:{line}-{line}", "", "", above), above)

        context = RenderContext(
            note,
            self.notes,
            self.addresses,
            embed,
            self._formulas,
            base_block,
            is_embedded=len(above) > 1,
            here=here,
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

        def shown() -> str:
            if is_base(path):
                return self._table(path, next(iter(reference.headings), ""), above[-1], (*above, path))
            if is_canvas(path):
                cards = self._cards(path, (*above, path))
                return _notice("This file holds no canvas.") if cards is None else cards
            text = self.notes.read(path, reference.headings, reference.block)
            self._budget.characters -= len(text.lstrip("\n"))
            if self._budget.characters < 0:
                return _notice("Not shown here: the note is long.")
            return self._rendered(path, text, None, (*above, path))

        return self._with_budget(shown, above)

    def _with_budget(self, shown: Callable[[], str], above: tuple[str, ...]) -> str:
        """Returns the HTML of something embedded, or the reason why it is not shown."""
        if len(above) > EMBED_DEPTH or not self._budget.embeds or self._budget.characters <= 0:
            return self._too_much()
        self._budget.embeds -= 1
        try:
            return shown()
        except VaultToolsError as error:
            return _notice(str(error))

    def _too_much(self) -> str:
        told, self._budget.is_told = self._budget.is_told, True
        return "" if told else _notice("Not shown here: the page embeds too much. Further ones may be links alone.")

    def _part(self, above: tuple[str, ...]) -> PagePart:
        self._budget.parts += 1
        return PagePart(self._budget.parts, above[0], self.addresses, self.chosen, self.is_preview)

    def _table(self, base: str, view: str, this: str, above: tuple[str, ...]) -> str:
        part = self._part(above)
        name = part.view or view
        is_inline = len(above) > 1 or not is_base(above[0])
        try:
            answer = self.notes.table(base, name, part.page, this, is_inline=is_inline)
        except InvalidBase as error:
            views = self.notes.views(base)
            sentence = str(error)
            return failed(views, name or views[0].name, f"{sentence[:1].upper()}{sentence[1:]}", part)
        return BaseTable(answer, part, self.addresses, self._addressed, is_inline=is_inline).html()

    def _addressed(self, path: str) -> Addressed:
        note = Note(path, "")
        return RenderContext(note, self.notes, self.addresses, lambda *_: "", is_embedded=True).address_of

    def _cards(self, path: str, above: tuple[str, ...], line: int | None = None) -> str | None:
        found = canvas.read(self.notes.source(path))
        if found is None:
            return None
        deeper = 2 if any(each.group for each in found.sections) else 1
        part = self._part(above)

        def text_html(text: str) -> str:
            if len(above) > 1:
                self._budget.characters -= len(text)
                if self._budget.characters < 0:
                    return self._too_much()
            context = RenderContext(
                Note(path, f"\n{text}"),
                self.notes,
                self.addresses,
                lambda reference, target: self._embedded(reference, target, above),
                self._formulas,
                deeper=deeper,
                is_embedded=True,
            )
            return _parsed(context, text)

        card = None if line is None else canvas.card_at(found, line)
        return CanvasCards(found, part, text_html, lambda card: self._file(card, deeper, above)).html(card)

    def _file(self, card: Node, deeper: int, above: tuple[str, ...]) -> str:
        """Returns the HTML of a card that shows a file."""
        _, headings, block, _ = parse_linktext(card.part)
        path = self.notes.resolve(f"/{card.content}", "")
        if path is None:
            shown = escape(render.visible(paths.shown(card.title)))
            return f'<p><a class="n-missing" title="No such file in the vault">{shown}</a></p>\n'
        address = self.addresses.note(path, at=f"^{block}" if block else "#".join(headings))
        if is_image(path):
            source = escape(self.addresses.file(path))
            image = f'<img src="{source}" alt="{escape(card_title(card))}" loading="lazy">'
            return f'<p><a href="{escape(address)}">{image}</a></p>\n'
        title = f'<p class="n-card-title">{link(card_title(card), address)}</p>\n'
        if path in above:
            return title
        if is_base(path):
            return title + self._with_budget(
                lambda: self._table(path, next(iter(headings), ""), above[-1], (*above, path)), above
            )
        if paths.is_note(path):
            return title + self._with_budget(lambda: self._beginning(path, headings, block, deeper), above)
        return title

    def _beginning(self, path: str, headings: Sequence[str], block: str | None, deeper: int) -> str:
        text = self.notes.read(path, headings, block, _READ).lstrip("\n")
        if not headings and block is None:
            text = "\n".join(text.split("\n")[Note(path, text).body_line - 1 :]).strip("\n")
        if len(text) > _BEGINNING:
            text = _LAST_WORD.sub("", text[:_BEGINNING]).rstrip() + render.ELLIPSIS
        return self._passage(path, text, deeper)


def _parsed(context: RenderContext, text: str) -> str:
    # Each passage of a page has its own footnotes.
    env = {"context": context, "docId": f"{zlib.crc32(text.encode('utf-8', 'replace')):x}"}
    rendered: str = parser().render(text, env)
    return rendered


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

"""Renders a canvas: its cards in reading order, each with its connections."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from html import escape
from typing import Final

from vaulttools.core import paths, render
from vaulttools.notes.canvas import Canvas, Connection, Node
from vaulttools.notes.links.resolution import parse_linktext
from vaulttools.server.page.rendering.context import is_web
from vaulttools.server.page.rendering.parts import PagePart
from vaulttools.server.page.rendering.values import link

_CARDS: Final = 200
"""Cards on one page."""

_CHARACTERS: Final = 100_000
"""Characters of the cards on one page."""

_CARD_CHARACTERS: Final = 20_000
"""Characters shown of one card."""

_CONNECTIONS: Final = 20
"""Lines listed at one card."""

_LABEL_CHARACTERS: Final = 200
"""Characters shown of a label, a path or a URL."""

_COLORS: Final = ("red", "orange", "yellow", "green", "cyan", "purple")
"""What a canvas calls `1` to `6`."""


class CanvasCards:
    """The cards of one canvas on a page.

    `text_html` renders the text of a card, `file_html` a card that shows a file.
    """

    def __init__(
        self,
        canvas: Canvas,
        part: PagePart,
        text_html: Callable[[str], str],
        file_html: Callable[[Node], str],
    ) -> None:
        self._part = part
        self._text_html = text_html
        self._file_html = file_html
        self._pages = _pages(canvas)
        self._places: dict[int, tuple[int, int]] = {}
        """By `id()` of each card: its page from 1, and its number on the page. Cards of a file may share an id."""
        self._first: dict[str, Node] = {}
        """By id: the first card that has it, to which connections lead."""
        for page, nodes in enumerate(self._pages, 1):
            for number, node in enumerate(nodes, 1):
                self._places.setdefault(id(node), (page, number))
                self._first.setdefault(node.id, node)
        self._total = sum(node.kind != "group" for nodes in self._pages for node in nodes)
        self._connections: dict[str, list[Connection]] = defaultdict(list)
        for each in canvas.connections:
            self._connections[each.start].append(each)
            if each.end != each.start:
                self._connections[each.end].append(each.turned)

    def html(self, card: Node | None = None) -> str:
        """Returns the cards of the chosen page, or one card alone, as HTML that is still to be sanitised."""
        if card is not None:
            _, number = self._places[id(card)]
            inside = f'<ul class="n-cards">\n{"".join(self._card(card, number))}</ul>\n'
            return f'<div class="n-canvas" id="{self._part.id}">\n{inside}</div>\n'
        page = min(self._part.page, len(self._pages))
        inside = "".join(self._cards(page)) if self._pages else '<p class="n-notice">This canvas is empty.</p>\n'
        return f'<div class="n-canvas" id="{self._part.id}">\n{inside}{"".join(self._more(page))}</div>\n'

    def address_of(self, card: Node) -> str:
        """Returns the address of a card of the canvas."""
        page, number = self._places[id(card)]
        return self._part.address(page=page, anchor=f"{self._part.anchor}-{number}")

    def _cards(self, page: int) -> Iterator[str]:
        is_open = False
        for number, node in enumerate(self._pages[page - 1], 1):
            if node.kind == "group":
                yield "</ul>\n" if is_open else ""
                is_open = False
                title = escape(render.visible(_short(node.title)))
                yield f'<h2 class="n-group" id="{self._part.id}-{number}">{title}</h2>\n'
                yield from self._lines(node)
                continue
            yield "" if is_open else '<ul class="n-cards">\n'
            is_open = True
            yield from self._card(node, number)
        yield "</ul>\n" if is_open else ""

    def _card(self, node: Node, number: int) -> Iterator[str]:
        color = f" n-{_COLORS[int(node.color) - 1]}" if node.color in ("1", "2", "3", "4", "5", "6") else ""
        yield f'<li class="n-card{color}" id="{self._part.id}-{number}">\n{self._content(node)}'
        yield from self._lines(node)
        yield "</li>\n"

    def _content(self, node: Node) -> str:
        if node.kind == "file":
            return self._file_html(node)
        if node.kind == "link":
            text = _short(node.content)
            if is_web(node.content):
                return f"<p>{link(text, node.content, 'external')}</p>\n"
            return f'<p><a class="n-missing" title="Not shown">{escape(render.visible(text))}</a></p>\n'
        html = self._text_html(node.content[:_CARD_CHARACTERS])
        if len(node.content) > _CARD_CHARACTERS:
            html += '<p class="n-notice">The beginning of a longer card.</p>\n'
        return html

    def _lines(self, node: Node) -> Iterator[str]:
        """Yields the list of a card's connections; those to cards that do not exist are left out."""
        known = [each for each in self._connections[node.id] if each.end in self._first]
        if not known:
            return
        yield '<ul class="n-edges">\n'
        for each in known[:_CONNECTIONS]:
            other = self._first[each.end]
            to = self.address_of(other)
            label = f": {escape(render.visible(_short(each.label)))}" if each.label else ""
            yield f"<li>{each.arrow} {link(_short(card_title(other)), to)}{label}</li>\n"
        if len(known) > _CONNECTIONS:
            yield f"<li>and {len(known) - _CONNECTIONS:,} more</li>\n"
        yield "</ul>\n"

    def _more(self, page: int) -> Iterator[str]:
        if len(self._pages) < 2:
            return
        links = [("Before", page - 1)] if page > 1 else []
        links += [("More", page + 1)] if page < len(self._pages) else []
        made = [link(text, self._part.address(page=to)) for text, to in links]
        told = f"Page {page:,} of {len(self._pages):,}, {self._total:,} cards"
        yield f'<p class="n-more">{" · ".join((told, *made))}</p>\n'


_LOOSE: Final = Node("", "group", "Cards", "")
"""The heading of cards without a group that come after a group."""


def _pages(canvas: Canvas) -> list[list[Node]]:
    """Returns the groups and cards of each page; a group that goes on begins its page, too."""
    pages: list[list[Node]] = []
    cards, characters = _CARDS, 0
    for section, (group, held) in enumerate(canvas.sections):
        if group is None and section:
            group = _LOOSE
        if group is not None:
            if cards >= _CARDS:
                pages.append([])
                cards, characters = 0, 0
            pages[-1].append(group)
            cards += 1
        for card in held:
            size = min(len(card.content), _CARD_CHARACTERS)
            if cards >= _CARDS or (characters + size > _CHARACTERS and characters):
                pages.append([] if group is None else [group])
                cards, characters = 0, 0
            pages[-1].append(card)
            cards, characters = cards + 1, characters + size
    return pages


def card_title(node: Node) -> str:
    """Returns what a card is called: of a file its name, and the part of it that is shown."""
    if node.kind != "file":
        return node.title
    _, headings, block, _ = parse_linktext(node.part)
    return " > ".join((paths.shown(paths.title(node.content)), *headings, *([f"^{block}"] if block else [])))


def _short(text: str) -> str:
    return render.shortened(text, _LABEL_CHARACTERS)

"""Gives Markdown's own links and images the addresses of pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from vaulttools.notes.links.references import markdown_link
from vaulttools.server.page.rendering.place import RenderContext, is_image, place
from vaulttools.server.page.rendering.wikilinks import RESOLVED, link


def plugin(parser: MarkdownIt) -> None:
    """Let a parser resolve links in the vault."""
    parser.core.ruler.after("inline", "addresses", _rule)


def _rule(state: StateCore) -> None:
    here = place(state.env)
    for token in state.tokens:
        if token.children:
            token.children = list(_addressed(token.children, here))


def _addressed(tokens: Sequence[Token], here: RenderContext) -> Iterator[Token]:
    for token in tokens:
        if token.type == "link_open" and token.info != RESOLVED:
            _resolve(token, here)
        if token.type == "image":
            yield from _image(token, here)
        else:
            yield token


def _resolve(token: Token, here: RenderContext) -> None:
    reference = markdown_link("[", 0, "", str(token.attrs.get("href", "")))
    if reference is None:
        token.attrs = {"class": "n-missing"}
    else:
        link(token, here, reference)


def _image(token: Token, here: RenderContext) -> Iterator[Token]:
    """An image of the vault; a link to what is elsewhere, since nothing is loaded from there; an embed of a note."""
    reference = markdown_link("![", 0, token.content, str(token.attrs.get("src", "")))
    path = None if reference is None or reference.kind == "external" else here.path_of(reference)
    if reference is not None and path is not None and is_image(path):
        token.attrs = {"src": here.addresses.file(path), "alt": "", "loading": "lazy"}
        if reference.size:
            width, height = reference.size
            token.attrs |= {"width": width, **({"height": height} if height else {})}
        yield token
    elif reference is not None and path is not None:
        embed = Token("embed", "", 0)
        embed.meta = {"reference": reference, "path": path}
        yield embed
    else:
        opening = Token("link_open", "a", 1)
        if reference is None:
            opening.attrs = {"class": "n-missing"}
        else:
            link(opening, here, reference)
        text = Token("text", "", 0)
        text.content = f"Image: {token.content}" if token.content else "Image"
        yield from (opening, text, Token("link_close", "a", -1))

"""Resolves links and embeds in the vault: wikilinks, Markdown's own, embedded images and notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, Final

from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from vaulttools.bases.definition import is_base
from vaulttools.core import paths
from vaulttools.notes.canvas import is_canvas
from vaulttools.notes.links.brackets import link_end
from vaulttools.notes.links.references import Reference, markdown_link
from vaulttools.notes.links.references import wikilink as read_wikilink
from vaulttools.server.page.rendering.context import RenderContext, context, is_image, link_text, target_text

RESOLVED: Final = "resolved"
"""The `info` of a link that already has a page's address."""

_ADDRESSES: Final = 2_000_000
"""Characters of all addresses that Markdown's links of one note may have. A definition is written once and used often:
300 kB of uses of a long one would make 5 GB."""


def wikilink(state: StateInline, silent: bool) -> bool:
    """Parse `[[links]]` and `![[embeds]]`."""
    start = state.pos
    is_embed = state.src.startswith("![[", start)
    end = link_end(state.src, start + is_embed, state.posMax)
    reference = end and read_wikilink(state.src[start:end], 0)
    if not end or not reference:
        return False
    if not silent:
        here = context(state.env)
        path = here.path_of(reference) if reference.embed else None
        if state.linkLevel:  # links cannot be nested
            state.push("text", "", 0).content = link_text(reference)
        elif path is None:
            _lead(state.push("link_open", "a", 1), here, reference)
            state.push("text", "", 0).content = link_text(reference)
            state.push("link_close", "a", -1)
        elif is_image(path):
            alt = "" if reference.size else reference.display
            image = state.push("vault_image", "img", 0)
            image.attrs = _image_attributes(here, reference, path, alt or path.rpartition("/")[2])
        else:
            state.push("embed", "", 0).meta = {"reference": reference, "path": path}
    state.pos = end
    return True


def resolve_markdown_links(state: StateCore) -> None:
    """Give Markdown's own links and images the addresses of pages."""
    here = context(state.env)
    room = _ADDRESSES
    for token in state.tokens:
        for child in token.children or ():
            room -= len(str(child.attrs.get("href", child.attrs.get("src", ""))))
            if room < 0:
                child.attrs = {}
        if token.children:
            token.children = list(_addressed(token.children, here))


def place_embeds(state: StateCore) -> None:
    """Replace a paragraph that contains only embedded notes by these notes; within text they stay links."""
    placed: list[Token] = []
    tokens = iter(enumerate(state.tokens))
    for index, token in tokens:
        embeds = _embeds_alone(state.tokens[index : index + 2])
        placed += [Token("embed_block", "", 0, map=token.map, meta=each.meta, block=True) for each in embeds] or [token]
        if embeds:  # the paragraph, its line, and its end
            next(tokens), next(tokens)
    state.tokens = placed


def embed_as_link(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    """Returns the HTML of an embed within text."""
    reference: Reference = tokens[index].meta["reference"]
    address = context(env).address_of(reference) or ""
    return f'<a href="{escape(address)}">{escape(link_text(reference))}</a>'


def embed_as_block(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    """Returns the HTML of an embedded note that replaces its paragraph."""
    here, reference = context(env), tokens[index].meta["reference"]
    address = here.address_of(reference) or ""
    title = f'<a class="n-embed-title" href="{escape(address)}">{escape(target_text(reference))}</a>'
    return f'<div class="n-embed">{title}\n{here.embed(reference, tokens[index].meta["path"])}</div>\n'


def _lead(token: Token, here: RenderContext, reference: Reference) -> None:
    """Give a link's opening token its address; a link that leads nowhere is marked and gets no address."""
    token.info = RESOLVED
    address = here.address_of(reference)
    external = reference.kind == "external"
    if address is None:
        token.attrs = {"class": "n-missing", "title": "Not shown" if external else "No such file in the vault"}
    else:
        token.attrs = {"href": address, **({"class": "n-external"} if external else {})}


def _image_attributes(here: RenderContext, reference: Reference, path: str, alt: str) -> dict[str, str | int | float]:
    attributes: dict[str, str | int | float] = {"src": here.addresses.file(path), "alt": alt, "loading": "lazy"}
    if reference.size:
        attributes["width"], height = reference.size
        if height:
            attributes["height"] = height
    return attributes


def _addressed(tokens: Sequence[Token], here: RenderContext) -> Iterator[Token]:
    for token in tokens:
        if token.type == "image":
            yield from _image(token, here)
            continue
        if token.type == "link_open" and token.info != RESOLVED:
            _lead_to(token, here, markdown_link("[", 0, "", str(token.attrs.get("href", ""))))
        yield token


def _lead_to(token: Token, here: RenderContext, reference: Reference | None) -> None:
    if reference is None:
        token.attrs = {"class": "n-missing"}
    else:
        _lead(token, here, reference)


def _image(token: Token, here: RenderContext) -> Iterator[Token]:
    """Yields an image of the vault, a link for one elsewhere (pages load nothing from there), or an embedded note."""
    reference = markdown_link("![", 0, token.content, str(token.attrs.get("src", "")))
    path = None if reference is None or reference.kind == "external" else here.path_of(reference)
    if reference is not None and path is not None:
        if is_image(path):
            token.attrs = _image_attributes(here, reference, path, "")  # the renderer shows its children
            yield token
        else:
            yield Token("embed", "", 0, meta={"reference": reference, "path": path})
        return
    opening = Token("link_open", "a", 1)
    _lead_to(opening, here, reference)
    yield opening
    yield Token("text", "", 0, content=f"Image: {token.content}" if token.content else "Image")
    yield Token("link_close", "a", -1)


def _has_a_block(path: str) -> bool:
    """Whether an embedded file replaces its paragraph."""
    return paths.is_note(path) or is_base(path) or is_canvas(path)


def _embeds_alone(tokens: Sequence[Token]) -> list[Token]:
    """Returns the embeds of a paragraph that contains only notes, bases and canvases; empty for any other."""
    if [token.type for token in tokens] != ["paragraph_open", "inline"]:
        return []
    children = tokens[1].children or []
    embeds = [child for child in children if child.type == "embed"]
    have_blocks = all(_has_a_block(child.meta["path"]) for child in embeds)
    return embeds if have_blocks and all(child.type == "embed" or _is_blank(child) for child in children) else []


def _is_blank(token: Token) -> bool:
    return token.type in ("softbreak", "hardbreak") or (token.type == "text" and not token.content.strip())

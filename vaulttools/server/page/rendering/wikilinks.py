"""Reads `[[links]]` and `![[embeds]]`."""

from __future__ import annotations

from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from vaulttools.notes.links.references import WIKILINK, Reference, wikilink
from vaulttools.server.page.rendering.place import RenderContext, is_image, place, shown_target

RESOLVED: Final = "resolved"
"""The `info` of a link whose address is that of a page already."""


def plugin(parser: MarkdownIt) -> None:
    """Teach a parser wikilinks."""
    parser.inline.ruler.before("link", "wikilink", _rule)


def _rule(state: StateInline, silent: bool) -> bool:
    start = state.pos
    is_embed = state.src.startswith("![[", start)
    found = WIKILINK.match(state.src, start + is_embed, state.posMax)
    reference = found and wikilink(state.src[start : found.end()], 0)
    if found is None or reference is None:
        return False
    if not silent:
        if state.linkLevel:  # no link stands in another
            state.push("text", "", 0).content = reference.display or shown_target(reference)
        else:
            push(state, reference)
    state.pos = found.end()
    return True


def push(state: StateInline, reference: Reference) -> None:
    """The tokens of a link or an embed. A note that is embedded waits as `embed` for its place among the blocks."""
    here = place(state.env)
    if reference.embed and (path := here.path_of(reference)) is not None:
        if is_image(path):
            _image(state.push("vault_image", "img", 0), here, reference, path)
            return
        token = state.push("embed", "", 0)
        token.meta = {"reference": reference, "path": path}
        return
    link(state.push("link_open", "a", 1), here, reference)
    state.push("text", "", 0).content = reference.display or shown_target(reference)
    state.push("link_close", "a", -1)


def link(token: Token, here: RenderContext, reference: Reference) -> None:
    """Let a token open a link; where it leads nowhere, it is marked and has no address."""
    token.info = RESOLVED
    address = here.address_of(reference)
    external = reference.kind == "external"
    if address is None:
        token.attrs = {"class": "n-missing", "title": "Not shown" if external else "No such file in the vault"}
    else:
        token.attrs = {"href": address, **({"class": "n-external"} if external else {})}


def _image(token: Token, here: RenderContext, reference: Reference, path: str) -> None:
    display = None if reference.size else reference.display
    token.attrs = {"src": here.addresses.file(path), "alt": display or path.rpartition("/")[2], "loading": "lazy"}
    if reference.size:
        width, height = reference.size
        token.attrs |= {"width": width, **({"height": height} if height else {})}

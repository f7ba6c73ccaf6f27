"""Shows embedded notes that stand alone in a paragraph; in running text they are links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from vaulttools.core import paths
from vaulttools.notes.links.references import Reference
from vaulttools.server.page.rendering.place import place, shown_target


def plugin(parser: MarkdownIt) -> None:
    """Teach a parser embeds of notes."""
    parser.core.ruler.after("addresses", "embeds", _rule)
    parser.add_render_rule("embed", _as_link)
    parser.add_render_rule("embed_block", _as_block)


def _rule(state: StateCore) -> None:
    state.tokens = list(_placed(state.tokens))


def _placed(tokens: Sequence[Token]) -> Iterator[Token]:
    index = 0
    while index < len(tokens):
        if tokens[index].type == "paragraph_open" and index + 2 < len(tokens) and _is_alone(tokens[index + 1]):
            for child in tokens[index + 1].children or ():
                if child.type == "embed":
                    block = Token("embed_block", "", 0)
                    block.block = True
                    block.meta = child.meta
                    block.map = tokens[index].map
                    yield block
            index += 3
        else:
            yield tokens[index]
            index += 1


def _is_alone(token: Token) -> bool:
    """Whether there are notes to embed in a paragraph, and nothing else."""
    children = token.children or []
    embeds = [child for child in children if child.type == "embed" and paths.is_note(child.meta["path"])]
    others = (child for child in children if child not in embeds)
    return bool(embeds) and all(
        child.type in ("softbreak", "hardbreak") or (child.type == "text" and not child.content.strip())
        for child in others
    )


def _as_link(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    reference: Reference = tokens[index].meta["reference"]
    address = place(env).address_of(reference) or ""
    return f'<a href="{escape(address)}">{escape(reference.display or shown_target(reference))}</a>'


def _as_block(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    reference: Reference = tokens[index].meta["reference"]
    address = place(env).address_of(reference) or ""
    title = f'<a class="n-embed-title" href="{escape(address)}">{escape(shown_target(reference))}</a>'
    return f'<div class="n-embed">{title}\n{place(env).embed(reference, tokens[index].meta["path"])}</div>\n'

"""Gives headings their anchors, and marks the block that the page's address means."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from vaulttools.server.page.addresses import HERE
from vaulttools.server.page.rendering.place import heading_id, place

_BLOCKS = frozenset(
    (
        *("paragraph_open", "heading_open", "list_item_open", "table_open", "blockquote_open"),
        *("fence", "code_block", "html_block", "math_block", "hr"),
    )
)


def plugin(parser: MarkdownIt) -> None:
    """Let a parser make anchors."""
    parser.core.ruler.push("anchors", _rule)


def _rule(state: StateCore) -> None:
    here = place(state.env)
    if here.is_embedded:
        return
    for token in state.tokens:
        if token.type == "heading_open" and token.map and token.level == 0:
            token.attrSet("id", heading_id(token.map[0] + 1))
    if here.here is None:
        return
    index = _block_at(state.tokens, here.here)
    mark = Token("html_block", "", 0)
    mark.content = f'<div id="{HERE}" class="n-here"></div>\n'
    state.tokens.insert(index + (index < len(state.tokens) and state.tokens[index].type == "list_item_open"), mark)


def _block_at(tokens: list[Token], line: int) -> int:
    """The innermost block that holds a line, or the first one after it; one past the end: none."""
    found = len(tokens)
    in_table = 0
    for index, token in enumerate(tokens):
        in_table += (token.type == "table_open") - (token.type == "table_close")
        if token.type not in _BLOCKS or not token.map or (in_table and token.type != "table_open"):
            continue
        start, end = token.map[0] + 1, token.map[1]
        if start > line:
            return min(found, index)
        if start <= line <= max(start, end):
            found = index
    return found

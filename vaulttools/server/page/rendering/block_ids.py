"""Hides the `^ids` at the ends of blocks."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

_ID = re.compile(r"\^[A-Za-z0-9-]+[ \t]*(?=\n|\Z)")


def plugin(parser: MarkdownIt) -> None:
    """Let a parser pass over ids of blocks."""
    parser.inline.ruler.before("link", "block_id", _rule)


def _rule(state: StateInline, silent: bool) -> bool:
    if state.pos and not state.src[state.pos - 1].isspace():
        return False
    found = _ID.match(state.src, state.pos)
    if found is None or found.end() > state.posMax:
        return False
    state.pos = found.end()
    return True

"""Reads `==highlights==`."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

_MARK = "=="


def plugin(parser: MarkdownIt) -> None:
    """Teach a parser highlights."""
    parser.inline.ruler.before("emphasis", "highlight", _rule)


def _rule(state: StateInline, silent: bool) -> bool:
    start, end = state.pos + 2, state.posMax
    if not state.src.startswith(_MARK, state.pos, end) or state.src[start : start + 1].strip() in ("", "="):
        return False
    closing = state.src.find(_MARK, start, end)
    if closing < 0 or state.src[closing - 1].isspace():
        return False
    if not silent:
        state.push("mark_open", "mark", 1)
        state.pos, state.posMax = start, closing
        state.md.inline.tokenize(state)
        state.push("mark_close", "mark", -1)
        state.posMax = end
    state.pos = closing + 2
    return True

"""Reads `$math$` and `$$math$$` in lines; its blocks are left to a plugin."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from vaulttools.notes.markdown.inline import MATH


def plugin(parser: MarkdownIt) -> None:
    """Teach a parser math, which is shown as code."""
    parser.inline.ruler.before("escape", "math", _rule)


def _rule(state: StateInline, silent: bool) -> bool:
    start = state.pos
    if not state.src.startswith("$", start):
        return False
    if state.src.startswith("$$", start):
        closing = state.src.find("$$", start + 2, state.posMax)
        content, end = state.src[start + 2 : closing], closing + 2
        if closing < 0 or not content.strip():
            return False
    else:
        found = MATH.match(state.src, start, state.posMax)
        if found is None:
            return False
        content, end = found[0][1:-1], found.end()
    if not silent:
        state.push("math", "", 0).content = content
    state.pos = end
    return True

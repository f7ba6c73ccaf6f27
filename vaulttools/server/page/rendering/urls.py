"""Reads bare addresses of the web, `https://…`."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

_SCHEME = re.compile(r"(?<![A-Za-z0-9])https?\Z")
_REST = re.compile(r"://[^\s<>\x00-\x1f]{1,2000}")
_BEHIND = ".,;:!?'\"*_~"


def plugin(parser: MarkdownIt) -> None:
    """Teach a parser bare addresses."""
    parser.inline.ruler.before("link", "url", _rule)


def _rule(state: StateInline, silent: bool) -> bool:
    if silent or state.linkLevel or not state.src.startswith("://", state.pos):
        return False
    scheme = _SCHEME.search(state.src, max(0, state.pos - 6), state.pos)
    found = _REST.match(state.src, state.pos, state.posMax)
    if scheme is None or found is None or not state.pending.endswith(scheme[0]):
        return False
    rest = _trimmed(found[0])
    if rest == "://":
        return False
    state.pending = state.pending.removesuffix(scheme[0])
    state.push("link_open", "a", 1).attrs = {"href": scheme[0] + rest}
    state.push("text", "", 0).content = scheme[0] + rest
    state.push("link_close", "a", -1)
    state.pos += len(rest)
    return True


def _trimmed(text: str) -> str:
    """The address without the punctuation of the sentence around it."""
    unopened = text.count(")") - text.count("(")
    while text[-1:] in _BEHIND or (text.endswith(")") and unopened > 0):
        unopened -= text.endswith(")")
        text = text[:-1]
        if len(text) <= len("://"):
            break
    return text

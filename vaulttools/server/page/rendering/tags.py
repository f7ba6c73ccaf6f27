"""Reads `#tags`."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from vaulttools.notes.tags import CHARACTER, tag_name
from vaulttools.server.page.rendering.place import place
from vaulttools.server.page.rendering.wikilinks import RESOLVED

_TAG = re.compile(rf"#({CHARACTER}+)")


def plugin(parser: MarkdownIt) -> None:
    """Teach a parser tags."""
    parser.inline.ruler.before("link", "tag", _rule)


def _rule(state: StateInline, silent: bool) -> bool:
    start = state.pos
    found = _TAG.match(state.src, start, state.posMax)
    name = found and tag_name(found[1])
    if found is None or name is None or not _may_begin(state):
        return False
    if not silent:
        here = place(state.env)
        if state.linkLevel:
            state.push("text", "", 0).content = found[0]
        else:
            opening = state.push("link_open", "a", 1)
            opening.attrs = {"href": here.addresses.tag(name), "class": "n-tag"}
            opening.info = RESOLVED
            state.push("text", "", 0).content = found[0]
            state.push("link_close", "a", -1).info = "tag"
    state.pos = found.end()
    return True


def _may_begin(state: StateInline) -> bool:
    """A tag begins a line, follows a blank, or another tag at once."""
    if state.pos == 0 or state.src[state.pos - 1].isspace():
        return True
    return bool(not state.pending and state.tokens and state.tokens[-1].info == "tag")

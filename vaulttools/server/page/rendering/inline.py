"""Parses Obsidian's additions to lines: tags, highlights, math, bare addresses, block ids."""

from __future__ import annotations

import re
from typing import Final

from markdown_it.rules_inline import StateInline

from vaulttools.notes.markdown.inline import MATH
from vaulttools.notes.tags import CHARACTER, tag_name
from vaulttools.server.page.rendering.context import context
from vaulttools.server.page.rendering.links import RESOLVED

_MARK: Final = "=="
_TAG: Final = re.compile(rf"#({CHARACTER}+)")
_BLOCK_ID: Final = re.compile(r"\^[A-Za-z0-9-]+[ \t]*(?=\n|\Z)")

_SCHEME: Final = re.compile(r"(?<![A-Za-z0-9])https?\Z")
_BEHIND_SCHEME: Final = re.compile(r"://[^\s<>\x00-\x1f]{1,2000}")
_PUNCTUATION: Final = ".,;:!?'\"*_~"
"""At its end, these characters do not belong to an address but to the sentence around it."""


def tag(state: StateInline, silent: bool) -> bool:
    """Parse `#tags`."""
    found = _TAG.match(state.src, state.pos, state.posMax)
    name = found and tag_name(found[1])
    if found is None or name is None or not _may_begin_a_tag(state):
        return False
    if not silent:
        if state.linkLevel:
            state.push("text", "", 0).content = found[0]
        else:
            opening = state.push("link_open", "a", 1)
            opening.attrs = {"href": context(state.env).addresses.tag(name), "class": "n-tag"}
            opening.info = RESOLVED
            state.push("text", "", 0).content = found[0]
            state.push("link_close", "a", -1).info = "tag"
    state.pos = found.end()
    return True


def _may_begin_a_tag(state: StateInline) -> bool:
    """Whether a tag may begin here: at the start of a line, after a blank, or directly after another tag."""
    if state.pos == 0 or state.src[state.pos - 1].isspace():
        return True
    return bool(not state.pending and state.tokens and state.tokens[-1].info == "tag")


def highlight(state: StateInline, silent: bool) -> bool:
    """Parse `==highlights==`."""
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


def math(state: StateInline, silent: bool) -> bool:
    """Parse `$math$` and `$$math$$`."""
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


def bare_address(state: StateInline, silent: bool) -> bool:
    """Parse `https://…` at its `://`: the scheme before it was already read as text."""
    if silent or state.linkLevel or not state.src.startswith("://", state.pos):
        return False
    scheme = _SCHEME.search(state.src, max(0, state.pos - 6), state.pos)
    found = _BEHIND_SCHEME.match(state.src, state.pos, state.posMax)
    if scheme is None or found is None or not state.pending.endswith(scheme[0]):
        return False
    rest = _without_punctuation(found[0])
    if rest == "://":
        return False
    state.pending = state.pending.removesuffix(scheme[0])
    state.push("link_open", "a", 1).attrs = {"href": scheme[0] + rest}
    state.push("text", "", 0).content = scheme[0] + rest
    state.push("link_close", "a", -1)
    state.pos += len(rest)
    return True


def _without_punctuation(text: str) -> str:
    unopened = text.count(")") - text.count("(")
    while text[-1:] in _PUNCTUATION or (text.endswith(")") and unopened > 0):
        unopened -= text.endswith(")")
        text = text[:-1]
        if len(text) <= len("://"):
            break
    return text


def block_id(state: StateInline, silent: bool) -> bool:
    """Hide a `^id` at the end of a block."""
    if state.pos and not state.src[state.pos - 1].isspace():
        return False
    found = _BLOCK_ID.match(state.src, state.pos)
    if found is None or found.end() > state.posMax:
        return False
    state.pos = found.end()
    return True

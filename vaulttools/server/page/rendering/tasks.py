"""Shows the boxes of tasks."""

from __future__ import annotations

import re
from html import escape

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from vaulttools.core import render

_BOX = re.compile(r"\[(.)\](?:[ \t]+|(?=\n)|\Z)")


def plugin(parser: MarkdownIt) -> None:
    """Teach a parser tasks, whatever character stands in their box."""
    parser.core.ruler.before("inline", "boxes", _take)
    parser.core.ruler.after("inline", "show_boxes", _show)


def _take(state: StateCore) -> None:
    """Take the boxes out of the text, where `[x]` could be a link."""
    for item, paragraph, text in zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False):
        if item.type == "list_item_open" and paragraph.type == "paragraph_open" and text.type == "inline":
            found = _BOX.match(text.content)
            if found:
                text.content = text.content[found.end() :]
                text.meta = {"box": found[1]}
                item.attrs = {**item.attrs, "class": "n-task"}


def _show(state: StateCore) -> None:
    for token in state.tokens:
        if token.type == "inline" and token.meta.get("box") and token.children is not None:
            sign = Token("html_inline", "", 0)
            sign.content = f"{box(token.meta['box'])} "
            token.children.insert(0, sign)


def box(status: str) -> str:
    """The box of a task as HTML, given the character in it."""
    if status == " ":
        return '<span class="n-box n-open" role="img" aria-label="Open"></span>'
    if status in "xX":
        return '<span class="n-box n-done" role="img" aria-label="Done"></span>'
    sign = escape(render.visible(status))
    return f'<span class="n-box n-other" role="img" aria-label="{sign}">{sign}</span>'

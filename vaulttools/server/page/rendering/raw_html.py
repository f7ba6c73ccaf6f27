"""Ends what HTML in a note leaves open and browsers read to the end.

A browser takes all that follows `<script>` or `<!--` for its content until it is closed. Obsidian renders block by
block, so that there only the block is lost; a block that begins with `<script>` or a comment goes on to the end of the
note, as CommonMark has it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

_NAMES: Final = ("script", "style", "textarea", "title", "iframe", "noembed", "noframes", "noscript", "xmp")
"""The elements whose content is no HTML."""

_OPEN: Final = re.compile(rf"<!--|<({'|'.join(_NAMES)})(?=[\s/>])", re.IGNORECASE)
_ENDS: Final = {name: re.compile(rf"</{name}(?=[\s/>])[^>]*>", re.IGNORECASE) for name in _NAMES}
_COMMENT_END: Final = re.compile("--!?>")


def close_raw_html(state: StateCore) -> None:
    """End what blocks leave open, and make text of what lines do."""
    for token in state.tokens:
        if token.type == "html_block":
            token.content += _missing_end(token.content)
        elif token.type == "inline":
            _show_unclosed(token.children or ())


def _show_unclosed(children: Sequence[Token]) -> None:
    """Make text of tags in a line that nothing in the same paragraph closes: they are spoken of, not used."""
    closed: set[str] = set()
    for child in reversed(children):
        if child.type != "html_inline":
            continue
        opened = _OPEN.match(child.content)
        if opened is not None and opened[1] and opened[1].lower() not in closed:
            child.type = "text"
        elif child.content.startswith("</"):
            closed.add(re.split(r"[\s>]", child.content[2:], maxsplit=1)[0].lower())


def _missing_end(html: str) -> str:
    """What ends the element or the comment that a block leaves open; empty when it leaves none."""
    at = 0
    while (opened := _OPEN.search(html, at)) is not None:
        name = opened[1]
        # `<!-->` is a comment too.
        ending = _ENDS[name.lower()] if name else _COMMENT_END
        end = ending.search(html, opened.end() if name else opened.start() + 2)
        if end is None:
            return f"</{name}>" if name else "-->"
        at = end.end()
    return ""

"""Makes callouts, task boxes and anchors, and ends HTML that a block leaves open."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Final, NamedTuple

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from vaulttools.core import render
from vaulttools.server.page.addresses import HERE
from vaulttools.server.page.rendering.context import context, heading_id

# The text after the quote sign at which a callout begins.
_CALLOUT: Final = re.compile(r"[ \t]*\[!([^\]\n]+)\]([+-]?)[ \t]*([^\n]*)")

_STYLES: Final = {
    *("note", "abstract", "info", "todo", "tip", "success", "question"),
    *("warning", "failure", "danger", "bug", "example", "quote"),
}
_ALIASES: Final = {
    **dict.fromkeys(("summary", "tldr"), "abstract"),
    **dict.fromkeys(("hint", "important"), "tip"),
    **dict.fromkeys(("check", "done"), "success"),
    **dict.fromkeys(("help", "faq"), "question"),
    **dict.fromkeys(("caution", "attention"), "warning"),
    **dict.fromkeys(("fail", "missing"), "failure"),
    "error": "danger",
    "cite": "quote",
}
"""Built-in types and their aliases (rule-K02)."""

_BOX: Final = re.compile(r"\[(.)\](?:[ \t]+|(?=\n)|\Z)")

_MARKED: Final = frozenset(
    (
        *("paragraph_open", "heading_open", "list_item_open", "table_open", "blockquote_open"),
        *("fence", "code_block", "html_block", "math_block", "hr"),
    )
)
"""The blocks that the page's address can point to."""


class Callout(NamedTuple):
    """A quote whose first line names a type, `> [!tip]- Title`."""

    type: str
    """As written, in lower case, without the text after a `|` (rule-K01)."""
    fold: str
    """`+`, `-`, or `""`."""
    title: str
    """Empty if there is none."""

    @property
    def style(self) -> str:
        """The built-in type, after resolving aliases; `note` for any other type (rule-K01, rule-K02)."""
        style = _ALIASES.get(self.type, self.type)
        return style if style in _STYLES else "note"


def callout(line: str) -> Callout | None:
    """Returns the callout that begins on the first line of a quote, given without its sign; None if there is none."""
    found = _CALLOUT.match(line)
    return found and Callout(found[1].partition("|")[0].strip().lower(), found[2], found[3].strip())


def callouts(state: StateCore) -> None:
    """Turn quotes that begin with `[!type]` into callouts."""
    made: list[Token] = []
    closers: list[str] = []
    tokens = iter(enumerate(state.tokens))
    for index, token in tokens:
        if token.type == "blockquote_open":
            found = _callout_at(state.tokens, index)
            closers.append("blockquote" if found is None else "details" if found.fold else "div")
            if found is not None:
                text = state.tokens[index + 2]
                made += _opened(token, found)
                _, _, rest = text.content.partition("\n")
                if rest:
                    text.content = rest
                else:  # the paragraph was only the title
                    for _ in range(3):
                        next(tokens)
                continue
        elif token.type == "blockquote_close":
            token.tag = closers.pop()
        made.append(token)
    state.tokens = made


def _callout_at(tokens: list[Token], index: int) -> Callout | None:
    if index + 2 >= len(tokens) or tokens[index + 1].type != "paragraph_open":
        return None
    return callout(tokens[index + 2].content.partition("\n")[0])


def _opened(token: Token, found: Callout) -> list[Token]:
    token.tag = "details" if found.fold else "div"
    token.attrs = {"class": f"n-callout n-{found.style}", **({"open": ""} if found.fold == "+" else {})}
    tag = "summary" if found.fold else "p"
    lines = token.map and [token.map[0], token.map[0] + 1]
    return [
        token,
        Token("callout_title_open", tag, 1, attrs={"class": "n-callout-title"}, block=True),
        Token(
            "inline",
            "",
            0,
            content=found.title or found.type.capitalize(),
            children=[],
            level=token.level + 2,
            map=lines,
        ),
        Token("callout_title_close", tag, -1, block=True),
    ]


def take_boxes(state: StateCore) -> None:
    """Remove task boxes from the text, where `[x]` could be read as a link, whatever character they contain."""
    for item, paragraph, text in zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False):
        if item.type == "list_item_open" and paragraph.type == "paragraph_open" and text.type == "inline":
            found = _BOX.match(text.content)
            if found:
                text.content = text.content[found.end() :]
                text.meta = {"box": found[1]}
                item.attrs = {**item.attrs, "class": "n-task"}


def show_boxes(state: StateCore) -> None:
    """Put the removed boxes back before the parsed text."""
    for token in state.tokens:
        if token.type == "inline" and token.meta.get("box") and token.children is not None:
            token.children.insert(0, Token("html_inline", "", 0, content=f"{box(token.meta['box'])} "))


def box(status: str) -> str:
    """Returns the box of a task as HTML, given the character in it."""
    if status == " ":
        return '<span class="n-box n-open" role="img" aria-label="Open"></span>'
    if status in "xX":
        return '<span class="n-box n-done" role="img" aria-label="Done"></span>'
    sign = escape(render.visible(status))
    return f'<span class="n-box n-other" role="img" aria-label="{sign}">{sign}</span>'


def anchors(state: StateCore) -> None:
    """Give headings their anchors, and mark the block that the page's address names."""
    here = context(state.env)
    if here.deeper:
        for token in state.tokens:
            if token.type in ("heading_open", "heading_close"):
                token.tag = f"h{min(6, int(token.tag[1:]) + here.deeper)}"
    if here.is_embedded:
        return
    for token in state.tokens:
        if token.type == "heading_open" and token.map and token.level == 0:
            token.attrSet("id", heading_id(token.map[0] + 1))
    if here.here is None:
        return
    index = _block_at(state.tokens, here.here)
    mark = Token("html_block", "", 0, content=f'<div id="{HERE}" class="n-here"></div>\n')
    state.tokens.insert(index + (index < len(state.tokens) and state.tokens[index].type == "list_item_open"), mark)


def _block_at(tokens: list[Token], line: int) -> int:
    """Returns the index of the innermost block with a line, or of the first one after it; past the end for none."""
    found = len(tokens)
    in_table = 0
    for index, token in enumerate(tokens):
        in_table += (token.type == "table_open") - (token.type == "table_close")
        if token.type not in _MARKED or not token.map or (in_table and token.type != "table_open"):
            continue
        start, end = token.map[0] + 1, token.map[1]
        if start > line:
            return min(found, index)
        if start <= line <= max(start, end):
            found = index
    return found


_NAMES: Final = ("script", "style", "textarea", "title", "iframe", "noembed", "noframes", "noscript", "xmp")
"""Elements whose content is not HTML."""

_OPEN: Final = re.compile(rf"<!--|<({'|'.join(_NAMES)})(?=[\s/>])", re.IGNORECASE)
_ENDS: Final = {name: re.compile(rf"</{name}(?=[\s/>])[^>]*>", re.IGNORECASE) for name in _NAMES}
_COMMENT_END: Final = re.compile("--!?>")


def close_raw_html(state: StateCore) -> None:
    """Close elements that HTML blocks leave open, and turn unclosed tags within lines into text.

    A browser takes everything after `<script>` or `<!--` for its content until it is closed. Obsidian renders block by
    block, so there only the block is lost. A block that begins with `<script>` or a comment continues to the end of the
    note, as in CommonMark.
    """
    for token in state.tokens:
        if token.type == "html_block":
            token.content += _missing_end(token.content)
        elif token.type == "inline":
            _show_unclosed(token.children or ())


def _show_unclosed(children: Sequence[Token]) -> None:
    """Turn tags that nothing in the same paragraph closes into text: the note mentions them, and does not use them."""
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
    """Returns the end of the element or comment that a block leaves open; empty if there is none."""
    at = 0
    while (opened := _OPEN.search(html, at)) is not None:
        name = opened[1]
        # `<!-->` is also a comment.
        ending = _ENDS[name.lower()] if name else _COMMENT_END
        end = ending.search(html, opened.end() if name else opened.start() + 2)
        if end is None:
            return f"</{name}>" if name else "-->"
        at = end.end()
    return ""

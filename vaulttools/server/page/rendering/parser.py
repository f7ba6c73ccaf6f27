"""Configures markdown-it-py as Obsidian reads Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from html import escape
from typing import Any, Final, TypeAlias

from markdown_it import MarkdownIt, rules_block
from markdown_it.renderer import RendererHTML
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from mdit_py_plugins.footnote import footnote_plugin

from vaulttools.notes.markdown.math_block import math_block
from vaulttools.server.page.rendering import blocks, inline, links
from vaulttools.server.page.rendering.context import context

_QUOTES: Final = 8
_LISTS: Final = 48
"""Nesting bounds of quotes and lists; what is nested deeper is text. Each quote parses its lines again: 50 kB of nested
quotes take 1 s with 8 levels, and 20 s with 128. Each level of a list takes four of Python's 1,000 stack frames.
"""

_BLOCK_DEPTH: Final = 2 * (_QUOTES + _LISTS) + 8
"""More than both bounds together, because markdown-it drops what is nested deeper."""

_INLINE_DEPTH: Final = 20
"""Nesting bound within a line, as in CommonMark's own parser; 100 kB of brackets take 2 s."""

_BlockRule: TypeAlias = Callable[[StateBlock, int, int, bool], bool]
_InlineRule: TypeAlias = Callable[[StateInline, bool], bool]
_CoreRule: TypeAlias = Callable[[StateCore], None]


class _Parser(MarkdownIt):
    """Passes on the destinations of links as written, to be resolved in the vault."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the name that markdown-it calls
        """Returns the destination unchanged."""
        return url

    def validateLink(self, url: str) -> bool:  # noqa: N802
        """Accept every destination: `links` decides where it may lead."""
        return True


@cache
def parser() -> MarkdownIt:
    """Returns the parser, which threads may share; the environment of each parse holds its `RenderContext`."""
    made, of_lines = _configured(_BLOCK_DEPTH), _configured(_INLINE_DEPTH)

    def parse_lines(state: StateCore) -> None:
        for token in state.tokens:
            if token.type == "inline":
                token.children = []
                of_lines.inline.parse(token.content, of_lines, state.env, token.children)

    made.core.ruler.at("inline", parse_lines)
    for ruler in (made.core.ruler, made.block.ruler, of_lines.inline.ruler, of_lines.inline.ruler2):
        ruler.getRules("")  # compiles the rule chains now: two threads must not do so at once
    return made


def _configured(depth: int) -> MarkdownIt:
    made = _Parser("commonmark", {"maxNesting": depth, "breaks": True})
    made.enable(["table", "strikethrough"])
    made.use(footnote_plugin)
    _add_inline_rules(made.inline.ruler)
    _add_core_rules(made.core.ruler)
    ends = ["paragraph", "reference", "blockquote", "list"]
    made.block.ruler.before("table", "math_block", math_block, {"alt": ends})
    made.block.ruler.at("blockquote", _bounded(rules_block.blockquote, "quotes", _QUOTES), {"alt": ends})
    made.block.ruler.at("list", _bounded(rules_block.list_block, "lists", _LISTS), {"alt": ends[:3]})
    for kind, render in {
        "math": _math,
        "math_block": _math,
        "fence": _code,
        "code_block": _code,
        "th_open": _cell,
        "td_open": _cell,
        "embed": links.embed_as_link,
        "embed_block": links.embed_as_block,
        "table_open": lambda *_: '<div class="n-table" tabindex="0"><table>\n',
        "table_close": lambda *_: "</table></div>\n",
    }.items():
        made.add_render_rule(kind, render)
    return made


def _add_inline_rules(ruler: Ruler[_InlineRule]) -> None:
    ruler.before("escape", "math", inline.math)
    for name, rule in {
        "wikilink": links.wikilink,
        "tag": inline.tag,
        "block_id": inline.block_id,
        "bare_address": inline.bare_address,
    }.items():
        ruler.before("link", name, rule)
    ruler.before("emphasis", "highlight", inline.highlight)


def _add_core_rules(ruler: Ruler[_CoreRule]) -> None:
    """Add the rules for all tokens, before and after their lines are parsed."""
    ruler.before("inline", "callouts", blocks.callouts)
    ruler.before("inline", "take_boxes", blocks.take_boxes)
    before = "inline"
    for name, rule in {
        "close_raw_html": blocks.close_raw_html,
        "resolve_markdown_links": links.resolve_markdown_links,
        "place_embeds": links.place_embeds,
        "show_boxes": blocks.show_boxes,
    }.items():
        ruler.after(before, name, rule)
        before = name
    ruler.push("anchors", blocks.anchors)


def _bounded(rule: _BlockRule, name: str, most: int) -> _BlockRule:
    """Limit how deep a rule of blocks may be nested in itself."""

    def bounded(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        open_now: int = state.env.get(name, 0)
        if open_now >= most:
            return False
        state.env[name] = open_now + 1
        try:
            return rule(state, start, end, silent)
        finally:
            state.env[name] = open_now

    return bounded


def _math(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    content, is_block = tokens[index].content.strip(), tokens[index].type == "math_block"
    typeset = context(env).formulas.add(content, is_block=is_block)
    if is_block and typeset is None:
        return f'<pre class="n-math" tabindex="0"><code>{escape(content)}</code></pre>\n'
    if is_block:
        return f'<div class="n-math" tabindex="0">{typeset}</div>\n'
    return f'<code class="n-math">{escape(content)}</code>' if typeset is None else typeset


def _code(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    token = tokens[index]
    language = token.info.strip().partition(" ")[0]
    if language == "base" and token.map and (table := context(env).base_block(token.map[0] + 1)):
        return table
    label = f'<span class="n-language">{escape(language)}</span>' if language else ""
    code = escape(token.content)
    kind = "n-code n-mermaid" if language.lower() == "mermaid" else "n-code"
    return f'<div class="{kind}">{label}<pre tabindex="0"><code>{code}</code></pre></div>\n'


def _cell(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    """Render a table cell with its alignment as a class: styles would need a policy that lets notes set styles."""
    style = str(tokens[index].attrs.get("style", ""))
    side = style.removeprefix("text-align:")
    aligned = f' class="n-{side}"' if side in ("left", "right", "center") else ""
    return f"<{tokens[index].tag}{aligned}>"

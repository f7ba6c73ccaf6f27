"""The block structure of a body, from markdown-it-py's tokens: headings, blocks, code, and where running text stands.

What stands inside lines is left to `inline`. Only this module knows the parser, and loads it when first used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from vaulttools.notes.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

    _Rule: TypeAlias = Callable[[StateBlock, int, int, bool], bool]

BlockKind: TypeAlias = Literal[
    "paragraph", "heading", "list_item", "quote", "callout", "table", "code", "html", "thematic_break", "footnote"
]
Span: TypeAlias = tuple[int, int]
"""First and last line."""

# How deep lists and quotes are told apart; beyond, they are text of the deepest. 60-deep lists are to be read (fault
# C16), and each level costs four Python frames of the 1,000 there are. Each quote reads its lines again for those in
# it: 128 levels of lazily continued quotes took 20 s for 50 kB.
_LISTS = 64
_QUOTES = 8

_ANYWHERE = ("paragraph", "reference", "blockquote")
# The parser's rules that only apply to a line with one of these signs first, and what each may interrupt (as in
# markdown_it/parser_block.py). Asking for the sign here, before the rule does, saves a fifth of the time (measured).
_SIGNS: dict[str, tuple[str, tuple[str, ...]]] = {
    "fence": ("`~", (*_ANYWHERE, "list")),
    "blockquote": (">", (*_ANYWHERE, "list")),
    "hr": ("-*_", (*_ANYWHERE, "list")),
    "list": ("-*+0123456789", _ANYWHERE),
    "html_block": ("<", _ANYWHERE),
    "heading": ("#", _ANYWHERE),
}

_KINDS: dict[str, BlockKind] = {
    "paragraph_open": "paragraph",
    "heading_open": "heading",
    "blockquote_open": "quote",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
    "hr": "thematic_break",
}
_READ = frozenset(_KINDS) | {
    "inline",
    "list_item_open",
    "list_item_close",
    "blockquote_close",
    "table_close",
    "bullet_list_open",
    "ordered_list_open",
}
_CALLOUT = re.compile(r"[ \t]*>[ \t]*\[![^\]\n]+\]")
_FOOTNOTE = re.compile(r"[ \t]*\[\^[^\]\s]+\]:")


class Heading(NamedTuple):
    """An ATX or setext heading of the outline: not in a quote, a list, code or HTML (rules F01, H01)."""

    level: int
    text: str
    line: int
    last_line: int
    """Of the heading itself; a setext heading has an underline."""
    end_line: int
    """Of its section: the line before the next heading of the same or a higher level."""


class Block(NamedTuple):
    """A stretch of lines that reads as one thing; blocks do not overlap, and each line with text lies in one.

    A list item ends before the first item nested in it; what follows that list is a block of its own. A quote or
    callout is one block with all it holds.
    """

    kind: BlockKind
    start_line: int
    end_line: int


class Region(NamedTuple):
    """Lines of running text or of HTML."""

    start_line: int
    end_line: int
    table: bool
    """Whether it is one row of a table."""


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    """A CommonMark parser for blocks, with tables, of bounded depth."""
    from markdown_it import MarkdownIt, rules_block

    parser = MarkdownIt("commonmark", {"maxNesting": 2 * _LISTS + _QUOTES + 1})
    # Link definitions are text to be searched like any other.
    parser.enable("table").disable("reference")
    parser.core.ruler.enableOnly(["block"])  # not `normalize`, which makes a line end of a lone \r
    rules = {name: getattr(rules_block, "list_block" if name == "list" else name) for name in _SIGNS}
    rules["list"] = _at_most(_LISTS, rules["list"])
    rules["blockquote"] = _at_most(_QUOTES, rules["blockquote"])
    for name, (signs, interrupted) in _SIGNS.items():
        parser.block.ruler.at(name, _led_by(signs, rules[name]), {"alt": [*interrupted]})
    parser.parse("text")  # compiles the rule chains here, since doing so in two threads at once is not safe
    return parser


def _led_by(signs: str, rule: _Rule) -> _Rule:
    def guarded(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        first = state.bMarks[start] + state.tShift[start]
        return first < state.eMarks[start] and state.src[first] in signs and rule(state, start, end, silent)

    return guarded


def _at_most(deepest: int, rule: _Rule) -> _Rule:
    # Beyond its `maxNesting` the parser drops all that follows; a rule that no longer applies keeps the lines.
    depth = f"depth of {rule.__name__}"

    def limited(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        level: int = state.env.get(depth, 0)
        if level >= deepest:
            return False
        state.env[depth] = level + (not silent)
        try:
            return rule(state, start, end, silent)
        finally:
            state.env[depth] = level

    return limited


class _OpenItem(NamedTuple):
    start: int
    end: int
    quotes: int


@dataclass(slots=True)
class Walk:
    """One pass over the tokens of a text from line ``first_line`` on; every part is in the order of lines, except
    ``blocks``, where a list item stands after what is nested in it.
    """

    source: Source
    first_line: int
    headings: list[Heading] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    code: list[Span] = field(default_factory=list)
    html: list[Region] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    item_ends: dict[int, int] = field(default_factory=dict)
    """The last line of a list item without its nested items, by its first line."""

    def __post_init__(self) -> None:
        self._read(_parser().parse(self.source.text[self.source.offset(self.first_line) :]))

    def _read(self, tokens: list[Token]) -> None:
        quotes = 0
        in_table = False
        in_item = False  # in the part of a list item that belongs to the item's own block
        items: list[_OpenItem] = []
        for index, token in enumerate(tokens):
            name = token.type
            if name not in _READ:
                continue
            first, end = token.map or (0, 0)
            start, end = first + self.first_line, max(first + 1, end) + self.first_line - 1
            if name == "inline":
                if not self.regions or self.regions[-1].start_line != start:  # the cells of a row come one by one
                    self.regions.append(Region(start, end, in_table))
            elif name in _KINDS:
                if name in ("fence", "code_block"):
                    self.code.append((start, end))
                elif name == "html_block":
                    self.html.append(Region(start, end, table=False))
                elif name == "heading_open" and token.level == 0:
                    text = tokens[index + 1].content.replace("\n", " ")
                    self.headings.append(Heading(int(token.tag[1]), text, start, end, end))
                if not (quotes or in_item):
                    self._add_block(_KINDS[name], start, end)
                quotes += name == "blockquote_open"
                in_table |= name == "table_open"
            elif name == "list_item_open":
                items.append(_OpenItem(start, end, quotes))
                in_item |= not quotes
            elif name == "list_item_close":
                self._add_item(items.pop())
                in_item &= bool(quotes)
            elif name == "blockquote_close":
                quotes -= 1
            elif name == "table_close":
                in_table = False
            else:  # a list begins
                if items and items[-1].quotes == quotes and items[-1].end >= start:
                    items[-1] = _OpenItem(items[-1].start, start - 1, quotes)
                in_item &= bool(quotes)

    def _add_item(self, item: _OpenItem) -> None:
        if item.end < item.start:  # `- - text`: all of the outer item is the inner one
            return
        end = self.source.trimmed(item.start, item.end)
        self.item_ends[item.start] = end
        if not item.quotes:
            self.blocks.append(Block("list_item", item.start, end))

    def _add_block(self, kind: BlockKind, start: int, end: int) -> None:
        if kind == "quote" and _CALLOUT.match(self.source.lines[start - 1]):
            kind = "callout"
        elif kind == "paragraph" and _FOOTNOTE.match(self.source.lines[start - 1]):
            kind = "footnote"
        self.blocks.append(Block(kind, start, end if kind == "code" else self.source.trimmed(start, end)))

"""Runs markdown-it-py's block rules only on lines to which they can apply.

It takes a third of the time of markdown-it-py's own parser.

Differences: lines come from a `Source`; the first character of a line selects the rules; one rule reads paragraphs and
setext headings (markdown-it reads them twice); tokens that `blocks` does not read are not made; the depth is bounded. A
differential test compares it with the original parser. `math_block` is a rule that markdown-it lacks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeAlias

from markdown_it import MarkdownIt, rules_block
from markdown_it.common.utils import mdTrim
from markdown_it.parser_block import ParserBlock
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from vaulttools.notes.markdown.math_block import math_block

if TYPE_CHECKING:
    from vaulttools.notes.parts import Source

_Rule: TypeAlias = Callable[[StateBlock, int, int, bool], bool]
_Rules: TypeAlias = dict[str, tuple[_Rule, ...]]

# The greatest depth of lists and quotes; deeper ones are text of the deepest, while markdown-it drops them. Lists 60
# deep must be read (fault-C16), and each level costs three of Python's 1,000 frames. Each quote reads its lines again
# for the quotes in it: 128 levels of lazily continued quotes took 20 s for 50 kB.
MAX_LISTS = 64
MAX_QUOTES = 8

_READ = frozenset(
    (
        *("paragraph_open", "heading_open", "inline", "fence", "code_block", "html_block", "math_block", "hr"),
        *("blockquote_open", "blockquote_close", "table_open", "table_close"),
        *("bullet_list_open", "ordered_list_open", "list_item_open", "list_item_close"),
    )
)
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*")
_BELOW_HEAD = re.compile(r"[-:|][-:| \t]*")


def tokens(source: Source, first_line: int, *, has_indented_code: bool = True) -> list[Token]:
    """Returns the block tokens of a text from line ``first_line`` on; their lines count from 0 at the top of the text.
    ``has_indented_code``: a line that is set in by four columns is code; else it is like any other.

    They are markdown-it's tokens of the types in `_READ`; a paragraph has no `inline` of its own.
    """
    state = _State(source, has_indented_code=has_indented_code)
    _PARSER.block.tokenize(state, first_line - 1, state.lineMax)
    return state.tokens


class _Token(Token):
    """A token with only the fields that are used: making it takes half the time (measured)."""

    __slots__ = ()

    def __init__(self, kind: str, tag: str, level: int, lines: list[int] | None = None) -> None:
        self.type = kind
        self.tag = tag
        self.level = level
        self.map = lines


class _State(StateBlock):
    """The state that the rules use: the lines, and the current depth in lists and quotes."""

    def __init__(self, source: Source, *, has_indented_code: bool) -> None:
        lines = source.lines
        count = len(lines) - (not lines[-1].strip(" \t"))  # markdown-it has no last line of blanks
        end = len(source.text)
        self.src = source.text
        self.md = _PARSER
        self.env = {}
        self.tokens = []
        self.bMarks = [*source.starts[:count], end]
        self.eMarks = [start - 1 for start in source.starts[1 : count + 1]] + [end]
        self.tShift = [len(line) - len(line.lstrip(" \t")) for line in lines[:count]] + [0]
        self.sCount = self.tShift.copy()
        if "\t" in source.text:
            for number, (line, indent) in enumerate(zip(lines[:count], self.tShift, strict=False)):
                if indent and "\t" in line[:indent]:
                    self.sCount[number] = len(line[:indent].expandtabs(4))
        self.bsCount = [0] * (count + 1)
        self.line = 0
        self.lineMax = count
        self.blkIndent = self.level = 0
        self.listIndent = self.ddIndent = -1
        self.tight = False
        self.parentType = "root"
        self._code_enabled = has_indented_code
        self.depths = {"lists": 0, "quotes": 0}
        self._unread = _Token("", "", 0)

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """Make a token; it is added only if `blocks` reads its type."""
        level = self.level
        if nesting < 0:
            self.level = level = level - 1
        elif nesting > 0:
            self.level += 1
        if ttype not in _READ:
            return self._unread
        token = _Token(ttype, tag, level)
        self.tokens.append(token)
        return token


class _Blocks(ParserBlock):
    """The loop over blocks, and the rules that markdown-it's own rules ask whether a quote, a table or a list ends."""

    def __init__(self) -> None:
        self.ruler = Ruler[_Rule]()
        self.ruler.push("in quotes and tables", _any_of(_BY_SIGN), {"alt": ["blockquote"]})
        self.ruler.push("in lists", _any_of(_ENDING_LISTS), {"alt": ["list"]})
        self.ruler.getRules("")  # compiles the chains now: two threads must not do that at once

    def tokenize(self, state: StateBlock, start: int, end: int) -> None:
        """Make the tokens for some lines; stop before a line that belongs to an outer block."""
        source, begins, ends, shifts, indents = state.src, state.bMarks, state.eMarks, state.tShift, state.sCount
        line = start
        while line < end:
            while line < state.lineMax and begins[line] + shifts[line] >= ends[line]:
                line += 1
            state.line = line
            if line >= end or indents[line] < state.blkIndent:
                break
            below = begins[line + 1] + shifts[line + 1]
            if source[below : below + 1] in _BELOW_HEADS and _table(state, line, end, False):
                pass
            elif state.is_code_block(line):
                rules_block.code(state, line, end, False)
            else:
                for rule in _BY_SIGN.get(source[begins[line] + shifts[line]], ()):
                    if rule(state, line, end, False):
                        break
                else:
                    _text(state, line, end)
            line = state.line
            if line < end and begins[line] + shifts[line] >= ends[line]:
                state.line = line = line + 1


def _text(state: StateBlock, start: int, end: int) -> None:
    """Read a paragraph or a setext heading: the rules `lheading` and `paragraph` in one pass over the lines."""
    source, begins, ends, shifts, indents = state.src, state.bMarks, state.eMarks, state.tShift, state.sCount
    indent = state.blkIndent
    last = state.lineMax  # lazy lines included
    parent, state.parentType = state.parentType, "paragraph"
    line = start + 1
    while line < last:
        first = begins[line] + shifts[line]
        if first >= ends[line]:
            break
        width = indents[line]
        if not state.is_code_block(line):
            sign = source[first]
            if sign in _BELOW_HEADS and line - 1 > start and _heads_table(state, line - 1, last):
                line -= 1
                break
            if sign in "-=" and indent <= width and line < end and _UNDERLINE.fullmatch(source, first, ends[line]):
                _add_heading(state, start, line, "h1" if sign == "=" else "h2")
                state.parentType = parent
                return
            # A negative width marks a lazy line of a quote, which has already asked the rules.
            if width >= 0 and _ends_text(state, line, last, True):
                break
        line += 1
    state.line = line
    state.tokens.append(_Token("paragraph_open", "p", state.level, [start, line]))
    state.parentType = parent


def _add_heading(state: StateBlock, start: int, underline: int, tag: str) -> None:
    state.line = underline + 1
    state.push("heading_open", tag, 0).map = [start, underline + 1]
    inline = state.push("inline", "", 0)
    inline.content = mdTrim(state.getLines(start, underline, state.blkIndent, False))
    inline.map = [start, underline]


def _heads_table(state: StateBlock, line: int, end: int) -> bool:
    """Whether a line in a text is the head of a table, which ends the text."""
    return 0 <= state.sCount[line] <= state.blkIndent + 3 and _table(state, line, end, True)


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Run the rule `table` if the second line may be its delimiter row; mostly it is a list item."""
    below = state.bMarks[start + 1] + state.tShift[start + 1]
    return (
        _BELOW_HEAD.fullmatch(state.src, below, state.eMarks[start + 1]) is not None
        and not math_block(state, start, end, True)
        and rules_block.table(state, start, end, silent)
    )


def _bounded(rule: _Rule, kind: str, most: int) -> _Rule:
    """Returns a rule that applies only if fewer than `most` blocks of its kind are open."""

    def bounded(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        assert isinstance(state, _State)
        if state.depths[kind] >= most:
            return False
        state.depths[kind] += 1
        found = rule(state, start, end, silent)
        state.depths[kind] -= 1
        return found

    return bounded


def _hr(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    first = state.bMarks[start] + state.tShift[start]
    # Most lines with such a first character are list items.
    return state.src.count(state.src[first], first, state.eMarks[start]) >= 3 and rules_block.hr(
        state, start, end, silent
    )


def _any_of(rules: _Rules) -> _Rule:
    def found(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        first = state.bMarks[start] + state.tShift[start]
        if first < state.eMarks[start]:
            for rule in rules.get(state.src[first], ()):
                if rule(state, start, end, silent):
                    return True
        return False

    return found


_list = _bounded(rules_block.list_block, "lists", MAX_LISTS)
_quote = _bounded(rules_block.blockquote, "quotes", MAX_QUOTES)

# In markdown-it's order (markdown_it/parser_block.py).
_BY_SIGN: _Rules = {
    "`": (rules_block.fence,),
    "~": (rules_block.fence,),
    "$": (math_block,),
    ">": (_quote,),
    "-": (_hr, _list),
    "*": (_hr, _list),
    "_": (_hr,),
    "+": (_list,),
    **dict.fromkeys("0123456789", (_list,)),
    "<": (rules_block.html_block,),
    "#": (rules_block.heading,),
}
_ENDING_LISTS: _Rules = {
    "`": (rules_block.fence,),
    "~": (rules_block.fence,),
    "$": (math_block,),
    ">": (_quote,),
    **dict.fromkeys("-*_", (_hr,)),
}
_BELOW_HEADS = frozenset("|-:")
_ends_text = _any_of(_BY_SIGN)

_PARSER = MarkdownIt("commonmark")
_PARSER.block = _Blocks()

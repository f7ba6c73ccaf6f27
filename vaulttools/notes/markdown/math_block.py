"""Reads `$$ … $$` as one block, for structure and page."""

from __future__ import annotations

from typing import Final

from markdown_it.rules_block import StateBlock

SIGNS: Final = "$$"


def math_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A block rule of markdown-it: read the formula that begins at a line, over blank lines too.

    It ends at the next `$$` in the same quote or list item; text after that belongs to the lines of the block. A
    formula in one line is a block only where nothing else is in its line, and it ends no paragraph. Without an end
    there is no block: the signs are text, and what follows is read. Obsidian's editor colours all below such signs up
    to the next ones (artisticat1/obsidian-latex-suite 596); what its cache holds then is not known.
    """
    first, last = state.bMarks[start] + state.tShift[start], state.eMarks[start]
    if not state.src.startswith(SIGNS, first, last) or state.is_code_block(start):
        return False
    line, closing = start, state.src.find(SIGNS, first + 2, last)
    if closing >= 0:
        if silent or state.src[closing + 2 : last].strip():
            return False
    elif (found := _closing(state, start, end)) is None:
        return False
    else:
        line, closing = found
    if silent:
        return True
    state.line = line + 1
    token = state.push("math_block", "math", 0)
    token.map = [start, line + 1]
    begins = [first + 2, *state.bMarks[start + 1 : line + 1]]
    ends = [*state.eMarks[start:line], closing]
    token.content = "\n".join(state.src[one:other] for one, other in zip(begins, ends, strict=True))
    if rest := state.src[closing + 2 : state.eMarks[line]].strip():
        state.push("math_rest_open", "p", 1)
        text = state.push("inline", "", 0)
        text.map, text.content, text.children = [start, line + 1], rest, []
        state.push("math_rest_close", "p", -1)
    return True


def _closing(state: StateBlock, start: int, end: int) -> tuple[int, int] | None:
    """Returns the line and the offset of the signs that end a formula; None if there are none in the same quote or list
    item, or if the next ones cannot be its end: they begin a formula of one line, or lie in a code span."""
    indent = min(state.blkIndent, state.sCount[start])  # the line may be less indented than the item that it ends
    for line in range(start + 1, end):
        begin, last = state.bMarks[line] + state.tShift[line], state.eMarks[line]
        if begin < last and state.sCount[line] < indent:
            return None
        at = state.src.find(SIGNS, begin, last)
        if at >= 0:
            is_formula = at == begin and state.src.find(SIGNS, at + 2, last) >= 0
            is_code = state.src.count("`", begin, at) % 2 and "`" in state.src[at:last]
            return None if is_formula or is_code else (line, at)
    return None

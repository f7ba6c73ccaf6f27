"""Reads callouts: quotes whose first line names a type, `> [!tip]- Title`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

Fold: TypeAlias = Literal["", "+", "-"]

# What follows the quote sign at which a callout begins.
_MARK = re.compile(r"[ \t]*\[!([^\]\n]+)\]([+-]?)[ \t]*([^\n]*)")

_STYLES = {
    *("note", "abstract", "info", "todo", "tip", "success", "question"),
    *("warning", "failure", "danger", "bug", "example", "quote"),
}
_ALIASES = {
    "summary": "abstract",
    "tldr": "abstract",
    "hint": "tip",
    "important": "tip",
    "check": "success",
    "done": "success",
    "help": "question",
    "faq": "question",
    "caution": "warning",
    "attention": "warning",
    "fail": "failure",
    "missing": "failure",
    "error": "danger",
    "cite": "quote",
}
"""rule-K02."""


class Callout(NamedTuple):
    """A callout at any depth, and the lines of its quote."""

    type: str
    """As written, in lower case, without what follows a `|` (rule-K01)."""
    fold: Fold
    title: str
    """Empty when there is none."""
    line: int
    end_line: int

    @property
    def style(self) -> str:
        """The type that an alias stands for; `note` for one that is not built in (rule-K01, rule-K02)."""
        style = _ALIASES.get(self.type, self.type)
        return style if style in _STYLES else "note"


def read(line: str, depth: int, number: int, end_line: int) -> Callout | None:
    """The callout that the ``depth``-th quote sign of a line, number ``number``, begins, or None."""
    found = _at_depth(depth).match(line)
    if found is None:
        return None
    kind, fold, title = found[1], found[2], found[3]
    return Callout(kind.partition("|")[0].strip().lower(), fold, title.strip(), number, end_line)  # type: ignore[arg-type]


@lru_cache(maxsize=16)
def _at_depth(depth: int) -> re.Pattern[str]:
    return re.compile(rf"(?:[^>\n]*+>){{{depth}}}{_MARK.pattern}")

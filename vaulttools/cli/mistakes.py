"""Answers a wrong command line with a sentence and a suggestion."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from vaulttools.core import render, spelling
from vaulttools.errors import BadArgument


class Mistake(BadArgument):
    """A wrong command line: a sentence, and a hint at the probable intention."""

    def __init__(self, sentence: str, hint: str) -> None:
        self.hint = render.visible(hint)
        super().__init__(sentence)


ELSEWHERE: Final = {
    "ask": "query",
    "backlinks": "links",
    "cat": "read",
    "list": "find",
    "ls": "find",
    "open": "read",
    "rg": "search",
    "tag": "tags",
    "todo": "tasks",
    "todos": "tasks",
}
"""Commands of other programs, with our equivalents."""

OF_GREP: Final = {
    "-c": "search-files PATTERN --output counts",
    "-l": "search-files PATTERN --output paths",
}
"""Options of grep, with our equivalents."""


def unknown(what: str, given: str, known: Iterable[str], others: str) -> Mistake:
    """Returns the error for an unknown command or option, with the nearest known name, and where to find the others."""
    near = spelling.closest(given.lstrip("-"), [*known, *ELSEWHERE], key=lambda name: name.lstrip("-"))
    near = [ELSEWHERE.get(name, name) for name in near if not (given.startswith("-") and name in ELSEWHERE)]
    # `--due` probably means `--due-after` or `--due-before`, not `--no-due`.
    near = [name for name in near if name.startswith(f"{given}-")] or near[:1]
    meant = f"Did you mean {' or '.join(near)}? " if near else ""
    return Mistake(f"unknown {what} '{given}'", f"{meant}All {what}s: {others}")

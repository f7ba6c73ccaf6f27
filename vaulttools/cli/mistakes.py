"""Answers a wrong command line: a sentence, and what was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from vaulttools.core import render, spelling
from vaulttools.errors import BadArgument


class Mistake(BadArgument):
    """A wrong command line: a sentence, and a line that says what was probably meant."""

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
"""Commands of other programs, with ours that do the same."""

OF_GREP: Final = {
    "-c": "search-files PATTERN --output counts",
    "-l": "search-files PATTERN --output paths",
}
"""Options of grep, with commands of ours that do the same."""


def unknown(what: str, given: str, known: Iterable[str], others: str) -> Mistake:
    """That there is no such command or option, with the nearest of those known, and where the others are."""
    near = spelling.closest(given.lstrip("-"), [*known, *ELSEWHERE], key=lambda name: name.lstrip("-"))
    near = [ELSEWHERE.get(name, name) for name in near if not (given.startswith("-") and name in ELSEWHERE)]
    # `--due` is rather one of `--due-after` and `--due-before` than `--no-due`.
    near = [name for name in near if name.startswith(f"{given}-")] or near[:1]
    meant = f"Did you mean {' or '.join(near)}? " if near else ""
    return Mistake(f"unknown {what} '{given}'", f"{meant}All {what}s: {others}")

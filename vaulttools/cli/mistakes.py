"""Answers a wrong command line with a sentence and a suggestion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from vaulttools.core import render, spelling
from vaulttools.errors import BadArgument


class Mistake(BadArgument):
    """A wrong command line: a sentence, and a hint at the probable intention."""

    def __init__(self, sentence: str, hint: str) -> None:
        self.hint = render.visible(hint)
        super().__init__(sentence)


class UnknownOption(Mistake):
    """An option that a command does not have."""

    def __init__(self, given: str, near: Sequence[str], hint: str) -> None:
        """`near` are options with a similar name."""
        self.given, self.near = given, near
        super().__init__(f"unknown option '{given}'", hint)


class LeftOver(Mistake):
    """Words after a command that takes only options."""

    def __init__(self, sentence: str, words: Sequence[str]) -> None:
        self.words = words
        super().__init__(sentence, "")


PROGRAMS: Final = {
    "ack": "search {PATTERN}",
    "ag": "search {PATTERN}",
    "ask": "query {QUESTION}",
    "backlinks": "links {NOTE} --direction back",
    "bat": "read {NOTE}",
    "cat": "read {NOTE}",
    "dir": "find {*}",
    "fd": "find **/*{NAME}*",
    "list": "find {*}",
    "locate": "find **/*{NAME}*",
    "ls": "find {*}",
    "open": "read {NOTE}",
    "rg": "search {PATTERN}",
    "ripgrep": "search {PATTERN}",
    "tag": "tags",
    "task": "tasks",
    "todo": "tasks",
    "todos": "tasks",
    "tree": "find {*}",
}
"""Commands of other programs that begin no question, and ours with the same meaning. `{NOTE}` stands for the word after
the command."""

GENERAL: Final = ("--vault", "--json", "--no-index", "--today", "--version", "--help")
"""Options of every command."""


def unknown_option(given: str, known: Iterable[str], others: str) -> UnknownOption:
    """Returns the error for an unknown option, with the nearest known ones, and where to find the others."""
    near = spelling.closest(given.lstrip("-"), [*known, *GENERAL], key=lambda name: name.lstrip("-"))
    # `--due` probably means `--due-after` or `--due-before`, not `--no-due`.
    near = [name for name in near if name.startswith(f"{given}-")] or near[:1]
    meant = f"Did you mean {' or '.join(near)}? " if near else ""
    return UnknownOption(given, near, f"{meant}All options: {others}")

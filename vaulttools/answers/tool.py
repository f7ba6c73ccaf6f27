"""Defines a tool: its name, descriptions, request, answer, and function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from vaulttools.answers.answer import Answer
from vaulttools.answers.request import Request
from vaulttools.call import Call

if TYPE_CHECKING:
    from vaulttools.answers.shown_lines import FileStream

R = TypeVar("R", bound=Request)
A = TypeVar("A", bound=Answer)


@dataclass(frozen=True, slots=True)
class Tool(Generic[R, A]):
    """One entry of the registry. Every interface (Python, command line, MCP) is made from these fields alone."""

    name: str
    summary: str
    """One line for people: command help, the index of the documentation."""
    description: str
    """For a model: what it does, when to use it, examples of arguments."""
    request: type[R]
    answer: type[A]
    """What `run` returns; if that differs in its fields, what all of `answers` have."""
    run: Callable[[Call, R], A]
    answers: tuple[type[A], ...] = ()
    """The kinds of answers, if there are several; each has the fields of `answer`, and its own."""
    needs_structure: bool = False
    """Whether it uses the structure of all notes. The command line then updates the index first, if `waits` says so."""
    waits: Callable[[R], bool] = lambda _: True
    """Whether a request cannot be answered at all before that."""
    csv: Callable[[A], str] | None = None
    """Returns what the command line prints with `--csv`; None if there is no such form."""
    stream: Callable[[Call, R], FileStream] | None = None
    """Yields every result file by file, without a text; None if there is no such form."""
    zero_is_success: bool = False
    """Whether the command line exits with 0 without results too, as for a comparison of counts."""

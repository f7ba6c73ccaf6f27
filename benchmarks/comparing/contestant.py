"""The description of a program that is compared: its commands, its calls and how its answers are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Call: TypeAlias = tuple[str, dict[str, Any]]
"""A tool and its arguments."""
Result: TypeAlias = dict[str, Any]
"""The result of MCP's `tools/call`: `content`, perhaps `structuredContent`."""

FIRST = 5
"""How many notes of an answer count."""
MOST = 20
"""How many notes a search for exact text has to give."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """One program; an adapter makes it for a vault."""

    name: str
    version: str
    ask: Callable[[str], Call]
    """The call for a question in plain words; the first `FIRST` notes of its answer count."""
    find: Callable[[str], Call]
    """The call for a word as it is written; the first `MOST` notes of its answer count."""
    read: Callable[[str], Call]
    """The call that shows the file at a path of the vault."""
    paths: Callable[[Result], list[str]]
    """The notes of an answer, best first, relative to the vault."""
    command: Sequence[str] = ()
    """Starts its MCP server over stdin and stdout."""
    run: Callable[[Call], Result] | None = None
    """Runs a program that is no server, for one call."""
    environment: Mapping[str, str] = field(default_factory=dict)
    ask_worded: Callable[[Sequence[str]], Call] | None = None
    """The call for a question and its other wordings, if the program takes them in one call; else each is a call."""
    prepare: Sequence[str] = ()
    """A command that must run before the server is of use; its time counts."""
    refresh: str = ""
    """The command that a user runs after a change if the server does not see changes."""


def text_of(result: Result) -> str:
    """The text of an answer, as a model reads it."""
    return "\n".join(
        str(part.get("text") or part.get("resource", {}).get("text", "")) for part in result.get("content", [])
    )

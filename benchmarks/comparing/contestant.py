"""What there is to know of a program that is compared, and how it is spoken to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Call: TypeAlias = tuple[str, dict[str, Any]]
"""A tool and its arguments."""
Result: TypeAlias = dict[str, Any]
"""What MCP's `tools/call` gives: `content`, perhaps `structuredContent`."""

FIRST = 5
"""Notes of an answer that count."""
MOST = 20
"""Notes that a search for exact text is asked for."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """One program; an adapter makes it for a vault."""

    name: str
    version: str
    ask: Callable[[str], Call]
    """The call for a question in plain words, of which the first `FIRST` notes count."""
    find: Callable[[str], Call]
    """The call for a word as it is written, of which the first `MOST` notes count."""
    read: Callable[[str], Call]
    """The call that shows the file at a path of the vault."""
    paths: Callable[[Result], list[str]]
    """The notes of an answer, best first, relative to the vault."""
    command: Sequence[str] = ()
    """Starts its MCP server over stdin and stdout."""
    run: Callable[[Call], Result] | None = None
    """For a program that is no server: runs it for one call."""
    environment: Mapping[str, str] = field(default_factory=dict)
    prepare: Sequence[str] = ()
    """A command that must run before the server is of use; its time counts."""
    refresh: str = ""
    """What a user runs after a change, where the server does not see it."""


def text_of(result: Result) -> str:
    """The text of an answer, as a model reads it."""
    return "\n".join(
        str(part.get("text") or part.get("resource", {}).get("text", "")) for part in result.get("content", [])
    )

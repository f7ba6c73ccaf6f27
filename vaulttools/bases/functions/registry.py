"""Registers functions, each with type, signature, description, and an example that is its test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from vaulttools.bases.context import Frame
from vaulttools.bases.faults import Failed
from vaulttools.bases.values import Value

Body: TypeAlias = Callable[[Frame, Any, Sequence[Any]], Value]
"""From the frame, the value that the function is called on (null for a global one), and the arguments."""

Lazy: TypeAlias = Callable[[Frame], Value]
"""An argument that is computed by the function itself, once an element."""

KINDS: Final = ("global", "any", "string", "number", "date", "duration", "list", "link", "file", "object", "regexp")


@dataclass(frozen=True, slots=True)
class Function:
    """One function."""

    kind: str
    """The type of what it is called on, or `global`."""
    signature: str
    words: str
    """What it gives."""
    example: str
    result: str
    """What the example gives, as JSON."""
    body: Body
    least: int
    """Arguments that it needs."""
    lazy: bool = False
    """Whether its arguments are handed over unevaluated; of `if` all, of list functions the first."""

    @property
    def name(self) -> str:
        """As it is called."""
        return self.signature.partition("(")[0]


FUNCTIONS: Final[dict[tuple[str, str], Function]] = {}
"""By kind and name."""


def function(
    kind: str, signature: str, words: str, example: str, result: str, *, least: int = 0, lazy: bool = False
) -> Callable[[Body], Body]:
    """Register a function."""

    def registered(body: Body) -> Body:
        made = Function(kind, signature, words, example, result, body, least, lazy)
        FUNCTIONS[kind, made.name] = made
        return body

    return registered


def number(value: Value, what: str) -> float:
    """A number that a function is given.

    Raises:
        Failed: it is none.
    """
    if isinstance(value, int | float):
        return value
    raise Failed(f"{what} must be a number.")


def whole(value: Value, what: str) -> int:
    """A whole number that a function is given, its fraction cut off as JavaScript cuts it; bounded."""
    given = number(value, what)
    if given != given:  # NaN
        return 0
    return int(max(-(2**31), min(2**31, given)))

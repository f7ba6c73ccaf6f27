"""Registers the functions of expressions, by the type of value that they take.

`global_functions` has those of no value and of any, `lists` those of lists and the summaries of columns, `scalars` all
others. `docs/bases.md` describes each function, with an example that is its test.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from vaulttools.bases.context import Frame
from vaulttools.bases.syntax import Failed
from vaulttools.bases.values import Value, text_of

Body: TypeAlias = Callable[..., Value]
"""From the frame, the value that the function is called on (a global one has none), and the arguments."""

Lazy: TypeAlias = Callable[[Frame], Value]
"""An argument that is computed by the function itself, once an element."""


@dataclass(frozen=True, slots=True)
class Function:
    """One function."""

    kind: str
    """The type of what it is called on, `any`, or `global`."""
    signature: str
    body: Body
    least: int
    """Arguments that it needs."""
    most: int | None
    """Arguments that it takes, further ones are ignored; None: any number."""
    lazy: bool
    """Whether its arguments are handed over unevaluated; of `if` all, of list functions the first."""

    @property
    def name(self) -> str:
        """As it is called."""
        return self.signature.partition("(")[0]


FUNCTIONS: Final[dict[tuple[str, str], Function]] = {}
"""By kind and name."""


def register(kind: str, functions: Mapping[str, Body], *, lazy: bool = False) -> None:
    """Register functions by their signatures; how many arguments each takes is read off the parameters of its body."""
    for signature, body in functions.items():
        parameters = [*inspect.signature(body).parameters.values()][1 if kind == "global" else 2 :]
        named = [each for each in parameters if each.kind is not each.VAR_POSITIONAL]
        least = sum(each.default is each.empty for each in named)
        made = Function(kind, signature, body, least, len(named) if named == parameters else None, lazy)
        FUNCTIONS[kind, made.name] = made


def text(frame: Frame, value: Value) -> str:
    """A value as `toString()` gives it."""
    return text_of(value, frame.context.setting)


def whole(value: Value, what: str) -> int:
    """A whole number that a function is given, its fraction cut off as JavaScript cuts it; bounded.

    Raises:
        Failed: it is no number; `what` says which.
    """
    if not isinstance(value, int | float):
        raise Failed(f"{what} must be a number.")
    if value != value:  # NaN
        return 0
    return int(max(-(2**31), min(2**31, value)))

"""Registers the functions of expressions by the type of the value they are called on.

`global_functions` holds global functions and those of any type, `lists` the functions of lists and the summaries of
columns, `scalars` all others. `docs/bases.md` describes each function with an example, which a test runs.
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
"""Takes the frame, the value that the function is called on (except for a global function), and the arguments."""

Lazy: TypeAlias = Callable[[Frame], Value]
"""An argument that the function itself computes, once for each element."""


@dataclass(frozen=True, slots=True)
class Function:
    """One function."""

    kind: str
    """The type of the value that it is called on, `any`, or `global`."""
    signature: str
    body: Body
    least: int
    """Number of required arguments."""
    most: int | None
    """Number of accepted arguments (it ignores further ones); None for any number."""
    lazy: bool
    """True if it gets its arguments uncomputed: `if` all of them, list functions the first."""

    @property
    def name(self) -> str:
        """Its name in a call."""
        return self.signature.partition("(")[0]


FUNCTIONS: Final[dict[tuple[str, str], Function]] = {}
"""Functions by kind and name."""


def register(kind: str, functions: Mapping[str, Body], *, lazy: bool = False) -> None:
    """Register functions by their signatures; the parameters of a body say how many arguments it takes."""
    for signature, body in functions.items():
        parameters = [*inspect.signature(body).parameters.values()][1 if kind == "global" else 2 :]
        named = [each for each in parameters if each.kind is not each.VAR_POSITIONAL]
        least = sum(each.default is each.empty for each in named)
        made = Function(kind, signature, body, least, len(named) if named == parameters else None, lazy)
        FUNCTIONS[kind, made.name] = made


def text(frame: Frame, value: Value) -> str:
    """Returns a value as `toString()` does."""
    made = text_of(value, frame.context.setting)
    return made if isinstance(value, str | int | float | None) else frame.context.text(made)


def whole(value: Value, what: str) -> int:
    """Returns an argument as a whole number from -2**31 to 2**31, cut off as in JavaScript; 0 for NaN.

    Raises:
        Failed: it is not a number; `what` names the argument.
    """
    if not isinstance(value, int | float):
        raise Failed(f"{what} must be a number.")
    if value != value:  # NaN
        return 0
    return int(max(-(2**31), min(2**31, value)))

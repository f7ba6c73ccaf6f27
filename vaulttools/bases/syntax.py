"""Defines the tree of an expression, and the errors of parsing and computing.

Every node has its position in the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

MAX_TEXT: Final = 1_000_000
"""Characters of one text."""
TOO_LONG: Final = f"The text is longer than {MAX_TEXT:,} characters."
_REASON_CHARACTERS: Final = 300
"""A reason may quote a text, and a call keeps one for each row."""


class InvalidExpression(Exception):
    """The text is not an expression; `position` is the character at fault, from 0."""

    def __init__(self, position: int, reason: str) -> None:
        self.position = position
        self.reason = reason
        super().__init__(reason)


class Failed(Exception):
    """An expression has no value for one file; the message says why, as the app shows it in the cell."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason if len(reason) <= _REASON_CHARACTERS else f"{reason[:_REASON_CHARACTERS]}…")

    def alone(self) -> Failed:
        """Returns the reason without its traceback, which would keep all values that were in work."""
        return Failed(*self.args)


class OutOfTime(Exception):
    """The call has no time left."""


class Literal(NamedTuple):
    """A string, a number, `true`, `false` or `null`."""

    position: int
    """First character of the node, from 0; likewise in all nodes."""
    value: str | float | int | bool | None


class RegexLiteral(NamedTuple):
    """`/source/flags`."""

    position: int
    source: str
    flags: str


class Name(NamedTuple):
    """A single name: a property of the note, `file`, `this`, `value`."""

    position: int
    name: str


class MemberAccess(NamedTuple):
    """`object.name`."""

    position: int
    """First character of the name."""
    object: Node
    name: str


class Item(NamedTuple):
    """`object[key]`."""

    position: int
    object: Node
    key: Node


class Call(NamedTuple):
    """`name(…)` or `object.name(…)`."""

    position: int
    """First character of the name."""
    object: Node | None
    name: str
    arguments: tuple[Node, ...]


class Unary(NamedTuple):
    """`!operand`, `-operand`, `+operand`."""

    position: int
    sign: str
    operand: Node


class Binary(NamedTuple):
    """`left sign right`."""

    position: int
    """First character of the sign."""
    sign: str
    left: Node
    right: Node


class ListOf(NamedTuple):
    """`[a, b]`."""

    position: int
    elements: tuple[Node, ...]


class ObjectOf(NamedTuple):
    """`{"a": 1}`."""

    position: int
    entries: tuple[tuple[str, Node], ...]


Node: TypeAlias = Literal | RegexLiteral | Name | MemberAccess | Item | Call | Unary | Binary | ListOf | ObjectOf


def parts(node: Node) -> tuple[Node, ...]:
    """Returns the nodes directly below a node."""
    match node:
        case MemberAccess(object=below):
            return (below,)
        case Item(object=below, key=key):
            return (below, key)
        case Call(object=below, arguments=arguments):
            return arguments if below is None else (below, *arguments)
        case Unary(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case ListOf(elements=elements):
            return elements
        case ObjectOf(entries=entries):
            return tuple(value for _, value in entries)
        case _:
            return ()


def walk(node: Node) -> Iterator[Node]:
    """Yields a node and all nodes below it, in no particular order."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += parts(node)

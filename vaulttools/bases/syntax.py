"""Defines the tree of an expression, and the ways in which one fails.

Every node has its place in the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias


class InvalidExpression(Exception):
    """A text that is no expression; `position` is the character at fault, from 0."""

    def __init__(self, position: int, reason: str) -> None:
        self.position = position
        self.reason = reason
        super().__init__(reason)


class Failed(Exception):
    """An expression that has no value for one file; the sentence says why, as the app shows it in the cell."""


class OutOfTime(Exception):
    """The time of the call is over."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A string, a number, `true`, `false` or `null`."""

    position: int
    """The first character, from 0; as of all nodes."""
    value: str | float | int | bool | None


@dataclass(frozen=True, slots=True)
class RegexLiteral:
    """`/source/flags`."""

    position: int
    source: str
    flags: str


@dataclass(frozen=True, slots=True)
class Name:
    """A name that stands alone: a property of the note, `file`, `this`, `value`."""

    position: int
    name: str


@dataclass(frozen=True, slots=True)
class MemberAccess:
    """`object.name`."""

    position: int
    """Of the name."""
    object: Node
    name: str


@dataclass(frozen=True, slots=True)
class Item:
    """`object[key]`."""

    position: int
    object: Node
    key: Node


@dataclass(frozen=True, slots=True)
class Call:
    """`name(…)` or `object.name(…)`."""

    position: int
    """Of the name."""
    object: Node | None
    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Unary:
    """`!operand`, `-operand`, `+operand`."""

    position: int
    sign: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """`left sign right`."""

    position: int
    """Of the sign."""
    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class ListOf:
    """`[a, b]`."""

    position: int
    elements: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class ObjectOf:
    """`{"a": 1}`."""

    position: int
    entries: tuple[tuple[str, Node], ...]


Node: TypeAlias = Literal | RegexLiteral | Name | MemberAccess | Item | Call | Unary | Binary | ListOf | ObjectOf


def parts(node: Node) -> tuple[Node, ...]:
    """The nodes directly below one."""
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
    """A node and all below it, in no order."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += parts(node)

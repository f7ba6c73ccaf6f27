"""Defines the tree of a query, as data.

A tree is shallow enough to be walked recursively: `language.MAX_NESTING` bounds it.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, TypeVar, get_args

Scope = Literal["file", "path", "content", "line", "block", "section", "task", "task-todo", "task-done"]
SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)

Fact = Literal["null", "EMPTY", "TRUE", "FALSE"]
FACTS: Final[tuple[Fact, ...]] = get_args(Fact)


@dataclass(frozen=True, slots=True)
class Term:
    """A bare word: text without blanks, at least one character, found anywhere, also inside words (rule-S05)."""

    text: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """Quoted text, unescaped: an exact phrase of full words (rule-S06 to rule-S08). Empty text is in everything
    (rule-S29)."""

    text: str


@dataclass(frozen=True, slots=True)
class Regex:
    """What stood between two slashes, with each escaped slash as a slash; whether it compiles is not known here
    (rule-S32).

    `position` is that of its opening slash in the query, in characters from 1, for `InvalidQuery`; it is no part of the
    value.
    """

    source: str
    position: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class And:
    """All of the parts, each anywhere in the same unit; two at least, none of them an And (rule-S04)."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Any of the parts; two at least, none of them an Or (rule-S10)."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """What the part does not match; never a Not itself (rule-S12)."""

    part: Node


@dataclass(frozen=True, slots=True)
class Within:
    """The part, looked for in the name, the path or the content, or in one line, block, section or task (rule-S16,
    rule-S17, rule-S24 to rule-S29). In a name or a path there are only Term, Phrase, Regex, And, Or, Not and Case.
    """

    scope: Scope
    part: Node


@dataclass(frozen=True, slots=True)
class Case:
    """The part, with its case compared or not, whatever holds outside of it (rule-S18)."""

    sensitive: bool
    part: Node


@dataclass(frozen=True, slots=True)
class TagNode:
    """A tag of this name or below it, case ignored; the name is as given, without its `#` (rule-S20 to rule-S23)."""

    name: str


@dataclass(frozen=True, slots=True)
class PropertyNode:
    """A property whose name matches, with a value that matches; None asks for no value at all (rule-S34, rule-S35,
    rule-S39).

    In the name there are only Term, Phrase, Regex, And, Or and Not; in the value Case, Compare and Is besides.
    """

    name: Node
    value: Node | None


@dataclass(frozen=True, slots=True)
class Compare:
    """A property's value that is greater or less than what is given, as written: `10`, `2024-01-31` (rule-S38)."""

    sign: Literal["<", ">"]
    than: str


@dataclass(frozen=True, slots=True)
class Is:
    """A property's value that is null in YAML, empty, true or false (rule-S36, rule-S37)."""

    fact: Fact


Node: TypeAlias = Term | Phrase | Regex | And | Or | Not | Within | Case | TagNode | PropertyNode | Compare | Is


def parts(node: Node) -> tuple[Node, ...]:
    """The nodes right below this one, in the order of the query: of a PropertyNode its name, then its value."""
    match node:
        case And(found) | Or(found):
            return found
        case Not(part) | Within(_, part) | Case(_, part):
            return (part,)
        case PropertyNode(name, value):
            return (name,) if value is None else (name, value)
        case _:
            return ()


K = TypeVar("K")


class OutOfTimeError(Exception):
    """The time of the call is over before a query was put to something."""


def solved(
    node: Node, every: AbstractSet[K], leaf: Callable[[Node, bool], AbstractSet[K]], *, sensitive: bool
) -> AbstractSet[K]:
    """Which of some things a node is true of, by And, Or, Not and Case, from those that a `leaf` is true of; the bool
    says that case is compared."""
    match node:
        case And(found):
            return frozenset(every).intersection(*(solved(part, every, leaf, sensitive=sensitive) for part in found))
        case Or(found):
            return frozenset[K]().union(*(solved(part, every, leaf, sensitive=sensitive) for part in found))
        case Not(part):
            return every - solved(part, every, leaf, sensitive=sensitive)
        case Case(other, part):
            return solved(part, every, leaf, sensitive=other)
        case _:
            return leaf(node, sensitive)


def both(found: list[Node]) -> Node:
    """One node that requires all of them; there is at least one."""
    flat = [part for node in found for part in (node.parts if isinstance(node, And) else (node,))]
    return And(tuple(flat)) if len(flat) > 1 else flat[0]


def either(found: list[Node]) -> Node:
    """One node that accepts any of them; there is at least one."""
    flat = [part for node in found for part in (node.parts if isinstance(node, Or) else (node,))]
    return Or(tuple(flat)) if len(flat) > 1 else flat[0]


def negated(node: Node) -> Node:
    """The node that matches where this one does not."""
    return node.part if isinstance(node, Not) else Not(node)

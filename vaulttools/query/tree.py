"""Defines the tree of a query, as data.

`language.MAX_NESTING` limits the depth, so that a tree can be walked recursively.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias, TypeVar, get_args

Scope = Literal["file", "path", "content", "line", "block", "section", "task", "task-todo", "task-done"]
SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)

Fact = Literal["null", "EMPTY", "TRUE", "FALSE"]
FACTS: Final[tuple[Fact, ...]] = get_args(Fact)


@dataclass(frozen=True, slots=True)
class Term:
    """A bare word: at least one character, without blanks; found anywhere, also inside words (rule-S05)."""

    text: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """Quoted text, unescaped: an exact phrase of full words (rule-S06 to rule-S08). Every text holds an empty one
    (rule-S29)."""

    text: str


@dataclass(frozen=True, slots=True)
class Regex:
    """The text between two slashes, with escaped slashes unescaped; it may not compile (rule-S32).

    `position` is that of its opening slash in the query (characters from 1), for `InvalidQuery`; comparisons ignore it.
    """

    source: str
    position: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class And:
    """All parts, each anywhere in the same unit; at least two, no part is an And (rule-S04)."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Any of the parts; at least two, no part is an Or (rule-S10)."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Everything that the part does not match; the part is never a Not (rule-S12)."""

    part: Node


@dataclass(frozen=True, slots=True)
class Within:
    """The part within the name, the path or the content, or within one line, block, section or task (rule-S16,
    rule-S17, rule-S24 to rule-S29). A name or a path holds only Term, Phrase, Regex, And, Or, Not and Case."""

    scope: Scope
    part: Node


@dataclass(frozen=True, slots=True)
class Case:
    """The part, with case compared or not, whatever applies outside (rule-S18)."""

    sensitive: bool
    part: Node


@dataclass(frozen=True, slots=True)
class TagNode:
    """A tag of this name or nested in it, case ignored; the name has no `#`, otherwise as given (rule-S20 to
    rule-S23)."""

    name: str


@dataclass(frozen=True, slots=True)
class PropertyNode:
    """A property whose name matches, with a value that matches; None accepts any value or none (rule-S34, rule-S35,
    rule-S39).

    The name holds only Term, Phrase, Regex, And, Or and Not; the value may also hold Case, Compare and Is.
    """

    name: Node
    value: Node | None


@dataclass(frozen=True, slots=True)
class Compare:
    """A value greater or less than `than`, which is as written: `10`, `2024-01-31` (rule-S38)."""

    sign: Literal["<", ">"]
    than: str


@dataclass(frozen=True, slots=True)
class Is:
    """A value that is null in YAML, empty, true or false (rule-S36, rule-S37)."""

    fact: Fact


Node: TypeAlias = Term | Phrase | Regex | And | Or | Not | Within | Case | TagNode | PropertyNode | Compare | Is


def parts(node: Node) -> tuple[Node, ...]:
    """Returns the nodes right below this one, in the order of the query; of a PropertyNode, name and value."""
    match node:
        case And(found) | Or(found):
            return found
        case Not(part) | Within(_, part) | Case(_, part):
            return (part,)
        case PropertyNode(name, value):
            return (name,) if value is None else (name, value)
        case _:
            return ()


def with_regexes(node: Node, changed: Callable[[Regex], Regex]) -> Node:
    """Returns a query with each regex changed."""
    match node:
        case Regex():
            return changed(node)
        case And(found) | Or(found):
            return replace(node, parts=tuple(with_regexes(each, changed) for each in found))
        case Not(part) | Within(_, part) | Case(_, part):
            return replace(node, part=with_regexes(part, changed))
        case PropertyNode(name, value):
            of_value = None if value is None else with_regexes(value, changed)
            return replace(node, name=with_regexes(name, changed), value=of_value)
        case _:
            return node


K = TypeVar("K")


class OutOfTimeError(Exception):
    """The time of the call ended before the query was answered."""


def solved(
    node: Node, every: AbstractSet[K], leaf: Callable[[Node, bool], AbstractSet[K]], *, sensitive: bool
) -> AbstractSet[K]:
    """Returns the members of `every` that a node is true of. `leaf` returns those for a single node; its bool says
    whether case is compared. And, Or, Not and Case combine them."""
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
    """Returns one node that requires all of at least one node."""
    flat = [part for node in found for part in (node.parts if isinstance(node, And) else (node,))]
    return And(tuple(flat)) if len(flat) > 1 else flat[0]


def either(found: list[Node]) -> Node:
    """Returns one node that accepts any of at least one node."""
    flat = [part for node in found for part in (node.parts if isinstance(node, Or) else (node,))]
    return Or(tuple(flat)) if len(flat) > 1 else flat[0]


def negated(node: Node) -> Node:
    """Returns the node that matches where this one does not."""
    return node.part if isinstance(node, Not) else Not(node)

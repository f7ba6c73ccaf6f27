"""Compiles an expression's tree to a function from a row to a value.

It runs no part of an expression as Python or JavaScript.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final, TypeAlias

from vaulttools.bases import old_functions, operators
from vaulttools.bases.context import NOTE_DATE, Frame, converted, found_in
from vaulttools.bases.fields import FILE_FIELDS, field_of, item_of
from vaulttools.bases.functions import FUNCTIONS, Function, global_functions, lists, scalars
from vaulttools.bases.parser import parsed
from vaulttools.bases.regexes import regex
from vaulttools.bases.syntax import (
    Binary,
    Call,
    Failed,
    InvalidExpression,
    Item,
    ListOf,
    Literal,
    MemberAccess,
    Name,
    Node,
    ObjectOf,
    RegexLiteral,
    Unary,
    parts,
)
from vaulttools.bases.times import Duration
from vaulttools.bases.values import File, LinkValue, Value, is_true, text_of, type_of
from vaulttools.core import spelling
from vaulttools.core.folding.identity import is_same

Compiled: TypeAlias = Callable[[Frame], Value]

MODULES: Final = (global_functions, lists, scalars)
"""Modules that register functions when they are imported."""

METHODS: Final = frozenset(name for kind, name in FUNCTIONS if kind != "global")
GLOBALS: Final = frozenset(name for kind, name in FUNCTIONS if kind == "global")
_LIKE_PROPERTIES: Final = frozenset(
    ("date", "duration", "icon", "image", "link", "list", "number", "html", "min", "max")
)
"""Function names that are also likely names of properties: without a call they mean the property."""
_BOUND: Final = frozenset(("value", "index", "acc"))
_FALSE_OF_NULL: Final = frozenset(
    ("contains", "containsAll", "containsAny", "startsWith", "endsWith", "hasLink", "hasTag")
)
"""Functions that return false for a missing value."""
_TITLES: Final = {"url": "URL", "html": "HTML", "regexp": "RegExp"}


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression that can be computed."""

    text: str
    node: Node
    compute: Compiled
    """Requires that the formulas are computed already (`formulas.Formulas.compute`)."""
    formulas: Mapping[str, int]
    """The formulas that it names, as the base spells them, with the position of the first mention."""
    conditions: tuple[Expression, ...] = ()
    """The conditions that `&&` joins; empty if there is only one."""


def failing(text: str, reason: str) -> Expression:
    """Returns an expression that has no value for any row; `reason` says why."""

    def compute(_: Frame) -> Value:
        raise Failed(reason)

    return Expression(text, Literal(0, None), compute, {})


def property_dependencies(node: Node) -> frozenset[str] | None:
    """Returns the properties that an expression depends on; None if it also depends on anything else of the file."""
    found = set()
    waiting = [node]
    while waiting:
        match node := waiting.pop():
            case Name(name=name) | MemberAccess(object=Name(name="note"), name=name) if name == NOTE_DATE:
                return None
            case MemberAccess(object=Name(name="note"), name=name):
                found.add(name)
            case Name(name="note" | "file" | "this" | "formula" | "value" | "index" | "acc" | "values"):
                return None
            case Name(name=name):
                found.add(name)
            case Call(name="file" | "link" | "random" | "asFile" | "linksTo"):
                return None
            case _:
                waiting += parts(node)
    return frozenset(found)


def expression(text: str, names: frozenset[str] = frozenset(), *, is_summary: bool = False) -> Expression:
    """Parse and check an expression: all of its functions and formulas are known.

    `names` are the formulas of the base. In a summary, `values` is the list that it summarises.

    Raises:
        InvalidExpression: the text is not an expression, or it names something unknown.
    """
    node = parsed(text)
    conditions = list(_joined(node)) if isinstance(node, Binary) and node.sign == "&&" else []

    def made(node: Node, conditions: tuple[Expression, ...] = ()) -> Expression:
        compiler = _Compiler(names, is_summary)
        return Expression(text, node, compiler.compiled(node, frozenset()), compiler.formulas, conditions)

    return made(node, tuple(map(made, conditions)))


def _joined(node: Node) -> Iterator[Node]:
    """Yields the conditions that `&&` joins, from left to right."""
    if isinstance(node, Binary) and node.sign == "&&":
        yield from _joined(node.left)
        yield from _joined(node.right)
    else:
        yield node


@dataclass(frozen=True, slots=True)
class _Compiler:
    names: frozenset[str]
    is_summary: bool
    formulas: dict[str, int] = field(default_factory=dict)
    """Formulas seen so far, as in `Expression.formulas`."""

    def compiled(self, node: Node, bound: frozenset[str]) -> Compiled:
        """Compile a node; `bound` are the names that a list function defines."""
        match node:
            case Literal(value=value):
                return lambda _: value
            case RegexLiteral(source=source, flags=flags, position=position):
                made = regex(source, flags, position)
                return lambda _: made
            case Name(name=name, position=position):
                return self._name(name, position, bound)
            case MemberAccess(object=below, name=name, position=position):
                return self._member(below, name, position, bound)
            case Item(object=below, key=key):
                return self._item(below, key, bound)
            case Unary(sign="!", operand=operand):
                inner = self.compiled(operand, bound)
                return lambda frame: not is_true(inner(frame))
            case Unary(sign="-", operand=operand):
                inner = self.compiled(operand, bound)
                return lambda frame: operators.negated(inner(frame), frame.context)
            case Unary(operand=operand):
                inner = self.compiled(operand, bound)
                return lambda frame: operators.OPERATORS["-"](inner(frame), 0, frame.context)
            case Binary():
                return self._binary(node, bound)
            case ListOf(elements=elements):
                made_elements = [self.compiled(element, bound) for element in elements]
                return lambda frame: [element(frame) for element in made_elements]
            case ObjectOf(entries=entries):
                made_entries = [(key, self.compiled(value, bound)) for key, value in entries]
                return lambda frame: {key: value(frame) for key, value in made_entries}
            case Call():
                return self._call(node, bound)

    def _name(self, name: str, position: int, bound: frozenset[str]) -> Compiled:
        if name in bound:
            return attrgetter(name)
        if name == "values" and self.is_summary:
            return attrgetter("values")
        if name == "file":
            return lambda frame: File(frame.row.path)
        if name == "this":
            return lambda frame: File(_path_of_this(frame))
        if name == "note":
            return lambda frame: field_of(File(frame.row.path), "properties", frame.context)
        if name == "formula":
            raise InvalidExpression(position, 'a formula is named as formula.name, "formula" alone is no value')
        if name in GLOBALS - _LIKE_PROPERTIES:
            raise InvalidExpression(position, f'"{name}" is a function; it is called as {name}()')
        return lambda frame: frame.row.property(name)

    def _member(self, below: Node, name: str, position: int, bound: frozenset[str]) -> Compiled:
        match below:
            case Name(name="note") if "note" not in bound:
                return lambda frame: frame.row.property(name)
            case Name(name="formula"):
                return self._formula(name, position)
            case Name(name="file") | MemberAccess(object=Name(name="this"), name="file"):
                self._check_field(name, position)
            case Name(name="this"):
                return lambda frame: _member_of_this(frame, name)
        inner = self.compiled(below, bound)
        return lambda frame: field_of(inner(frame), name, frame.context)

    def _check_field(self, name: str, position: int) -> None:
        if name.lower() not in FILE_FIELDS:
            raise InvalidExpression(position, f'Unknown field "{name}" of a file{_suggestion(name, FILE_FIELDS)}')

    def _item(self, below: Node, key: Node, bound: frozenset[str]) -> Compiled:
        match below, key:
            case Name(name="formula"), Literal(value=str(name), position=position):
                return self._formula(name, position)
            case Name(name="formula", position=position), _:
                raise InvalidExpression(position, 'the name of a formula must be given as text: formula["name"]')
            case Name(name="file"), Literal(value=str(name), position=position):
                self._check_field(name, position)
            case Name(name="this"), Literal(value=str(name)):
                return lambda frame: _member_of_this(frame, name)
        made_key = self.compiled(key, bound)
        if isinstance(below, Name) and below.name == "note":
            return lambda frame: frame.row.property(text_of(made_key(frame), frame.context.setting))
        inner = self.compiled(below, bound)
        return lambda frame: item_of(inner(frame), made_key(frame), frame.context)

    def _formula(self, name: str, position: int) -> Compiled:
        if name not in self.names:
            known = next((each for each in self.names if is_same(each, name)), None)
            if known is None:
                raise InvalidExpression(position, f'Unknown formula "{name}"{_suggestion(name, self.names)}')
            name = known
        self.formulas.setdefault(name, position)
        return lambda frame: frame.row.formula(name)

    def _binary(self, node: Binary, bound: frozenset[str]) -> Compiled:
        left, right = self.compiled(node.left, bound), self.compiled(node.right, bound)
        if node.sign == "&&":
            return lambda frame: is_true(left(frame)) and is_true(right(frame))
        if node.sign == "||":
            return lambda frame: is_true(left(frame)) or is_true(right(frame))
        compute = operators.OPERATORS[node.sign]

        def computed(frame: Frame) -> Value:
            first, second = left(frame), right(frame)
            frame.context.tick(first, second)
            return compute(first, second, frame.context)

        return computed

    def _call(self, node: Call, bound: frozenset[str]) -> Compiled:
        if node.object is None:
            return self._global(node, bound)
        name = node.name
        if name not in METHODS:
            raise InvalidExpression(node.position, _unknown(node, METHODS))
        inner = self.compiled(node.object, bound)
        lazy = FUNCTIONS.get(("list", name))
        if lazy is not None and lazy.lazy:
            _check_count(lazy, node)
            inside = bound | (_BOUND if name == "reduce" else _BOUND - {"acc"})
            given = [self.compiled(each, bound if at else inside) for at, each in enumerate(node.arguments)]
            return lambda frame: _call_method(frame, inner(frame), name, given)
        possible = [FUNCTIONS[kind, each] for kind, each in FUNCTIONS if each == name and kind != "global"]
        if len(node.arguments) < min(function.least for function in possible):
            _check_count(possible[0], node)
        arguments = [self.compiled(each, bound) for each in node.arguments]
        return lambda frame: _call_method(frame, inner(frame), name, [each(frame) for each in arguments])

    def _global(self, node: Call, bound: frozenset[str]) -> Compiled:
        function = FUNCTIONS.get(("global", node.name))
        if function is None:
            raise InvalidExpression(node.position, _unknown(node, GLOBALS))
        _check_count(function, node)
        arguments = [self.compiled(each, bound) for each in node.arguments]
        if function.lazy:
            return lambda frame: function.body(frame, *arguments[: function.most])

        def called(frame: Frame) -> Value:
            given = [each(frame) for each in arguments]
            frame.context.tick(*given)
            return function.body(frame, *given[: function.most])

        return called


def _check_count(function: Function, node: Call) -> None:
    if len(node.arguments) < function.least:
        raise InvalidExpression(node.position, f"{_needs(function)}, got {len(node.arguments)}")


def _needs(function: Function) -> str:
    return f"{function.signature} needs {function.least} argument{'s' * (function.least > 1)}"


def _unknown(node: Call, known: AbstractSet[str]) -> str:
    """Returns the sentence about a function that does not exist, and what may have been meant."""
    if replaced := old_functions.today(node):
        hint = f"; {replaced}"
    elif node.object is None and node.name in METHODS:
        hint = f"; it is called on a value: value.{node.name}()"
    else:
        hint = _suggestion(node.name, known)
    return f'Unknown function "{node.name}"{hint}'


def _suggestion(name: str, known: Any) -> str:
    close = spelling.closest(name, sorted(known))
    return f"; did you mean {' or '.join(close[:3])}?" if close else ""


def _call_method(frame: Frame, value: Value, name: str, given: Sequence[Any]) -> Value:
    """Call the function called `name` that fits the type of `value`."""
    frame.context.tick(value, *given)
    kind = type_of(value)
    function = FUNCTIONS.get((_FUNCTIONS_OF.get(kind, kind), name)) or FUNCTIONS.get(("any", name))
    if function is None and isinstance(value, LinkValue) and (function := FUNCTIONS.get(("string", name))):
        value = value.target  # functions of texts take a link as a text
    if function is None and isinstance(value, Duration) and (function := FUNCTIONS.get(("number", name))):
        value = value.length(frame.context.setting.clock)  # the documentation calls them on milliseconds
    if function is None:
        if value is None:
            return False if name in _FALSE_OF_NULL else None
        replaced = old_functions.OF_FILES.get(name) if kind == "file" else None
        hint = f" It is now {replaced}." if replaced else ""
        raise Failed(f'Cannot find function "{name}" on type {_TITLES.get(kind, kind.capitalize())}.{hint}')
    if len(given) < function.least:
        raise Failed(f"{_needs(function)}.")
    return function.body(frame, value, *given[: function.most])


_FUNCTIONS_OF: Final = {"url": "string", "html": "string", "image": "string"}


def _path_of_this(frame: Frame) -> str:
    if frame.context.this is None:
        raise Failed('"this" is not known; name a note by this_note.')
    frame.context.is_this_read = True
    return frame.context.this


def _member_of_this(frame: Frame, name: str) -> Value:
    """Returns `this.name`: a property of the note that `this` means, or else a field of its file."""
    path = _path_of_this(frame)
    held = frame.context.files.facts(path).properties
    if name == "note":
        return field_of(File(path), "properties", frame.context)
    key, value = found_in(held, name)
    if key in held:
        made = converted(key, value, path, frame.context.setting.clock)
        frame.context.charge(frame.context.weight(made))
        return made
    return field_of(File(path), name, frame.context)

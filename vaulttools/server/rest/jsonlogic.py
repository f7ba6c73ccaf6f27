"""Evaluates JsonLogic rules over plain data, in bounded time.

It has the operators of jsonlogic.com with the coercions of JavaScript, and `glob` and `regexp` of the Local REST API.
The maintained library (python-jsonlogic) checks types statically and lacks these coercions and most operators.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from vaulttools.bases import numbers
from vaulttools.bases.operators import quotient
from vaulttools.bases.regexes import CompiledRegex, regex
from vaulttools.bases.syntax import Failed, InvalidExpression
from vaulttools.errors import BadArgument

DEEPEST: Final = 64
"""Levels of a rule; people and models write far fewer."""

LARGEST: Final = 5_000
"""Operators and values of a rule."""

_MOST_ELEMENTS: Final = 100_000
_MOST_LEVELS: Final = 200
"""Levels of nested lists that become a text or an answer; properties have fewer."""

LONGEST: Final = 1_000_000
"""Upper bound of a rule's results: characters of a text, elements of a list."""

_LOOK_EVERY: Final = 256
"""Elements between two checks of the time."""

Compiled: TypeAlias = Callable[[Any], Any]
"""A rule as a function of the data."""


class Rule:
    """A rule compiled to a function, for any number of data."""

    def __init__(self, rule: Any, stop: Callable[[], None] = lambda: None) -> None:
        """Compile a rule; `stop` is called now and then, and may raise.

        Raises:
            BadArgument: it is not a rule, or exceeds the bounds.
        """
        self._stop = stop
        self._size = self._steps = 0
        self._names: set[str] = set()
        self._is_open = False
        """True if the rule computes the name of a field that it reads."""
        self._bound = 0
        """Depth of enclosing `map`s and the like, inside which the data is an element."""
        self.apply = self._compiled(rule)
        """Returns the rule's result for data."""

    @property
    def names(self) -> frozenset[str] | None:
        """The top-level fields of the data that the rule reads; None if it may read any."""
        return None if self._is_open else frozenset(self._names)

    def _tick(self) -> None:
        self._steps += 1
        if not self._steps % _LOOK_EVERY:
            self._stop()

    def _compiled(self, rule: Any, depth: int = 0) -> Compiled:
        self._size += 1
        if depth > DEEPEST or self._size > LARGEST:
            raise BadArgument(f"The rule is too large: at most {DEEPEST} levels and {LARGEST:,} values")
        if isinstance(rule, list):
            parts = [self._compiled(each, depth + 1) for each in rule]
            return lambda data: [part(data) for part in parts]
        if not isinstance(rule, dict) or not rule:
            return lambda data: rule
        if len(rule) != 1:
            raise BadArgument(f"A rule has one operator; got {len(rule)}: {', '.join(map(str, list(rule)[:5]))}")
        ((name, given),) = rule.items()
        arguments = given if isinstance(given, list) else [given]
        if name == "var":
            return self._var(arguments, depth)
        if name in _SEQUENCES:
            return self._over_elements(name, arguments, depth)
        if name == "regexp" and arguments and isinstance(arguments[0], str):
            _pattern(arguments[0])  # refuse a bad pattern before any note is read
        parts = [self._compiled(each, depth + 1) for each in arguments]
        if name in _LAZY:
            return _LAZY[name](parts)
        if name in ("missing", "missing_some"):
            self._is_open = True
            is_some = name == "missing_some"
            return lambda data: (_missing_some if is_some else _missing)(data, [part(data) for part in parts])
        if name not in _OPERATORS:
            known = sorted({*_OPERATORS, *_LAZY, *_SEQUENCES, "var", "missing", "missing_some"})
            raise BadArgument(f"Unknown operator '{name[:50]}'; known are: {', '.join(known)}")
        function = _OPERATORS[name]

        def applied(data: Any) -> Any:
            try:
                return function(*[part(data) for part in parts])
            except TypeError:  # too few or too many arguments; JavaScript fills in undefined
                raise BadArgument(f"'{name}' does not take {len(parts)} arguments") from None

        return applied

    def _var(self, arguments: Sequence[Any], depth: int) -> Compiled:
        given = arguments[0] if arguments else ""
        default = self._compiled(arguments[1], depth + 1) if len(arguments) > 1 else None
        if isinstance(given, dict | list):
            self._is_open = True
            name = self._compiled(given, depth + 1)
            return lambda data: _found(data, _steps(name(data)), default)
        if not self._bound:
            if given in ("", None):
                self._is_open = True
            else:
                self._names.add(_text(given).partition(".")[0])
        steps = _steps(given)
        return lambda data: _found(data, steps, default)

    def _over_elements(self, name: str, arguments: Sequence[Any], depth: int) -> Compiled:
        if len(arguments) < 2:
            raise BadArgument(f"'{name}' takes a list and a rule")
        elements = self._compiled(arguments[0], depth + 1)
        self._bound += 1
        inner = self._compiled(arguments[1], depth + 1)
        self._bound -= 1
        first = self._compiled(arguments[2], depth + 1) if len(arguments) > 2 else None
        function = _SEQUENCES[name]

        def applied(data: Any) -> Any:
            listed = elements(data)
            if not isinstance(listed, list):
                listed = []

            def ticked(element: Any) -> Any:
                self._tick()
                return inner(element)

            return function(listed, ticked, first(data) if first is not None else None)

        return applied


class Demand(NamedTuple):
    """A condition that a field must meet for a rule to give a result."""

    text: str
    is_regex: bool = False


def demands_of(rule: Any, name: str) -> list[Demand]:
    """Returns the conditions that a field must meet for a rule to give a result, as far as `in`, `glob` and `regexp`
    show, alone or inside `and`."""
    if not isinstance(rule, dict) or len(rule) != 1:
        return []
    ((named, arguments),) = rule.items()
    if not isinstance(arguments, list):
        return []
    if named == "and":
        return [demand for each in arguments for demand in demands_of(each, name)]
    is_text = len(arguments) == 2 and isinstance(arguments[0], str) and arguments[1] in ({"var": name}, {"var": [name]})
    if is_text and named == "in":
        return [Demand(arguments[0])]
    if is_text and named == "glob":
        return [Demand(piece) for piece in arguments[0].split("*") if piece]
    if is_text and named == "regexp" and not _OF_JAVASCRIPT.search(arguments[0]):
        return [Demand(arguments[0], is_regex=True)]
    return []


_OF_JAVASCRIPT: Final = re.compile(r"\\(?![dDwWsSbBt]|[^0-9A-Za-z<>])|\[\^?\]|\[[^]\\]*(?:\[|&&|--|~~)|\(\?(?!:)|\{,")
"""Syntax that other regex engines read differently, or may."""


def is_truthy(value: Any) -> bool:
    """Whether JsonLogic takes a value for true: all but an empty list, an empty text, false, 0, NaN and null."""
    return isinstance(value, dict) or (bool(value) and value == value)


# Fields of the data.


def _steps(given: Any) -> Sequence[str]:
    return () if given in ("", None) else _text(given).split(".")


def _found(data: Any, steps: Sequence[str], default: Compiled | None = None) -> Any:
    held = data
    for step in steps:
        if isinstance(held, dict):
            held = held.get(step)
        elif isinstance(held, list) and step.isdecimal() and int(step) < len(held):
            held = held[int(step)]
        else:
            held = None
        if held is None:
            return default(data) if default is not None else None
    return held


def _missing(data: Any, names: Sequence[Any]) -> list[Any]:
    if names and isinstance(names[0], list):
        names = names[0]
    return [name for name in names if _found(data, _steps(name)) in (None, "")]


def _missing_some(data: Any, arguments: Sequence[Any]) -> list[Any]:
    if len(arguments) != 2 or not isinstance(arguments[1], list):
        raise BadArgument("'missing_some' takes a number and a list of names")
    missing = _missing(data, arguments[1])
    return [] if len(arguments[1]) - len(missing) >= _number(arguments[0]) else missing


# Operators that decide which arguments to compute.


def _if(parts: Sequence[Compiled]) -> Compiled:
    def chosen(data: Any) -> Any:
        for place in range(0, len(parts) - 1, 2):
            if is_truthy(parts[place](data)):
                return parts[place + 1](data)
        return parts[-1](data) if len(parts) % 2 else None

    return chosen


def _first(parts: Sequence[Compiled], *, is_true: bool) -> Compiled:
    """Returns the first value that is true (or false); otherwise the last one."""

    def first(data: Any) -> Any:
        value = None
        for part in parts:
            value = part(data)
            if is_truthy(value) is is_true:
                break
        return value

    return first


_LAZY: Final[dict[str, Callable[[Sequence[Compiled]], Compiled]]] = {
    "if": _if,
    "?:": _if,
    "and": partial(_first, is_true=False),
    "or": partial(_first, is_true=True),
}


# Lists.


def _reduced(elements: list[Any], rule: Compiled, first: Any) -> Any:
    value = first
    for element in elements:
        value = rule({"current": element, "accumulator": value})
    return value


_SEQUENCES: Final[dict[str, Callable[[list[Any], Compiled, Any], Any]]] = {
    "map": lambda elements, rule, _: [rule(each) for each in elements],
    "filter": lambda elements, rule, _: [each for each in elements if is_truthy(rule(each))],
    "reduce": _reduced,
    "all": lambda elements, rule, _: bool(elements) and all(is_truthy(rule(each)) for each in elements),
    "none": lambda elements, rule, _: not any(is_truthy(rule(each)) for each in elements),
    "some": lambda elements, rule, _: any(is_truthy(rule(each)) for each in elements),
}


# Conversion between values, as in JavaScript.


def _number(value: Any) -> float:
    if value is None:
        return 0
    if isinstance(value, list):
        value = _text(value)
    if isinstance(value, str):
        return numbers.read(value)
    if isinstance(value, bool | int):
        return numbers.bounded(int(value))
    return value if isinstance(value, float) else math.nan


def _text(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return numbers.printed(value)
    if isinstance(value, list):
        bound(value)
        return _joined(value)
    return "[object Object]" if isinstance(value, dict) else str(value)


def _joined(values: list[Any]) -> str:
    return ",".join("" if each is None else _joined(each) if isinstance(each, list) else _text(each) for each in values)


def bound(value: Any) -> None:
    """Refuse a value that is too large to write: `reduce` can make 30 nested levels with a billion elements.

    Raises:
        BadArgument: it has too many elements, or too many levels.
    """
    waiting, size = [(value, 1)], 0
    while waiting:
        each, depth = waiting.pop()
        if isinstance(each, list | dict):
            size += len(each)
            if size > _MOST_ELEMENTS or depth > _MOST_LEVELS:
                raise BadArgument(
                    f"The rule makes a list of more than {_MOST_ELEMENTS:,} elements or {_MOST_LEVELS} levels"
                )
            waiting += [(part, depth + 1) for part in (each.values() if isinstance(each, dict) else each)]


def _same(one: Any, other: Any) -> bool:
    """Whether `===` holds: equal and of the same type."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    if isinstance(one, dict | list) or isinstance(other, dict | list):
        return one is other
    return type(one) is type(other) and bool(one == other)


def _equal(one: Any, other: Any) -> bool:
    """Whether `==` holds."""
    if one is None or other is None:
        return one is other
    if isinstance(one, str) and isinstance(other, str):
        return one == other
    if isinstance(one, dict | list) and isinstance(other, dict | list):
        return one is other
    if isinstance(one, dict | list):
        return _equal(_text(one), other)
    if isinstance(other, dict | list):
        return _equal(one, _text(other))
    return _number(one) == _number(other)


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Returns a comparison that compares two texts as texts, and anything else as numbers."""

    def compared(one: Any, other: Any) -> bool:
        if isinstance(one, str) and isinstance(other, str):
            return compare(one, other)
        return compare(_number(one), _number(other))

    return compared


def _in(needle: Any, hay: Any = None) -> bool:
    if isinstance(hay, str):
        return _text(needle) in hay
    return isinstance(hay, list) and any(_same(needle, each) for each in hay)


def _cat(*values: Any) -> str:
    texts = [_text(value) if value is not None else "" for value in values]
    if sum(map(len, texts)) > LONGEST:
        raise BadArgument(f"The rule makes a text of more than {LONGEST:,} characters")
    return "".join(texts)


def _substr(text: Any, start: Any, length: Any = None) -> str:
    found = _text(text)[_whole(start) :]  # as in JavaScript, a negative number counts from the end
    return found if length is None else found[: _whole(length)]


def _whole(value: Any) -> int:
    number = _number(value)
    return int(number) if math.isfinite(number) else 0


def _merge(*values: Any) -> list[Any]:
    made = [each for value in values for each in (value if isinstance(value, list) else [value])]
    if len(made) > _MOST_ELEMENTS:
        raise BadArgument(f"The rule makes a list of more than {_MOST_ELEMENTS:,} elements")
    return made


def _minus(one: Any, other: Any = None) -> float:
    return -_number(one) if other is None else _number(one) - _number(other)


def _times(*values: Any) -> float:
    made = math.prod(map(_number, values))
    return numbers.bounded(made) if isinstance(made, int) else made


def _modulo(one: Any, other: Any) -> float:
    divisor = _number(other)
    return math.fmod(_number(one), divisor) if divisor and math.isfinite(_number(one)) else math.nan


def _between(compare: Callable[[Any, Any], bool]) -> Callable[..., bool]:
    """Returns `<` or `<=` for two values, or for three in order."""
    return lambda one, other, third=None: compare(one, other) and (third is None or compare(other, third))


def _glob(pattern: Any, text: Any = None) -> bool:
    """Whether a pattern matches the whole text; only `*` is special: any characters, including `/` and line ends."""
    if not isinstance(pattern, str) or not isinstance(text, str):
        return False
    return _matches(_pattern(f"^{'.*'.join(map(re.escape, pattern.split('*')))}$", "s"), text)


def _regexp(pattern: Any, text: Any = None, *_: Any) -> bool:
    """Whether a pattern matches anywhere in a text."""
    return isinstance(pattern, str) and isinstance(text, str) and _matches(_pattern(pattern), text)


def _matches(pattern: CompiledRegex, text: str) -> bool:
    try:
        return pattern.matches(text)
    except Failed as error:
        raise BadArgument(str(error).removesuffix(".")) from error


def _pattern(written: str, flags: str = "") -> CompiledRegex:
    try:
        return regex(written, flags, 0)
    except InvalidExpression as error:
        raise BadArgument(f"Invalid regexp: {error}") from error


_OPERATORS: Final[dict[str, Callable[..., Any]]] = {
    "==": _equal,
    "===": _same,
    "!=": lambda one, other: not _equal(one, other),
    "!==": lambda one, other: not _same(one, other),
    "!": lambda value=None, *_: not is_truthy(value),
    "!!": lambda value=None, *_: is_truthy(value),
    "<": _between(_ordered(operator.lt)),
    "<=": _between(_ordered(operator.le)),
    ">": _ordered(operator.gt),
    ">=": _ordered(operator.ge),
    "max": lambda *values: max(map(_number, values), default=None),
    "min": lambda *values: min(map(_number, values), default=None),
    "+": lambda *values: sum(map(_number, values)),
    "-": _minus,
    "*": _times,
    "/": lambda one, other: quotient(_number(one), _number(other)),
    "%": _modulo,
    "in": _in,
    "cat": _cat,
    "substr": _substr,
    "merge": _merge,
    "glob": _glob,
    "regexp": _regexp,
}

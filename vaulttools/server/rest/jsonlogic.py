"""Evaluates JsonLogic rules over plain data, in bounded time.

The operators of jsonlogic.com, with the coercions of its JavaScript, and `glob` and `regexp` of the Local REST API. The
library that is kept (python-jsonlogic) checks types statically and knows neither these coercions nor most operators.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

from vaulttools.bases.faults import InvalidExpression
from vaulttools.bases.regexes import regex
from vaulttools.errors import BadArgument

DEEPEST: Final = 64
"""Levels of a rule. No rule that a person or a model wrote comes near."""

LARGEST: Final = 5_000
"""Operators and values of a rule."""

_MOST_ELEMENTS: Final = 100_000
_MOST_LEVELS: Final = 200
"""Of lists in lists that become a text or an answer; properties have fewer."""

LONGEST: Final = 1_000_000
"""Characters of a text, and elements of a list, that a rule makes."""

_EXACT: Final = 2**53
"""Whole numbers below are the same in Python and JavaScript; beyond Python's grow without bound."""

_LOOK_EVERY: Final = 256
"""Elements between two looks at the time."""

Compiled: TypeAlias = Callable[[Any], Any]
"""A rule made into a function of the data."""


@dataclass(slots=True)
class Rule:
    """A rule that can be applied to any number of data."""

    apply: Compiled
    names: frozenset[str] | None
    """The fields at the top of the data that it reads; None: any."""


@dataclass(slots=True)
class _Compiler:
    """Makes functions of a rule, once for all data."""

    stop: Callable[[], None]
    size: int = 0
    steps: int = 0
    names: set[str] = field(default_factory=set)
    is_open: bool = False
    """Whether a field is read whose name is only known then."""
    bound: int = 0
    """How many `map`s and the like are around: there the data is an element."""

    def tick(self) -> None:
        self.steps += 1
        if not self.steps % _LOOK_EVERY:
            self.stop()

    def compile(self, rule: Any, depth: int = 0) -> Compiled:
        self.size += 1
        if depth > DEEPEST or self.size > LARGEST:
            raise BadArgument(f"The rule is too large: at most {DEEPEST} levels and {LARGEST:,} values")
        if isinstance(rule, list):
            parts = [self.compile(each, depth + 1) for each in rule]
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
            return self._regexp(arguments, depth)
        parts = [self.compile(each, depth + 1) for each in arguments]
        if name in _LAZY:
            return _LAZY[name](parts)
        if name in ("missing", "missing_some"):
            self.is_open = True
            is_some = name == "missing_some"
            return lambda data: (_missing_some if is_some else _missing)(data, [part(data) for part in parts])
        if name not in _OPERATORS:
            known = sorted({*_OPERATORS, *_LAZY, *_SEQUENCES, "var", "missing", "missing_some"})
            raise BadArgument(f"Unknown operator '{name[:50]}'; known are: {', '.join(known)}")
        function = _OPERATORS[name]
        if len(parts) == 2:
            first, second = parts
            return lambda data: function(first(data), second(data))

        def applied(data: Any) -> Any:
            try:
                return function(*[part(data) for part in parts])
            except TypeError:  # too few or too many: JavaScript fills with undefined
                raise BadArgument(f"'{name}' takes other arguments; got {len(parts)}") from None

        return applied

    def _var(self, arguments: Sequence[Any], depth: int) -> Compiled:
        given = arguments[0] if arguments else ""
        default = self.compile(arguments[1], depth + 1) if len(arguments) > 1 else None
        if isinstance(given, dict | list):
            self.is_open = True
            name = self.compile(given, depth + 1)
            return lambda data: _found(data, name(data), default, data)
        if not self.bound:
            if given in ("", None):
                self.is_open = True
            else:
                self.names.add(_text(given).partition(".")[0])
        steps = _steps(given)
        return lambda data: _walked(data, steps, default, data)

    def _over_elements(self, name: str, arguments: Sequence[Any], depth: int) -> Compiled:
        if len(arguments) < 2:
            raise BadArgument(f"'{name}' takes a list and a rule")
        elements = self.compile(arguments[0], depth + 1)
        self.bound += 1
        inner = self.compile(arguments[1], depth + 1)
        self.bound -= 1
        first = self.compile(arguments[2], depth + 1) if len(arguments) > 2 else None
        function = _SEQUENCES[name]

        def applied(data: Any) -> Any:
            listed = elements(data)
            if not isinstance(listed, list):
                listed = []

            def ticked(element: Any) -> Any:
                self.tick()
                return inner(element)

            return function(listed, ticked, first(data) if first is not None else None)

        return applied

    def _regexp(self, arguments: Sequence[Any], depth: int) -> Compiled:
        """`regexp` with a pattern that stands in the rule, which is compiled once."""
        try:
            pattern = regex(arguments[0], "", 0)
        except InvalidExpression as error:
            raise BadArgument(f"Invalid regexp: {error}") from error
        field_ = self.compile(arguments[1], depth + 1) if len(arguments) > 1 else lambda data: None

        def matches(data: Any) -> bool:
            text = field_(data)
            return isinstance(text, str) and pattern.matches(text)

        return matches


def compiled(rule: Any, stop: Callable[[], None] = lambda: None) -> Rule:
    """The rule as a function; `stop` is called now and then, and may raise.

    Raises:
        BadArgument: it is no rule, or beyond the bounds.
    """
    compiler = _Compiler(stop)
    function = compiler.compile(rule)
    return Rule(function, None if compiler.is_open else frozenset(compiler.names))


class Demand(NamedTuple):
    """What a field must hold for a rule to give anything."""

    text: str
    is_regex: bool = False


def demands_of(rule: Any, name: str) -> list[Demand]:
    """What the field of that name must hold for the rule to give anything, as far as `in`, `glob` and `regexp` tell,
    alone or within `and`."""
    if not isinstance(rule, dict) or len(rule) != 1:
        return []
    ((operator, arguments),) = rule.items()
    if not isinstance(arguments, list):
        return []
    if operator == "and":
        return [demand for each in arguments for demand in demands_of(each, name)]
    is_text = len(arguments) == 2 and isinstance(arguments[0], str) and arguments[1] in ({"var": name}, {"var": [name]})
    if is_text and operator == "in":
        return [Demand(arguments[0])]
    if is_text and operator == "glob":
        return [Demand(piece) for piece in arguments[0].split("*") if piece]
    if is_text and operator == "regexp" and not _OF_JAVASCRIPT.search(arguments[0]):
        return [Demand(arguments[0], is_regex=True)]
    return []


_OF_JAVASCRIPT: Final = re.compile(r"\\(?![dDwWsSbBt]|[^0-9A-Za-z<>])|\[\^?\]|\[[^]\\]*(?:\[|&&|--|~~)|\(\?(?!:)|\{,")
"""What other engines read otherwise, or may."""


def is_truthy(value: Any) -> bool:
    """Whether JsonLogic takes a value for true: not an empty list, an empty text, 0, NaN, null."""
    return isinstance(value, dict) or (bool(value) and value == value)


# Fields of the data.


def _steps(given: Any) -> Sequence[str]:
    return () if given in ("", None) else _text(given).split(".")


def _found(data: Any, name: Any, default: Compiled | None, whole: Any) -> Any:
    return _walked(data, _steps(name), default, whole)


def _walked(data: Any, steps: Sequence[str], default: Compiled | None, whole: Any) -> Any:
    for step in steps:
        if isinstance(data, dict):
            data = data.get(step)
        elif isinstance(data, list) and step.isdecimal() and int(step) < len(data):
            data = data[int(step)]
        else:
            data = None
        if data is None:
            return default(whole) if default is not None else None
    return data


def _missing(data: Any, names: Sequence[Any]) -> list[Any]:
    if names and isinstance(names[0], list):
        names = names[0]
    return [name for name in names if _found(data, name, None, data) in (None, "")]


def _missing_some(data: Any, arguments: Sequence[Any]) -> list[Any]:
    if len(arguments) != 2 or not isinstance(arguments[1], list):
        raise BadArgument("'missing_some' takes a number and a list of names")
    missing = _missing(data, arguments[1])
    return [] if len(arguments[1]) - len(missing) >= _number(arguments[0]) else missing


# What decides by itself which of its arguments it needs.


def _if(parts: Sequence[Compiled]) -> Compiled:
    def chosen(data: Any) -> Any:
        for place in range(0, len(parts) - 1, 2):
            if is_truthy(parts[place](data)):
                return parts[place + 1](data)
        return parts[-1](data) if len(parts) % 2 else None

    return chosen


def _and(parts: Sequence[Compiled]) -> Compiled:
    def last(data: Any) -> Any:
        value = None
        for part in parts:
            value = part(data)
            if not is_truthy(value):
                return value
        return value

    return last


def _or(parts: Sequence[Compiled]) -> Compiled:
    def first(data: Any) -> Any:
        value = None
        for part in parts:
            value = part(data)
            if is_truthy(value):
                return value
        return value

    return first


_LAZY: Final[dict[str, Callable[[Sequence[Compiled]], Compiled]]] = {"if": _if, "?:": _if, "and": _and, "or": _or}


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


# Values, as JavaScript turns one into another.


def _number(value: Any) -> float:
    if value is None or value is False:
        return 0
    if value is True:
        return 1
    if isinstance(value, float):
        return value
    if isinstance(value, int):
        return value if abs(value) < _EXACT else _double(value)
    if isinstance(value, list):
        return _number(_text(value))
    if isinstance(value, str):
        text = value.strip()
        if not text:
            return 0
        try:
            return float(text) if text[-1].isdigit() and "_" not in text else math.nan
        except ValueError:
            return math.nan
    return math.nan


def _double(number: int) -> float:
    """A whole number as JavaScript has it."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _text(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    if isinstance(value, list):
        bound(value)
        return _joined(value)
    return "[object Object]" if isinstance(value, dict) else str(value)


def _joined(values: list[Any]) -> str:
    return ",".join("" if each is None else _joined(each) if isinstance(each, list) else _text(each) for each in values)


def bound(value: Any) -> None:
    """Refuse a value that nobody can write down: `reduce` makes lists of 30 levels with a thousand million elements.

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
    """`===`: of one type, and equal."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    if isinstance(one, dict | list) or isinstance(other, dict | list):
        return one is other
    return type(one) is type(other) and bool(one == other)


def _equal(one: Any, other: Any) -> bool:
    """`==`."""
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


def _less(one: Any, other: Any) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return one < other
    return _number(one) < _number(other)


def _at_most(one: Any, other: Any) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return one <= other
    return _number(one) <= _number(other)


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
    found = _text(text)
    begin = _whole(start)
    found = found[begin:] if begin >= 0 else found[max(0, len(found) + begin) :]
    if length is None:
        return found
    wanted = _whole(length)
    return found[:wanted] if wanted >= 0 else found[: max(0, len(found) + wanted)]


def _whole(value: Any) -> int:
    number = _number(value)
    return int(number) if math.isfinite(number) else 0


def _merge(*values: Any) -> list[Any]:
    made = [each for value in values for each in (value if isinstance(value, list) else [value])]
    if len(made) > LONGEST:
        raise BadArgument(f"The rule makes a list of more than {LONGEST:,} elements")
    return made


def _minus(one: Any, other: Any = None) -> float:
    return -_number(one) if other is None else _number(one) - _number(other)


def _times(*values: Any) -> float:
    made = math.prod(map(_number, values))
    return made if isinstance(made, float) or abs(made) < _EXACT else _double(made)


def _over(one: Any, other: Any) -> float:
    divisor = _number(other)
    return _number(one) / divisor if divisor else math.nan


def _modulo(one: Any, other: Any) -> float:
    divisor = _number(other)
    return math.fmod(_number(one), divisor) if divisor and math.isfinite(_number(one)) else math.nan


def _between(compare: Callable[[Any, Any], bool]) -> Callable[..., bool]:
    """`<` and `<=` of two values, or of three that follow each other."""
    return lambda one, other, third=None: compare(one, other) and (third is None or compare(other, third))


def _glob(pattern: Any, text: Any = None) -> bool:
    """Whether a text is what a pattern says, of which `*` alone has a meaning: any characters, `/` too."""
    if not isinstance(pattern, str) or not isinstance(text, str):
        return False
    first, *rest = pattern.split("*")
    if not rest:
        return text == first
    *middle, last = rest
    if not text.startswith(first) or len(text) < len(first) + len(last) or not text.endswith(last):
        return False
    place, end = len(first), len(text) - len(last)
    for piece in middle:
        place = text.find(piece, place, end)
        if place < 0:
            return False
        place += len(piece)
    return True


def _regexp(pattern: Any, text: Any = None) -> bool:
    """Whether a pattern that the data holds matches anywhere in a text."""
    if not isinstance(pattern, str) or not isinstance(text, str):
        return False
    try:
        return regex(pattern, "", 0).matches(text)
    except InvalidExpression as error:
        raise BadArgument(f"Invalid regexp: {error}") from error


_OPERATORS: Final[dict[str, Callable[..., Any]]] = {
    "==": _equal,
    "===": _same,
    "!=": lambda one, other: not _equal(one, other),
    "!==": lambda one, other: not _same(one, other),
    "!": lambda value=None, *_: not is_truthy(value),
    "!!": lambda value=None, *_: is_truthy(value),
    "<": _between(_less),
    "<=": _between(_at_most),
    ">": lambda one, other: _less(other, one),
    ">=": lambda one, other: _at_most(other, one),
    "max": lambda *values: max(map(_number, values), default=None),
    "min": lambda *values: min(map(_number, values), default=None),
    "+": lambda *values: sum(map(_number, values)),
    "-": _minus,
    "*": _times,
    "/": _over,
    "%": _modulo,
    "in": _in,
    "cat": _cat,
    "substr": _substr,
    "merge": _merge,
    "glob": _glob,
    "regexp": _regexp,
}

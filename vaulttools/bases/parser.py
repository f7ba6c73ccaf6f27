"""Parses an expression into a tree, through tokens that know their position."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias
from typing import Literal as OneOf

from vaulttools.bases import numbers
from vaulttools.bases.syntax import (
    Binary,
    Call,
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

Kind: TypeAlias = OneOf["number", "string", "name", "regex", "sign", "end"]

MAX_CHARACTERS: Final = 20_000
"""Upper bound of one expression."""

_BLANK: Final = re.compile(r"\s*")
_NAME: Final = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_NUMBER: Final = re.compile(r"0[xX][0-9a-fA-F]+|(?:[0-9]+(?:\.[0-9]+|\.(?![\w$.]))?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""A point before a letter is not part of the number: `1.isTruthy()`."""

_SIGN: Final = re.compile(r"===|!==|==|!=|<=|>=|&&|\|\||[-+*/%<>!()\[\]{},.:]")
_FLAGS: Final = re.compile(r"[A-Za-z]*")
_ESCAPE: Final = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|[\s\S]))")
_SHORT: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}

MAX_DEPTH: Final = 60
"""Levels of brackets and signs: each takes four frames of Python's stack, which has a thousand."""

MAX_HEIGHT: Final = 200
"""Levels of the tree; each operator in a chain such as `a + b + c` adds one. Each takes two stack frames."""

_LEVELS: Final = {
    **dict.fromkeys(("||",), 1),
    **dict.fromkeys(("&&",), 2),
    **dict.fromkeys(("==", "!=", "===", "!=="), 3),
    **dict.fromkeys(("<", ">", "<=", ">="), 4),
    **dict.fromkeys(("+", "-"), 5),
    **dict.fromkeys(("*", "/", "%"), 6),
}
"""Binding strength of each sign, as in JavaScript."""

_WORDS: Final = {"true": True, "false": False, "null": None}


@lru_cache(maxsize=1024)
def parsed(text: str) -> Node:
    """Parse an expression into its tree.

    Raises:
        InvalidExpression: the text is not an expression.
    """
    reader = _ExpressionParser(tokens(text))
    if not text.strip():
        raise InvalidExpression(0, "the expression is empty")
    node = reader.expression(0)
    rest = reader.next
    if rest.kind != "end":
        raise InvalidExpression(rest.start, f"unexpected {_shown(rest)}")
    level: list[Node] = [node]
    for _ in range(MAX_HEIGHT):
        level = [part for each in level for part in parts(each)]
    if level:
        raise InvalidExpression(
            level[0].position, f"more than {MAX_HEIGHT} operators, calls or steps depend on each other"
        )
    return node


def _shown(token: Token) -> str:
    if token.kind == "end":
        return "end"
    return "a string" if token.kind == "string" else f'"{token.text[:40]}"'


class _ExpressionParser:
    """Parses tokens from left to right."""

    def __init__(self, found: list[Token]) -> None:
        self._tokens = found
        self._place = 0
        self._depth = 0

    @property
    def next(self) -> Token:
        return self._tokens[self._place]

    def _taken(self) -> Token:
        token = self.next
        self._place += token.kind != "end"
        return token

    def _takes(self, sign: str) -> bool:
        if self.next.kind == "sign" and self.next.text == sign:
            self._place += 1
            return True
        return False

    def _closed(self, sign: str, opening: Token) -> None:
        if not self._takes(sign):
            what = f'"{opening.text}" is not closed with "{sign}"'
            if self.next.kind == "end":
                raise InvalidExpression(opening.start, what)
            raise InvalidExpression(self.next.start, f"unexpected {_shown(self.next)}; {what}")

    def expression(self, least: int) -> Node:
        """Parse an expression whose operators bind more tightly than level `least`."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise InvalidExpression(self.next.start, f"the expression is nested deeper than {MAX_DEPTH} levels")
        left = self._operand()
        while self.next.kind == "sign" and (level := _LEVELS.get(self.next.text, 0)) > least:
            sign = self._taken()
            left = Binary(sign.start, sign.text[:2], left, self.expression(level))
        self._depth -= 1
        return left

    def _operand(self) -> Node:
        token = self.next
        if token.kind == "sign" and token.text in ("!", "-", "+"):
            self._taken()
            self._depth += 1
            if self._depth > MAX_DEPTH:
                raise InvalidExpression(token.start, f"the expression is nested deeper than {MAX_DEPTH} levels")
            operand = self._operand()
            self._depth -= 1
            return Unary(token.start, token.text, operand)
        node = self._simple()
        while self.next.kind == "sign" and self.next.text in (".", "["):
            opening = self._taken()
            if opening.text == "[":
                key = self.expression(0)
                self._closed("]", opening)
                node = Item(opening.start, node, key)
                continue
            name = self._taken()
            if name.kind != "name":
                raise InvalidExpression(name.start, f'a name must follow ".", not {_shown(name)}')
            node = (
                Call(name.start, node, name.text, self._arguments())
                if self._is_call()
                else MemberAccess(name.start, node, name.text)
            )
        return node

    def _is_call(self) -> bool:
        return self.next.kind == "sign" and self.next.text == "("

    def _arguments(self) -> tuple[Node, ...]:
        return self._until(")", self._taken())

    def _until(self, closing: str, opening: Token) -> tuple[Node, ...]:
        found: list[Node] = []
        while not self._takes(closing):
            found.append(self.expression(0))
            if not self._takes(","):
                self._closed(closing, opening)
                break
        return tuple(found)

    def _simple(self) -> Node:
        token = self._taken()
        if token.kind == "number":
            return Literal(token.start, _number(token.text))
        if token.kind == "string":
            return Literal(token.start, token.text)
        if token.kind == "regex":
            return RegexLiteral(token.start, token.text, token.flags)
        if token.kind == "name":
            if self._is_call():
                return Call(token.start, None, token.text, self._arguments())
            return Literal(token.start, _WORDS[token.text]) if token.text in _WORDS else Name(token.start, token.text)
        if token.kind == "sign" and token.text == "(":
            node = self.expression(0)
            self._closed(")", token)
            return node
        if token.kind == "sign" and token.text == "[":
            return ListOf(token.start, self._until("]", token))
        if token.kind == "sign" and token.text == "{":
            return self._object(token)
        raise InvalidExpression(token.start, f"a value is missing before {_shown(token)}")

    def _object(self, opening: Token) -> Node:
        entries: list[tuple[str, Node]] = []
        while not self._takes("}"):
            name = self._taken()
            if name.kind not in ("name", "string", "number"):
                raise InvalidExpression(name.start, f"a key must be a name or a string, not {_shown(name)}")
            if not self._takes(":"):
                raise InvalidExpression(self.next.start, f'a ":" must follow the key, not {_shown(self.next)}')
            entries.append((name.text, self.expression(0)))
            if not self._takes(","):
                self._closed("}", opening)
                break
        return ObjectOf(opening.start, tuple(entries))


def _number(text: str) -> float | int:
    value = numbers.read(text) if text[:2].lower() == "0x" else float(text)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


class Token(NamedTuple):
    """One token."""

    kind: Kind
    text: str
    """A string without its quotation marks, the source of a regex; otherwise the text as written."""
    start: int
    """Position of the first character, from 0."""
    end: int
    """Position after the last character."""
    flags: str = ""
    """Flags of a regex."""


def tokens(text: str) -> list[Token]:
    """Split a text into tokens; the last one is of kind `end`.

    A `/` begins a regex where a value is expected, as in JavaScript; elsewhere it divides.

    Raises:
        InvalidExpression: the text is too long, or a character begins no token.
    """
    if len(text) > MAX_CHARACTERS:
        raise InvalidExpression(0, f"the expression is longer than {MAX_CHARACTERS:,} characters")
    found: list[Token] = []
    position = _BLANK.match(text, 0).end()  # type: ignore[union-attr]  # it matches nothing, too
    while position < len(text):
        token = _token(text, position, after=found[-1] if found else None)
        found.append(token)
        position = _BLANK.match(text, token.end).end()  # type: ignore[union-attr]
    return [*found, Token("end", "", len(text), len(text))]


def _token(text: str, start: int, after: Token | None) -> Token:
    character = text[start]
    if character in "\"'":
        return _string(text, start)
    if character == "/" and not _ends_value(after):
        return _regex(text, start)
    if found := _NAME.match(text, start):
        return Token("name", found[0], start, found.end())
    may_be_number = character.isdigit() if character != "." else not _ends_value(after)
    if may_be_number and (found := _NUMBER.match(text, start)):
        return Token("number", found[0], start, found.end())
    if found := _SIGN.match(text, start):
        return Token("sign", found[0], start, found.end())
    if character == "=":
        raise InvalidExpression(start, 'values are compared with "==", not "="')
    if character in "&|":
        raise InvalidExpression(start, f'conditions are joined by "{character * 2}", not "{character}"')
    hint = '; a property with blanks is written note["name"]' if character == "`" else ""
    raise InvalidExpression(start, f'unexpected character "{character}"{hint}')


def _ends_value(token: Token | None) -> bool:
    return token is not None and (token.kind != "sign" or token.text in (")", "]", "}"))


def _string(text: str, start: int) -> Token:
    quote = text[start]
    end = start + 1
    while end < len(text) and text[end] != quote:
        end += 2 if text[end] == "\\" else 1
    if end >= len(text):
        raise InvalidExpression(start, f"the string is not closed with {quote}")
    return Token("string", _ESCAPE.sub(_unescaped, text[start + 1 : end]), start, end + 1)


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code is None:
        return _SHORT.get(found[4], found[4])
    number = int(code, 16)
    return chr(number) if number <= 0x10FFFF else "\ufffd"


def _regex(text: str, start: int) -> Token:
    end = start + 1
    in_class = False
    while end < len(text) and text[end] != "\n" and (in_class or text[end] != "/"):
        if text[end] == "\\":
            end += 1
        elif text[end] in "[]":
            in_class = text[end] == "["
        end += 1
    if end >= len(text) or text[end] != "/":
        raise InvalidExpression(start, "the regular expression is not closed with /")
    flags = _FLAGS.match(text, end + 1)
    assert flags is not None  # the pattern also matches an empty text
    return Token("regex", text[start + 1 : end], start, flags.end(), flags[0])

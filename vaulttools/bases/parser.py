"""Reads an expression into its tree."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from vaulttools.bases import numbers
from vaulttools.bases.faults import InvalidExpression
from vaulttools.bases.lexer import Token, tokens
from vaulttools.bases.syntax import (
    Binary,
    Call,
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

MAX_DEPTH: Final = 60
"""Brackets and signs, one in another: each takes four frames of Python's stack, which has a thousand."""

MAX_HEIGHT: Final = 200
"""Levels of the tree, to which each operator of a chain such as `a + b + c` adds one; each takes two such frames."""

_LEVELS: Final = {
    **dict.fromkeys(("||",), 1),
    **dict.fromkeys(("&&",), 2),
    **dict.fromkeys(("==", "!=", "===", "!=="), 3),
    **dict.fromkeys(("<", ">", "<=", ">="), 4),
    **dict.fromkeys(("+", "-"), 5),
    **dict.fromkeys(("*", "/", "%"), 6),
}
"""How tightly each sign binds, as in JavaScript."""

_WORDS: Final = {"true": True, "false": False, "null": None}


@lru_cache(maxsize=1024)
def parsed(text: str) -> Node:
    """The tree of an expression.

    Raises:
        InvalidExpression: the text is no expression.
    """
    reader = _Reader(tokens(text))
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


class _Reader:
    """The tokens that are not read yet."""

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
        """What binds more tightly than a level, from left to right."""
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

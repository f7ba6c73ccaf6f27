"""Refuses conditions that are constants, and shows how the caller probably meant them."""

from __future__ import annotations

import json
from typing import Any, Final

from vaulttools.bases.definition import Filter, FilterGroup
from vaulttools.bases.parser import Token, parsed, tokens
from vaulttools.bases.syntax import (
    Binary,
    InvalidExpression,
    ListOf,
    Literal,
    Name,
    Node,
    ObjectOf,
    RegexLiteral,
    Unary,
)
from vaulttools.core import render
from vaulttools.errors import BadArgument

_QUOTED: Final = 60
"""Characters of a refused condition that the sentence repeats."""

_SHOWN: Final = 300
"""Characters of a corrected condition that a sentence shows; a longer one is not shown."""

_KEYS: Final = frozenset(("and", "or", "not"))
_EXAMPLE: Final = '{"and": ["status == \\"open\\"", "price > 5"]}'


def refuse(filter_: Filter | None, argument: str) -> None:
    """Refuse a filter with a condition that is the same for every file, except `true` and `false`: mostly the text of
    an object or a list, which holds for all of them.

    Raises:
        BadArgument: it has one; the sentence shows what to give for `argument` instead.
    """
    if filter_ is None:
        return
    if isinstance(filter_, FilterGroup):
        for part in filter_.parts:
            refuse(part, argument)
        return
    if what := _kind(filter_.expression.node):
        text, node = filter_.expression.text, filter_.expression.node
        is_whole = not isinstance(node, Binary) and parsed(text) is node
        shown, verb = render.shortened(text, _QUOTED), "is" if is_whole else "has a condition that is"
        raise BadArgument(
            f"`{shown}` in {argument} {verb} {what}, so it says the same of every file; {_instead(filter_)}"
        )


def _kind(node: Node) -> str:
    """Say what a constant is; empty for every other node."""
    match node:
        case Unary(operand=operand):
            return _kind(operand)
        case Binary(sign="&&" | "||", left=left, right=right):
            return _kind(left) or _kind(right)
        case ObjectOf():
            return "an object, but not in JSON"
        case ListOf():
            return "a list"
        case RegexLiteral():
            return "a regular expression"
        case Literal(value=str()):
            return "a text"
        case Literal(value=None):
            return "null"
        case Literal(value=value) if not isinstance(value, bool):
            return "a number"
    return ""


def _instead(filter_: Filter) -> str:
    assert not isinstance(filter_, FilterGroup)
    text, node = filter_.expression.text, filter_.expression.node
    if isinstance(node, ObjectOf | ListOf):
        meant = _FilterTreeParser(text).tree()
        shown = "" if meant is None else json.dumps(meant, ensure_ascii=False)
        if 0 < len(shown) <= _SHOWN:
            return f"write it as JSON: {shown}"
    elif isinstance(node, Literal) and isinstance(node.value, str) and _is_condition(node.value):
        return f"write it without the quotation marks around it: {node.value[:_SHOWN]}"
    return f'write a condition such as status == "open", or JSON such as {_EXAMPLE}'


def _is_condition(text: str) -> bool:
    try:
        node = parsed(text)
    except InvalidExpression:
        return False
    return not (isinstance(node, Name) or _kind(node))


class _FilterTreeParser:
    """Reads a tree of filters from the tokens of an object or a list."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokens(text)
        self._place = 0

    def tree(self) -> Any:
        """Returns the tree as plain values; None if the text is another object or list."""
        found = self._value()
        if isinstance(found, list):
            found = {"and": found}
        is_all = self._tokens[self._place].kind == "end"
        return found if is_all and isinstance(found, dict) and _is_tree(found) else None

    def _value(self) -> Any:
        match self._at(0):
            case Token(kind="sign", text="{"):
                return self._entries()
            case Token(kind="sign", text="["):
                return self._elements()
        return self._expression()

    def _at(self, ahead: int) -> Token:
        return self._tokens[min(self._place + ahead, len(self._tokens) - 1)]

    def _is_at(self, *signs: str) -> bool:
        """Whether the next token is one of these signs, or the end."""
        return self._at(0).kind == "end" or (self._at(0).kind == "sign" and self._at(0).text in signs)

    def _entries(self) -> dict[str, Any]:
        self._place += 1
        found: dict[str, Any] = {}
        while not self._is_at("}"):
            name = self._at(0).text
            self._place += 2  # the colon, too
            found[name] = self._value()
            self._place += self._is_at(",")
        self._place += 1
        return found

    def _elements(self) -> list[Any]:
        self._place += 1
        found = []
        while not self._is_at("]"):
            found.append(self._value())
            self._place += self._is_at(",")
        self._place += 1
        return found

    def _expression(self) -> str:
        """Returns an expression up to the next comma or closing bracket: of a text its content, else its source."""
        first, last = self._at(0), self._at(0)
        open_brackets = 0
        while open_brackets or not self._is_at(",", "]", "}"):
            last = self._at(0)
            if last.kind == "end":
                break
            open_brackets += (
                (last.text in ("(", "[", "{")) - (last.text in (")", "]", "}")) if last.kind == "sign" else 0
            )
            self._place += 1
        if first is last:
            return _PYTHON.get(first.text, first.text)
        return self._text[first.start : last.end]


_PYTHON: Final = {"True": "true", "False": "false"}
"""Words as Python prints them."""


def _is_tree(found: Any) -> bool:
    """Whether plain values are a tree of filters whose statements are conditions."""
    if isinstance(found, str):
        return bool(found.strip()) and (_is_condition(found) or found in ("true", "false") or found.isidentifier())
    if isinstance(found, list):
        return bool(found) and all(map(_is_tree, found))
    return bool(found) and found.keys() <= _KEYS and all(map(_is_tree, found.values()))

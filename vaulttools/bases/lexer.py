"""Splits an expression into tokens, each with its place in the text."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, TypeAlias

from vaulttools.bases.faults import InvalidExpression

Kind: TypeAlias = Literal["number", "string", "name", "regex", "sign", "end"]

MAX_CHARACTERS: Final = 20_000
"""Of one expression; the longest formula that was seen in a vault has 2,000."""

_BLANK: Final = re.compile(r"\s*")
_NAME: Final = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_NUMBER: Final = re.compile(r"0[xX][0-9a-fA-F]+|(?:[0-9]+(?:\.[0-9]+|\.(?![\w$.]))?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""A point before a letter is no part of it: `1.isTruthy()`."""

_SIGN: Final = re.compile(r"===|!==|==|!=|<=|>=|&&|\|\||[-+*/%<>!()\[\]{},.:]")
_FLAGS: Final = re.compile(r"[A-Za-z]*")
_ESCAPE: Final = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|[\s\S]))")
_SHORT: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}


class Token(NamedTuple):
    """One token."""

    kind: Kind
    text: str
    """What is meant: a string without its quotation marks, the source of a regex."""
    start: int
    """The first character, from 0."""
    end: int
    """Behind the last one."""
    flags: str = ""
    """Of a regex."""


def tokens(text: str) -> list[Token]:
    """All tokens, the last of kind `end`.

    A `/` begins a regex where a value is expected, as in JavaScript, and divides elsewhere.

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
    raise InvalidExpression(start, f'unexpected character "{character}"')


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
    assert flags is not None  # it matches nothing, too
    return Token("regex", text[start + 1 : end], start, flags.end(), flags[0])

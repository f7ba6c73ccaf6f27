"""Parses Obsidian's search language to a tree, and prints it (rules: `tests/rules.md`).

    either   = every ("OR" every)*                OR in capitals, as a word; it binds weaker
    every    = one+                               a blank means and
    one      = "-" one | "(" either ")" | "[" either (":" either)? "]" | operator one | phrase | regex | word

A word ends at a blank, a round bracket or a double quote; inside square brackets also at ``]``, and in the name at
``:``. Obsidian accepts a half-typed query; this parser says what is missing and where.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from vaulttools.errors import InvalidQuery
from vaulttools.patterns.pattern import MAX_CHARACTERS
from vaulttools.query import quoting, tree
from vaulttools.query.quoting import quoted
from vaulttools.query.tree import Node

MAX_NESTING: Final = 50
"""Groups, operators, negations and properties around one word. People write three; each level costs recursive readers
of the tree a few of Python's thousand frames."""

# The surroundings of the text that is read: they decide which signs and operators have a meaning there.
_Place = Literal["note", "file", "path", "tag", "name", "value"]

_CASES: Final = {"match-case": True, "ignore-case": False}
_SCOPES: Final[dict[str, tree.Scope]] = {scope: scope for scope in tree.SCOPES}
_FACTS: Final[dict[str, tree.Fact]] = {fact: fact for fact in tree.FACTS}
_INNER: Final[dict[str, _Place]] = {"file": "file", "path": "path", "tag": "tag"}
_OUTER: Final[dict[_Place, str]] = {"file": "file:", "path": "path:", "tag": "tag:"}

_NO_TEXT = re.compile("[\ud800-\udfff]")
_BLANKS = re.compile(r"\s*")
_OPERATOR = re.compile(rf"({'|'.join((*_CASES, *_SCOPES, 'tag'))}):", re.IGNORECASE | re.ASCII)
_PHRASE = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*)"', re.DOTALL)
_REGEX = re.compile(r"/(?!/)([^/\\]*+(?:\\.[^/\\]*+)*)/", re.DOTALL)
_WORD = re.compile(r'[^\s()"]+')
_WORDS: Final[dict[_Place, re.Pattern[str]]] = {"name": re.compile(r'[^\s()"\]:]+'), "value": quoting.VALUE_WORD}
_END: Final = ("", ")")
_ENDS: Final[dict[_Place, tuple[str, ...]]] = {"name": ("", ")", "]", ":"), "value": ("", ")", "]")}

_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SLASH = re.compile(r"\\.|/", re.DOTALL)

_QUOTE = "to find it as text put it in double quotes"
_QUOTE_A_LINK = 'to find a link put it in double quotes: "[[Note]]"'
_NO_REGEX = r"a regex takes no flags, a slash inside it is written \/, and a path goes in double quotes"


def parse(query: str) -> Node:
    """Parses a query.

    Raises:
        InvalidQuery: it is empty, cannot be read, is longer than `MAX_CHARACTERS` (the bound of every pattern,
            fault-R15) or nested deeper than `MAX_NESTING`, or is no text: it holds a lone surrogate.
    """
    if len(query) > MAX_CHARACTERS:
        raise InvalidQuery(query, MAX_CHARACTERS + 1, f"longer than {MAX_CHARACTERS:,} characters")
    if found := _NO_TEXT.search(query):
        raise InvalidQuery(query, found.start() + 1, "not valid Unicode text: a lone surrogate")
    return _QueryParser(query).whole()


def spelled(node: Node) -> str:
    """Writes a node as a query: `parse` returns an equal tree, unless the query has become too long."""
    match node:
        case tree.Term(text):
            return text
        case tree.Phrase(text):
            return quoted(text)
        case tree.Regex(source):
            return "/" + _SLASH.sub(lambda found: r"\/" if found[0] == "/" else found[0], source) + "/"
        case tree.And(parts):
            return " ".join(f"({spelled(part)})" if isinstance(part, tree.Or) else spelled(part) for part in parts)
        case tree.Or(parts):
            return " OR ".join(map(spelled, parts))
        case tree.Not(part):
            return f"-{_as_one(part)}"
        case tree.Within(scope, part):
            return f"{scope}:{_as_one(part)}"
        case tree.Case(sensitive, part):
            return f"{'match' if sensitive else 'ignore'}-case:{_as_one(part)}"
        case tree.TagNode(name):
            return quoting.of_tag(name)
        case tree.PropertyNode():
            return f"[{':'.join(map(spelled, tree.parts(node)))}]"
        case tree.Compare(sign, than):
            return sign + (quoted(than) if than.startswith("=") else quoting.plain(than))
        case tree.Is(fact):
            return fact


def _as_one(node: Node) -> str:
    return f"({spelled(node)})" if isinstance(node, tree.And | tree.Or) else spelled(node)


class _QueryParser:
    """Reads one query from left to right; `_at` is the next character to read (from 0)."""

    __slots__ = ("_at", "_depth", "_query")

    def __init__(self, query: str) -> None:
        self._query = query
        self._at = 0
        self._depth = 0

    def whole(self) -> Node:
        if not self._query or self._query.isspace():
            raise InvalidQuery(self._query, 1, "it is empty")
        if self._next("note") == "end":
            raise self._stray()
        node = self._either("note")
        if self._at < len(self._query):
            raise self._stray()
        return node

    def _either(self, place: _Place) -> Node:
        """Reads everything up to the end of the place; it must not be empty."""
        if self._next(place) == "OR":
            raise self._error(self._at, "nothing before OR", _QUOTE)
        found = [self._every(place)]
        while self._next(place) == "OR":
            start = self._at
            self._at += len("OR")
            if self._next(place) != "more":
                raise self._error(start, "nothing after OR", _QUOTE)
            found.append(self._every(place))
        return tree.either(found)

    def _every(self, place: _Place) -> Node:
        found = []
        while self._next(place) == "more":
            found.append(self._one(place))
        return tree.both(found)

    def _one(self, place: _Place) -> Node:
        if self._depth > MAX_NESTING:
            raise self._error(self._at, f"nested deeper than {MAX_NESTING} levels")
        self._depth += 1
        node = self._read(place)
        self._depth -= 1
        return node

    def _read(self, place: _Place) -> Node:
        match self._query[self._at]:
            case "-":
                return self._negated(place)
            case "(":
                return self._group(place)
            case "[":
                return self._property(place)
            case '"':
                start, text = self._at, self._quoted()
                return self._tag(start, text) if place == "tag" else tree.Phrase(text)
            case "/":
                return self._regex(place)
            case "<" | ">" if place == "value":
                return self._compare()
        if place != "name" and (found := _OPERATOR.match(self._query, self._at)):
            operator = found[1].lower()
            if place != "value" or operator in _CASES:
                return self._operator(place, operator)
        start, text = self._at, self._word(place)
        if place == "tag":
            return self._tag(start, text)
        return tree.Is(_FACTS[text]) if place == "value" and text in _FACTS else tree.Term(text)

    def _negated(self, place: _Place) -> Node:
        start = self._at
        self._at += 1
        following = self._query[self._at : self._at + 1]
        if following == "-":
            raise self._error(self._at, "a second hyphen", _QUOTE)
        if following.isspace() or self._next(place) != "more":
            raise self._error(start, "nothing to exclude right after the hyphen", _QUOTE)
        return tree.negated(self._one(place))

    def _operator(self, place: _Place, operator: str) -> Node:
        start = self._at
        if place == "tag" or (place in ("file", "path") and operator not in _CASES):
            raise self._error(start, f"{operator}: means nothing inside {place}:", _QUOTE)
        self._at += len(operator) + 1
        inner = _INNER.get(operator, place)
        if self._next(inner) != "more":
            raise self._error(start, f"nothing after {operator}:", _QUOTE)
        part = self._one(inner)
        if operator in _CASES:
            return tree.Case(_CASES[operator], part)
        return part if operator == "tag" else tree.Within(_SCOPES[operator], part)

    def _group(self, place: _Place) -> Node:
        start = self._at
        self._at += 1
        if self._next(place) == "end":
            empty = self._query.startswith(")", self._at)
            raise self._error(start, "empty group", _QUOTE) if empty else self._unclosed(start, "group", ")")
        node = self._either(place)
        if not self._query.startswith(")", self._at):
            raise self._unclosed(start, "group", ")")
        self._at += 1
        return node

    def _property(self, place: _Place) -> Node:
        start = self._at
        if self._query.startswith("[[", start):
            raise self._error(start, "a link is not a query", _QUOTE_A_LINK)
        if place != "note":
            raise self._error(start, f"a property means nothing inside {_OUTER.get(place, 'another one')}", _QUOTE)
        self._at += 1
        if self._next("name") == "end":
            if self._query.startswith((":", "]"), self._at):
                raise self._error(start, "a property without a name", _QUOTE)
            raise self._unclosed(start, "property", "]")
        name, value = self._either("name"), None
        if self._query.startswith(":", self._at):
            colon = self._at
            self._at += 1
            if self._next("value") == "end":
                raise self._error(colon, "no value after the colon", "use [name] for any value, [name:EMPTY] for none")
            value = self._either("value")
        if not self._query.startswith("]", self._at):
            raise self._unclosed(start, "property", "]")
        self._at += 1
        if self._query.startswith(":", self._at):
            raise self._error(self._at, "a colon after the property", "the value goes inside: [name:value]")
        return tree.PropertyNode(name, value)

    def _regex(self, place: _Place) -> Node:
        start = self._at
        if place == "tag":
            raise self._error(start, "a regex inside tag:", "it takes names of tags")
        found = _REGEX.match(self._query, start)
        if not found:
            empty = self._query.startswith("//", start)
            raise self._error(start, "empty regex", _QUOTE) if empty else self._unclosed(start, "regex", "/")
        self._at = found.end()
        following = self._query[self._at : self._at + 1]
        if not following.isspace() and following not in _ENDS.get(place, _END):
            raise self._error(self._at, "text right after the regex", _NO_REGEX)
        return tree.Regex(_ESCAPED.sub(lambda pair: "/" if pair[1] == "/" else pair[0], found[1]), start + 1)

    def _compare(self) -> Node:
        start = self._at
        sign = self._query[start]
        self._at += 1
        if self._next("value") == "end":
            raise self._error(start, f"nothing to compare with after {sign}", _QUOTE)
        following = self._query[self._at]
        if following == "=":
            raise self._error(self._at, f"there is no {sign}=", f'use [name:{sign}10 OR "10"]')
        if following == "(":
            raise self._error(self._at, f"a group after {sign}", f"use [name:{sign}10 OR {sign}20]")
        than = self._quoted() if following == '"' else self._word("value")
        return tree.Compare("<" if sign == "<" else ">", than)

    def _tag(self, start: int, text: str) -> Node:
        if not (name := text.removeprefix("#")):
            raise self._error(start, "a tag without a name", "write tag:#name")
        return tree.TagNode(name)

    def _quoted(self) -> str:
        found = _PHRASE.match(self._query, self._at)
        if not found:
            raise self._error(self._at, "unclosed quote", r"a quote inside quotes is written \"")
        self._at = found.end()
        return _ESCAPED.sub(lambda pair: pair[1] if pair[1] in '"\\' else pair[0], found[1])

    def _word(self, place: _Place) -> str:
        found = _WORDS.get(place, _WORD).match(self._query, self._at)
        assert found
        self._at = found.end()
        return found[0]

    def _next(self, place: _Place) -> Literal["more", "OR", "end"]:
        """Skips blanks, and returns what follows."""
        blanks = _BLANKS.match(self._query, self._at)
        assert blanks
        self._at = blanks.end()
        if self._query[self._at : self._at + 1] in _ENDS.get(place, _END):
            return "end"
        word = _WORDS.get(place, _WORD).match(self._query, self._at)
        return "OR" if word and word[0] == "OR" else "more"

    def _stray(self) -> InvalidQuery:
        return self._error(self._at, "closing bracket without an opening one", _QUOTE)

    def _unclosed(self, start: int, what: str, bracket: str) -> InvalidQuery:
        return self._error(start, f"unclosed {what}", f'close it with "{bracket}"; {_QUOTE}')

    def _error(self, at: int, reason: str, hint: str = "") -> InvalidQuery:
        return InvalidQuery(self._query, at + 1, reason, hint)

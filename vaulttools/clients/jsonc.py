"""Reads JSON with comments, and sets or removes one member, every other byte kept.

Editors and assistants let users write `//` and `/* */` comments and trailing commas into their settings. An edit is
made in the text, at offsets that the reader found; nothing is printed anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

DEEPEST: Final = 200
"""Nested brackets that are read; settings have about ten."""

_GAP = re.compile(r"(?:[ \t\r\n]|//[^\r\n]*|/\*(?:[^*]|\*(?!/))*\*/)*")
"""What may stand between two signs."""

_REST_OF_LINE = re.compile(r"[ \t]*//[^\r\n]*")
"""A comment behind an opening bracket, which belongs to it."""

_COMMENT = re.compile(r"//[^\r\n]*|/\*(?:[^*]|\*(?!/))*\*/")

_BLANK_LINE = re.compile(r"[ \t]*(?://[^\r\n]*)?\r?\n")
"""What hides nothing when a comment stands before it."""

_INDENT = re.compile(r"[ \t]*")


class MalformedConfig(Exception):
    """A text that is no JSON, or no TOML; holds the line, from 1, and nothing of the text itself."""

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        self.reason = reason
        super().__init__(f"line {line}: {reason}")


@dataclass(frozen=True, slots=True)
class JsonValue:
    """A value and where it is: characters from 0, end exclusive."""

    start: int
    end: int
    value: Any
    """Plain Python; an object as its pairs in order, so that no difference is lost in a dict."""


@dataclass(frozen=True, slots=True)
class Member:
    """A key with its value."""

    key: str
    start: int
    value: JsonValue
    comma: int | None
    """Where the comma behind it is."""


@dataclass(frozen=True, slots=True)
class Object(JsonValue):
    """An object with its members in order."""

    members: tuple[Member, ...]

    def named(self, key: str) -> Member | None:
        """The member of that key; of equal keys the last, as parsers take it."""
        return next((member for member in reversed(self.members) if member.key == key), None)


def read(text: str) -> JsonValue:
    """The value that the whole text holds.

    Raises:
        MalformedConfig: it is not one value, or its brackets are too deep.
    """
    return _Reader(text).whole()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._scalar = json.JSONDecoder(parse_constant=self._no_number).raw_decode

    def whole(self) -> JsonValue:
        node = self._value(self._gap(0), 0)
        end = self._gap(node.end)
        if end < len(self._text):
            self._fail(end, "something follows the end of the value")
        return node

    def _value(self, at: int, depth: int) -> JsonValue:
        if depth > DEEPEST:
            self._fail(at, "its brackets are nested too deeply")
        match self._text[at : at + 1]:
            case "{":
                return self._object(at, depth)
            case "[":
                return self._array(at, depth)
        try:
            value, end = self._scalar(self._text, at)
        except (ValueError, RecursionError):
            self._fail(at, "a value is expected")
        return JsonValue(at, end, value)

    def _object(self, start: int, depth: int) -> Object:
        members: list[Member] = []
        at = self._gap(start + 1)
        while self._text[at : at + 1] != "}":
            if members and members[-1].comma is None:
                self._fail(at, "a comma or } is expected")
            if self._text[at : at + 1] != '"':
                self._fail(at, 'a key in "quotes" is expected')
            key = self._value(at, depth)
            colon = self._gap(key.end)
            if self._text[colon : colon + 1] != ":":
                self._fail(colon, "a colon is expected")
            value = self._value(self._gap(colon + 1), depth + 1)
            comma, at = self._comma(value.end)
            members.append(Member(key.value, key.start, value, comma))
        return Object(start, at + 1, [(each.key, each.value.value) for each in members], tuple(members))

    def _array(self, start: int, depth: int) -> JsonValue:
        values: list[Any] = []
        comma: int | None = None
        at = self._gap(start + 1)
        while self._text[at : at + 1] != "]":
            if values and comma is None:
                self._fail(at, "a comma or ] is expected")
            value = self._value(at, depth + 1)
            comma, at = self._comma(value.end)
            values.append(value.value)
        # As a tuple, so that no array equals an object of the same pairs.
        return JsonValue(start, at + 1, tuple(values))

    def _comma(self, at: int) -> tuple[int | None, int]:
        """Where the comma behind a value is, and where what follows begins."""
        at = self._gap(at)
        return (at, self._gap(at + 1)) if self._text[at : at + 1] == "," else (None, at)

    def _gap(self, at: int) -> int:
        match = _GAP.match(self._text, at)
        assert match is not None
        return match.end()

    def _fail(self, at: int, reason: str) -> NoReturn:
        raise MalformedConfig(self._text.count("\n", 0, at) + 1, reason)

    def _no_number(self, constant: str) -> NoReturn:
        raise ValueError(constant)


class NotAnObject(Exception):
    """What should hold members is another value; holds the key that leads to it, "" for the whole file."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(key)


def at(value: Any, path: Sequence[str]) -> Any:
    """What dicts within dicts hold at a path; None: there is nothing.

    Raises:
        NotAnObject: something on the way is no dict.
    """
    last = ""
    for key in path:
        if not isinstance(value, dict):
            raise NotAnObject(last)
        if key not in value:
            return None
        value, last = value[key], key
    return value


def newline_of(text: str) -> str:
    """The line end of a file."""
    return "\r\n" if "\r\n" in text else "\n"


def put(text: str, path: Sequence[str], value: Any) -> str:
    """The text with the value at the path; objects on the way are made, and a value that is there is replaced.

    Raises:
        MalformedConfig: the text is no JSON.
        NotAnObject: something on the way is no object.
    """
    newline = newline_of(text)
    if not text.strip():
        for key in reversed(path):
            value = {key: value}
        return printed(value, "", "  ", newline) + newline
    holder, member, left = _found(text, path)
    if member is not None:
        return f"{text[: member.value.start]}{_on_one_line(value)}{text[member.value.end :]}"
    key, *below = left
    for each in reversed(below):
        value = {each: value}
    return _with_first(text, holder, key, value, newline)


def removed(text: str, path: Sequence[str]) -> str:
    """The text without the member at the path; unchanged when there is none.

    What `put` added to an object that had members is taken away to the byte; an object that is left empty becomes `{}`.

    Raises:
        MalformedConfig: the text is no JSON.
        NotAnObject: something on the way is no object.
    """
    if not text.strip():
        return text
    holder, member, _ = _found(text, path)
    if member is None:
        return text
    before = text[: member.start]
    if member.comma is not None and len(holder.members) > 1:
        after = text[member.value.end : member.comma] + text[member.comma + 1 :]
        cut = _cut(before, _end_of_last(holder, member), after)
        return cut + (after.removeprefix(" ") if cut == before else after)
    if len(holder.members) > 1:  # the last: the comma before it goes too
        comma = holder.members[-2].comma
        assert comma is not None
        after = text[member.value.end :]
        between = _cut(before, comma + 1, after)[comma + 1 :]
        return text[:comma] + (between if between.strip() else "") + after
    end = member.value.end if member.comma is None else member.comma + 1
    inside = _cut(before, holder.start + 1, text[end:])[holder.start + 1 :] + text[end : holder.end - 1]
    return f"{text[: holder.start]}{{{inside if inside.strip() else ''}}}{text[holder.end :]}"


def _end_of_last(holder: Object, member: Member) -> int:
    """Where the gap before a member begins."""
    number = holder.members.index(member)
    comma = holder.members[number - 1].comma if number else holder.start
    assert comma is not None
    return comma + 1


def _cut(before: str, gap: int, after: str) -> str:
    """What stands before a member that is taken out: without its blanks and its line end, where it begins a line.

    The line end stays where a comment in the gap before it would otherwise hide what comes after.
    """
    line = before.rstrip(" \t")
    cut = line.removesuffix("\n").removesuffix("\r")
    if cut == line:
        return before
    comments = _COMMENT.findall(cut, gap)
    is_open = bool(comments) and comments[-1].startswith("//") and cut.endswith(comments[-1])
    return line if is_open and not _BLANK_LINE.match(after) else cut


def printed(value: Any, indent: str, unit: str, newline: str) -> str:
    """The value as JSON, a member a line and arrays on one; `indent` is that of the line on which it begins."""
    if not isinstance(value, dict) or not value:
        return _on_one_line(value)
    inner = indent + unit
    lines = (f"{inner}{_on_one_line(key)}: {printed(each, inner, unit, newline)}" for key, each in value.items())
    return f"{{{newline}{f',{newline}'.join(lines)}{newline}{indent}}}"


def _on_one_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _found(text: str, path: Sequence[str]) -> tuple[Object, Member | None, Sequence[str]]:
    """The innermost object on the path, its member when that is the end of the path, and the keys still to make."""
    node, last = read(text), ""
    for number, key in enumerate(path):
        if not isinstance(node, Object):
            raise NotAnObject(last)
        member = node.named(key)
        if member is None or number == len(path) - 1:
            return node, member, path[number:]
        node, last = member.value, key
    raise AssertionError("a path has a key")


def _with_first(text: str, holder: Object, key: str, value: Any, newline: str) -> str:
    """The text with a first member: so no comma of another member, and no comment behind one, has to move."""
    at = holder.start + 1
    if holder.members and "\n" not in text[holder.start : holder.end]:
        return f"{text[:at]}{_on_one_line(key)}: {_on_one_line(value)}, {text[at:]}"
    base = _indent(text, holder.start)
    unit = _unit(text)
    first = holder.members[0].start if holder.members else None
    inner = base + unit if first is None or text[:first].rstrip(" \t")[-1:] != "\n" else _indent(text, first)
    member = f"{newline}{inner}{_on_one_line(key)}: {printed(value, inner, unit, newline)}"
    if holder.members:
        comment = _REST_OF_LINE.match(text, at)
        at = comment.end() if comment is not None else at
        return f"{text[:at]}{member},{text[at:]}"
    inside = text[at : holder.end - 1]
    # A line comment would hide the closing bracket, so what is inside keeps its place before it.
    end = f"{newline}{base}" if "\n" not in inside else ""
    return f"{text[:at]}{member}{inside}{end}{text[holder.end - 1 :]}"


def _indent(text: str, at: int) -> str:
    """The blanks with which the line of a character begins."""
    match = _INDENT.match(text, text.rfind("\n", 0, at) + 1)
    assert match is not None
    return match.group()


def _unit(text: str) -> str:
    """The blanks of one level: those of the first line that begins with some."""
    found = re.search(r"\n([ \t]+)\"", text)
    return found[1] if found is not None else "  "

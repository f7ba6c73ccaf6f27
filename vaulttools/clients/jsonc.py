"""Reads JSON with comments, and sets or removes one member, keeping every other byte.

Editors and assistants allow `//` and `/* */` comments and trailing commas in their settings. Replaced by blanks, they
leave JSON with every value at its original place. So an edit changes the original text, and nothing is reformatted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)

# What is not closed matches up to the end: else each sign in it would be tried as another beginning.
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*(?:"|\\?\Z)'
_STRING_OR_COMMENT = re.compile(rf"(?P<kept>{_STRING})|{_COMMENT.pattern}|(?P<open>/\*.*)", re.DOTALL)
_STRING_OR_COMMA = re.compile(rf"{_STRING}|[{{\[][ \t\r\n]*,|,(?=[ \t\r\n]*[}}\]])", re.DOTALL)
"""The last alternative is a comma after all values; a comma before all values is not JSON."""

_GAP = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"[ \t]*")

_REST_OF_LINE = re.compile(r"[ \t]*//[^\r\n]*")
"""A comment after an opening bracket, which belongs to the bracket."""

_BLANK_LINE = re.compile(r"[ \t]*(?://[^\r\n]*)?\r?\n")
"""A line that a comment before it may hide without harm."""

_DECODER = json.JSONDecoder(object_pairs_hook=tuple)


class MalformedConfig(Exception):
    """A text that is not JSON, or not TOML; the message has the line, from 1, and quotes nothing of the text."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")


class Member(NamedTuple):
    """A member of an object, as character offsets into its text: from 0, end exclusive."""

    key: str
    start: int
    value: int
    """Start of its value."""
    end: int
    """End of its value."""
    comma: int | None
    """Position of the comma after it."""


class Object(NamedTuple):
    """An object with its members in order; end exclusive."""

    start: int
    end: int
    members: Sequence[Member]


def read(text: str) -> Any:
    """Parse the whole text into plain Python; an object becomes a tuple of its pairs, because a dict would lose
    repeated keys.

    Raises:
        MalformedConfig: it is not one value, or its brackets are nested too deeply.
    """
    try:
        return _DECODER.decode(_plain(_uncommented(text)))
    except json.JSONDecodeError as error:
        raise MalformedConfig(error.lineno, f"{error.msg[:1].lower()}{error.msg[1:]}") from None
    except (ValueError, RecursionError):
        raise MalformedConfig(1, "a number is too long, or its brackets are nested too deeply") from None


def _uncommented(text: str) -> str:
    """Replace comments by blanks; everything else keeps its place."""
    return _STRING_OR_COMMENT.sub(
        lambda found: found["kept"] or found["open"] or re.sub(r"[^\r\n]", " ", found[0]), text
    )


def _plain(text: str) -> str:
    """Replace trailing commas by blanks, in a text without comments."""
    return _STRING_OR_COMMA.sub(lambda found: " " if found[0] == "," else found[0], text)


class NotAnObject(Exception):
    """A value that should have members is not an object; `key` leads to it, "" means the whole file."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(key)


def at(value: Any, path: Sequence[str]) -> Any:
    """Returns the value at a path in nested dicts; None if there is none.

    Raises:
        NotAnObject: a value on the path is not a dict.
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
    """Returns the line end of a file."""
    return "\r\n" if "\r\n" in text else "\n"


def put(text: str, path: Sequence[str], value: Any) -> str:
    """Returns the text with `value` at `path`; missing objects are created, an existing value is replaced.

    Raises:
        MalformedConfig: the text is not JSON.
        NotAnObject: a value on the path is not an object.
    """
    newline = newline_of(text)
    if not text.strip():
        for key in reversed(path):
            value = {key: value}
        return printed(value, "", "  ", newline) + newline
    holder, member, left = _found(text, path)
    if member is not None:
        return f"{text[: member.value]}{_on_one_line(value)}{text[member.end :]}"
    key, *below = left
    for each in reversed(below):
        value = {each: value}
    return _with_first(text, holder, key, value, newline)


def removed(text: str, path: Sequence[str]) -> str:
    """Returns the text without the member at `path`; unchanged if there is none.

    What `put` added to an object with members is removed to the byte; an object that becomes empty is written as `{}`.

    Raises:
        MalformedConfig: the text is not JSON.
        NotAnObject: a value on the path is not an object.
    """
    if not text.strip():
        return text
    holder, member, _ = _found(text, path)
    if member is None:
        return text
    before = text[: member.start]
    if member.comma is not None and len(holder.members) > 1:
        after = text[member.end : member.comma] + text[member.comma + 1 :]
        cut = _cut(before, _end_of_last(holder, member), after)
        return cut + (after.removeprefix(" ") if cut == before else after)
    if len(holder.members) > 1:  # it is the last member: the comma before it goes too
        comma = holder.members[-2].comma
        assert comma is not None
        after = text[member.end :]
        between = _cut(before, comma + 1, after)[comma + 1 :]
        return text[:comma] + (between if between.strip() else "") + after
    end = member.end if member.comma is None else member.comma + 1
    inside = _cut(before, holder.start + 1, text[end:])[holder.start + 1 :] + text[end : holder.end - 1]
    return f"{text[: holder.start]}{{{inside if inside.strip() else ''}}}{text[holder.end :]}"


def _end_of_last(holder: Object, member: Member) -> int:
    """Returns the start of the gap before a member."""
    number = holder.members.index(member)
    comma = holder.members[number - 1].comma if number else holder.start
    assert comma is not None
    return comma + 1


def _cut(before: str, gap: int, after: str) -> str:
    """Returns the text before a removed member; if the member begins a line, without its indentation and line end.

    The line end stays if a comment in the gap before it would otherwise hide the text that follows.
    """
    line = before.rstrip(" \t")
    cut = line.removesuffix("\n").removesuffix("\r")
    if cut == line:
        return before
    comments = _COMMENT.findall(cut, gap)
    is_open = bool(comments) and comments[-1].startswith("//") and cut.endswith(comments[-1])
    return line if is_open and not _BLANK_LINE.match(after) else cut


def printed(value: Any, indent: str, unit: str, newline: str) -> str:
    """Format a value as JSON, one member per line and arrays on one line; `indent` is that of its first line."""
    if not isinstance(value, dict) or not value:
        return _on_one_line(value)
    inner = indent + unit
    lines = (f"{inner}{_on_one_line(key)}: {printed(each, inner, unit, newline)}" for key, each in value.items())
    return f"{{{newline}{f',{newline}'.join(lines)}{newline}{indent}}}"


def _on_one_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _found(text: str, path: Sequence[str]) -> tuple[Object, Member | None, Sequence[str]]:
    """Returns the innermost object on the path, its member if the path ends there, and the keys that are missing."""
    read(text)
    commented = _uncommented(text)
    start, last = _behind_gap(commented, 0), ""
    for number, key in enumerate(path):
        if commented[start] != "{":
            raise NotAnObject(last)
        holder = _object(commented, start)
        # Of equal keys the last one counts, as in parsers.
        member = next((each for each in reversed(holder.members) if each.key == key), None)
        if member is None or number == len(path) - 1:
            return holder, member, path[number:]
        start, last = member.value, key
    raise AssertionError("a path has a key")


def _object(text: str, start: int) -> Object:
    """Parse the object that begins at a bracket; the text is valid JSON without comments."""
    plain = _plain(text)
    members: list[Member] = []
    at = _behind_gap(text, start + 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(plain, at)
        value = _behind_gap(text, _behind_gap(text, end) + 1)
        _, end = _DECODER.raw_decode(plain, value)
        comma = _behind_gap(text, end)
        has_comma = text[comma] == ","
        members.append(Member(key, at, value, end, comma if has_comma else None))
        at = _behind_gap(text, comma + has_comma)
    return Object(start, at + 1, members)


def _behind_gap(text: str, at: int) -> int:
    match = _GAP.match(text, at)
    assert match is not None
    return match.end()


def _with_first(text: str, holder: Object, key: str, value: Any, newline: str) -> str:
    """Insert a first member: then no other member's comma, and no comment after one, has to move."""
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
    # A line comment would hide the closing bracket, so the old contents stay before it.
    end = f"{newline}{base}" if "\n" not in inside else ""
    return f"{text[:at]}{member}{inside}{end}{text[holder.end - 1 :]}"


def _indent(text: str, at: int) -> str:
    """Returns the blanks at the beginning of the line that contains a character."""
    match = _INDENT.match(text, text.rfind("\n", 0, at) + 1)
    assert match is not None
    return match.group()


def _unit(text: str) -> str:
    """Returns the indentation of one level: that of the first indented line."""
    found = re.search(r"\n([ \t]+)\"", text)
    return found[1] if found is not None else "  "

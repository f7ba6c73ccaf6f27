"""Defines the functions of texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from vaulttools.bases.context import Frame
from vaulttools.bases.faults import Failed
from vaulttools.bases.functions.registry import function, whole
from vaulttools.bases.regexes import CompiledRegex, filled
from vaulttools.bases.values import MAX_TEXT, Value, text_of

_BLANKS: Final = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002"
    "\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What JavaScript trims."""
_WORD: Final = re.compile(r"[^\W_]\S*|_\S*")


def _text(frame: Frame, value: Value) -> str:
    return text_of(value, frame.context.setting)


def units(text: str) -> int:
    """The length of a text as JavaScript counts it: in units of UTF-16."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def sliced(text: str, start: int, end: int | None) -> str:
    """A part of a text, its places counted in units of UTF-16; negative ones from the end."""
    if max(text, default="") < "\U00010000":
        return text[start:end]
    raw = text.encode("utf-16-le", "surrogatepass")
    count = len(raw) // 2
    first, last, _ = slice(start, end).indices(count)
    return raw[first * 2 : max(first, last) * 2].decode("utf-16-le", "surrogatepass")


@function("string", "contains(text)", "Whether the text stands in it.", '"hello".contains("ell")', "true", least=1)
def _contains(frame: Frame, value: str, given: Sequence[Any]) -> Value:
    return _text(frame, given[0]) in value


@function(
    "string", "containsAll(text, …)", "Whether all of the texts stand in it.", '"hello".containsAll("h", "e")', "true"
)
def _contains_all(frame: Frame, value: str, given: Sequence[Any]) -> Value:
    return all(_text(frame, text) in value for text in given)


@function(
    "string",
    "containsAny(text, …)",
    "Whether one of the texts stands in it.",
    '"hello".containsAny("x", "y", "e")',
    "true",
)
def _contains_any(frame: Frame, value: str, given: Sequence[Any]) -> Value:
    return any(_text(frame, text) in value for text in given)


@function("string", "startsWith(text)", "Whether it begins with the text.", '"hello".startsWith("he")', "true", least=1)
def _starts_with(frame: Frame, value: str, given: Sequence[Any]) -> Value:
    return value.startswith(_text(frame, given[0]))


@function("string", "endsWith(text)", "Whether it ends with the text.", '"hello".endsWith("lo")', "true", least=1)
def _ends_with(frame: Frame, value: str, given: Sequence[Any]) -> Value:
    return value.endswith(_text(frame, given[0]))


@function("string", "lower()", "In lower case.", '"HELLO".lower()', '"hello"')
def _lower(_: Frame, value: str, __: Sequence[Any]) -> Value:
    return str(value).lower()


@function("string", "title()", "Each word with a capital.", '"hello world".title()', '"Hello World"')
def _title(_: Frame, value: str, __: Sequence[Any]) -> Value:
    return _WORD.sub(lambda word: word[0][0].upper() + word[0][1:].lower(), value)


@function("string", "trim()", "Without blanks at both ends.", '"  hi  ".trim()', '"hi"')
def _trim(_: Frame, value: str, __: Sequence[Any]) -> Value:
    return value.strip(_BLANKS)


@function("string", "reverse()", "The characters in reverse order.", '"hello".reverse()', '"olleh"')
def _reverse(_: Frame, value: str, __: Sequence[Any]) -> Value:
    return value[::-1]


@function("string", "repeat(count)", "So many times in a row.", '"123".repeat(2)', '"123123"', least=1)
def _repeat(frame: Frame, value: str, given: Sequence[Any]) -> Value:
    count = whole(given[0], "The count of repeat()")
    if count < 0:
        raise Failed("The count of repeat() must not be negative.")
    if len(value) * count > MAX_TEXT:
        raise Failed(f"The text is longer than {MAX_TEXT:,} characters.")
    return value * count


@function(
    "string",
    "slice(start, end?)",
    "The characters from `start` to before `end`, from 0; negative from the end.",
    '"hello".slice(1, 4)',
    '"ell"',
    least=1,
)
def _slice(_: Frame, value: str, given: Sequence[Any]) -> Value:
    end = whole(given[1], "The end of slice()") if len(given) > 1 and given[1] is not None else None
    return sliced(value, whole(given[0], "The start of slice()"), end)


@function(
    "string",
    "replace(pattern, replacement)",
    "With the pattern replaced: a text everywhere, a regex once or with `g` everywhere; `$1` is its first group.",
    '"a:b:c".replace(/:/, "-")',
    '"a-b:c"',
    least=2,
)
def _replace(frame: Frame, value: str, given: Sequence[Any]) -> Value:
    replacement = _text(frame, given[1])
    if isinstance(given[0], CompiledRegex):
        return frame.context.text(given[0].replaced(value, replacement, frame.context.tick))
    wanted = _text(frame, given[0])
    if "$" not in replacement:
        if wanted and len(value) + value.count(wanted) * len(replacement) > MAX_TEXT * 2:
            raise Failed(f"The text is longer than {MAX_TEXT:,} characters.")
        return frame.context.text(value.replace(wanted, replacement))
    pieces = value.split(wanted) if wanted else ["", *value, ""]
    place = 0
    made: list[str] = []
    for piece in pieces[:-1]:
        frame.context.tick()
        place += len(piece)
        made += (piece, filled(replacement, value, place, place + len(wanted)))
        place += len(wanted)
    return frame.context.text("".join((*made, pieces[-1])))


@function(
    "string",
    "split(separator, n?)",
    "The texts between a text or a regex; the first `n` of them.",
    '"a,b,c,d".split(",", 3)',
    '["a", "b", "c"]',
    least=1,
)
def _split(frame: Frame, value: str, given: Sequence[Any]) -> Value:
    pieces: list[Any]
    if isinstance(given[0], CompiledRegex):
        pieces = given[0].split(value, frame.context.tick)
    else:
        separator = _text(frame, given[0])
        pieces = list(value) if not separator else str(value).split(separator)
    limit = whole(given[1], "The count of split()") if len(given) > 1 and given[1] is not None else None
    return frame.context.list(pieces if limit is None or limit < 0 else pieces[:limit])

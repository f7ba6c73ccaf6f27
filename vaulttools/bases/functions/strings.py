"""Defines the functions of texts."""

from __future__ import annotations

import re
from typing import Any, Final

from vaulttools.bases.context import Frame
from vaulttools.bases.faults import Failed
from vaulttools.bases.functions import function, whole
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


@function("string", "contains(text)")
def _contains(frame: Frame, text: str, wanted: Value) -> Value:
    return _text(frame, wanted) in text


@function("string", "containsAll(text, …)")
def _contains_all(frame: Frame, text: str, *wanted: Value) -> Value:
    return all(_text(frame, each) in text for each in wanted)


@function("string", "containsAny(text, …)")
def _contains_any(frame: Frame, text: str, *wanted: Value) -> Value:
    return any(_text(frame, each) in text for each in wanted)


@function("string", "startsWith(text)")
def _starts_with(frame: Frame, text: str, start: Value) -> Value:
    return text.startswith(_text(frame, start))


@function("string", "endsWith(text)")
def _ends_with(frame: Frame, text: str, end: Value) -> Value:
    return text.endswith(_text(frame, end))


@function("string", "lower()")
def _lower(_: Frame, text: str) -> Value:
    return str(text).lower()


@function("string", "title()")
def _title(_: Frame, text: str) -> Value:
    return _WORD.sub(lambda word: word[0][0].upper() + word[0][1:].lower(), text)


@function("string", "trim()")
def _trim(_: Frame, text: str) -> Value:
    return text.strip(_BLANKS)


@function("string", "reverse()")
def _reverse(_: Frame, text: str) -> Value:
    return text[::-1]


@function("string", "repeat(count)")
def _repeat(_: Frame, text: str, count: Value) -> Value:
    times = whole(count, "The count of repeat()")
    if times < 0:
        raise Failed("The count of repeat() must not be negative.")
    if len(text) * times > MAX_TEXT:
        raise Failed(f"The text is longer than {MAX_TEXT:,} characters.")
    return text * times


@function("string", "slice(start, end?)")
def _slice(_: Frame, text: str, start: Value, end: Value = None) -> Value:
    last = None if end is None else whole(end, "The end of slice()")
    first = whole(start, "The start of slice()")
    if max(text, default="") < "\U00010000":
        return text[first:last]
    raw = text.encode("utf-16-le", "surrogatepass")  # places count units of UTF-16
    begin, stop, _step = slice(first, last).indices(len(raw) // 2)
    return raw[begin * 2 : max(begin, stop) * 2].decode("utf-16-le", "surrogatepass")


@function("string", "replace(pattern, replacement)")
def _replace(frame: Frame, text: str, pattern: Value, replacement: Value) -> Value:
    context = frame.context
    replacing = _text(frame, replacement)
    if isinstance(pattern, CompiledRegex):
        return context.text(pattern.replaced(text, replacing, context.tick))
    wanted = _text(frame, pattern)
    if "$" not in replacing:
        if wanted and len(text) + text.count(wanted) * len(replacing) > MAX_TEXT * 2:
            raise Failed(f"The text is longer than {MAX_TEXT:,} characters.")
        return context.text(text.replace(wanted, replacing))
    pieces = text.split(wanted) if wanted else ["", *text, ""]
    place = 0
    made: list[str] = []
    for piece in pieces[:-1]:
        context.tick()
        place += len(piece)
        made += (piece, filled(replacing, text, place, place + len(wanted)))
        place += len(wanted)
    return context.text("".join((*made, pieces[-1])))


@function("string", "split(separator, n?)")
def _split(frame: Frame, text: str, separator: Value, n: Value = None) -> Value:
    pieces: list[Any]
    if isinstance(separator, CompiledRegex):
        pieces = separator.split(text, frame.context.tick)
    elif between := _text(frame, separator):
        pieces = str(text).split(between)
    else:
        pieces = list(text)
    limit = -1 if n is None else whole(n, "The count of split()")
    return frame.context.list(pieces if limit < 0 else pieces[:limit])

"""Defines the functions of texts, numbers, dates, links, files, objects and regular expressions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from vaulttools.bases import numbers
from vaulttools.bases.context import MAX_LIST, Frame, found_in
from vaulttools.bases.functions import Body, register, text, whole
from vaulttools.bases.regexes import CompiledRegex, replaced
from vaulttools.bases.syntax import MAX_TEXT, TOO_LONG, Failed
from vaulttools.bases.times import Date
from vaulttools.bases.values import File, LinkValue, Value, equal, read_link, tag_covers
from vaulttools.core import moment_js
from vaulttools.core.folding.identity import composed

_BLANKS: Final = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002"
    "\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""Blanks that JavaScript trims."""
_WORD: Final = re.compile(r"[^\W_]\S*|_\S*")


def units(given: str) -> int:
    """Returns the length of a text in UTF-16 units, as JavaScript counts."""
    return len(given) if given.isascii() else len(given.encode("utf-16-le", "surrogatepass")) // 2


def _repeat(_: Frame, given: str, count: Value) -> str:
    times = whole(count, "The count of repeat()")
    if times < 0:
        raise Failed("The count of repeat() must not be negative.")
    if len(given) * times > MAX_TEXT:
        raise Failed(TOO_LONG)
    return given * times


def _slice(_: Frame, given: str, start: Value, end: Value = None) -> str:
    last = None if end is None else whole(end, "The end of slice()")
    first = whole(start, "The start of slice()")
    if max(given, default="") < "\U00010000":
        return given[first:last]
    raw = given.encode("utf-16-le", "surrogatepass")  # `start` and `end` count UTF-16 units
    begin, stop, _step = slice(first, last).indices(len(raw) // 2)
    return raw[begin * 2 : max(begin, stop) * 2].decode("utf-16-le", "surrogatepass")


def _replace(frame: Frame, given: str, pattern: Value, replacement: Value) -> str:
    context = frame.context
    replacing = text(frame, replacement)
    if isinstance(pattern, CompiledRegex):
        return pattern.replaced(given, replacing, context.stop)
    wanted = text(frame, pattern)
    if "$" in replacing:
        return replaced(given, wanted, replacing, context.tick)
    if len(given) + given.count(wanted) * (len(replacing) - len(wanted)) > MAX_TEXT:
        raise Failed(TOO_LONG)
    return given.replace(wanted, replacing)


def _split(frame: Frame, given: str, separator: Value, n: Value = None) -> Value:
    context = frame.context
    limit = -1 if n is None else whole(n, "The count of split()")
    most = limit if 0 <= limit <= MAX_LIST else MAX_LIST + 1
    if isinstance(separator, CompiledRegex):
        split = separator.split(given, most, context.stop)
        pieces: list[Any] = [piece if piece is None else context.text(piece) for piece in split]
    elif between := text(frame, separator):
        pieces = str(given).split(between, most)[:most]
    else:
        pieces = list(given[:most])
    return context.list(pieces)


def _composed(compare: Callable[[str, str], bool]) -> Callable[[Frame, str, Value], bool]:
    """Returns a function that compares two composed texts: in the app the names of files are composed on every disk."""

    def compared(frame: Frame, given: str, wanted: Value) -> bool:
        frame.context.tick(given)
        return compare(composed(given), composed(text(frame, wanted)))

    return compared


_holds: Final = _composed(lambda given, wanted: wanted in given)


def _of_texts(body: Callable[..., str]) -> Body:
    """Returns a function whose text is bounded and counted."""

    @wraps(body)
    def counted(frame: Frame, *given: Any) -> Value:
        return frame.context.text(body(frame, *given))

    return counted


register(
    "string",
    {
        "contains(text)": _holds,
        "containsAll(text, …)": lambda frame, given, *wanted: all(_holds(frame, given, each) for each in wanted),
        "containsAny(text, …)": lambda frame, given, *wanted: any(_holds(frame, given, each) for each in wanted),
        "startsWith(text)": _composed(str.startswith),
        "endsWith(text)": _composed(str.endswith),
        "lower()": _of_texts(lambda _, given: str(given).lower()),
        "title()": _of_texts(lambda _, given: _WORD.sub(lambda word: word[0][0].upper() + word[0][1:].lower(), given)),
        "trim()": _of_texts(lambda _, given: given.strip(_BLANKS)),
        "reverse()": _of_texts(lambda _, given: given[::-1]),
        "repeat(count)": _of_texts(_repeat),
        "slice(start, end?)": _of_texts(_slice),
        "replace(pattern, replacement)": _of_texts(_replace),
        "split(separator, n?)": _split,
    },
)


def _round(_: Frame, number: float, digits: Value = None) -> Value:
    places = 0 if digits is None else whole(digits, "The digits of round()")
    return numbers.rounded(number, max(-20, min(20, places)))


def _to_fixed(_: Frame, number: float, digits: Value = None) -> Value:
    places = 0 if digits is None else whole(digits, "The digits of toFixed()")
    if not 0 <= places <= 100:
        raise Failed("The digits of toFixed() must be from 0 to 100.")
    return numbers.fixed(number, places)


register(
    "number",
    {
        "abs()": lambda _, number: abs(number),
        "ceil()": lambda _, number: math.ceil(number) if math.isfinite(number) else number,
        "floor()": lambda _, number: math.floor(number) if math.isfinite(number) else number,
        "round(digits?)": _round,
        "toFixed(digits)": _to_fixed,
    },
)


def _format(frame: Frame, date: Date, tokens: Value) -> Value:
    clock = frame.context.setting.clock
    wanted = text(frame, tokens)
    if len(wanted) > 1000:
        raise Failed("The format of a date must not be longer than 1,000 characters.")
    return moment_js.formatted(clock.aware(date.instant), wanted, clock.weeks)


def _relative(frame: Frame, date: Date) -> Value:
    clock = frame.context.setting.clock
    return moment_js.relative(clock.local(date.instant), clock.local(clock.now))


register(
    "date",
    {
        "date()": lambda frame, date: date.day(frame.context.setting.clock),
        "format(tokens)": _format,
        "time()": lambda frame, date: frame.context.setting.clock.local(date.instant).strftime("%H:%M:%S"),
        "relative()": _relative,
    },
)
register(
    "object",
    {
        "keys()": lambda frame, held: frame.context.list([*held]),
        "values()": lambda frame, held: frame.context.list([*held.values()]),
    },
)


def _matches(frame: Frame, regex: CompiledRegex, given: Value) -> Value:
    return regex.matches(text(frame, given), frame.context.stop)


register("regexp", {"matches(text)": _matches})


def _as_file(frame: Frame, link: LinkValue) -> File | None:
    path = frame.context.setting.file_of(link)
    return None if path is None else File(path)


def _links_to(frame: Frame, link: LinkValue, other: Value) -> Value:
    file = _as_file(frame, link)
    return file is not None and _has_link(frame, file, other)


def _as_link(frame: Frame, file: File, display: Value = None) -> Value:
    return LinkValue(file.path, "", None if display is None else text(frame, display))


def _has_link(frame: Frame, file: File, other: Value) -> bool:
    """Whether a link of the file leads to `other`, or has the same text."""
    if other is None:
        return False
    context = frame.context
    if not isinstance(other, File | LinkValue):
        target = text(frame, other)
        other = read_link(target, file.path) or LinkValue(target, file.path)
    for target, display in context.files.links_of(file.path).links:
        context.tick()
        if equal(LinkValue(target, file.path, display), other, context.setting):
            return True
    return False


def _has_property(frame: Frame, file: File, name: Value) -> Value:
    held = frame.context.files.facts(file.path).properties
    return found_in(held, text(frame, name))[0] in held


def _has_tag(frame: Frame, file: File, tag: Value, *others: Value) -> Value:
    tags = frame.context.files.facts(file.path).tags
    wanted = [each for given in (tag, *others) for each in (given if isinstance(given, list) else (given,))]
    for each in wanted:
        frame.context.tick(each)
        if any(tag_covers(each, held) for held in tags):
            return True
    return False


def _in_folder(frame: Frame, file: File, folder: Value) -> Value:
    name = composed(text(frame, folder)).strip("/")  # `/` and `""` are the root
    return not name or composed(file.path).startswith(f"{name}/")


register("link", {"asFile()": _as_file, "linksTo(file)": _links_to})
register(
    "file",
    {
        "asLink(display?)": _as_link,
        "hasLink(other)": _has_link,
        "hasProperty(name)": _has_property,
        "hasTag(tag, …)": _has_tag,
        "inFolder(folder)": _in_folder,
    },
)

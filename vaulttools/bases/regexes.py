"""Matches JavaScript's regular expressions with RE2, in linear time.

RE2 has no look-around and no backreferences, because their cost has no bound; an error names them. ripgrep, which runs
the patterns of searches, reports no capture groups, and a process for each text of each row would take seconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from vaulttools.bases.syntax import MAX_TEXT, TOO_LONG, Failed, InvalidExpression

if TYPE_CHECKING:
    import re2

_SPACE: Final = r"\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}"
"""`\\s` in JavaScript; in RE2 it means ASCII only."""
_LINE_END: Final = r"\n\r\x{2028}\x{2029}"
_MEMORY: Final = 1 << 20
"""Bytes that one compiled regex may take; nearly all fit."""
_MOST_MEMORY: Final = 8 << 20
"""Bytes for one that does not fit `_MEMORY`; RE2 refuses a larger one. Few of them are kept."""
_MOST_WORK: Final = 500_000_000
"""Instructions of a regex times bytes of a text. RE2 takes up to 2 ns for each, and nothing can stop it meanwhile."""
_GROUPS_LIKE_ONE: Final = 10
"""With so many groups an instruction takes twice as long."""
_MOST_NOTES: Final = 2_000_000
"""Instructions times groups: RE2 may note 16 bytes for each."""
_BEFORE: Final = -1
"""Part of a replacement: the text before the match."""
_AFTER: Final = -2
"""Part of a replacement: the text after the match."""
_REFERENCE: Final = re.compile(r"\$(?:(\$)|(&)|(`)|(')|(\d{1,2})|<([^>]*)>)")
_KNOWN_FLAGS: Final = frozenset("gimsuyd")


@dataclass(frozen=True, slots=True)
class CompiledRegex:
    """A regular expression that compiles."""

    source: str
    flags: str

    @property
    def text(self) -> str:
        """The regex as written."""
        return f"/{self.source}/{self.flags}"

    @property
    def is_global(self) -> bool:
        """Whether it means all matches, not only the first."""
        return "g" in self.flags

    def matches(self, text: str, stop: Callable[[], None] = lambda: None) -> bool:
        """Whether it matches anywhere in a text; with the flag `y`, at the beginning.

        Raises:
            Failed: the text is too long for the regex.
        """
        found = next(self._found(text, stop), None)
        return found is not None and ("y" not in self.flags or found.start() == 0)

    def _found(self, text: str, stop: Callable[[], None]) -> Iterator[re2._Match]:
        """Yields the matches; `stop` is called before each search, which takes a second at most.

        Raises:
            Failed: the text is too long for the regex.
        """
        # RE2 reads UTF-8, which cannot hold half a surrogate pair; the replacement has the same length.
        safe = text.encode("utf-8", "replace")
        compiled = _compiled(self.source, self.flags)
        if len(safe) > compiled.most:
            raise Failed(f"A text of {len(safe):,} bytes is too long for {self.text}: at most {compiled.most:,}.")
        found: Iterator[re2._Match] = compiled.regexp.finditer(safe.decode("utf-8"))
        while True:
            stop()
            if (match := next(found, None)) is None:
                return
            yield match

    def replaced(self, text: str, replacement: str, stop: Callable[[], None]) -> str:
        """Replace the first match, or all matches with the flag `g`; `$1` and the like insert groups of the match.

        Raises:
            Failed: the result is longer than `MAX_TEXT`, or the text is too long for the regex.
        """
        compiled = _compiled(self.source, self.flags)
        parts = _parts(replacement, compiled.groups, compiled.names)
        groups = range(compiled.groups + 1)
        matches = ([match.span(group) for group in groups] for match in self._found(text, stop))
        return _joined(text, parts, matches if self.is_global else islice(matches, 1))

    def split(self, text: str, most: int, stop: Callable[[], None]) -> Iterator[str | None]:
        """Yields at most so many texts between matches, and the groups of each match, as JavaScript splits.

        Raises:
            Failed: the text is too long for the regex.
        """
        return islice(self._split(text, stop), most)

    def _split(self, text: str, stop: Callable[[], None]) -> Iterator[str | None]:
        done = 0
        for match in self._found(text, stop):
            if not text:
                return
            if match.start() == match.end() and match.start() in (done, len(text)):
                continue
            yield text[done : match.start()]
            for group in range(1, _compiled(self.source, self.flags).groups + 1):
                yield match.group(group)
            done = match.end()
        yield text[done:]


def replaced(text: str, wanted: str, replacement: str, stop: Callable[[], None]) -> str:
    """Replace all places of a plain text: `$&` in the replacement inserts the matched text, `$$` a dollar.

    Raises:
        Failed: the result is longer than `MAX_TEXT`.
    """

    def places() -> Iterator[Sequence[tuple[int, int]]]:
        start = text.find(wanted)
        while start >= 0:
            stop()
            yield ((start, start + len(wanted)),)
            start = text.find(wanted, start + max(1, len(wanted))) if start < len(text) else -1

    return _joined(text, _parts(replacement, 0, {}), places())


def regex(source: str, flags: str, position: int) -> CompiledRegex:
    """Compile a JavaScript regex.

    Raises:
        InvalidExpression: it is invalid, or cannot be matched in linear time; the message says which.
    """
    unknown = next((flag for flag in flags if flag not in _KNOWN_FLAGS), None)
    if unknown is not None:
        raise InvalidExpression(
            position, f'unknown flag "{unknown}" of a regular expression; known are g, i, m, s, u, y'
        )
    try:
        _compiled(source, flags)
    except ValueError as error:
        raise InvalidExpression(position, f"invalid regular expression /{source}/: {error}") from error
    return CompiledRegex(source, flags)


class _Program(NamedTuple):
    """A regex as RE2 compiled it, with what each use asks of it."""

    regexp: re2._Regexp
    most: int
    """Bytes of the longest text that it is matched in."""
    groups: int
    names: Mapping[str, int]


def _compiled(source: str, flags: str) -> _Program:
    """Compile a regex with RE2.

    Raises:
        ValueError: RE2 refuses it, with its reason; or it has too many groups.
    """
    return _small(source, flags) or _large(source, flags)


@lru_cache(maxsize=128)
def _small(source: str, flags: str) -> _Program | None:
    """Like `_compiled`; None for a regex that needs more than `_MEMORY`."""
    try:
        return _made(source, flags, _MEMORY)
    except ValueError as error:
        if _TOO_LARGE in str(error):
            return None
        raise


@lru_cache(maxsize=8)
def _large(source: str, flags: str) -> _Program:
    return _made(source, flags, _MOST_MEMORY)


_TOO_LARGE: Final = "pattern too large"
"""In RE2's message for a regex that needs more memory."""


def _made(source: str, flags: str, memory: int) -> _Program:
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = memory
    options.case_sensitive = "i" not in flags
    try:
        made = re2.compile(("(?m)" if "m" in flags else "") + _translated(source, dot_all="s" in flags), options)
    except re2.error as error:
        reason = error.args[0]
        raise ValueError(reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)) from error
    size, groups = max(made.programsize, made.reverseprogramsize, 1), made.groups
    if size * groups > _MOST_NOTES:
        raise ValueError(f"it has too many groups for its size; size times groups is at most {_MOST_NOTES:,}")
    return _Program(made, int(_MOST_WORK / (size * (1 + groups / _GROUPS_LIKE_ONE))), groups, made.groupindex)


def _translated(source: str, *, dot_all: bool) -> str:
    """Translate a JavaScript regex to RE2's syntax.

    Raises:
        ValueError: it needs a feature that RE2 does not have.
    """
    pieces: list[str] = []
    place = 0
    in_class = False
    while place < len(source):
        character = source[place]
        following = source[place + 1 : place + 2]
        if character == "\\":
            piece, place = _escape(source, place, in_class=in_class)
            pieces.append(piece)
            continue
        if in_class:
            in_class = character != "]"
            pieces.append("\\[" if character == "[" else character)
        elif character == "[":
            if source.startswith("[^]", place) or source.startswith("[]", place):
                pieces.append(r"[\s\S]" if following == "^" else r"[^\s\S]")
                place += 3 if following == "^" else 2
                continue
            in_class = True
            pieces.append("[^" if following == "^" else "[")
            place += following == "^"
        elif character == ".":
            pieces.append(r"[\s\S]" if dot_all else f"[^{_LINE_END}]")
        elif character == "(" and following == "?":
            opening = source[place : place + 4]
            if opening[:3] in ("(?=", "(?!") or opening in ("(?<=", "(?<!"):
                raise ValueError("look-around is not supported here")
            pieces.append("(")
        elif character == "{" and not re.match(r"\{\d+(?:,\d*)?\}", source[place:]):
            pieces.append("\\{")
        elif character == "}" and not re.search(r"\{\d+(?:,\d*)?$", source[max(0, place - 24) : place]):
            pieces.append("\\}")
        else:
            pieces.append(character)
        place += 1
    return "".join(pieces)


def _escape(source: str, place: int, *, in_class: bool) -> tuple[str, int]:
    """Translate the escape at `place`; return it and the position after it."""
    letter = source[place + 1 : place + 2]
    if code := re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))").match(source, place):
        return f"\\x{{{code[1] or code[2] or code[3]}}}", code.end()
    if control := re.compile(r"\\c([A-Za-z])").match(source, place):
        return f"\\x{{{ord(control[1].upper()) - 64:x}}}", control.end()
    if letter in ("s", "S"):
        if not in_class:
            return f"[{'^' if letter == 'S' else ''}{_SPACE}]", place + 2
        if letter == "S":
            return r"\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}" + (
                r"\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}"
            ), place + 2
        return _SPACE, place + 2
    if letter.isdigit() and letter != "0" and not in_class:
        raise ValueError("backreferences are not supported here")
    if letter == "k" and source[place + 2 : place + 3] == "<":
        raise ValueError("backreferences are not supported here")
    if letter == "0":
        return r"\x{0}", place + 2
    if letter == "b" and in_class:
        return r"\x{8}", place + 2
    if not letter:
        raise ValueError("a backslash ends it")
    if letter in "dDwWbBtnrvfpP":
        return f"\\{letter}", place + 2
    return (f"\\{letter}" if letter.isascii() and not letter.isalnum() and letter != "_" else letter), place + 2


def _parts(replacement: str, groups: int, names: Mapping[str, int]) -> list[str | int]:
    """Returns the parts of a replacement: texts, numbers of groups (0 is the whole match), `_BEFORE`, `_AFTER`."""
    parts: list[str | int] = []
    done = 0
    for found in _REFERENCE.finditer(replacement):
        parts += (replacement[done : found.start()], *_referred(found, groups, names))
        done = found.end()
    return [*filter(lambda part: part != "", parts), replacement[done:]]


def _referred(found: re.Match[str], groups: int, names: Mapping[str, int]) -> tuple[str | int, ...]:
    """Returns what one reference of a replacement inserts."""
    dollar, whole, before, after, digits, name = found.groups()
    if dollar:
        return ("$",)
    if whole or before or after:
        return (0 if whole else _BEFORE if before else _AFTER,)
    if digits:
        number = int(digits)
        if 0 < number <= groups:
            return (number,)
        if len(digits) == 2 and 0 < int(digits[0]) <= groups:
            return int(digits[0]), digits[1]
    elif names:
        return (names[name],) if name in names else ()
    return (found[0],)


def _joined(text: str, parts: Sequence[str | int], matches: Iterable[Sequence[tuple[int, int]]]) -> str:
    """Returns a text whose matches are replaced; a match is its span and the spans of its groups.

    Raises:
        Failed: the result is longer than `MAX_TEXT`; it is measured before it is made.
    """
    pieces: list[str] = []
    room = MAX_TEXT

    def add(piece: str) -> None:
        nonlocal room
        if piece:
            room -= len(piece)
            if room < 0:
                raise Failed(TOO_LONG)
            pieces.append(piece)

    done = 0
    for spans in matches:
        start, end = spans[0]
        add(text[done:start])
        for part in parts:
            if isinstance(part, str):
                add(part)
            elif part == _BEFORE:
                add(text[:start])
            elif part == _AFTER:
                add(text[end:])
            else:
                first, last = spans[part]
                add(text[first:last] if first >= 0 else "")
        done = end
    add(text[done:])
    return "".join(pieces)

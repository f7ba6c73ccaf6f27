"""Matches JavaScript's regular expressions with RE2, in linear time.

RE2 has no look-around and no backreferences, because their cost has no bound; an error names them. ripgrep, which runs
the patterns of searches, reports no capture groups, and a process for each text of each row would take seconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from vaulttools.bases.syntax import InvalidExpression

if TYPE_CHECKING:
    import re2

_SPACE: Final = r"\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}"
"""`\\s` in JavaScript; in RE2 it means ASCII only."""
_LINE_END: Final = r"\n\r\x{2028}\x{2029}"
_MEMORY: Final = 8 << 20
"""Bytes for one compiled regex; RE2 refuses a larger one."""
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

    def matches(self, text: str) -> bool:
        """Whether it matches anywhere in a text; with the flag `y`, at the beginning."""
        found = next(self._found(text), None)
        return found is not None and ("y" not in self.flags or found.start() == 0)

    def _found(self, text: str) -> Iterator[re2._Match]:
        # RE2 reads UTF-8, which cannot hold half a surrogate pair; the replacement has the same length.
        safe = text.encode("utf-8", "replace").decode("utf-8")
        found: Iterator[re2._Match] = _compiled(self.source, self.flags).finditer(safe)
        return found

    def replaced(self, text: str, replacement: str, stop: Callable[[], None]) -> str:
        """Replace the first match, or all matches with the flag `g`; `$1` and the like insert groups of the match."""
        pieces: list[str] = []
        done = 0
        for found in self._found(text):
            stop()
            pieces += (text[done : found.start()], _filled(replacement, text, found))
            done = found.end()
            if not self.is_global:
                break
        return "".join((*pieces, text[done:]))

    def split(self, text: str, stop: Callable[[], None]) -> list[str | None]:
        """Return the texts between matches, and the groups of each match, as JavaScript splits."""
        if not text:
            return [] if self.matches("") else [""]
        pieces: list[str | None] = []
        done = 0
        for found in self._found(text):
            stop()
            if found.start() == found.end() and found.start() in (done, len(text)):
                continue
            pieces += (text[done : found.start()], *found.groups())
            done = found.end()
        return [*pieces, text[done:]]


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


@lru_cache(maxsize=256)
def _compiled(source: str, flags: str) -> re2._Regexp:
    """Compile a regex with RE2.

    Raises:
        ValueError: RE2 refuses it, with its reason.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    options.case_sensitive = "i" not in flags
    try:
        return re2.compile(("(?m)" if "m" in flags else "") + _translated(source, dot_all="s" in flags), options)
    except re2.error as error:
        reason = error.args[0]
        raise ValueError(reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)) from error


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


def filled(replacement: str, text: str, start: int, end: int) -> str:
    """Fill in the replacement of a plain match: `$&` is the matched text, `$$` a dollar."""

    def reference(found: re.Match[str]) -> str:
        if found[1]:
            return "$"
        if found[2]:
            return text[start:end]
        if found[3]:
            return text[:start]
        return text[end:] if found[4] else found[0]

    return _REFERENCE.sub(reference, replacement) if "$" in replacement else replacement


def _filled(replacement: str, text: str, match: re2._Match) -> str:
    """Fill in the replacement of a regex match."""
    if "$" not in replacement:
        return replacement
    groups = match.groups()
    names = match.re.groupindex

    def reference(found: re.Match[str]) -> str:
        if digits := found[5]:
            number = int(digits)
            if len(digits) == 2 and not 0 < number <= len(groups) and 0 < int(digits[0]) <= len(groups):
                return (groups[int(digits[0]) - 1] or "") + digits[1]
            return (groups[number - 1] or "") if 0 < number <= len(groups) else found[0]
        if found[6] is not None:
            return (match.group(found[6]) or "" if found[6] in names else "") if names else found[0]
        return filled(found[0], text, match.start(), match.end())

    return _REFERENCE.sub(reference, replacement)

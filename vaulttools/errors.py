"""Defines the errors a caller can meet, each with its facts and one sentence.

VaultToolsError
├── BadArgument            an argument that cannot be used; the sentence says what is accepted
│   ├── BadArguments       several of them, told together
│   ├── InvalidPattern     the regex does not compile
│   ├── InvalidGlob        the glob is malformed
│   ├── InvalidQuery       the query is outside the search language
│   ├── InvalidBase        a base, or an expression in it, that cannot be read
│   ├── OutsideVault       the path leads out of the vault
│   ├── AccessDenied       the path lies in a protected folder
│   ├── PathTooLong        no file system takes the path
│   ├── PathNotFound       nothing is there
│   ├── AmbiguousName      a name that several files have
│   └── PartNotFound       a heading or block that a note does not have
├── TooBroad               `show` refuses a query that matches too often
├── RipgrepUnavailable     no usable ripgrep
└── Cancelled              the caller stopped the call
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

_SENTENCE = 8_000
"""Characters of a sentence; it may repeat a hundred paths, and an answer has a bound."""

_QUOTED = 1_000
"""Characters of a pattern that a sentence quotes; it may be ten times as long, and an answer has a bound."""

_NAMED = 5
"""Names that a sentence offers; the rest is a number."""

_NAME = 200
"""Characters of one of them."""

_AROUND = 40
"""Characters of a query that are shown on each side of the one at fault."""

_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""The Unicode categories of what steers a terminal or a reader and is not seen: controls and line ends, zero-width and
bidi characters, lone surrogates (which would besides break every output, fault-O04), line separators."""

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _shown(sentence: str) -> str:
    """One bounded line, every unseen character of what it repeats as a visible escape (fault-N01 to fault-N04,
    fault-O04)."""
    return _bounded(sentence if sentence.isprintable() else "".join(map(_escaped, sentence)))


def _either(names: Sequence[str]) -> str:
    """`a, b or c`, of more than five `a, b, c, d, e or 7 others`."""
    *others, last = _first(names, "others")
    return f"{', '.join(others)} or {last}" if others else last


def _listed(names: Sequence[str]) -> str:
    """`a, b, c`, of more than five `a, b, c, d, e, 7 more`."""
    return ", ".join(_first(names, "more"))


def _first(names: Sequence[str], rest: str) -> list[str]:
    first = [name if len(name) <= _NAME else f"{name[:_NAME]}…" for name in names[:_NAMED]]
    return [*first, f"{len(names) - _NAMED:,} {rest}"] if len(names) > _NAMED else first


def _bounded(sentence: str) -> str:
    return sentence if len(sentence) <= _SENTENCE else f"{sentence[:_SENTENCE]}…"


def _escaped(character: str) -> str:
    category = unicodedata.category(character)
    if category not in _UNSEEN:
        return character
    code = f"{ord(character):x}"
    return f"\\u{code}" if category == "Cs" else _SHORT.get(character, f"\\u{{{code}}}")


class VaultToolsError(Exception):
    """Base of everything this package raises on purpose; ``str(error)`` is one sentence for people and models."""

    def __str__(self) -> str:
        return _shown(super().__str__())

    def __reduce__(self) -> tuple[Any, ...]:
        # Not by its constructor, as other exceptions are: it takes facts, and `args` holds the sentence made of them.
        return _copied, (type(self), self.args, vars(self))


def _copied(kind: type[VaultToolsError], args: tuple[Any, ...], facts: dict[str, Any]) -> VaultToolsError:
    """An equal error, in another process as well."""
    error = kind.__new__(kind, *args)
    vars(error).update(facts)
    return error


class BadArgument(VaultToolsError):
    """An argument was refused; the sentence says what is wrong and what is accepted."""


class BadArguments(BadArgument):
    """Several arguments refused at once, a sentence each; they stand on lines of their own."""

    def __init__(self, *sentences: str) -> None:
        self.sentences = tuple(map(_shown, sentences))
        super().__init__(*sentences)

    def __str__(self) -> str:
        return _bounded("\n".join(self.sentences))


class InvalidPattern(BadArgument):
    """A regex that ripgrep refuses, with the reason it gives and a hint that shows the literal spelling."""

    def __init__(self, pattern: str, reason: str, hint: str = "") -> None:
        self.pattern = pattern
        self.reason = reason
        if len(pattern) > _QUOTED:
            pattern, hint = f"{pattern[:_QUOTED]}…", ""
        super().__init__(f"Invalid regex: {pattern}: {reason}{'. ' + hint if hint else ''}")


class InvalidGlob(BadArgument):
    """A glob outside the one dialect."""

    def __init__(self, glob: str, reason: str) -> None:
        self.glob = glob
        self.reason = reason
        super().__init__(f"Invalid glob pattern: {glob}: {reason}")


class InvalidQuery(BadArgument):
    """A query outside the search language; `position` is the character at fault, from 1, which the sentence marks."""

    def __init__(self, query: str, position: int, reason: str, hint: str = "") -> None:
        self.query = query
        self.position = position
        self.reason = reason
        fault = f"{_marked(query, position)}: {reason} at position {position}" if query.strip() else reason
        super().__init__(f"Invalid query: {fault}{'; ' + hint if hint else ''}")


class InvalidBase(BadArgument):
    """A base, or an expression in it, that cannot be read; `place` is the part, `position` the character, from 1."""

    def __init__(self, reason: str, place: str, text: str = "", position: int | None = None) -> None:
        self.reason = reason
        self.place = place
        self.text = text
        self.position = position
        # A reason that goes on behind a semicolon keeps that part for the end: the place belongs to its beginning.
        reason, _, hint = reason.partition("; ")
        at = "" if position is None else f", position {position}: {_marked(text, position)}"
        super().__init__(f"{reason} in {place}{at}{'; ' + hint if hint else ''}")


def _marked(query: str, position: int) -> str:
    """What stands around a position, from 1, with an arrow to it: a caret would need a line of its own."""
    at = position - 1
    start, end = max(0, at - _AROUND), at + _AROUND
    head, tail = "…" if start else "", "…" if end < len(query) else ""
    return f"{head}{query[start:at].rstrip()} HERE-> {query[at:end]}{tail}".strip()


class OutsideVault(BadArgument):
    """A path that resolves outside the vault; carries the path as it was given."""

    def __init__(self, given: str) -> None:
        self.given = given
        super().__init__(f"Path is outside the vault: {given}")


class AccessDenied(BadArgument):
    """A path in a protected folder; carries the folder's name, never what lies in it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        super().__init__(f"Access denied: '{folder}/' is a protected folder")


class PathTooLong(BadArgument):
    """A path, or a name in it, that is longer than file systems take; a glob may well be."""

    def __init__(self, given: str) -> None:
        self.given = given
        super().__init__(f"Path is too long: {given[:60]}…")


class PathNotFound(BadArgument):
    """A path under which nothing is there; carries the paths as they were given, and paths that may have been meant."""

    def __init__(self, *given: str, close: Sequence[str] = ()) -> None:
        self.given = given
        self.close = tuple(close)
        meant = f"; did you mean {_either(close)}?" if close else ""
        super().__init__(f"Path not found: {', '.join(given)}{meant}")


class AmbiguousName(BadArgument):
    """A name that several files have; carries the name as it was given and the paths of all of them."""

    def __init__(self, given: str, candidates: Sequence[str]) -> None:
        self.given = given
        self.candidates = tuple(candidates)
        super().__init__(f"Name is ambiguous: {given} could be {_either(candidates)}; give the path")


class PartNotFound(BadArgument):
    """A heading or block that a note does not have; carries it, and those that may have been meant or that are there.

    `what` is `Heading` or `Block`.
    """

    def __init__(self, what: str, given: str, note: str, *, close: Sequence[str], there: Sequence[str]) -> None:
        self.given = given
        self.note = note
        self.close = tuple(close)
        self.there = tuple(there)
        meant = f"did you mean {_either(close)}?" if close else f"it has {_listed(there)}" if there else "it has none"
        super().__init__(f"{what} not found: {given} in {note}; {meant}")


class TooBroad(VaultToolsError):
    """`show` refuses a query with more matching lines than it prints; a successful search, but no answer."""


class RipgrepUnavailable(VaultToolsError):
    """No ripgrep of a usable version; the sentence says how to get one."""


class Cancelled(VaultToolsError):
    """The caller set the cancel event; nothing was answered."""

    def __init__(self) -> None:
        super().__init__("The call was cancelled")

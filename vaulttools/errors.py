"""Defines the errors a caller can meet, each with its facts and one sentence.

VaultToolsError
├── BadArgument            an argument that cannot be used; the sentence says what is accepted
│   ├── BadArguments       several of them in one error
│   ├── InvalidPattern     the regex does not compile
│   ├── InvalidGlob        the glob is malformed
│   ├── InvalidQuery       the query is outside the search language
│   ├── InvalidBase        a base, or an expression in it, that cannot be read
│   ├── OutsideVault       the path leads out of the vault
│   ├── AccessDenied       the path lies in a protected folder
│   ├── PathTooLong        the path is too long for file systems
│   ├── PathNotFound       the path does not exist
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
"""Most characters of a sentence: it may repeat a hundred paths, but an answer has a bound."""

_QUOTED = 1_000
"""Most characters of a pattern that a sentence quotes: a pattern may be ten times as long."""

_NAMED = 5
"""How many names a sentence offers; the rest is a number."""

_NAME = 200
"""Most characters of such a name."""

_AROUND = 40
"""Characters of a query shown on each side of the faulty one."""

_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Unicode categories of invisible characters that steer a terminal or a reader: controls and line ends, zero-width and
bidi characters, lone surrogates (which would also break every output, fault-O04), line separators."""

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _shown(sentence: str) -> str:
    """Returns one bounded line in which every invisible character is a visible escape (fault-N01 to fault-N04,
    fault-O04)."""
    return _bounded(sentence if sentence.isprintable() else "".join(map(_escaped, sentence)))


def either(names: Sequence[str]) -> str:
    """Returns `a, b or c`; for more than five names `a, b, c, d, e or 7 others`."""
    *others, last = _first(names, "others")
    return f"{', '.join(others)} or {last}" if others else last


def _listed(names: Sequence[str]) -> str:
    """Returns `a, b, c`; for more than five names `a, b, c, d, e, 7 more`."""
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
    """Base of all errors that this package raises on purpose; ``str(error)`` is one sentence for people and models."""

    def __str__(self) -> str:
        return _shown(super().__str__())

    def __reduce__(self) -> tuple[Any, ...]:
        # Not by its constructor, as for other exceptions: it takes facts, but `args` holds the finished sentence.
        return _copied, (type(self), self.args, vars(self))


def _copied(kind: type[VaultToolsError], args: tuple[Any, ...], facts: dict[str, Any]) -> VaultToolsError:
    """Makes an equal error, in another process as well."""
    error = kind.__new__(kind, *args)
    vars(error).update(facts)
    return error


class BadArgument(VaultToolsError):
    """An argument was refused; the sentence says what is wrong and what is accepted."""


class BadArguments(BadArgument):
    """Several arguments were refused at once; one line for each sentence."""

    def __init__(self, *sentences: str) -> None:
        self.sentences = tuple(map(_shown, sentences))
        super().__init__(*sentences)

    def __str__(self) -> str:
        return _bounded("\n".join(self.sentences))


class InvalidPattern(BadArgument):
    """A regex that ripgrep refuses, with its reason, and a hint that shows how to search for the literal text."""

    def __init__(self, pattern: str, reason: str, hint: str = "") -> None:
        self.pattern = pattern
        self.reason = reason
        if len(pattern) > _QUOTED:
            pattern, hint = f"{pattern[:_QUOTED]}…", ""
        super().__init__(f"Invalid regex: {pattern}: {reason}{'. ' + hint if hint else ''}")


class InvalidGlob(BadArgument):
    """A malformed glob."""

    def __init__(self, glob: str, reason: str) -> None:
        self.glob = glob
        self.reason = reason
        super().__init__(f"Invalid glob pattern: {glob}: {reason}")


class InvalidQuery(BadArgument):
    """A query outside the search language; `position` is the faulty character (from 1), which the sentence marks."""

    def __init__(self, query: str, position: int, reason: str, hint: str = "") -> None:
        self.query = query
        self.position = position
        self.reason = reason
        fault = f"{_marked(query, position)}: {reason} at position {position}" if query.strip() else reason
        super().__init__(f"Invalid query: {fault}{'; ' + hint if hint else ''}")


class InvalidBase(BadArgument):
    """A base, or an expression in it, that cannot be read; `place` is the part, `position` the character (from 1)."""

    def __init__(self, reason: str, place: str, text: str = "", position: int | None = None) -> None:
        self.reason = reason
        self.place = place
        self.text = text
        self.position = position
        # The part of a reason after a semicolon comes last: the place belongs to the part before.
        reason, _, hint = reason.partition("; ")
        at = "" if position is None else f", position {position}: {_marked(text, position)}"
        super().__init__(f"{reason} in {place}{at}{'; ' + hint if hint else ''}")


def _marked(query: str, position: int) -> str:
    """Returns the text around a position (from 1) with an arrow to it: a caret would need a line of its own."""
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
    """A path in a protected folder; carries the folder's name, never its content."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        super().__init__(f"Access denied: '{folder}/' is a protected folder")


class PathTooLong(BadArgument):
    """A path, or a name in it, longer than file systems accept; a glob may be longer."""

    def __init__(self, given: str) -> None:
        self.given = given
        super().__init__(f"Path is too long: {given[:60]}…")


class PathNotFound(BadArgument):
    """A path that does not exist; carries the paths as given, and similar paths that may be meant."""

    def __init__(self, *given: str, close: Sequence[str] = ()) -> None:
        self.given = given
        self.close = tuple(close)
        meant = f"; did you mean {either(close)}?" if close else ""
        super().__init__(f"Path not found: {', '.join(given)}{meant}")


class AmbiguousName(BadArgument):
    """A name of several files; carries the name as given and the paths of all of them."""

    def __init__(self, given: str, candidates: Sequence[str]) -> None:
        self.given = given
        self.candidates = tuple(candidates)
        super().__init__(f"Name is ambiguous: {given} could be {either(candidates)}; give the path")


class PartNotFound(BadArgument):
    """A heading or block that a note does not have; carries it, and similar or existing ones.

    `what` is `Heading` or `Block`.
    """

    def __init__(self, what: str, given: str, note: str, *, close: Sequence[str], there: Sequence[str]) -> None:
        self.given = given
        self.note = note
        self.close = tuple(close)
        self.there = tuple(there)
        meant = f"did you mean {either(close)}?" if close else f"it has {_listed(there)}" if there else "it has none"
        super().__init__(f"{what} not found: {given} in {note}; {meant}")


class TooBroad(VaultToolsError):
    """`show` refuses a query with more matching lines than it prints; the search succeeded, but there is no answer."""


class RipgrepUnavailable(VaultToolsError):
    """There is no usable version of ripgrep; the sentence says how to get one."""


class Cancelled(VaultToolsError):
    """The caller set the cancel event; there is no answer."""

    def __init__(self) -> None:
        super().__init__("The call was cancelled")

"""The errors a caller can meet, each carrying its facts; the sentence is the message.

VaultToolsError
├── BadArgument            an argument that cannot be used; the sentence says what is accepted
│   ├── BadArguments       several of them, told together
│   ├── InvalidPattern     the regex does not compile
│   ├── InvalidGlob        the glob is malformed
│   ├── OutsideVault       the path leads out of the vault
│   ├── AccessDenied       the path lies in a protected folder
│   ├── PathTooLong        no file system takes the path
│   └── PathNotFound       nothing is there
├── TooBroad               `show` refuses a query that matches too often
├── RipgrepUnavailable     no usable ripgrep
└── Cancelled              the caller stopped the call
"""

from __future__ import annotations

import unicodedata

_SENTENCE = 8_000
"""Characters of a sentence; it may repeat a hundred paths, and an answer has a bound (spec 3)."""

_QUOTED = 1_000
"""Characters of a pattern that a sentence quotes; it may be ten times as long, and an answer has a bound (spec 3)."""

_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""The Unicode categories of what steers a terminal or a reader and is not seen: controls and line ends, zero-width and
bidi characters, lone surrogates (which would besides break every output, `faults.md` O04), line separators."""

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _shown(sentence: str) -> str:
    """One bounded line, every unseen character of what it repeats as a visible escape (`faults.md` N01 to N04, O04)."""
    return _bounded(sentence if sentence.isprintable() else "".join(map(_escaped, sentence)))


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
    """A glob outside the one dialect (spec 2.8)."""

    def __init__(self, glob: str, reason: str) -> None:
        self.glob = glob
        self.reason = reason
        super().__init__(f"Invalid glob pattern: {glob}: {reason}")


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
    """A path under which nothing is there; carries the paths as they were given."""

    def __init__(self, *given: str) -> None:
        self.given = given
        super().__init__(f"Path not found: {', '.join(given)}")


class TooBroad(VaultToolsError):
    """`show` refuses a query with more matching lines than it prints; a successful search, but no answer (seed 001)."""


class RipgrepUnavailable(VaultToolsError):
    """No ripgrep of a usable version; the sentence says how to get one."""


class Cancelled(VaultToolsError):
    """The caller set the cancel event; nothing was answered."""

    def __init__(self) -> None:
        super().__init__("The call was cancelled")

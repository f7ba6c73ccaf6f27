"""Splits a regex into tokens, in Rust's syntax as in ripgrep, or in PCRE2's.

The rules are those of regex-syntax 0.8 and PCRE2 10.45; the tests try each on ripgrep 15.2. Syntax that the tokenizer
does not know for sure becomes an unknown token; `pattern` decides what to do with the tokens.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final, Literal

Engine = Literal["default", "pcre2"]
HALF_BOUNDARIES: Final = (r"\b{start-half}", r"\b{end-half}")
Kind = Literal[
    "character", "set", "dot", "assertion", "open", "close", "or", "quantifier", "flags", "blank", "brace", "other"
]
LineEnds = frozenset[str] | None  # which of \r and \n it can match; None: not known
Members = frozenset[str] | None  # all characters it can match, apart from case; None: many, or not known for sure

_MAX_DEPTH = 250  # nesting limit of regex-syntax and ripgrep: a deeper class is invalid anyway (fault-R03)
_FEW = 16  # most listed members of a class
NOTHING: LineEnds = frozenset()
BOTH = frozenset("\r\n")
_SETS: dict[str, LineEnds] = {
    **dict.fromkeys((r"\s", r"\W", r"\D"), BOTH),
    **dict.fromkeys((r"\S", r"\w", r"\d"), NOTHING),
}
_CONTROLS = {r"\n": "\n", r"\r": "\r", r"\t": "\t", r"\f": "\f", r"\v": "\v", r"\a": "\a"}
_ASSERTIONS = (r"\A", r"\z", r"\b", r"\B", r"\<", r"\>", r"\b{start}", r"\b{end}", *HALF_BOUNDARIES)
# CR and LF are in C; other properties are unknown.
_CATEGORY = re.compile(r"\\p(?:[LMNPSZ]|\{[LMNPSZ][a-z&]?\})")
# Fewer digits than Rust requires: in verbose mode blanks may precede the rest, in PCRE2 there are no more.
_SHORT = re.compile(r"\\(?:x[^{]|u[^{].{0,2}|U[^{].{0,6})")
_POSIX = re.compile(r"\[:(\^?)(alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]")
_ESCAPE = re.compile(
    r"""\\(?: [xuU]\{[^}]*\}? | x[0-9A-Fa-f]{1,2} | u[0-9A-Fa-f]{1,4} | U[0-9A-Fa-f]{1,8}
          | [pP]\^?(?:\{[^}]*\}?|.)? | b\{(?:start|end)(?:-half)?\} | [oN]\{[^}]*\}
          | [kg](?:\{[^}]*\}|<[^>]*>|'[^']*'|[+-]?[0-9]+)? | [1-9][0-9]* | . )?""",
    re.VERBOSE | re.DOTALL,
)
_GROUP = re.compile(
    r"""\(\?(?: P?<(?![=!])[^>]*> | (?P<flags>[\^A-Za-z]*(?:-[A-Za-z]*)?)(?P<end>[:)])
          | (?P<foreign_open><?[=!]|>|\||'[^']*'|(?=\())
          | (?P<foreign>\#[^)]*\)|P[=>][^)]*\)|&[^)]*\)|[+-]?[0-9]+\)) )""",
    re.VERBOSE,
)
# Rust's blanks are Python's without U+001C to U+001F. PCRE2 accepts {,2} since 10.43.
_COUNTED = re.compile(r"\{[^\S\x1c-\x1f]*[0-9]+[^\S\x1c-\x1f]*(?:,(?:[^\S\x1c-\x1f]*[0-9]+[^\S\x1c-\x1f]*)?)?\}\??")
_COUNTED_PCRE2 = re.compile(r"\{[ \t]*(?:[0-9]+[ \t]*(?:,[ \t]*(?:[0-9]+[ \t]*)?)?|,[ \t]*[0-9]+[ \t]*)\}\??")


@dataclass(frozen=True, slots=True)
class RegexToken:
    """One piece of a regex; the concatenated texts of all tokens are the regex."""

    kind: Kind
    text: str
    line_ends: LineEnds = NOTHING
    """CR and LF, as far as the token can match them; None: not known."""
    newline: bool = False
    r"""Whether it contains `\n`, escaped or real, alone or in a class."""
    foreign: bool = False
    """Whether only PCRE2 knows it, not Rust."""
    nested: bool = False
    """Whether it is a class that PCRE2 reads differently."""
    members: Members = None
    """The characters that it can match, apart from case; None: many, or not known for sure."""


def read(text: str) -> tuple[Engine, list[RegexToken]]:
    """Returns the engine that a regex needs, and its tokens in that engine's syntax; Rust if it can parse the regex."""
    tokens = tokens_of(text, "default")
    unclosed = tokens[-1].kind == "other" and tokens[-1].text.startswith("[")
    if not unclosed and not any(token.foreign for token in tokens):
        return "default", tokens
    otherwise = tokens_of(text, "pcre2")
    return ("pcre2", otherwise) if any(token.foreign for token in otherwise) else ("default", tokens)


def tokens_of(text: str, engine: Engine) -> list[RegexToken]:
    """Splits a regex into tokens in one engine's syntax; invalid regexes, too."""
    found: list[RegexToken] = []
    flags = [frozenset[str]()]  # the active inline flags, per open group
    position = 0
    while position < len(text):
        token = _next(text, position, engine, flags[-1], repeatable=_repeatable(found))
        if token.kind == "open":
            flags.append(_flags(token.text, flags[-1]))
        elif token.kind == "flags":
            flags[-1] = _flags(token.text, flags[-1])
        elif token.kind == "close" and len(flags) > 1:
            flags.pop()
        found.append(token)
        position += len(token.text)
    return found


def _next(text: str, position: int, engine: Engine, flags: frozenset[str], *, repeatable: bool) -> RegexToken:
    character = text[position]
    verbose = "x" in flags
    end = _after_blanks(text, position) if verbose else position
    if end > position:
        return RegexToken("blank", text[position:end])
    match character:
        case "\\":
            return _escape(text, position)
        case "[":
            read_class = _class(text, position, rust=engine == "default", verbose=verbose)
            return read_class or RegexToken("other", text[position:])
        case "(":
            return _group(text, position)
        case ")":
            return RegexToken("close", character)
        case "|":
            return RegexToken("or", character)
        case "^" | "$":
            return RegexToken("assertion", character)
        case ".":
            return RegexToken("dot", character, BOTH if "s" in flags else frozenset("\r"))
        case "*" | "+" | "?":
            return RegexToken("quantifier", character + "?" * text.startswith("?", position + 1))
        case "{":
            counted = (_COUNTED if engine == "default" else _COUNTED_PCRE2).match(text, position)
            if counted and repeatable:
                return RegexToken("quantifier", counted[0])
            # Verbose mode allows blanks and comments inside a quantifier, so no brace is certainly literal.
            if not verbose:
                return RegexToken("brace", character)
    return _literal(character, character)


def _repeatable(found: list[RegexToken]) -> bool:
    """Whether a quantifier can follow these tokens."""
    last = next((token for token in reversed(found) if token.kind != "blank"), None)
    return last is not None and last.kind not in ("open", "or", "flags")


def _literal(written: str, character: str) -> RegexToken:
    doubtful = len(written) > 1 and (written == r"\v" or _SHORT.fullmatch(written))  # PCRE2 reads \v as a set
    members = None if doubtful else frozenset(character)
    return RegexToken("character", written, BOTH & {character}, newline=character == "\n", members=members)


def _group(text: str, position: int) -> RegexToken:
    group = _GROUP.match(text, position)
    if group is None:
        return RegexToken("open", "(")
    if group["foreign"]:
        return RegexToken("blank" if group["foreign"].startswith("#") else "other", group[0], foreign=True)
    if group["end"] == ")":
        return RegexToken("flags", group[0])
    return RegexToken("open", group[0], foreign=group["foreign_open"] is not None)


def _flags(text: str, current: frozenset[str]) -> frozenset[str]:
    group = _GROUP.match(text)
    on, _, off = ((group and group["flags"]) or "").partition("-")
    kept = frozenset[str]() if on.startswith("^") else current  # PCRE2 resets the flags at (?^
    return (kept | set(on)) - set(off)


def _escape(text: str, position: int) -> RegexToken:
    escape = _ESCAPE.match(text, position)
    written = escape[0] if escape else "\\"
    if written in _SETS:
        return RegexToken("set", written, _SETS[written])
    if written in _ASSERTIONS:
        return RegexToken("assertion", written)
    letter = written[1:2]
    if letter in ("p", "P"):
        return RegexToken("set", written, NOTHING if _CATEGORY.fullmatch(written) else None)
    if letter in ("k", "g", "K") or "1" <= letter <= "9":
        # If there are fewer groups, PCRE2 reads \15 as a character.
        return RegexToken("other", written, None if written[2:].isdecimal() else NOTHING, foreign=True)
    character = _character(written)
    return RegexToken("other", written, None) if character is None else _literal(written, character)


def _character(written: str) -> str | None:
    """Returns the one character that a literal or an escape means; None if not known."""
    if written[0] != "\\":
        return written
    if written in _CONTROLS:
        return _CONTROLS[written]
    if written[1:2] in ("x", "u", "U"):
        try:
            return chr(int(written[2:].strip("{}"), 16))
        except (ValueError, OverflowError):
            return None
    return written[1] if len(written) == 2 and not written[1].isalnum() else None


def _after_blanks(text: str, position: int) -> int:
    """Returns the index after the blanks and comments of verbose mode at a position."""
    while position < len(text):
        if text[position] == "#":
            end = text.find("\n", position)
            position = len(text) if end < 0 else end + 1
        elif text[position].isspace() and text[position] not in "\x1c\x1d\x1e\x1f":
            position += 1
        else:
            break
    return position


def _class(text: str, start: int, *, rust: bool, verbose: bool, depth: int = 0) -> RegexToken | None:
    """Parses the bracketed class at ``start``, for Rust with nested classes and set operations; None if not closed."""
    blanks = verbose and rust  # PCRE2 keeps the blanks of a class
    position = _within(text, start + 1, blanks=blanks)
    negated = text.startswith("^", position)
    position = opened = _within(text, position + negated, blanks=blanks)
    while text.startswith("-", position):
        position = _within(text, position + 1, blanks=blanks)
    if position == opened and text.startswith("]", position):
        position = _within(text, position + 1, blanks=blanks)
    left, union, operator = NOTHING, NOTHING, ""
    # In PCRE2 a range may begin with the first characters.
    members: Members = frozenset(text[opened:position]) if text[opened:position] in ("", "-") else None
    newline = nested = False
    while not text.startswith("]", position):
        if position >= len(text):
            return None
        if rust and text[position : position + 2] in ("&&", "--", "~~"):
            left, union, operator = _combined(left, operator, union), NOTHING, text[position : position + 2]
            nested, members = True, None
            position = _within(text, position + 2, blanks=blanks)
            continue
        item = _class_item(text, position, rust=rust, verbose=verbose, depth=depth)
        if item is None:
            return None
        union = _combined(union, "", item.line_ends)
        members = _few(members, item.members)
        newline |= item.newline
        nested |= item.nested
        position = _within(text, position + len(item.text), blanks=blanks)
    line_ends = _combined(left, operator, union)
    line_ends = _combined(BOTH, "--", line_ends) if negated else line_ends
    members = None if negated else members
    return RegexToken("set", text[start : position + 1], line_ends, newline, nested=nested, members=members)


def _class_item(text: str, position: int, *, rust: bool, verbose: bool, depth: int) -> RegexToken | None:
    """Parses a POSIX class, nested class, range or character; None for a nested class that is not closed."""
    if posix := _POSIX.match(text, position):
        inside = posix[2] in ("ascii", "cntrl", "space")
        return RegexToken("set", posix[0], NOTHING if inside == bool(posix[1]) else BOTH)
    if rust and text[position] == "[":
        inner = _class(text, position, rust=rust, verbose=verbose, depth=depth + 1) if depth < _MAX_DEPTH else None
        return inner and replace(inner, nested=True)
    first = _class_character(text, position)
    dash = _within(text, position + len(first.text), blanks=verbose and rust)
    second = _within(text, dash + 1, blanks=verbose and rust)
    is_range = text.startswith("-", dash) and text[second : second + 1] not in ("", "]", "-" if rust else "")
    if first.kind != "character" or not is_range:
        return first
    last = _class_character(text, second)
    low, high = _character(first.text), _character(last.text)
    line_ends = None if low is None or high is None else frozenset(end for end in BOTH if low <= end <= high)
    written = text[position : second + len(last.text)]
    return RegexToken(
        "set", written, line_ends, first.newline or last.newline, members=_range(first.members, last.members)
    )


def _class_character(text: str, position: int) -> RegexToken:
    character = text[position]
    return _escape(text, position) if character == "\\" else _literal(character, character)


def _within(text: str, position: int, *, blanks: bool) -> int:
    return _after_blanks(text, position) if blanks else position


def _combined(left: LineEnds, operator: str, right: LineEnds) -> LineEnds:
    if left is None or right is None:
        return None
    match operator:
        case "&&":
            return left & right
        case "--":
            return left - right
        case "~~":
            return left ^ right
    return left | right


def _few(left: Members, right: Members) -> Members:
    if left is None or right is None or len(left) + len(right) > _FEW:
        return None
    return left | right


def _range(first: Members, last: Members) -> Members:
    """Returns the members of a range between two characters."""
    if first is None or last is None:
        return None
    low, high = ord(min(first)), ord(min(last))
    return frozenset(map(chr, range(low, high + 1))) if low <= high < low + _FEW else None

"""Pattern: what a caller asks to find, as the data that ripgrep is run with. Pure string work.

Running ripgrep is left to others. The second half is a small reader of the Rust regex syntax, and of PCRE2 where it
reads the same text differently; the first decides with it: engine, repairs, line ends, notices. What the reader does
not know for sure changes nothing in the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from vaulttools.errors import BadArgument, InvalidPattern

Mode = Literal["regex", "fixed", "word", "identifier"]
Engine = Literal["default", "pcre2"]
Normalise = Literal["never", "lone", "all"]

# faults R15. A Windows command line ends at 32,767 characters, and rewriting line ends makes a pattern longer.
MAX_CHARACTERS = 10_000

_LINE_END = r"\r?\n"
_NEVER = r"[^\s\S]"
_META = frozenset("\\.+*?()|[]{}^$")
_LINK = re.compile(r"\[\[([^\[\]\\^:&~][^\[\]\\]*)\]\]")
_NO_CRLF = re.compile(
    r"\(\?[A-Za-z]*-[A-Za-z]*[Rm]"
)  # (?-R) keeps $ from \r\n, (?-m) makes ^ and $ anchors of the text
_OPTIONAL = re.compile(r"[?*]|\{\s*0|\{\s*,")
_HALF = (r"\b{start-half}", r"\b{end-half}")
_TURNED_BY_CARRIAGE_RETURN = ("$", r"\z", r"\B", *_HALF)  # assertions that a \r before the \n can turn
# What regex-syntax knows and PCRE2 would silently read as something else.
_FOR_PCRE2 = {
    r"\<": r"(?:\b(?=\w))",
    r"\>": r"(?:\b(?<=\w))",
    r"\b{start}": r"(?:\b(?=\w))",
    r"\b{end}": r"(?:\b(?<=\w))",
    r"\b{start-half}": r"(?<!\w)",
    r"\b{end-half}": r"(?!\w)",
}


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern as given, and what ripgrep is run with to find it (spec 3).

    ``normalise`` says which files ripgrep must not see as they are, but with each CR LF replaced by LF and with
    ``arguments(normalised=True)``: ``lone``, those that hold a CR which no LF follows (ripgrep's ``--crlf`` takes it
    for a line end, the spec for ordinary text); ``all``, those that hold any CR; ``never``, none.
    """

    given: str
    mode: Mode
    ignore_case: bool
    expression: str
    normalised_expression: str
    engine: Engine
    multiline: bool
    normalise: Normalise
    notices: tuple[str, ...]
    plain: bool  # always valid: there is nothing in it that ripgrep could refuse
    verbatim: bool  # the expression is text, not a regex

    @property
    def carriage_sensitive(self) -> bool:
        """Whether carriage returns in a file could change the answer."""
        return self.normalise != "never"

    @property
    def reads_link_as_class(self) -> bool:
        """Whether a link such as ``[[Note]]`` in it is a character class; a notice says so."""
        return self.mode == "regex" and any(_link_notices(_read(self.given)[1]))

    def arguments(self, *, normalised: bool = False) -> tuple[str, ...]:
        """The flags of ripgrep for this pattern, ``-e`` and the expression last."""
        flags = {
            "-F": self.verbatim,
            "-w": self.mode == "word",
            "-i": self.ignore_case,
            "-P": self.engine == "pcre2",
            "-U": self.multiline,
            "--crlf": self.normalise == "lone" and not normalised,
        }
        expression = self.normalised_expression if normalised else self.expression
        return (*(flag for flag, wanted in flags.items() if wanted), "-e", expression)


def read(given: str, *, mode: Mode = "regex", ignore_case: bool = False) -> Pattern:
    """The pattern for what a caller wrote, blanks included; whether a regex compiles is left to ripgrep.

    Raises:
        BadArgument: empty or all blanks, a NUL, text that is no Unicode, or more than 10,000 characters.
        InvalidPattern: a regex that ends in a lone backslash, of which ripgrep says something misleading.
    """
    if not given.strip():
        raise BadArgument("Pattern must not be empty")
    if len(given) > MAX_CHARACTERS:
        raise BadArgument(f"Pattern is too long: {len(given):,} characters, at most {MAX_CHARACTERS:,} are accepted")
    if "\0" in given:
        raise BadArgument("Pattern must not hold a NUL character")
    if any("\ud800" <= character <= "\udfff" for character in given):
        raise BadArgument("Pattern is not valid Unicode text: it holds a lone surrogate")
    return _from_regex(given, given, ignore_case) if mode == "regex" else _from_text(given, mode, ignore_case)


def with_literal_parentheses(pattern: Pattern) -> Pattern:
    """The pattern with all unescaped parentheses outside classes taken literally, and a notice that says so.

    The one retry after ``is_group_error``. ``(?i)`` stays a flag. A pattern without such parentheses comes back equal.
    """
    if pattern.mode != "regex":
        return pattern
    tokens = _read(pattern.given)[1]
    text = "".join(f"\\{token.text}" if token.kind in ("open", "close") else token.text for token in tokens)
    if text == pattern.given:
        return pattern
    literal = _from_regex(pattern.given, text, pattern.ignore_case)
    return replace(literal, notices=(*literal.notices, f"The parentheses in '{pattern.given}' were taken literally."))


def escaped(text: str) -> str:
    r"""A regex that finds the text literally, escaping no more than it must: ``[[wiki`` gives ``\[\[wiki``."""
    line_ends = {"\n": r"\n", "\r": r"\r"}
    return "".join(
        f"\\{character}" if character in _META else line_ends.get(character, character) for character in text
    )


def outer_blanks(given: str) -> str | None:
    """The pattern without its outer blanks, for the notice on zero hits; None when it has none."""
    stripped = given.strip()
    return stripped if stripped != given else None


def is_group_error(stderr: str) -> bool:
    """Whether ripgrep refused the pattern for an unclosed or unopened group, in the words of either engine."""
    groups = ("unclosed group", "unopened group", "missing closing parenthesis", "unmatched closing parenthesis")
    return _reason(stderr) in groups


def invalid(pattern: Pattern, stderr: str) -> InvalidPattern:
    """The error for a pattern that ripgrep refused: its one meaningful line, and the literal spelling as a hint."""
    return _invalid(pattern.given, _reason(stderr))


def _invalid(given: str, reason: str) -> InvalidPattern:
    return InvalidPattern(given, reason, f"To find it literally use {escaped(given)}")


def _reason(stderr: str) -> str:
    # Only lines known to speak of the pattern: others could name files.
    for line in stderr.replace("\r\n", "\n").split("\n"):
        line = line.removeprefix("rg: ")
        if line.startswith("error: "):
            return line.removeprefix("error: ")
        if line.startswith("PCRE2: error compiling pattern at offset "):
            return line.removeprefix("PCRE2: ").partition(": ")[2]
        if line.startswith(("the literal ", "compiled regex exceeds ", "pattern contains ")):
            return line
    return "ripgrep refuses it"


def _from_text(given: str, mode: Mode, ignore_case: bool) -> Pattern:
    if mode != "identifier" and not _BOTH.intersection(given):
        return Pattern(given, mode, ignore_case, given, given, "default", False, "never", (), plain=True, verbatim=True)
    pattern = _from_regex(given, escaped(given), ignore_case)
    if mode != "fixed" and given[0] in _BOTH:
        # The half boundary before a line end would also hold between its \r and \n.
        pattern = replace(pattern, normalise="all", expression=pattern.normalised_expression)
    if mode == "identifier":
        expressions = _as_identifier(pattern.expression), _as_identifier(pattern.normalised_expression)
        pattern = replace(pattern, expression=expressions[0], normalised_expression=expressions[1])
    return replace(pattern, mode=mode, notices=(), plain=True)


def _as_identifier(expression: str) -> str:
    # ASCII half boundaries: not preceded, not followed by [0-9A-Za-z_]. As fast as -w; look-around took twice as long.
    return rf"(?-u:\b{{start-half}}){expression}(?-u:\b{{end-half}})"


def _from_regex(given: str, text: str, ignore_case: bool) -> Pattern:
    engine, tokens = _read(text)
    repaired = _with_literal_braces(tokens)
    braces = [f"The braces in '{given}' were taken literally."] if repaired != text else []
    notices = list(_link_notices(tokens))
    if repaired != text:
        engine, tokens = _read(repaired)
    if tokens[-1].text == "\\":
        raise _invalid(given, "it ends in a lone backslash")
    if engine == "pcre2":
        if not notices and any(token.nested for token in _tokens(repaired, "default")):
            notices.append("PCRE2 reads this pattern: there classes do not nest and '&&' is plain text.")
        tokens = [_spelt_for_pcre2(token) for token in tokens]
    if tokens[-1].kind == "blank" and "#" in tokens[-1].text.rpartition("\n")[2]:
        tokens.append(_Token("blank", "\n"))  # ripgrep wraps the pattern in a group whose end the comment would hide
    multiline = any(token.newline for token in tokens)
    tokens = _with_line_ends(tokens)
    normalised = "".join(r"\n" if token.text == _LINE_END else token.text for token in tokens)
    normalise = _normalise(tokens, engine, multiline)
    direct = engine == "default" and normalise != "all"
    return Pattern(
        given=given,
        mode="regex",
        ignore_case=ignore_case,
        expression="".join(_direct(tokens, multiline)) if direct else normalised,
        normalised_expression=normalised,
        engine=engine,
        multiline=multiline,
        normalise=normalise,
        notices=tuple(dict.fromkeys(braces + notices)),
        plain=not _META.intersection(text),
        verbatim=False,
    )


def _link_notices(tokens: list[_Token]) -> Iterator[str]:
    for position, token in enumerate(tokens):
        # Rust ends the class at the second closing bracket, PCRE2 at the first.
        following = tokens[position + 1].text if position + 1 < len(tokens) else ""
        link = _LINK.fullmatch(token.text) or _LINK.fullmatch(token.text + following)
        if token.kind == "set" and link and any(character.isalpha() for character in link[1]):
            yield f"{link[0]} is a character class; to find the link use {escaped(link[0])}"


def _with_literal_braces(tokens: list[_Token]) -> str:
    """The text with braces that are no quantifier escaped, each with its closing one and a ``$`` right before it."""
    parts: list[str] = []
    depth = 0
    for token in tokens:
        if token.kind == "brace":
            depth += 1
            if parts and parts[-1] == "$":
                parts[-1] = r"\$"
        closes = token.text == "}" and depth > 0
        depth -= closes
        parts.append(f"\\{token.text}" if closes or token.kind == "brace" else token.text)
    return "".join(parts)


def _spelt_for_pcre2(token: _Token) -> _Token:
    if token.kind == "assertion":
        return replace(token, text=_FOR_PCRE2.get(token.text, token.text))
    if token.kind == "character" and token.text[:2] in (r"\u", r"\U"):
        return replace(token, text=rf"\x{{{token.text[2:].strip('{}')}}}")
    return token


def _with_line_ends(tokens: list[_Token]) -> list[_Token]:
    r"""The tokens with ``\n``, ``\r\n`` and ``\r?\n`` as one line end each (spec 3: ``\n`` stands for either)."""
    found: list[_Token] = []
    for position, token in enumerate(tokens):
        if token.kind == "character" and token.newline:
            if not _optional(tokens, position + 1):  # in \r\n? the \r may stand alone
                if len(found) > 1 and found[-1].text == "?" and _is_carriage_return(found[-2]):
                    del found[-2:]
                elif found and _is_carriage_return(found[-1]):
                    found.pop()
            token = replace(token, text=_LINE_END)
        found.append(token)
    return found


def _is_carriage_return(token: _Token) -> bool:
    return token.kind == "character" and token.holds == frozenset("\r")


def _normalise(tokens: list[_Token], engine: Engine, multiline: bool) -> Normalise:
    assertions = {token.text for token in tokens if token.kind == "assertion"}
    sensitive = any(_meets_carriage_return(token) for token in tokens)
    # For PCRE2, and for anchors of the text, --crlf leaves the \n on lines that end in \n alone.
    whole_lines = (
        engine == "pcre2"
        or not assertions.isdisjoint((r"\A", r"\z"))
        or any(_NO_CRLF.match(token.text) for token in tokens if token.kind in ("flags", "open"))
    )
    # Between \r and \n these assertions hold where no place in text with \n alone has them; so does an empty match.
    between = not assertions.isdisjoint((r"\B", *_HALF))
    if (sensitive or multiline) and whole_lines:
        return "all"
    if (multiline and between) or ((multiline or between) and not _consumes(tokens)):
        return "all"
    return "lone" if sensitive else "never"


def _meets_carriage_return(token: _Token) -> bool:
    if token.kind == "assertion":
        return token.text in _TURNED_BY_CARRIAGE_RETURN
    return token.holds is None or "\r" in token.holds


def _consumes(tokens: list[_Token]) -> bool:
    """Whether every match certainly holds a character."""
    groups = [[True, False]]  # per open group: do its finished alternatives consume, does the present one
    for position, token in enumerate(tokens):
        consumes = token.kind in ("character", "set", "dot")
        if token.kind == "open":
            groups.append([True, False])
        elif token.kind == "or":
            groups[-1] = [all(groups[-1]), False]
        elif token.kind == "close":
            if len(groups) == 1:
                return False
            consumes = all(groups.pop())
        if consumes and not _optional(tokens, position + 1):
            groups[-1][1] = True
    return len(groups) == 1 and all(groups[0])


def _optional(tokens: list[_Token], position: int) -> bool:
    """Whether the quantifiers that begin here allow none."""
    while position < len(tokens) and tokens[position].kind in ("quantifier", "blank"):
        if _OPTIONAL.match(tokens[position].text):
            return True
        position += 1
    return False


def _direct(tokens: list[_Token], multiline: bool) -> Iterator[str]:
    r"""The parts for text as it is, without a lone ``\r``: a line end is one unit, nothing else matches a ``\r``."""
    for position, token in enumerate(tokens):
        following = tokens[position + 1].kind if position + 1 < len(tokens) else None
        if token.text == _LINE_END:
            yield f"(?:{_LINE_END})" if following in ("quantifier", "blank") else _LINE_END
        elif _is_carriage_return(token):
            yield _NEVER
        elif token.kind == "set" and token.text[0] == "[" and token.holds == frozenset("\r"):
            yield rf"[{token.text}--\r]"  # a class of \r alone is a literal to ripgrep, which --crlf refuses
        elif not multiline or token.kind not in ("set", "dot") or token.holds == _NOTHING:
            yield token.text  # in a search by lines --crlf takes the \r out of the sets
        elif token.kind == "dot":
            yield rf"(?:{_LINE_END}|[^\r\n])" if token.holds == _BOTH else token.text
        elif token.holds is None:
            yield rf"(?:\r?[\n&&{token.text}]|[{token.text}--[\r\n]])"
        else:
            yield rf"(?:{_LINE_END}|[{token.text}--[\r\n]])"


# The reader. Facts of regex-syntax 0.8 and PCRE2 10.45, each tried on ripgrep 15.2 by the tests.

_Kind = Literal[
    "character", "set", "dot", "assertion", "open", "close", "or", "quantifier", "flags", "blank", "brace", "other"
]
_Holds = frozenset[str] | None  # which of \r and \n can be matched; None: not known

_MAX_DEPTH = 250  # regex-syntax's limit on nesting, which ripgrep keeps: a deeper class need not be read (faults R03)
_NOTHING: _Holds = frozenset()
_BOTH = frozenset("\r\n")
_SETS: dict[str, _Holds] = {
    **dict.fromkeys((r"\s", r"\W", r"\D"), _BOTH),
    **dict.fromkeys((r"\S", r"\w", r"\d"), _NOTHING),
}
_CONTROLS = {r"\n": "\n", r"\r": "\r", r"\t": "\t", r"\f": "\f", r"\v": "\v", r"\a": "\a"}
_ASSERTIONS = (r"\A", r"\z", r"\b", r"\B", r"\<", r"\>", r"\b{start}", r"\b{end}", *_HALF)
_CATEGORY = re.compile(
    r"\\p(?:[LMNPSZ]|\{[LMNPSZ][a-z&]?\})"
)  # \r and \n are in C; of other properties nothing is known
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
# Rust's blanks are Python's without U+001C to U+001F. PCRE2 from 10.43 on also reads {,2}.
_COUNTED = re.compile(r"\{[^\S\x1c-\x1f]*[0-9]+[^\S\x1c-\x1f]*(?:,[^\S\x1c-\x1f]*(?:[0-9]+[^\S\x1c-\x1f]*)?)?\}\??")
_COUNTED_PCRE2 = re.compile(r"\{[ \t]*(?:[0-9]+[ \t]*(?:,[ \t]*(?:[0-9]+[ \t]*)?)?|,[ \t]*[0-9]+[ \t]*)\}\??")


@dataclass(frozen=True, slots=True)
class _Token:
    kind: _Kind
    text: str
    holds: _Holds = _NOTHING
    newline: bool = False  # names \n, as an escape or a real one, alone or in a class
    foreign: bool = False  # unknown to Rust, known to PCRE2
    nested: bool = False  # a class that PCRE2 would read differently


def _read(text: str) -> tuple[Engine, list[_Token]]:
    """The engine that a regex needs and its tokens as that engine reads it; Rust wherever Rust can read it."""
    tokens = _tokens(text, "default")
    unclosed = tokens[-1].kind == "other" and tokens[-1].text.startswith("[")
    if not unclosed and not any(token.foreign for token in tokens):
        return "default", tokens
    otherwise = _tokens(text, "pcre2")
    return ("pcre2", otherwise) if any(token.foreign for token in otherwise) else ("default", tokens)


def _tokens(text: str, engine: Engine) -> list[_Token]:
    found: list[_Token] = []
    flags = [frozenset[str]()]  # the inline flags in force, per open group
    position = 0
    while position < len(text):
        token = _token(text, position, engine, flags[-1], repeatable=_repeatable(found))
        if token.kind == "open":
            flags.append(_flags(token.text, flags[-1]))
        elif token.kind == "flags":
            flags[-1] = _flags(token.text, flags[-1])
        elif token.kind == "close" and len(flags) > 1:
            flags.pop()
        found.append(token)
        position += len(token.text)
    return found


def _token(text: str, position: int, engine: Engine, flags: frozenset[str], *, repeatable: bool) -> _Token:
    character = text[position]
    verbose = "x" in flags
    end = _after_blanks(text, position) if verbose else position
    if end > position:
        return _Token("blank", text[position:end])
    match character:
        case "\\":
            return _escape(text, position)
        case "[":
            read_class = _class(text, position, rust=engine == "default", verbose=verbose)
            return read_class or _Token("other", text[position:])
        case "(":
            return _group(text, position)
        case ")":
            return _Token("close", character)
        case "|":
            return _Token("or", character)
        case "^" | "$":
            return _Token("assertion", character)
        case ".":
            return _Token("dot", character, _BOTH if "s" in flags else frozenset("\r"))
        case "*" | "+" | "?":
            return _Token("quantifier", character + "?" * text.startswith("?", position + 1))
        case "{":
            counted = (_COUNTED if engine == "default" else _COUNTED_PCRE2).match(text, position)
            if counted and repeatable:
                return _Token("quantifier", counted[0])
            if (
                not verbose
            ):  # there blanks and comments may stand inside a quantifier, so that no brace is surely literal
                return _Token("brace", character)
    return _literal(character, character)


def _repeatable(found: list[_Token]) -> bool:
    """Whether a quantifier can stand after these tokens."""
    last = next((token for token in reversed(found) if token.kind != "blank"), None)
    return last is not None and last.kind not in ("open", "or", "flags")


def _literal(written: str, character: str) -> _Token:
    return _Token("character", written, _BOTH & {character}, newline=character == "\n")


def _group(text: str, position: int) -> _Token:
    group = _GROUP.match(text, position)
    if group is None:
        return _Token("open", "(")
    if group["foreign"]:
        return _Token("blank" if group["foreign"].startswith("#") else "other", group[0], foreign=True)
    if group["end"] == ")":
        return _Token("flags", group[0])
    return _Token("open", group[0], foreign=group["foreign_open"] is not None)


def _flags(text: str, current: frozenset[str]) -> frozenset[str]:
    group = _GROUP.match(text)
    on, _, off = ((group and group["flags"]) or "").partition("-")
    return (current | set(on)) - set(off)


def _escape(text: str, position: int) -> _Token:
    escape = _ESCAPE.match(text, position)
    written = escape[0] if escape else "\\"
    if written in _SETS:
        return _Token("set", written, _SETS[written])
    if written in _ASSERTIONS:
        return _Token("assertion", written)
    letter = written[1:2]
    if letter in ("p", "P"):
        return _Token("set", written, _NOTHING if _CATEGORY.fullmatch(written) else None)
    if letter in ("k", "g", "K") or "1" <= letter <= "9":
        # With fewer groups PCRE2 reads \15 as a character.
        return _Token("other", written, None if written[2:].isdecimal() else _NOTHING, foreign=True)
    character = _character(written)
    return _Token("other", written, None) if character is None else _literal(written, character)


def _character(written: str) -> str | None:
    """The one character that a literal or an escape stands for."""
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
    """The index after the blanks and comments of verbose mode that begin here."""
    while position < len(text):
        if text[position] == "#":
            end = text.find("\n", position)
            position = len(text) if end < 0 else end + 1
        elif text[position].isspace() and text[position] not in "\x1c\x1d\x1e\x1f":
            position += 1
        else:
            break
    return position


def _class(text: str, start: int, *, rust: bool, verbose: bool, depth: int = 0) -> _Token | None:
    """The bracketed class that begins at ``start``, in Rust with nested ones and set operations; None if not closed."""
    blanks = verbose and rust  # PCRE2 keeps the blanks of a class
    position = _within(text, start + 1, blanks=blanks)
    negated = text.startswith("^", position)
    position = opened = _within(text, position + negated, blanks=blanks)
    while text.startswith("-", position):
        position = _within(text, position + 1, blanks=blanks)
    if position == opened and text.startswith("]", position):
        position = _within(text, position + 1, blanks=blanks)
    left, union, operator = _NOTHING, _NOTHING, ""
    newline = nested = False
    while not text.startswith("]", position):
        if position >= len(text):
            return None
        if rust and text[position : position + 2] in ("&&", "--", "~~"):
            left, union, operator = _combined(left, operator, union), _NOTHING, text[position : position + 2]
            nested = True
            position = _within(text, position + 2, blanks=blanks)
            continue
        item = _class_item(text, position, rust=rust, verbose=verbose, depth=depth)
        if item is None:
            return None
        union = _combined(union, "", item.holds)
        newline |= item.newline
        nested |= item.nested
        position = _within(text, position + len(item.text), blanks=blanks)
    holds = _combined(left, operator, union)
    holds = _combined(_BOTH, "--", holds) if negated else holds
    return _Token("set", text[start : position + 1], holds, newline, nested=nested)


def _class_item(text: str, position: int, *, rust: bool, verbose: bool, depth: int) -> _Token | None:
    """A POSIX class, a nested class, a range or a character; None for a nested class that is not closed."""
    if posix := _POSIX.match(text, position):
        inside = posix[2] in ("ascii", "cntrl", "space")
        return _Token("set", posix[0], _NOTHING if inside == bool(posix[1]) else _BOTH)
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
    holds = None if low is None or high is None else frozenset(end for end in _BOTH if low <= end <= high)
    return _Token("set", text[position : second + len(last.text)], holds, first.newline or last.newline)


def _class_character(text: str, position: int) -> _Token:
    character = text[position]
    return _escape(text, position) if character == "\\" else _literal(character, character)


def _within(text: str, position: int, *, blanks: bool) -> int:
    return _after_blanks(text, position) if blanks else position


def _combined(left: _Holds, operator: str, right: _Holds) -> _Holds:
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

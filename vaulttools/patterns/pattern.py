"""Turns a caller's pattern into the arguments of ripgrep.

It decides on the engine, repairs, line ends and notices by the tokens of `regex_syntax`; syntax that it does not know
for sure stays unchanged. Other modules run ripgrep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from vaulttools.errors import BadArgument, InvalidPattern
from vaulttools.patterns import regex_syntax
from vaulttools.patterns.regex_syntax import BOTH, HALF_BOUNDARIES, NOTHING, Engine, RegexToken

Mode = Literal["regex", "fixed", "word", "identifier"]
Normalise = Literal["never", "lone", "all"]

# fault-R15. A Windows command line ends at 32,767 characters, and rewriting line ends makes a pattern longer.
MAX_CHARACTERS = 10_000

# Most characters of each of several texts; a dozen fit one argument of a command line.
_NOMINATING = 500

_LINE_END = r"\r?\n"
_NEVER = r"[^\s\S]"
_META = frozenset("\\.+*?()|[]{}^$")
_LINK = re.compile(r"\[\[([^\[\]\\^:&~](?:[^\[\]\\]|\[[^\[\]\\]*\])*)\]\]")
_NO_CRLF = re.compile(
    r"\(\?[A-Za-z]*-[A-Za-z]*[Rm]"
)  # (?-R) keeps $ from \r\n, (?-m) makes ^ and $ anchors of the text
_WITHOUT_CASE = re.compile(r"\\(?:[bBdDsSwW]|[^\w\s])")
_OPTIONAL = re.compile(r"[?*]|\{\s*0|\{\s*,")
_TURNED_BY_CARRIAGE_RETURN = ("$", r"\z", r"\B", *HALF_BOUNDARIES)  # assertions that a \r before the \n can change
# Syntax of regex-syntax that PCRE2 would silently read differently.
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
    """A pattern as given, and the data to run ripgrep with.

    ``normalise`` says which files ripgrep must search with each CR LF replaced by LF, and with
    ``arguments(normalised=True)``: ``lone``: files with a CR without LF after it (ripgrep's ``--crlf`` reads it as a
    line end, the spec as text); ``all``: files with any CR; ``never``: no files.
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
    plain: bool  # always valid: ripgrep cannot refuse it
    verbatim: bool  # the expression is text, not a regex
    reads_link_as_class: bool = False  # a link in it, as ``[[Note]]``, is a character class; a notice says so

    @property
    def backtracks(self) -> bool:
        """Whether its engine may take very long for one file."""
        return self.engine == "pcre2"

    def arguments(self, *, normalised: bool = False) -> tuple[str, ...]:
        """Returns ripgrep's flags for this pattern, then ``-e`` and the expression."""
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
    """Returns the pattern for a caller's text, blanks included; ripgrep decides whether a regex compiles.

    Raises:
        BadArgument: empty or only blanks, a NUL, invalid Unicode text, or more than 10,000 characters.
        InvalidPattern: the regex ends in a lone backslash, for which ripgrep's own message is misleading.
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
    """Returns the pattern with unescaped parentheses outside classes taken literally, and a notice about it.

    Used for one retry after ``is_group_error``. ``(?i)`` stays a flag. A pattern without such parentheses is unchanged.
    """
    if pattern.mode != "regex":
        return pattern
    tokens = regex_syntax.read(pattern.given)[1]
    text = "".join(f"\\{token.text}" if token.kind in ("open", "close") else token.text for token in tokens)
    if text == pattern.given:
        return pattern
    literal = _from_regex(pattern.given, text, pattern.ignore_case)
    return replace(literal, notices=(*literal.notices, f"The parentheses in '{pattern.given}' were taken literally."))


def any_of(patterns: Sequence[Pattern]) -> Pattern:
    """Returns a pattern that matches in every file with a match of one of several plain texts, and in few others.

    All have one mode. It searches for the longest line of a text with line ends, and the beginning of a very long one.
    """
    texts = [max(re.split(r"[\r\n]+", each.given), key=len) for each in patterns]
    mode = patterns[0].mode if all(len(text) <= _NOMINATING for text in texts) else "fixed"
    expression = "|".join(dict.fromkeys(escaped(text[:_NOMINATING]) for text in texts))
    if mode == "identifier":
        expression = _as_identifier(f"(?:{expression})")
    given = " | ".join(each.given for each in patterns)
    return Pattern(
        given, mode, False, expression, expression, "default", False, "never", (), plain=True, verbatim=False
    )


def escaped(text: str) -> str:
    r"""Returns a regex that finds the text literally, with minimal escapes: ``[[wiki`` gives ``\[\[wiki``."""
    line_ends = {"\n": r"\n", "\r": r"\r"}
    return "".join(
        f"\\{character}" if character in _META else line_ends.get(character, character) for character in text
    )


def outer_blanks(given: str) -> str | None:
    """Returns the pattern without outer blanks, for the notice about zero hits; None if it has no outer blanks."""
    stripped = given.strip()
    return stripped if stripped != given else None


def minds_case(pattern: Pattern) -> bool:
    """Whether case may matter; False for a regex of only blanks, digits, signs and classes such as `\\d` and `\\w`."""
    if pattern.mode != "regex":
        return True
    rest = _WITHOUT_CASE.sub("", pattern.given)
    # A range may contain letters, and a backreference compares case.
    return "[" in rest or "\\" in rest or rest.lower() != rest.upper()


def is_group_error(stderr: str) -> bool:
    """Whether ripgrep refused the pattern for an unclosed or unopened group, in the wording of either engine."""
    groups = ("unclosed group", "unopened group", "missing closing parenthesis", "unmatched closing parenthesis")
    return _reason(stderr) in groups


def invalid(pattern: Pattern, stderr: str) -> InvalidPattern:
    """Returns the error for a pattern that ripgrep refused: the relevant line, and the literal spelling as a hint."""
    return _invalid(pattern.given, _reason(stderr))


def _invalid(given: str, reason: str) -> InvalidPattern:
    return InvalidPattern(given, reason, f"To find it literally use {escaped(given)}")


def _reason(stderr: str) -> str:
    # Only lines known to concern the pattern: others could name files.
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
    if mode != "identifier" and not BOTH.intersection(given):
        return Pattern(given, mode, ignore_case, given, given, "default", False, "never", (), plain=True, verbatim=True)
    pattern = _from_regex(given, escaped(given), ignore_case)
    if mode != "fixed" and given[0] in BOTH:
        # The half boundary before a line end would also match between its \r and \n.
        pattern = replace(pattern, normalise="all", expression=pattern.normalised_expression)
    if mode == "identifier":
        expressions = _as_identifier(pattern.expression), _as_identifier(pattern.normalised_expression)
        pattern = replace(pattern, expression=expressions[0], normalised_expression=expressions[1])
    return replace(pattern, mode=mode, notices=(), plain=True)


def _as_identifier(expression: str) -> str:
    # ASCII half boundaries: no [0-9A-Za-z_] before or after. As fast as -w; look-around took twice as long.
    return rf"(?-u:\b{{start-half}}){expression}(?-u:\b{{end-half}})"


def _from_regex(given: str, text: str, ignore_case: bool) -> Pattern:
    engine, tokens = regex_syntax.read(text)
    repaired = _with_literal_braces(tokens)
    braces = [f"The braces in '{given}' were taken literally."] if repaired != text else []
    notices = list(_link_notices(tokens))
    reads_link_as_class = bool(notices)
    if repaired != text:
        engine, tokens = regex_syntax.read(repaired)
    if tokens[-1].text == "\\":
        raise _invalid(given, "it ends in a lone backslash")
    if engine == "pcre2":
        if not notices and any(token.nested for token in regex_syntax.tokens_of(repaired, "default")):
            notices.append("PCRE2 reads this pattern: there classes do not nest and '&&' is plain text.")
        tokens = [_spelt_for_pcre2(token) for token in tokens]
    if tokens[-1].kind == "blank" and not tokens[-1].foreign and "#" in tokens[-1].text.rpartition("\n")[2]:
        # ripgrep wraps the pattern in a group, and a verbose comment would hide the group's end; (?#...) would not.
        tokens.append(RegexToken("blank", "\n"))
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
        reads_link_as_class=reads_link_as_class,
    )


def _link_notices(tokens: list[RegexToken]) -> Iterator[str]:
    for position, token in enumerate(tokens):
        # Rust ends the class at the second closing bracket, PCRE2 at the first.
        following = tokens[position + 1].text if position + 1 < len(tokens) else ""
        link = _LINK.fullmatch(token.text) or _LINK.fullmatch(token.text + following)
        if token.kind == "set" and link and any(character.isalpha() for character in link[1]):
            yield f"{link[0]} is a character class; to find the link use {escaped(link[0])}"


def _with_literal_braces(tokens: list[RegexToken]) -> str:
    """Escapes braces that are not quantifiers, with their closing braces and a ``$`` directly before them."""
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


def _spelt_for_pcre2(token: RegexToken) -> RegexToken:
    if token.kind == "assertion":
        return replace(token, text=_FOR_PCRE2.get(token.text, token.text))
    if token.kind == "character" and token.text[:2] in (r"\u", r"\U"):
        return replace(token, text=rf"\x{{{token.text[2:].strip('{}')}}}")
    return token


def _with_line_ends(tokens: list[RegexToken]) -> list[RegexToken]:
    r"""Returns the tokens with ``\n``, ``\r\n`` and ``\r?\n`` as one line-end token each, which matches both ends."""
    found: list[RegexToken] = []
    for position, token in enumerate(tokens):
        if token.kind == "character" and token.newline:
            if not _optional(tokens, position + 1):  # in \r\n? the \r may be alone
                if len(found) > 1 and found[-1].text == "?" and _is_carriage_return(found[-2]):
                    del found[-2:]
                elif found and _is_carriage_return(found[-1]):
                    found.pop()
            token = replace(token, text=_LINE_END)
        found.append(token)
    return found


def _is_carriage_return(token: RegexToken) -> bool:
    return token.kind == "character" and token.line_ends == frozenset("\r")


def _normalise(tokens: list[RegexToken], engine: Engine, multiline: bool) -> Normalise:
    assertions = {token.text for token in tokens if token.kind == "assertion"}
    sensitive = any(_meets_carriage_return(token) for token in tokens)
    # For PCRE2 and text anchors, --crlf keeps the \n of lines that end in only \n.
    whole_lines = (
        engine == "pcre2"
        or not assertions.isdisjoint((r"\A", r"\z"))
        or any(_NO_CRLF.match(token.text) for token in tokens if token.kind in ("flags", "open"))
    )
    # Between \r and \n these assertions match, and so does an empty match: text with only \n has no such place.
    between = not assertions.isdisjoint((r"\B", *HALF_BOUNDARIES))
    if (sensitive or multiline) and whole_lines:
        return "all"
    if (multiline and between) or ((multiline or between) and not _consumes(tokens)):
        return "all"
    return "lone" if sensitive else "never"


def _meets_carriage_return(token: RegexToken) -> bool:
    if token.kind == "assertion":
        return token.text in _TURNED_BY_CARRIAGE_RETURN
    return token.line_ends is None or "\r" in token.line_ends


def _consumes(tokens: list[RegexToken]) -> bool:
    """Whether every match certainly contains a character."""
    groups = [[True, False]]  # per open group: do the finished alternatives consume, does the current one
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


def _optional(tokens: list[RegexToken], position: int) -> bool:
    """Whether the quantifiers that begin here allow zero repetitions."""
    while position < len(tokens) and tokens[position].kind in ("quantifier", "blank"):
        if _OPTIONAL.match(tokens[position].text):
            return True
        position += 1
    return False


def _direct(tokens: list[RegexToken], multiline: bool) -> Iterator[str]:
    r"""Yields the parts for text without a lone ``\r``: a line end is one unit, nothing else matches ``\r``."""
    for position, token in enumerate(tokens):
        following = tokens[position + 1].kind if position + 1 < len(tokens) else None
        if token.text == _LINE_END:
            yield f"(?:{_LINE_END})" if following in ("quantifier", "blank") else _LINE_END
        elif _is_carriage_return(token):
            yield _NEVER
        elif token.kind == "set" and token.text[0] == "[" and token.line_ends == frozenset("\r"):
            yield rf"[{token.text}--\r]"  # ripgrep reads a class of only \r as a literal, which --crlf refuses
        elif not multiline or token.kind not in ("set", "dot") or token.line_ends == NOTHING:
            yield token.text  # in a search by lines --crlf removes \r from sets
        elif token.kind == "dot":
            yield rf"(?:{_LINE_END}|[^\r\n])" if token.line_ends == BOTH else token.text
        elif token.line_ends is None:
            yield rf"(?:\r?[\n&&{token.text}]|[{token.text}--[\r\n]])"
        else:
            yield rf"(?:{_LINE_END}|[{token.text}--[\r\n]])"

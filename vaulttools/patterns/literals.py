"""Extracts literals that every match of a pattern contains, for the index to look up.

Conservative like codesearch's query (index/regexp.go): every text in which ripgrep finds the pattern meets the
requirement, and probably many others do. Syntax that the parser does not know for sure requires nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Final

from vaulttools.patterns import regex_syntax
from vaulttools.patterns.pattern import Pattern
from vaulttools.patterns.regex_syntax import Engine, RegexToken
from vaulttools.patterns.requirements import LONGEST, AllOf, AnyOf, Requirement, fold

MOST: Final = 64
"""Most literals in one requirement. If more are required, the strongest are kept; with more alternatives, none."""

_VARIANTS = 16  # most texts that one piece of a regex expands to
_CLASS_VARIANTS = 4  # a larger class, such as [0-9], costs more to look up than it excludes
_MOST_PIECES = 4  # of a group or repetition that stay separate
_MAX_DEPTH = 50  # of groups


@lru_cache(maxsize=256)
def required(pattern: Pattern) -> Requirement | None:
    """Returns what the folded text of a file contains if ripgrep finds the pattern in the file, with either form of
    `pattern.arguments`; None if nothing is certain."""
    if pattern.verbatim:
        return _whole(_sequence([_one_of({each}, pattern.ignore_case) for each in pattern.expression]))
    piece = _read(pattern.normalised_expression, pattern.engine, pattern.ignore_case)
    return None if piece is None else _whole(piece)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Knowledge about the folded text that a piece of a regex matches."""

    texts: tuple[str, ...] | None
    """The text is one of these; None: too many, or not known."""
    required: tuple[Requirement, ...] = ()
    """The text contains all of these, if `texts` is None."""


_UNKNOWN: Final = _Piece(None)


def _sequence(pieces: Iterable[_Piece]) -> _Piece:
    """Joins consecutive pieces."""
    run: tuple[str, ...] = ("",)
    required: list[Requirement | None] = []
    is_known = True
    for piece in pieces:
        if piece.texts is not None and len(run) * len(piece.texts) <= _VARIANTS:
            joined = _distinct(before + after for before in run for after in piece.texts)
            if all(len(text) <= LONGEST for text in joined):
                run = joined
                continue
        is_known = False
        required += _some(run), *piece.required
        run = piece.texts or ("",)
    return _Piece(run) if is_known else _Piece(None, tuple(_strongest([*required, _some(run)])))


def _alternatives(pieces: Sequence[_Piece]) -> _Piece:
    """Joins alternative pieces."""
    texts = _distinct(text for piece in pieces for text in piece.texts or ())
    if all(piece.texts for piece in pieces) and len(texts) <= _VARIANTS:
        return _Piece(texts)
    required = _any_of([_whole(piece) for piece in pieces])
    return _Piece(None, () if required is None else (required,))


def _repeated(pieces: tuple[_Piece, ...], quantifier: str) -> tuple[_Piece, ...]:
    """Applies a quantifier to pieces; a quantifier on a quantifier works for PCRE2's possessive ones, too."""
    least, most = _bounds(quantifier)
    if least == 0:
        texts = _sequence(pieces).texts
        return (_Piece((*texts, "")) if most == 1 and texts else _UNKNOWN,)
    is_one_text = len(_sequence(pieces).texts or ()) == 1
    copies = min(least, LONGEST if is_one_text else 2)
    several = _shortened(pieces * copies)
    return several if least == most == copies else (*several, _UNKNOWN)


def _shortened(pieces: tuple[_Piece, ...]) -> tuple[_Piece, ...]:
    """Joins many pieces into one: nested groups would double their number at each level."""
    return pieces if len(pieces) <= _MOST_PIECES else (_sequence(pieces),)


def _bounds(quantifier: str) -> tuple[int, int | None]:
    """Returns the least and the most repetitions; None: no upper bound."""
    if quantifier[0] != "{":
        return int(quantifier[0] == "+"), 1 if quantifier[0] == "?" else None
    least, comma, most = (part.strip() for part in quantifier.strip("{}?").partition(","))
    # ripgrep rejects numbers of ten digits, Python those of thousands.
    at_least = int(least[:9] or "0")
    if not comma:
        return at_least, at_least
    return at_least, int(most[:9]) if most else None


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


# Requirements, without those that others imply.


def _whole(piece: _Piece) -> Requirement | None:
    if piece.texts is not None:
        return _some(piece.texts)
    return AllOf(piece.required) if len(piece.required) > 1 else next(iter(piece.required), None)


def _some(texts: Sequence[str]) -> Requirement | None:
    if "" in texts:
        return None
    shortest = [text for text in texts if not any(other in text and other != text for other in texts)]
    return AnyOf(tuple(shortest)) if len(shortest) > 1 else shortest[0]


def _strongest(parts: Iterable[Requirement | None]) -> list[Requirement]:
    """Returns the strongest parts, longest first, with at most `MOST` literals in total."""
    kept: list[Requirement] = []
    room = MOST
    distinct: dict[Requirement, None] = {}
    for part in parts:
        if part is not None:
            distinct.update(dict.fromkeys(part.parts if isinstance(part, AllOf) else (part,)))
    for part in sorted(distinct, key=lambda part: (_strength(part), _size(part)), reverse=True):
        size = _size(part)
        if size <= room and not any(_implies(other, part) for other in kept):
            kept.append(part)
            room -= size
        if not room:
            break
    return kept


def _any_of(parts: Iterable[Requirement | None]) -> Requirement | None:
    """Requires one of the parts; None if one of them requires nothing, or they are too many."""
    flat: dict[Requirement, None] = {}
    for part in parts:
        if part is None:
            return None
        flat.update(dict.fromkeys(part.parts if isinstance(part, AnyOf) else (part,)))
    if sum(map(_size, flat)) > MOST:
        return None
    kept: list[Requirement] = []
    for part in sorted(flat, key=_strength):
        if not any(_implies(part, other) for other in kept):
            kept.append(part)
    return AnyOf(tuple(part for part in flat if part in kept)) if len(kept) > 1 else kept[0]


def _implies(known: Requirement, part: Requirement) -> bool:
    """Whether every text that meets `known` meets `part`."""
    if isinstance(part, AllOf):
        return all(_implies(known, each) for each in part.parts)
    if isinstance(known, AnyOf):
        return all(_implies(each, part) for each in known.parts)
    if isinstance(known, AllOf):
        return any(_implies(each, part) for each in known.parts)
    if isinstance(part, AnyOf):
        return any(_implies(known, each) for each in part.parts)
    return part in known


def _size(requirement: Requirement) -> int:
    return 1 if isinstance(requirement, str) else sum(map(_size, requirement.parts))


def _strength(requirement: Requirement) -> int:
    """Returns the number of characters that are certainly looked for."""
    if isinstance(requirement, str):
        return len(requirement)
    return (max if isinstance(requirement, AllOf) else min)(map(_strength, requirement.parts))


# Reading a regex.

_FLAGS = re.compile(r"\(\?([A-Za-z^]*)(?:-([A-Za-z]*))?[:)]")
_LOOK_AROUND = ("(?=", "(?!", "(?<=", "(?<!")
_PROPERTY = re.compile(r"\\[pP](?:[A-Za-z]|\{[^}]*\})")
_PCRE2_SETS = frozenset((r"\h", r"\H", r"\N", r"\R", r"\V", r"\X", r"\K"))
_BACKREFERENCE = re.compile(r"\\(?:[1-9]|k|g[^<'])|\(\?P=")
# Syntax where the parser may end a token or class elsewhere than the engine: comments in braces; quotes, control
# characters, octals, word boundaries in brackets, verbs.
_MISREAD: dict[Engine, re.Pattern[str]] = {
    "default": re.compile(r"\\[pPxuUb]\{[^}#\\]*#"),
    "pcre2": re.compile(r"\\[cEQ0]|\[\[:[<>]|\(\*"),
}


@dataclass(slots=True)
class _Group:
    """A group that is being parsed."""

    unicode: bool = True
    zero_width: bool = False
    items: list[tuple[_Piece, ...]] = field(default_factory=list)
    """The items that a quantifier may follow, in order."""
    alternatives: list[_Piece] = field(default_factory=list)

    def next_alternative(self) -> None:
        self.alternatives.append(_sequence(chain.from_iterable(self.items)))
        self.items = []

    def closed(self) -> tuple[_Piece, ...]:
        if not self.alternatives:
            return _shortened(tuple(chain.from_iterable(self.items)))
        self.next_alternative()
        return (_alternatives(self.alternatives),)


def _read(text: str, engine: Engine, ignore_case: bool) -> _Piece | None:
    """Parses a regex; None if its structure is not known for sure."""
    tokens = regex_syntax.tokens_of(text, engine)
    flags = [_FLAGS.fullmatch(token.text) for token in tokens if token.kind in ("flags", "open")]
    on = {flag for group in flags if group for flag in group[1]}
    if _MISREAD[engine].search(text) or (engine == "pcre2" and _is_doubtful_in_pcre2(on, text)):
        return None
    ignore_case |= "i" in on
    groups = [_Group()]
    for token in tokens:
        group = groups[-1]
        match token.kind:
            case "blank":
                continue
            case "assertion":
                group.items.append(())
            case "character" | "set" | "dot":
                if _is_doubtful(token):
                    return None
                group.items.append((_one_of(token.members or (), ignore_case, group.unicode),))
            case "quantifier":
                if not group.items:
                    return None
                group.items.append(_repeated(group.items.pop(), token.text))
            case "flags":
                group.unicode = _unicode_after(token, group.unicode)
                group.items.append(())
            case "open":
                if token.text == "(?" or len(groups) > _MAX_DEPTH:  # a condition
                    return None
                groups.append(_Group(_unicode_after(token, group.unicode), token.text in _LOOK_AROUND))
            case "or":
                group.next_alternative()
            case "close":
                if len(groups) == 1:
                    return None
                groups.pop()
                groups[-1].items.append(() if group.zero_width else group.closed())
            case _:
                if engine == "default" or not (token.text in _PCRE2_SETS or _BACKREFERENCE.match(token.text)):
                    return None
                group.items.append((_UNKNOWN,))
    return _sequence(groups[0].closed()) if len(groups) == 1 else None


def _is_doubtful(token: RegexToken) -> bool:
    """Whether the following text may belong to the token: verbose mode allows blanks inside it."""
    if token.kind == "character":
        return token.members is None or token.text == "{"
    return token.text[:2] in (r"\p", r"\P") and not _PROPERTY.fullmatch(token.text)


def _is_doubtful_in_pcre2(on: set[str], text: str) -> bool:
    # (?R) is a recursion, (?^) resets the flags; PCRE2 has its own set of non-ASCII blanks that verbose mode ignores.
    return not on.isdisjoint("R^") or ("x" in on and not text.isascii())


def _unicode_after(token: RegexToken, unicode: bool) -> bool:
    flags = _FLAGS.fullmatch(token.text)
    if flags and "u" in flags[1]:
        return True
    return unicode and not (flags and "u" in (flags[2] or ""))


# Characters.

_LINE_ENDS_AND_MARKS = frozenset("\r\n\ufeff\ufffd")


def _one_of(members: Iterable[str], ignore_case: bool, unicode: bool = True) -> _Piece:
    """Returns the piece for one of these characters; unknown without any."""
    if not all(_is_sure(member, ignore_case, unicode) for member in members):
        return _UNKNOWN
    texts = tuple(sorted({fold(member) for member in members}))
    return _Piece(texts) if 0 < len(texts) <= _CLASS_VARIANTS else _UNKNOWN


def _is_sure(character: str, ignore_case: bool, unicode: bool) -> bool:
    """Whether the folded text holds the folded character wherever ripgrep matches the character.

    Not for line ends, marks that decoding may remove or insert, or, without Unicode mode, for what may mean a byte.
    """
    if character.isascii():
        return character not in "\r\n"
    if not unicode or character in _LINE_ENDS_AND_MARKS or "\ud800" <= character <= "\udfff":
        return False
    return not ignore_case or has_known_case(character)


def has_known_case(character: str) -> bool:
    """Whether all characters that ripgrep equates with this one, ignoring case, fold to the same text.

    ripgrep's Unicode may be newer than Python's, and give a partner to a letter without one (U+0264 since 16.0).
    """
    category = unicodedata.category(character)
    if category in ("Lu", "Ll", "Lt"):
        return {character.lower(), character.upper(), character.title()} != {character}
    return category != "Cn"

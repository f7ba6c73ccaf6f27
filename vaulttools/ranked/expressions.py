r"""Writes the regexes that match a question's terms, to count words without an index.

They may match more than the terms, words with the same beginning; which notes really hold them is seen when they are
read. ripgrep leaves its fast engines at the first letter that is not ASCII when a regex has `\b`, which knows all
letters (over 10,000 notes 2.4 s instead of 0.15), so that edges of words are written otherwise.
"""

from __future__ import annotations

import sys
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from itertools import takewhile
from typing import Final

from vaulttools.index.word_hits import Spelling
from vaulttools.index.words import tokens
from vaulttools.patterns.literals import fold
from vaulttools.patterns.pattern import escaped
from vaulttools.ranked.question import QuestionTerm

_REST: Final = r"[\p{L}\p{M}\p{N}\p{Co}]*"
"""The rest of a word, as the index divides a text into words."""
_APART: Final = r"[^\p{L}\p{N}\p{Co}]"
"""A sign between words."""
_BETWEEN: Final = f"{_REST}{_APART}+"
_EDGE: Final = f"(?:^|{_APART})"
_ASCII_EDGE: Final = r"(?:(?-u:\b)|_)"
"""Before an ASCII letter or digit; it also matches behind a letter that is not ASCII, in the midst of a word."""
_LAST_LATIN: Final = 0x24F
"""The last letter with an accent that is a variant of an ASCII letter in a European language."""


def expression(term: QuestionTerm) -> str:
    """The regex, in Rust's syntax, for case to be ignored."""
    if not term.spellings:
        return escaped(term.literal)
    return "|".join(dict.fromkeys(map(_of, term.spellings)))


def is_word(term: QuestionTerm) -> bool:
    """Whether a term is one word however it is spelled, so that it can be looked for with others at once."""
    return bool(term.spellings) and all(len(_beginnings(spelling)) == 1 for spelling in term.spellings)


def any_of(terms: Sequence[QuestionTerm]) -> str:
    """The regex of several terms, each of them a word: every match is a whole word, perhaps with one sign before it."""
    return f"(?:{'|'.join(map(expression, terms))}){_REST}"


def terms_of(terms: Sequence[QuestionTerm]) -> Callable[[str], Sequence[int]]:
    """What tells, of a match of `any_of`, which of the terms it is, by number; several may begin alike."""
    begun = [
        (number, _plain(beginning))
        for number, term in enumerate(terms)
        for spelling in term.spellings
        for beginning in _beginnings(spelling)
    ]

    def numbers(match: str) -> Sequence[int]:
        words = _plain(match), _plain(match[1:])
        return sorted({number for number, beginning in begun if any(word.startswith(beginning) for word in words)})

    return numbers


def beginnings(term: QuestionTerm) -> list[str]:
    """What the words of a term begin with in any inflection, without accents; of a piece of text the text."""
    return _beginnings(term.spellings[0]) if term.spellings else [term.literal]


def _of(spelling: Spelling) -> str:
    """The words of a spelling in a row."""
    first, *others = _beginnings(spelling) or [""]
    return _BETWEEN.join([_edged(first), *map(_letters, others)])


def _edged(text: str) -> str:
    """What a word begins with, where a word begins."""
    first, rest = text[:1], _letters(text[1:])
    accented = _accented().get(first)
    if accented is not None:
        return rf"(?:{_ASCII_EDGE}{first}|{_EDGE}[{accented}])\p{{M}}*{rest}"
    return (_ASCII_EDGE if first.isascii() else _EDGE) + escaped(first) + rest


def _beginnings(spelling: Spelling) -> list[str]:
    data = spelling.text.encode("utf-8", "replace")
    words = [(data[start:end].decode("utf-8", "replace").lower(), stem) for start, end, stem in tokens(spelling.text)]
    return [_common(word, stem) for word, stem in words]


def _common(word: str, stem: str) -> str:
    """What a word without its accents and its stem begin with: `mineralog` of `mineralogy` and `mineralogi`."""
    plain = _without_marks(word)
    length = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(plain, stem, strict=False)))
    return plain[:length] or plain


def _without_marks(text: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFD", text) if not unicodedata.combining(sign))


def _plain(text: str) -> str:
    """The form in which beginnings are compared: without case and accents."""
    return fold(_without_marks(text))


def _letters(text: str) -> str:
    """A text with each letter in any accents."""
    return "".join(f"[{sign}{_accented()[sign]}]\\p{{M}}*" if sign in _accented() else escaped(sign) for sign in text)


@cache
def _accented() -> dict[str, str]:
    """By ASCII letter its variants with accents."""
    found: dict[str, str] = defaultdict(str)
    for code in range(0x80, min(_LAST_LATIN, sys.maxunicode) + 1):
        base = unicodedata.normalize("NFD", chr(code))[0]
        if base.isascii() and base.islower() and chr(code).islower():
            found[base] += chr(code)
    return dict(found)

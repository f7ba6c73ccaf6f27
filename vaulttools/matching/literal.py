"""Finds plain text in the bytes of a file as ripgrep does.

A regex engine matches a literal wherever its UTF-8 occurs, whatever is around it, so a search in bytes gives the same
lines and the same first match of each. With case ignored this holds for texts of ASCII: of all other characters only
the Kelvin sign and the long s fold to one of ASCII. Other patterns, and files in UTF-16, are left to ripgrep.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, compress, count, repeat
from operator import contains
from typing import Final

from vaulttools.files.document import UTF16
from vaulttools.matching.hits import FileLines
from vaulttools.patterns import regex_syntax
from vaulttools.patterns.pattern import Pattern
from vaulttools.patterns.regex_syntax import RegexToken

_MOST: Final = 8
"""Alternatives that are looked for one after the other; ripgrep looks for all at once."""

_PARTNERS: Final = (("\u212a".encode(), b"k"), ("\u017f".encode(), b"s"))
"""The characters beyond ASCII that ripgrep takes for a letter of ASCII when case is ignored."""

_PARTNER = re.compile(b"|".join(partner for partner, _ in _PARTNERS))

_LINE_ENDS: Final = frozenset("\r\n")

_UTF16: Final = tuple(mark for mark, _ in UTF16)


@dataclass(frozen=True, slots=True)
class LiteralPattern:
    """One text, or several of which any matches."""

    texts: tuple[bytes, ...]
    """UTF-8 without line ends; in lower case when case is ignored."""
    ignore_case: bool

    def count(self, data: bytes) -> int:
        """How many lines match."""
        searched = self._searched(data.removeprefix(codecs.BOM_UTF8))
        held = [text for text in self.texts if text in searched]
        if not held:
            return 0
        lines = searched.split(b"\n")
        if len(held) == 1:
            return sum(map(contains, lines, repeat(held[0])))
        return len(_matching(lines, held))

    def hits(self, data: bytes, limit: int | None = None) -> FileLines:
        """The matching lines, the first `limit` at most."""
        data = data.removeprefix(codecs.BOM_UTF8)
        lines = data.split(b"\n")
        searched = self._searched(data)
        is_folded = len(searched) != len(data)
        searched_lines = lines if searched is data else searched.split(b"\n")
        numbers = _matching(searched_lines, self.texts)[:limit]
        raw = [lines[number - 1] for number in numbers]
        starts = [self._first(searched_lines[number - 1]) for number in numbers]
        if is_folded:
            starts = [*map(_unfolded, starts, raw)]
        if b"\r" in data:
            raw = [
                line.removesuffix(b"\r") if number < len(lines) else line
                for number, line in zip(numbers, raw, strict=True)
            ]
        return FileLines(numbers, starts, raw, data, lines)

    def _searched(self, data: bytes) -> bytes:
        """What the texts are looked for in: as many lines as the bytes have, and as many characters in each."""
        if not self.ignore_case:
            return data
        if any(letter in text for _, letter in _PARTNERS for text in self.texts):  # it takes longer than the search
            for partner, letter in _PARTNERS:
                data = data.replace(partner, letter)
        return data.lower()

    def _first(self, line: bytes) -> int:
        """The byte of a matching line, from 0, where its first match begins."""
        return min(place for text in self.texts if (place := line.find(text)) >= 0)


def _matching(lines: Sequence[bytes], texts: Sequence[bytes]) -> list[int]:
    """The numbers, from 1, of the lines that hold any of the texts."""
    numbers = [[*compress(count(1), map(contains, lines, repeat(text)))] for text in texts]
    return numbers[0] if len(numbers) == 1 else sorted({*chain.from_iterable(numbers)})


@lru_cache(maxsize=256)
def of(pattern: Pattern) -> LiteralPattern | None:
    """What a pattern looks for, when that is plain text whose matches are known without ripgrep."""
    if pattern.mode not in ("regex", "fixed") or pattern.multiline or pattern.normalise != "never":
        return None
    texts, ignore_case = [pattern.expression], pattern.ignore_case
    if not pattern.verbatim:
        if pattern.engine != "default":
            return None
        tokens = regex_syntax.tokens_of(pattern.expression, "default")
        if tokens[0].text == "(?i)":
            tokens, ignore_case = tokens[1:], True
        spelt = _alternatives(tokens)
        if spelt is None:
            return None
        texts = spelt
    if not all(_is_sure(text, ignore_case) for text in texts) or len(texts) > _MOST:
        return None
    return LiteralPattern(
        tuple(dict.fromkeys((text.lower() if ignore_case else text).encode() for text in texts)), ignore_case
    )


def is_utf8(data: bytes) -> bool:
    """Whether ripgrep searches the bytes as they are, but for the mark of UTF-8."""
    return not data.startswith(_UTF16)


def _unfolded(place: int, line: bytes) -> int:
    """The byte of a line, from 0, at a place in what is searched of it."""
    for partner in _PARTNER.finditer(line):
        if partner.start() >= place:
            break
        place += len(partner[0]) - 1
    return place


def _alternatives(tokens: Sequence[RegexToken]) -> list[str] | None:
    """The texts that a regex matches; None when it is more than characters and `|`."""
    texts = [""]
    for token in tokens:
        if token.kind == "or":
            texts.append("")
        elif token.kind == "character" and token.members is not None and token.text != "{":
            [character] = token.members
            texts[-1] += character
        else:
            return None
    return texts


def _is_sure(text: str, ignore_case: bool) -> bool:
    """Whether a text is found wherever its UTF-8 occurs."""
    return text != "" and _LINE_ENDS.isdisjoint(text) and (text.isascii() or not ignore_case)

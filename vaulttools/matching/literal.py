"""Finds plain text in the bytes of a file like ripgrep.

A regex engine matches a literal wherever its UTF-8 occurs, so a search in bytes finds the same lines and the same first
match of each. Ignoring case, this holds for ASCII texts: the only other characters that fold to ASCII are the Kelvin
sign and the long s. ripgrep searches for other patterns, and in UTF-16 files.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from vaulttools.files.document import UTF16
from vaulttools.matching.hits import FileLines
from vaulttools.patterns import regex_syntax
from vaulttools.patterns.pattern import Pattern
from vaulttools.patterns.regex_syntax import RegexToken

_MOST: Final = 8
"""Most alternatives, which are searched one after the other; ripgrep searches for all at once."""

_PARTNERS: Final = (("\u212a".encode(), b"k"), ("\u017f".encode(), b"s"))
"""The non-ASCII characters that ripgrep equates with an ASCII letter when it ignores case."""

_PARTNER = re.compile(b"|".join(partner for partner, _ in _PARTNERS))

_LINE_ENDS: Final = frozenset("\r\n")

_UTF16: Final = tuple(mark for mark, _ in UTF16)


@dataclass(frozen=True, slots=True)
class LiteralPattern:
    """One or more texts; each is a match."""

    texts: tuple[bytes, ...]
    """UTF-8 without line ends; lower case if `ignore_case`."""
    ignore_case: bool

    def count(self, data: bytes) -> int:
        """Returns the number of matching lines."""
        return len([*self._found(self._searched(data.removeprefix(codecs.BOM_UTF8)))])

    def hits(self, data: bytes, limit: int | None = None) -> FileLines:
        """Returns the matching lines, at most the first `limit`."""
        data = data.removeprefix(codecs.BOM_UTF8)
        lines = data.split(b"\n")
        searched = self._searched(data)
        numbers, starts = _lines_at([*islice(self._found(searched), limit)], searched)
        raw = [lines[number - 1] for number in numbers]
        if len(searched) != len(data):
            starts = [*map(_unfolded, starts, raw)]
        if b"\r" in data:
            raw = [
                line.removesuffix(b"\r") if number < len(lines) else line
                for number, line in zip(numbers, raw, strict=True)
            ]
        return FileLines(numbers, starts, raw, data)

    def _found(self, searched: bytes) -> Iterator[int]:
        """Yields the start of the first match of each matching line, in bytes from 0."""
        places = {text: place for text in self.texts if (place := searched.find(text)) >= 0}
        if len(places) == 1:  # takes half the time
            [(text, place)] = places.items()
            while place >= 0:
                yield place
                end = searched.find(b"\n", place)
                place = searched.find(text, end) if end >= 0 else -1
            return
        while places:
            first = min(places.values())
            yield first
            end = searched.find(b"\n", first)
            if end < 0:
                return
            places = {
                text: after
                for text, place in places.items()
                if (after := place if place > end else searched.find(text, end)) >= 0
            }

    def _searched(self, data: bytes) -> bytes:
        """Returns the bytes to search: with the lines and characters of `data`, folded if `ignore_case`."""
        if not self.ignore_case:
            return data
        if any(letter in text for _, letter in _PARTNERS for text in self.texts):  # takes longer than the search
            for partner, letter in _PARTNERS:
                data = data.replace(partner, letter)
        return data.lower()


def _lines_at(places: Sequence[int], searched: bytes) -> tuple[list[int], list[int]]:
    """Returns for ascending places the line numbers (from 1) and the offsets in the lines (bytes from 0)."""
    numbers: list[int] = []
    starts: list[int] = []
    number, counted = 1, 0
    for place in places:
        number += searched.count(b"\n", counted, place)
        counted = place
        numbers.append(number)
        starts.append(place - searched.rfind(b"\n", 0, place) - 1)
    return numbers, starts


@lru_cache(maxsize=256)
def of(pattern: Pattern) -> LiteralPattern | None:
    """Returns the texts of a pattern, if it is plain text that can be matched without ripgrep; else None."""
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
    """Whether ripgrep searches the bytes unchanged, except for a UTF-8 mark."""
    return not data.startswith(_UTF16)


def _unfolded(place: int, line: bytes) -> int:
    """Converts a place in a searched line to a byte of the original line, from 0."""
    for partner in _PARTNER.finditer(line):
        if partner.start() >= place:
            break
        place += len(partner[0]) - 1
    return place


def _alternatives(tokens: Sequence[RegexToken]) -> list[str] | None:
    """Returns the texts that a regex matches; None if it is more than characters and `|`."""
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
    """Whether a byte search finds exactly the matches of a text."""
    return text != "" and _LINE_ENDS.isdisjoint(text) and (text.isascii() or not ignore_case)

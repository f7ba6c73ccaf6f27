"""Finds plain text in the bytes of a file as ripgrep does.

A regex engine matches a literal where its UTF-8 stands, whatever stands around it, so `bytes.find` gives the same
lines and the same first match of each. With case ignored this holds for texts of ASCII: of all other characters only
the Kelvin sign and the long s fold to one of ASCII. Other patterns, and files in UTF-16, are left to ripgrep.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress, count, islice, repeat
from operator import contains
from typing import Final

from vaulttools.files.document import UTF16
from vaulttools.matching.hits import FileLines, Later
from vaulttools.matching.memmem import holds
from vaulttools.patterns import regex_syntax
from vaulttools.patterns.pattern import Pattern
from vaulttools.patterns.regex_syntax import RegexToken

_MOST: Final = 8
"""Alternatives that are looked for one after the other; ripgrep looks for all at once."""

_PARTNERS: Final = (("\u212a".encode(), b"k"), ("\u017f".encode(), b"s"))
"""The characters beyond ASCII that ripgrep takes for a letter of ASCII when case is ignored."""

_PARTNER = re.compile(b"|".join(partner for partner, _ in _PARTNERS))

_LINE_ENDS: Final = frozenset("\r\n")

_MANY: Final = 4
_SEVERAL: Final = 8
"""After so many matching lines, when one of so many lines matches, all lines are looked at one by one: 2,000 notes with
112,000 lines that hold `the` take 85 ms instead of 193. Counting gains nothing."""

_UTF16: Final = tuple(mark for mark, _ in UTF16)


@dataclass(frozen=True, slots=True)
class LiteralPattern:
    """One text or several, any of which is looked for."""

    texts: tuple[bytes, ...]
    """UTF-8 without line ends; in lower case when case is ignored."""
    ignore_case: bool

    def stands_in(self, data: bytes) -> bool:
        """Whether a line matches."""
        data = data.removeprefix(codecs.BOM_UTF8)
        if self._holds(data):
            return True
        return self.ignore_case and self._holds(self._searched(data))

    def count(self, data: bytes) -> int:
        """How many lines match."""
        searched = self._searched(data.removeprefix(codecs.BOM_UTF8))
        if len(self.texts) > 1:
            return sum(1 for _ in self._firsts(searched))
        [text] = self.texts  # in half the time
        if not holds(searched, text):
            return 0
        number = 0
        place = searched.find(text)
        while place >= 0:
            number += 1
            end = searched.find(b"\n", place)
            place = searched.find(text, end) if end >= 0 else -1
        return number

    def hits(self, data: bytes, limit: int | None = None) -> FileLines:
        """The matching lines, the first `limit` at most."""
        data = data.removeprefix(codecs.BOM_UTF8)
        searched = self._searched(data)
        lines = None if len(searched) == len(data) else data.split(b"\n")
        numbers: list[int] = []
        starts: list[int] = []
        raw: list[bytes] = []
        begins: list[int] = []
        number, counted = 1, 0
        for first in islice(self._firsts(searched), limit):
            number += searched.count(b"\n", counted, first)
            counted = first
            start = searched.rfind(b"\n", 0, first) + 1
            end = searched.find(b"\n", first)
            line = lines[number - 1] if lines is not None else data[start : end if end >= 0 else len(data)]
            if end >= 0:
                line = line.removesuffix(b"\r")
            if len(numbers) == _MANY and number < _MANY * _SEVERAL and len(self.texts) == 1:
                return self._hits_in_lines(data, searched, limit)
            numbers.append(number)
            begins.append(start)
            starts.append(first - start if lines is None else _unfolded(first - start, line))
            raw.append(line)
        if lines is not None:
            begins.clear()  # these are places in what was searched
        return FileLines(numbers, starts, raw, None, data, begins)

    def _hits_in_lines(self, data: bytes, searched: bytes, limit: int | None) -> FileLines:
        """As `hits` of one text, line by line; more than the numbers of lines is found later."""
        [text] = self.texts
        each = searched.split(b"\n")
        numbers = [*compress(count(1), map(contains, each, repeat(text)))][:limit]

        def whole() -> FileLines:
            raw = data.split(b"\n")
            last = len(raw)
            lines = [raw[at - 1].removesuffix(b"\r") if at < last else raw[at - 1] for at in numbers]
            starts = [each[at - 1].find(text) for at in numbers]
            return FileLines(numbers, starts if len(searched) == len(data) else [*map(_unfolded, starts, lines)], lines)

        return FileLines(numbers, later=Later(whole, each if searched is data else None), data=data)

    def _holds(self, data: bytes) -> bool:
        """Whether one of the texts stands in the bytes as it is spelt."""
        return holds(data, self.texts[0]) or any(holds(data, text) for text in self.texts[1:])

    def _searched(self, data: bytes) -> bytes:
        """What the texts are looked for in: as many lines as the bytes have, and as many characters in each."""
        if not self.ignore_case:
            return data
        if any(letter in text for _, letter in _PARTNERS for text in self.texts):  # it takes longer than the search
            for partner, letter in _PARTNERS:
                data = data.replace(partner, letter)
        return data.lower()

    def _firsts(self, searched: bytes) -> Iterator[int]:
        """Where the first match of each matching line begins."""
        if len(self.texts) == 1:
            [text] = self.texts
            place = searched.find(text)
            while place >= 0:
                yield place
                end = searched.find(b"\n", place)
                place = searched.find(text, end) if end >= 0 else -1
            return
        places = {text: place for text in self.texts if (place := searched.find(text)) >= 0}
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
    """Whether a text is found where its UTF-8 stands."""
    return text != "" and _LINE_ENDS.isdisjoint(text) and (text.isascii() or not ignore_case)

"""Finds the terms of a question in a text: the places that the index has of it, and the passage that answers best."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from vaulttools.files.known import Places
from vaulttools.index.content import words_of
from vaulttools.index.words import Word, tokens
from vaulttools.notes.note import Note
from vaulttools.ranked.question import Term

LINES: Final = 3
"""Lines of a passage."""

_BYTES_A_WORD: Final = 6
"""Where words are not divided by blanks, so many bytes count as a word: two characters of Chinese."""

_BEGINS_UNIT: Final = re.compile(rb"\s*(?:[-*+]\s|\d+[.)]\s|#{1,6}\s|\||>|```|~~~)")
"""A line that begins a unit of its own: a list item, a heading, a row of a table, a line of a quote, a fence."""
_RULE: Final = re.compile(rb"[\s|:=*_-]*")
_HEADING_WEIGHT: Final = 0.8
"""What a heading weighs against a sentence that holds the same, which says more."""

_SENTENCE_BYTES: Final = 100
_TEXT_WEIGHT: Final = 0.00001
"""What a byte of a sentence weighs: of two passages that hold the same a whole sentence says more than a link."""

_SEEN_BYTES: Final = 80
"""Bytes of a long line that are surely shown with its column."""

_HEADING: Final = re.compile(rb"#{1,6}\s")


@dataclass(frozen=True, slots=True)
class Passage:
    """The lines of a note that answer best."""

    start_line: int
    """From 1; likewise the last one."""
    end_line: int
    column: int
    """Characters of the first line before the part of it that answers best; 0 when no word stands there."""


class Finder:
    """The terms of one question."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self.terms: Final = terms
        self._literals = [term.literal.encode() for term in terms]
        self._counts_bytes = any(self._literals)
        self._stems: dict[str, list[tuple[int, tuple[str, ...]]]] = defaultdict(list)
        """By the first stem of a spelling: the term, and the stems that follow."""
        self._beginnings: list[tuple[int, str]] = []
        for number, term in enumerate(terms):
            for spelling in term.spellings:
                stems = [stem for _, _, stem in tokens(spelling.text)]
                if stems and spelling.is_beginning:
                    self._beginnings.append((number, stems[-1]))
                elif stems:
                    self._stems[stems[0]].append((number, tuple(stems[1:])))

    @property
    def needs_text(self) -> bool:
        """Whether the index knows the places of some terms only roughly: those that are no words."""
        return self._counts_bytes

    def places(self, note: Note) -> Places:
        """Where the terms stand in a note."""
        lengths = []
        found: list[list[list[int]]] = [[] for _ in self.terms]
        for part in words_of(note):
            text = part.encode("utf-8", "replace")
            words = self._words(part)
            lengths.append(len(text) // _BYTES_A_WORD if self._counts_bytes else len(words))
            stands: list[list[int]] = [[] for _ in self.terms]
            for place, byte, term in self._found(text, words):
                stands[term].append(byte // _BYTES_A_WORD if self._counts_bytes else place)
            for term, each in enumerate(stands):
                found[term].append(each)
        return Places(lengths, found)

    def _words(self, text: str) -> Sequence[Word]:
        """The words of a text, if any term is one."""
        return tokens(text) if self._stems or self._beginnings else ()

    def _found(self, text: bytes, words: Sequence[Word]) -> Iterator[tuple[int, int, int]]:
        """Every place of a term: which of the words it is, from 0, its first byte, and the term."""
        stems = self._stems
        for place, (start, _, stem) in enumerate(words):
            if stem in stems:
                for term, following in stems[stem]:
                    if not following or self._follow(words, place, following):
                        yield place, start, term
        for term, beginning in self._beginnings:
            for place, (start, _, stem) in enumerate(words):
                if stem.startswith(beginning):
                    yield place, start, term
        for term, literal in enumerate(self._literals):  # of scripts that know no case
            start = text.find(literal) if literal else -1
            while start >= 0:
                yield 0, start, term
                start = text.find(literal, start + 1)

    @staticmethod
    def _follow(words: Sequence[Word], place: int, stems: Sequence[str]) -> bool:
        return tuple(stem for _, _, stem in words[place + 1 : place + 1 + len(stems)]) == stems

    def passage(self, note: Note, rarities: Sequence[float]) -> Passage:
        """The lines of the body that answer best, the first ones when no term stands in it.

        `rarities` is what the terms weigh. The first line holds one of them.
        """
        text = note.text.encode("utf-8", "replace")
        lines = text.split(b"\n")
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        terms_of: dict[int, list[tuple[int, int]]] = defaultdict(list)
        """By line from 0: where in it, in bytes, and which terms."""
        for _, byte, term in self._found(text, self._words(note.text)):
            number = bisect_right(starts, byte) - 1
            terms_of[number].append((byte - starts[number], term))
        begin = min(note.body_line - 1, len(lines) - 1)
        best = (0.0, *_first_sentence(lines, begin))
        seen: set[tuple[int, int]] = set()
        for number in sorted(terms_of):
            unit = _unit(lines, begin, number)
            if number < begin or unit in seen:
                continue
            seen.add(unit)
            for first, last in _parts(*unit):
                held = {term for line in range(first, last + 1) for _, term in terms_of.get(line, ())}
                length = starts[last + 1] - starts[first]
                weight = sum(rarities[term] for term in held) + _TEXT_WEIGHT * min(length, _SENTENCE_BYTES)
                if _heads(lines, first, last):
                    weight *= _HEADING_WEIGHT
                if held and weight > best[0]:
                    best = weight, first, last
        _, first, last = best
        first = next((number for number in range(first, last + 1) if number in terms_of), first)
        column = self._column(terms_of.get(first, ()), rarities)
        return Passage(first + 1, last + 1, len(lines[first][:column].decode("utf-8", "ignore")) if lines else 0)

    @staticmethod
    def _column(stands: Sequence[tuple[int, int]], rarities: Sequence[float]) -> int:
        """Where in a line, in bytes, the part begins that holds most."""
        best = (-1.0, 0)
        for start, _ in stands:
            held = {term for byte, term in stands if start <= byte < start + _SEEN_BYTES}
            best = max(best, (sum(rarities[term] for term in held), -start))
        return -best[1]


def _heads(lines: Sequence[bytes], first: int, last: int) -> bool:
    """Whether a unit is a heading, or the head of a table."""
    if _HEADING.match(lines[first]):
        return first == last
    following = lines[last + 1] if last + 1 < len(lines) else b""
    return bool(following.strip()) and bool(_RULE.fullmatch(following))


def _unit(lines: Sequence[bytes], begin: int, number: int) -> tuple[int, int]:
    """The paragraph, list item, heading or row that a line belongs to: first and last line, from 0."""
    first = last = number
    while first > begin and not _BEGINS_UNIT.match(lines[first]) and not _is_blank(lines[first - 1]):
        first -= 1
    while last + 1 < len(lines) and not _is_blank(lines[last + 1]) and not _BEGINS_UNIT.match(lines[last + 1]):
        last += 1
    return first, last


def _first_sentence(lines: Sequence[bytes], begin: int) -> tuple[int, int]:
    """The first unit that is no heading; the first line when there is none."""
    number = begin
    while number < len(lines):
        first, last = (number, number) if _is_blank(lines[number]) else _unit(lines, begin, number)
        if not _is_blank(lines[number]) and not _heads(lines, first, last):
            return next(_parts(first, last))
        number = last + 1
    return max(0, begin), max(0, begin)


def _is_blank(line: bytes) -> bool:
    return not line.strip() or bool(_RULE.fullmatch(line))


def _parts(first: int, last: int) -> Iterator[tuple[int, int]]:
    for start in range(first, max(first, last - LINES + 1) + 1):
        yield start, min(last, start + LINES - 1)

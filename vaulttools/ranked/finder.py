"""Finds a question's terms in a text, at the same places as the index."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import Final

from vaulttools.core.folding.words import Folded
from vaulttools.index import passages as stored
from vaulttools.index.content import words_of
from vaulttools.index.passages import Passages
from vaulttools.index.words import Places, shares_of, tokens, tokens_of
from vaulttools.notes.note import Note
from vaulttools.ranked.question import QuestionTerm

_BYTES_A_WORD: Final = 6
"""In scripts without blanks between words, this many bytes count as a word: two characters of Chinese."""


class Finder:
    """Finds the terms of one question."""

    def __init__(self, terms: Sequence[QuestionTerm]) -> None:
        self.terms: Final = terms
        self._literals = [term.literal.encode() for term in terms]
        self.needs_text: Final = any(self._literals)
        """Whether some terms are pieces of text; the index knows their places only roughly."""
        self._stems: dict[str, list[tuple[int, tuple[str, ...], float]]] = defaultdict(list)
        """By the first stem of a spelling: the number of the term, the stems that follow, and its share."""
        self._beginnings: list[tuple[int, str, float]] = []
        for number, term in enumerate(terms):
            for spelling in term.spellings:
                stems = [stem for _, _, stem in tokens(spelling.text)]
                if stems and spelling.is_beginning:
                    self._beginnings.append((number, stems[-1], spelling.share))
                elif stems:
                    self._stems[stems[0]].append((number, tuple(stems[1:]), spelling.share))

    def places(self, note: Note | NoteWords) -> Places:
        """Returns the places of the terms in a note."""
        lengths = []
        found: list[list[list[int]]] = [[] for _ in self.terms]
        shares: dict[int, float] = {}
        texts = [column.text for column in note.columns] if isinstance(note, NoteWords) else words_of(note)
        columns = note.columns if isinstance(note, NoteWords) else map(self._split, texts)
        for text, column in zip(texts, columns, strict=True):
            if self.needs_text:
                lengths.append(len(text.encode("utf-8", "replace")) // _BYTES_A_WORD)
                by_term = [
                    [byte // _BYTES_A_WORD for byte in first] for first in self._first_bytes(column, text, shares)
                ]
            else:
                lengths.append(len(column))
                by_term = self._in_column(column, shares)
            for term, places in enumerate(by_term):
                found[term].append(places)
        return Places(lengths, found, shares_of(shares, len(self.terms)))

    def _split(self, text: str) -> ColumnWords:
        """Returns the words of a text; none if no term is a word."""
        return ColumnWords(text if self._stems or self._beginnings else "")

    def _in_column(self, column: ColumnWords, shares: dict[int, float]) -> list[list[int]]:
        """Returns for each term the places of its words in a column; notes the highest share of each in `shares`."""
        found: list[list[int]] = [[] for _ in self.terms]
        for stem, spelled in self._stems.items():
            for term, following, share in spelled:
                if places := column.places(stem, following):
                    found[term] += places
                    shares[term] = max(share, shares.get(term, 0.0))
        for term, beginning, share in self._beginnings:
            for stem in column.stems:
                if stem.startswith(beginning):
                    found[term] += column.places(stem)
                    shares[term] = max(share, shares.get(term, 0.0))
        return [sorted({*places}) for places in found]

    def occurrences(self, text: str) -> list[tuple[int, int]]:
        """Returns where the terms begin in a text, in order: offset in characters, and number of the term."""
        data = text.encode("utf-8", "replace")
        by_term = self._first_bytes(self._split(text), text, {})
        places = sorted((byte, term) for term, first in enumerate(by_term) for byte in first)
        if len(data) == len(text):
            return places
        starts = [byte for byte, _ in places]
        between = (len(data[start:end].decode("utf-8", "replace")) for start, end in pairwise((0, *starts)))
        return [(offset, term) for offset, (_, term) in zip(accumulate(between), places, strict=True)]

    def _first_bytes(self, column: ColumnWords, text: str, shares: dict[int, float]) -> list[list[int]]:
        """Returns for each term the byte offsets at which it begins in a column, whose text is `text`."""
        found = [[*map(column.start, places)] for places in self._in_column(column, shares)]
        if self.needs_text:
            folded = Folded(text)
            for first, literal in zip(found, self._literals, strict=True):
                first += (folded.written(byte, byte + len(literal))[0] for byte in places_of(literal, folded.data))
        return found

    def passages(self, note: Note, known: Passages | None = None) -> Passages:
        """Returns the passages of a note, with places as `places` counts them; `known` are those of the index."""
        passages = known or stored.of(note)
        if not self.needs_text:
            return passages
        text = note.said.text
        done, byte = note.said.offset(note.body_line), 0
        edges: list[tuple[int, int]] = []
        for start, length in zip(passages.starts, passages.lengths, strict=True):
            first = byte + len(text[done:start].encode("utf-8", "replace"))
            done = start + length
            byte = first + len(text[start:done].encode("utf-8", "replace"))
            edges.append((first // _BYTES_A_WORD, byte // _BYTES_A_WORD + 1))
        heads = accumulate((len(text.encode("utf-8", "replace")) + 1 for text in note.said_headings), initial=0)
        return replace(
            passages,
            first_words=[first for first, _ in edges],
            words=[end - first for first, end in edges],
            heading_words=[head // _BYTES_A_WORD for head in heads][: len(note.headings)],
        )


def holds(literal: str, folded: str) -> bool:
    """Whether a folded text holds the literal of a term."""
    if not _is_name(literal.encode()):
        return literal in folded
    if literal not in folded.lower():  # spares most of 10,000 names the regex
        return False
    return _whole(literal.encode()).search(folded.encode("utf-8", "replace")) is not None


def places_of(literal: bytes, text: bytes) -> Iterator[int]:
    """Yields the byte offsets at which `literal` begins in a folded text; no offsets for an empty one."""
    if _is_name(literal):
        yield from (found.start() for found in _whole(literal).finditer(text))
        return
    start = text.find(literal) if literal else -1
    while start >= 0:
        yield start
        start = text.find(literal, start + 1)


def _is_name(literal: bytes) -> bool:
    """Whether a literal is a name that ends in signs; other literals that begin with ASCII hold no letter."""
    return literal[:1].isalnum()


@lru_cache(maxsize=16)
def _whole(literal: bytes) -> re.Pattern[bytes]:
    """Returns the regex of a name that ends in signs, in any case: `C++17` holds `C++`; `Music#intro` has no `C#`, nor
    has `C#minor`."""
    after = rb"(?![0-9A-Za-z_#])" if literal.endswith(b"#") else b""
    return re.compile(rb"(?<![0-9A-Za-z_])" + re.escape(literal) + after, re.IGNORECASE)


_AT_ONCE: Final = 1 << 18
"""Characters that are split into words between two checks of the time: a few hundredths of a second."""


class ColumnWords:
    """The words of one column of a note, as the index would hold them."""

    def __init__(self, text: str, stop: Callable[[], bool] = lambda: False) -> None:
        """Split a text into words, until `stop` returns true."""
        self.text = text
        self._starts = array("I")
        """By word, the offset of its first byte in the folded piece."""
        self._pieces: list[tuple[int, int, Folded]] = []
        """By piece: the number of its first word, its offset in bytes, and the piece."""
        self.is_whole = True
        """Whether there was time for the whole text."""
        self._stems = array("I")
        """By word, the number of its stem."""
        self._numbers: dict[str, int] = {}
        """By stem, its number."""
        self._places: list[array[int]] = []
        """By number of a stem, the words that have it."""
        done = byte = 0
        while done < len(text):
            end = _end(text, done + _AT_ONCE)
            piece = text[done:end]
            self._add(piece, byte)
            done = end
            if done < len(text):
                byte += len(piece.encode("utf-8", "replace"))
                if stop():
                    self.is_whole = False
                    return

    @property
    def stems(self) -> Sequence[str]:
        """The stems of its words, each once."""
        return [*self._numbers]

    def __len__(self) -> int:
        return len(self._starts)

    def start(self, place: int) -> int:
        """Returns the offset of the first byte of a word."""
        _, byte, piece = self._pieces[bisect_right(self._pieces, place, key=itemgetter(0)) - 1]
        start = self._starts[place]
        return byte + piece.written(start, start + 1)[0]

    def places(self, stem: str, following: Sequence[str] = ()) -> Sequence[int]:
        """Returns the numbers, from 0, of the words that have a stem and are followed by words with the others."""
        number = self._numbers.get(stem)
        if number is None:
            return ()
        found = self._places[number]
        if not following:
            return found
        behind = array("I", [self._numbers.get(each, len(self._numbers)) for each in following])
        return [place for place in found if self._stems[place + 1 : place + 1 + len(behind)] == behind]

    def _add(self, text: str, byte: int) -> None:
        piece = Folded(text)
        self._pieces.append((len(self._starts), byte, piece))
        for start, _, stem in tokens_of(piece):
            number = self._numbers.get(stem)
            if number is None:
                number = self._numbers[stem] = len(self._numbers)
                self._places.append(array("I"))
            self._places[number].append(len(self._starts))
            self._starts.append(start)
            self._stems.append(number)


def _end(text: str, wanted: int) -> int:
    """Returns the first offset from `wanted` on that follows a blank; the end of the text if there is none."""
    while wanted < len(text) and not text[wanted - 1].isspace():
        wanted += 1
    return min(wanted, len(text))


class NoteWords:
    """The words of one note."""

    def __init__(self, note: Note, stop: Callable[[], bool] = lambda: False) -> None:
        self.note = note
        self.columns = [ColumnWords(text, stop) for text in words_of(note)]

    @property
    def is_whole(self) -> bool:
        """Whether there was time for all columns."""
        return all(column.is_whole for column in self.columns)

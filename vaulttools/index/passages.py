"""Records where a note's passages begin, so that a hit leads to its passage.

The word table gives the place of a word, in words from the beginning of the body; the columns below map a place to a
passage without reading the note. They use the machine's byte order: an index never leaves its machine.
"""

from __future__ import annotations

import re
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import add
from typing import Final, NamedTuple

from vaulttools.index.words import count
from vaulttools.notes.note import Note
from vaulttools.notes.passages import context, digest, digest_of_folded, folded, split

_DIGIT: Final = re.compile(r"\d")

_COLUMNS: Final = 7
"""Numbers per passage, besides its digests."""
_FIRST: Final = 2
"""Numbers before the columns: the number of passages, and the language."""


FEWEST_WORDS_OF_A_COPY: Final = 5
"""A passage of fewer words has no copies: unrelated notes may share `Coming soon.`"""
NO_COPIES: Final = 0
"""The digest of a passage of fewer words."""


@dataclass(frozen=True, slots=True)
class Passages:
    """The passages of one note as columns: passages are numbered from 0 in the order of the text."""

    first_words: Sequence[int]
    """Place of each first word, in words of the body from 0."""
    words: Sequence[int]
    """Number of words in each."""
    starts: Sequence[int]
    """Offsets in characters, in the text with `\\n` for `\\r\\n`."""
    lengths: Sequence[int]
    """Lengths in characters."""
    headings: Sequence[int]
    """Number of the heading above each, from 0; -1: none."""
    parents: Sequence[int]
    """For a table row, the passage with the header row of the table; -1: not a table row."""
    digits: Sequence[int]
    """1 for each that holds a digit, else 0."""
    digests: Sequence[int]
    """Digest of each with the properties of the note, equal for copies; `NO_COPIES` for one of too few words."""
    keys: Sequence[int]
    """Digest of each with its context, as `notes.passages.in_context` writes it: the keys of its vectors."""
    levels: Sequence[int]
    """Levels of the note's headings, 1 to 6."""
    heading_words: Sequence[int]
    """Place of each heading's first word, in words of the column of headings."""
    language: str = ""
    """Language of the note, as `notes.language` names it."""

    def at(self, place: int) -> int:
        """Returns the passage that holds the word at a place of the body; -1: no passage holds it."""
        number = bisect_right(self.first_words, place) - 1
        return number if number >= 0 and place < self.first_words[number] + self.words[number] else -1


def dump(note: Note) -> bytes:
    """Returns the passages of a note as bytes for `load`."""
    from vaulttools.notes import language

    source = note.said
    body = done = source.offset(note.body_line)
    of_properties = digest_of_properties(note)
    numbers = array("I")
    digests = array("q")
    keys = array("q")
    last = 0
    under, before = None, ""
    for number, passage in enumerate(split(note)):
        text = source.text[passage.start : passage.end]
        words = count(text)
        gap = source.text[done : passage.start]
        numbers.extend(
            (
                count(gap) if gap.strip() else 0,
                words,
                passage.start - last,
                passage.end - passage.start,
                passage.heading + 1,
                number - passage.parent if passage.parent >= 0 else 0,
                _DIGIT.search(text) is not None,
            )
        )
        if (is_first := not number, passage.heading) != under:
            under = is_first, passage.heading
            before = folded(context(note, passage.heading, is_first=is_first))
        # Folding the text again, with its context, would take a third more time.
        alone = folded(text)
        digests.append(digest_of_folded(alone) ^ of_properties if words >= FEWEST_WORDS_OF_A_COPY else NO_COPIES)
        keys.append(digest_of_folded(f"{before} {alone}" if before else alone))
        done = last = passage.end
    headings = array("I")
    for heading, text in zip(note.headings, note.said_headings, strict=True):
        headings.extend((heading.level, count(text)))
    # Numbers of one column are similar: they compress to a third fewer bytes than by passage.
    columns = array("I", [len(digests), language.LANGUAGES.index(language.of(source.text[body:]))])
    for column in range(_COLUMNS):
        columns.extend(numbers[column::_COLUMNS])
    return zlib.compress(columns.tobytes() + headings.tobytes(), 1) + digests.tobytes() + keys.tobytes()


def load(data: bytes) -> Passages:
    """Returns the passages that `dump` wrote.

    Raises:
        ValueError: the bytes are not from `dump`.
    """
    from vaulttools.notes import language

    reader = zlib.decompressobj()
    try:
        numbers = array("I", reader.decompress(data))
    except zlib.error as error:
        raise ValueError("no passages") from error
    both = array("q", reader.unused_data)
    size = len(both) // 2
    digests, keys = both[:size], both[size:]
    if not numbers or numbers[0] != size or len(keys) != size or len(numbers) < _FIRST + size * _COLUMNS:
        raise ValueError("no passages")
    gaps, words, skipped, lengths, headings, parents, digits = (
        numbers[_FIRST + size * column : _FIRST + size * (column + 1)] for column in range(_COLUMNS)
    )
    outline = numbers[_FIRST + size * _COLUMNS :]
    return Passages(
        first_words=_starts(gaps, words),
        words=words,
        starts=_starts(skipped, lengths),
        lengths=lengths,
        headings=[heading - 1 for heading in headings],
        parents=[number - back if back else -1 for number, back in enumerate(parents)] if any(parents) else [-1] * size,
        digits=digits,
        digests=digests,
        keys=keys,
        levels=outline[::2],
        heading_words=[0, *accumulate(outline[1::2])][: len(outline) // 2],
        language=language.LANGUAGES[numbers[1]],
    )


class Keys(NamedTuple):
    """The keys and the language of `Passages`."""

    keys: Sequence[int]
    language: str


def keys_of(data: bytes) -> Keys:
    """Returns only the keys and the language from bytes of `dump`, ten times as fast as `load`."""
    from vaulttools.notes import language

    reader = zlib.decompressobj()
    numbers = array("I", reader.decompress(data))
    both = array("q", reader.unused_data)
    return Keys(both[len(both) // 2 :], language.LANGUAGES[numbers[1]])


def digest_of_properties(note: Note) -> int:
    """Returns a digest of a note's properties, whatever their order; 0 for a note without any. What cannot be read
    counts as written."""
    if note.frontmatter is None:
        return 0
    values = note.properties
    if not values:
        return digest(note.frontmatter.raw) if note.is_misread else 0
    return digest(repr(sorted((name.casefold(), repr(value)) for name, value in values.items())))


def of(note: Note) -> Passages:
    """Returns the passages of a note that is not indexed."""
    return load(dump(note))


def digests(data: bytes) -> Iterator[int]:
    """Returns the distinct digests and keys of passages from bytes of `dump`."""
    reader = zlib.decompressobj()
    reader.decompress(data)
    found = dict.fromkeys(array("q", reader.unused_data))
    found.pop(NO_COPIES, None)
    return iter(found)


def _starts(gaps: array[int], lengths: array[int]) -> list[int]:
    """Returns the start of each piece, from the gap before each and the length of each."""
    if not any(gaps):  # usual for words
        return [0, *accumulate(lengths[:-1])] if lengths else []
    return list(accumulate(map(add, gaps[1:], lengths), initial=gaps[0]))

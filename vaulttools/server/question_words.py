"""Finds the words of a question in a text, for clients that mark them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from vaulttools.core.folding.words import Folded
from vaulttools.index.words import Word, tokens
from vaulttools.ranked.finder import places_of
from vaulttools.ranked.question import read, without_operators

Span: TypeAlias = tuple[int, int]
Finder: TypeAlias = Callable[[str], Iterable[Span]]
"""Returns places in a text, in order: the first character, and the one after the last."""


def words_of(question: str) -> Finder:
    """Returns the function that finds the words of a ranked question as `query` compares them: folded, in any form of
    the same stem. A phrase that is there as a whole is one place; none overlap."""
    terms = read(without_operators(question)[0]).terms
    spelled = [(tokens(spelling.text), spelling.is_beginning) for term in terms for spelling in term.spellings]
    stems = {stem for words, _ in spelled for _, _, stem in words}
    phrases = [[stem for _, _, stem in words] for words, _ in spelled if len(words) > 1]
    beginnings = tuple(words[-1][2] for words, is_beginning in spelled if words and is_beginning)
    literals = [term.literal.encode() for term in terms if term.literal]

    def found(text: str) -> Iterable[Span]:
        words = tokens(text)
        places = [*_of_words(words, stems, beginnings), *_of_phrases(words, phrases), *_of_literals(text, literals)]
        return _joined(_in_characters(text, sorted(places)))

    return found


def _of_words(words: Sequence[Word], stems: AbstractSet[str], beginnings: tuple[str, ...]) -> Iterator[Span]:
    """Yields the words with one of these stems, or with a stem that begins so."""
    return ((start, end) for start, end, stem in words if stem in stems or stem.startswith(beginnings))


def _of_phrases(words: Sequence[Word], phrases: Sequence[Sequence[str]]) -> Iterator[Span]:
    """Yields where the words with the stems of a phrase follow one another."""
    for phrase in phrases:
        for place in range(len(words) - len(phrase) + 1):
            if words[place][2] == phrase[0] and [stem for *_, stem in words[place : place + len(phrase)]] == phrase:
                yield words[place][0], words[place + len(phrase) - 1][1]


def _of_literals(text: str, literals: Sequence[bytes]) -> Iterator[Span]:
    """Yields where a text holds pieces of text, which are folded."""
    if literals:
        folded = Folded(text)
        for literal in literals:
            for start in places_of(literal, folded.data):
                yield folded.written(start, start + len(literal))


def _joined(spans: Iterable[Span]) -> Iterator[Span]:
    """Yields places in order, those that touch as one: a mark inside a flag would make two letters of it."""
    last: Span | None = None
    for start, end in spans:
        if last and start <= last[1]:
            last = last[0], max(end, last[1])
        else:
            if last:
                yield last
            last = start, end
    if last:
        yield last


def _in_characters(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yields places in characters that are given in bytes of UTF-8, sorted."""
    encoded = text.encode("utf-8", "replace")
    byte = character = 0
    for start, end in spans:
        character += len(encoded[byte:start].decode("utf-8", "replace"))
        byte = start
        yield character, character + len(encoded[start:end].decode("utf-8", "replace"))

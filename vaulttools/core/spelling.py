"""Finds names that are spelled close to one that does not exist."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from heapq import nlargest
from typing import Final

from vaulttools.core import limits

_CLOSE: Final = 0.66
"""Similarity from which two names may be the same one, misspelt: two letters of eight differ."""

_CONTAINED: Final = 0.9
"""Similarity of a name that holds all the words asked for; one equal but for case, accents and punctuation has 1."""

_CLOSE_WORD: Final = 0.75
"""Similarity from which two words may be the same one: one letter of four differs."""

_WORDS: Final = 20
"""Words that one may be a misspelling of."""

_COMPARED_CHARACTERS: Final = 200
"""Characters of a name that are compared: the time goes with their square (a name on disk has 255 bytes at most)."""

_CAPITAL_INSIDE = re.compile(r"(?<=[^\W\d_])(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])")
_BETWEEN_WORDS = re.compile(r"[\W_]+")


def closest(wanted: str, names: Iterable[str], key: Callable[[str], str] = str) -> list[str]:
    """The names closest to the one wanted, best first, at most five; equal ones stay in their order.

    `key` is the part of a name that is compared. Case, accents and punctuation do not matter. A name that holds every
    word wanted is close whatever else it holds; where no name is close, one that holds every word misspelt.
    """
    text = _folded(wanted)
    words = set(text.split())
    folded = [(name, _folded(key(name))) for name in names]
    scored = [(_similarity(text, words, other), -place, name) for place, (name, other) in enumerate(folded)]
    close = [scores for scores in scored if scores[0] >= _CLOSE]
    if not close:
        spelled = _words_spelled_nearly(words, folded)
        close = [(_CLOSE - len(other) / 10_000, -place, name) for place, (name, other) in enumerate(spelled)]
    return [name for _, _, name in nlargest(limits.NAMED_PATHS, close)]


def apart(name: str) -> list[str]:
    """A name in its parts where capitals stand inside it: `["Router", "Reset"]`, `["HTML", "Import"]`."""
    return _CAPITAL_INSIDE.split(name)


def _words_spelled_nearly(words: Iterable[str], folded: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    """Of names and their folded form those that hold each word, or one spelled nearly so."""
    vocabulary = {word for _, other in folded for word in other.split()}
    for word in words:
        scored = ((_similar(word, other, _CLOSE_WORD), other) for other in vocabulary)
        close = {other for score, other in nlargest(_WORDS, scored) if score >= _CLOSE_WORD}
        folded = [(name, other) for name, other in folded if not close.isdisjoint(other.split())]
    return folded if words else ()


def _similar(one: str, other: str, least: float) -> float:
    """The share of letters that two texts have in the same order, 0 to 1; 0 where it is below `least`."""
    from rapidfuzz.distance import Indel

    return Indel.normalized_similarity(one, other, score_cutoff=least)


def _similarity(text: str, words: set[str], name: str) -> float:
    if name == text:
        return 1.0
    # Of two that hold all words the shorter is closer, by less than what anything else could gain.
    contained = _CONTAINED - len(name) / 10_000 if words and words.issubset(name.split()) else 0.0
    return max(contained, _similar(name, text, _CLOSE))


def _folded(name: str) -> str:
    """Lower case without accents, one blank between words; a name without any letter or digit stays as it is."""
    name = name[:_COMPARED_CHARACTERS]
    if not name.isascii():
        decomposed = unicodedata.normalize("NFKD", name)
        name = "".join(character for character in decomposed if not unicodedata.combining(character))
    folded = name.casefold()
    return _BETWEEN_WORDS.sub(" ", folded).strip() or folded

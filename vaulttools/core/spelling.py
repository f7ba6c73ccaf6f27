"""Compares spellings, and finds existing names that are spelled like a missing one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from heapq import nlargest
from os.path import commonprefix
from typing import Final

from vaulttools.core import limits

_CLOSE: Final = 0.66
"""Least similarity of a name and its misspelling: two letters of eight differ."""

_CONTAINED: Final = 0.9
"""Similarity of a name that contains all wanted words; 1 means equal apart from case, accents and punctuation."""

_CLOSE_WORD: Final = 0.75
"""Least similarity of a word and its misspelling: one letter of four differs."""

_WORDS: Final = 20
"""Most words that a word may be a misspelling of."""

_COMPARED_CHARACTERS: Final = 200
"""Most compared characters of a name: the time grows with their square (a name on disk has at most 255 bytes)."""

_CAPITAL_INSIDE = re.compile(r"(?<=[^\W\d_])(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])")
_BETWEEN_WORDS = re.compile(r"[\W_]+")


def common_start(one: str, other: str) -> str:
    """Returns the text with which both texts begin; `""` if they begin differently."""
    return commonprefix((one, other))  # noqa: RUF071 - no paths


def closest(wanted: str, names: Iterable[str], key: Callable[[str], str] = str) -> list[str]:
    """Returns at most five names closest to the wanted one, best first; equally close ones stay in order.

    `key` returns the part of a name to compare. Case, accents and punctuation are ignored. A name with every wanted
    word is close, whatever else it contains; if no name is close, so is a name with every word misspelt.
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
    """Splits a name at capitals inside it: `["Router", "Reset"]`, `["HTML", "Import"]`."""
    return _CAPITAL_INSIDE.split(name)


def _words_spelled_nearly(words: Iterable[str], folded: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    """Returns the names (with folded forms) that contain each word or a similar one."""
    vocabulary = {word for _, other in folded for word in other.split()}
    for word in words:
        scored = ((_similar(word, other, _CLOSE_WORD), other) for other in vocabulary)
        close = {other for score, other in nlargest(_WORDS, scored) if score >= _CLOSE_WORD}
        folded = [(name, other) for name, other in folded if not close.isdisjoint(other.split())]
    return folded if words else ()


def _similar(one: str, other: str, least: float) -> float:
    """Returns the share of letters that two texts have in the same order, 0 to 1; 0 if it is below `least`."""
    from rapidfuzz.distance import Indel

    return Indel.normalized_similarity(one, other, score_cutoff=least)


def _similarity(text: str, words: set[str], name: str) -> float:
    if name == text:
        return 1.0
    # If two contain all words, the shorter is closer, by less than any other difference.
    contained = _CONTAINED - len(name) / 10_000 if words and words.issubset(name.split()) else 0.0
    return max(contained, _similar(name, text, _CLOSE))


def _folded(name: str) -> str:
    """Returns a name in lower case without accents, with single blanks; unchanged if it has no letter or digit."""
    name = name[:_COMPARED_CHARACTERS]
    if not name.isascii():
        decomposed = unicodedata.normalize("NFKD", name)
        name = "".join(character for character in decomposed if not unicodedata.combining(character))
    folded = name.casefold()
    return _BETWEEN_WORDS.sub(" ", folded).strip() or folded

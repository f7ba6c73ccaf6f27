"""Translates words of a question into words that the notes hold.

Many tokens of the model of 16 languages are whole words, and those of the vault have vectors already, since its encoder
was fitted to them. A word that no note holds is replaced by the nearest of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from vaulttools.notes.function_words import STOP_WORDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaulttools.meaning.embedders import Floats

NEAR: Final = 0.4
"""Least similarity of a translation, both vectors less the mean of the lexicon."""

WITHOUT_BLANKS: Final = frozenset(("zh", "zh-hant", "ja", "th"))
"""Languages whose words are not separated: their questions are not translated."""

_MOST_WORDS: Final = 16
"""Words of a question that may be translated: each takes 8 ms; the rest stays."""

_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_IN_LEXICON: Final = re.compile(r"[a-z]{3,}")
_STOPS: Final = frozenset().union(*STOP_WORDS.values())


class Translated(NamedTuple):
    """A question in words that the notes hold."""

    text: str
    words: Mapping[str, str]
    """By word of the question that no note holds, the word in its place."""


class Lexicon:
    """Words of a vault that are tokens of the model, with their vectors."""

    def __init__(
        self,
        words: Sequence[str],
        vectors: NDArray[np.float16],
        known: Callable[[AbstractSet[str]], AbstractSet[str]],
    ) -> None:
        """`words` are the words that tokens stand for, `""` for a part of a word, with a row of `vectors` each; `known`
        returns those that the vault holds."""
        usable = {word: row for row, word in enumerate(words) if _IN_LEXICON.fullmatch(word) and word not in _STOPS}
        held = known(usable.keys())
        self._words = [word for word in usable if word in held]
        every = vectors[[*usable.values()]].astype(np.float32)
        self._mean = every.mean(axis=0) if usable else np.zeros(vectors.shape[1], np.float32)
        self._vectors = vectors[[usable[word] for word in self._words]].astype(np.float32) - self._mean
        self._vectors /= np.maximum(np.linalg.norm(self._vectors, axis=1, keepdims=True), np.float32(1e-12))

    def nearest(self, vector: Floats) -> str:
        """Return the word nearest to a vector of length 1; `""` if no word is near."""
        if not self._words:
            return ""
        centred = vector - self._mean
        similar = np.round(self._vectors @ (centred / max(float(np.linalg.norm(centred)), 1e-12)), 3)
        best = int(similar.argmax())
        return self._words[best] if similar[best] >= NEAR else ""


def translated(
    question: str,
    held: Callable[[Sequence[str]], Sequence[bool]],
    lexicon: Callable[[], Lexicon],
    vector: Callable[[str], Floats],
) -> Translated:
    """Return a question without its function words, and with translations of the words that no note holds.

    Args:
        question: The question.
        held: Returns for each word whether a note holds it.
        lexicon: Returns the words of the vault.
        vector: Returns the vector of a word by the model.
    """
    words = [word for word in dict.fromkeys(_WORD.findall(question)) if word.lower() not in _STOPS][:_MOST_WORDS]
    missing = [word for word, is_held in zip(words, held(words), strict=True) if not is_held]
    found = {word: near for word in missing if (near := lexicon().nearest(vector(word.lower())))}
    return Translated(" ".join(_replaced(question, found)) if found else question, found)


def _replaced(question: str, found: Mapping[str, str]) -> Iterator[str]:
    for run in re.findall(r"\w+", question):
        if run.lower() not in _STOPS:
            yield found.get(run, run)

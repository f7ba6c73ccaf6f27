"""Translates words of a question into words that the notes hold.

Many tokens of the model of 16 languages are whole words, and those of the sample that the vault's encoder was fitted to
have vectors already. A word that no note holds is replaced by the nearest of them.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from vaulttools.core.folding.identity import composed
from vaulttools.notes.function_words import STOP_WORDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaulttools.meaning.embedders import Floats

NEAR: Final = 0.4
"""Least similarity of a translation, both vectors less the mean of the lexicon."""

WITHOUT_BLANKS: Final = frozenset(("zh", "zh-hant", "ja", "th"))
"""Languages whose words are not separated: their questions are not translated."""

_NOUNS: Final = "de"
"""The language whose nouns begin with a capital, as names do."""

_MOST_WORDS: Final = 16
"""Words of a question that may be translated: each takes 3 ms; the rest stays."""

_LONGEST: Final = 40
"""Characters of a word that is translated: longer ones are no words."""

_NEAREST: Final = 4
"""Words that may take the place of one; the nearest that a note holds does."""

_WORD: Final = re.compile(r"(?<!\w)[^\W\d_]{3,}(?!\w)")
_SIGNS: Final = string.punctuation + "¿¡"
_IN_LEXICON: Final = re.compile(r"[a-z]{3,}")
_STOPS: Final = frozenset().union(*STOP_WORDS.values())


class Translated(NamedTuple):
    """A question in words that the notes hold."""

    text: str
    """The question with the words in their places."""
    content: str
    """The same without function words, for a model of another language; `""` if nothing was translated."""
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
        rows = vectors[[usable[word] for word in self._words]].astype(np.float32)
        self._mean = rows.mean(axis=0) if self._words else np.zeros(vectors.shape[1], np.float32)
        self._vectors = rows - self._mean
        self._vectors /= np.maximum(np.linalg.norm(self._vectors, axis=1, keepdims=True), np.float32(1e-12))

    def nearest(self, vector: Floats) -> list[str]:
        """Returns up to `_NEAREST` words that are near to a vector of length 1, the nearest first."""
        if not self._words:
            return []
        centred = vector - self._mean
        direction = centred / max(float(np.linalg.norm(centred)), 1e-12)
        similar = np.round(np.einsum("ij,j->i", self._vectors, direction), 3)  # not by BLAS, as in `vectors`
        return [self._words[row] for row in np.argsort(-similar, kind="stable")[:_NEAREST] if similar[row] >= NEAR]


def translated(
    question: str,
    held: Callable[[Sequence[str]], Sequence[bool]],
    lexicon: Callable[[], Lexicon],
    vector: Callable[[str], Floats],
    languages: AbstractSet[str],
) -> Translated:
    """Returns a question with translations of the words that no note holds.

    Args:
        question: The question.
        held: Returns for each word whether a note holds it.
        lexicon: Returns the words of the vault.
        vector: Returns the vector of a word by the model.
        languages: The languages that the question may be in.
    """
    question = composed(question)
    runs = [run for run in _WORD.finditer(question) if len(run[0]) <= _LONGEST and run[0].lower() not in _STOPS]
    words = [*dict.fromkeys(run[0] for run in runs if _NOUNS in languages or not _is_name(run))][:_MOST_WORDS]
    missing = [word for word, is_held in zip(words, held(words), strict=True) if not is_held]
    near = {word: lexicon().nearest(vector(word.lower())) for word in missing}
    every = [*{each for some in near.values() for each in some}]
    still = {word for word, is_held in zip(every, held(every), strict=True) if is_held}  # the lexicon may be older
    found = {word: instead for word, some in near.items() if (instead := next(filter(still.__contains__, some), ""))}
    if not found:
        return Translated(question, "", {})
    text = _WORD.sub(lambda run: found.get(run[0], run[0]), question)
    return Translated(text, " ".join(run for run in text.split() if run.strip(_SIGNS).lower() not in _STOPS), found)


def _is_name(run: re.Match[str]) -> bool:
    """Whether a word begins with a capital inside a sentence."""
    return run[0][0].isupper() and run.start() > 0

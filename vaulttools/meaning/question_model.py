"""Embeds questions, and the passages for an exact comparison, by the model itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal
from weakref import WeakValueDictionary

import numpy as np

from vaulttools.core import forks
from vaulttools.core.recent import Recent
from vaulttools.meaning import embedders
from vaulttools.meaning.embedders import Choice, Embedder, EmbedderKey, NoMeaning

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaulttools.meaning.embedders import Floats

_MUTE_SECONDS: Final = 30.0
"""How long an embedder that failed gets no questions: each would wait for it."""

_QUESTIONS: Final = 64
"""Upper bound of questions with cached vectors: the next page asks the same question."""

_PASSAGES: Final = 4_000
"""Upper bound of passages with cached vectors: 3 MB, those of 250 questions about different things."""


class QuestionModel:
    """The embedder of one vault; its first use loads it, which takes a second."""

    def __init__(self, choice: Choice, key: Callable[[], EmbedderKey]) -> None:
        """`key` returns the current key of the embedder's vectors, so a replaced model is loaded again."""
        self._choice = choice
        self._key = key
        self._guard = threading.Lock()
        self._model: _SharedModel | None = None
        self._questions: Recent[str, Floats] = Recent(_QUESTIONS)
        self._passages: Recent[int, NDArray[np.float16]] = Recent(_PASSAGES)
        self._mute_until, self._mute_reason = 0.0, ""

    def question(self, text: str) -> Floats:
        """Returns the vector of a question.

        Raises:
            NoMeaning: it cannot be embedded, or the embedder failed in the last `_MUTE_SECONDS`.
        """
        with self._guard:
            if time.monotonic() < self._mute_until:
                raise NoMeaning(self._mute_reason)
            try:
                return self._questions.made(text, lambda: self._embedded("embed_questions", text))
            except NoMeaning as error:
                self._mute_until, self._mute_reason = time.monotonic() + _MUTE_SECONDS, str(error)
                raise

    def passages(self, texts: Mapping[int, str], stop: Callable[[], bool]) -> dict[int, Floats]:
        """Returns the vectors of passages by their keys; `stop` returns true when time is up.

        Raises:
            NoMeaning: they cannot be embedded.
        """
        found: dict[int, Floats] = {}
        with self._guard:
            for key, text in texts.items():
                vector = self._passages.get(key)
                if vector is None and not stop():
                    vector = self._embedded("embed_passages", text).astype(np.float16)
                    self._passages.put(key, vector, 1)
                if vector is not None:
                    found[key] = vector.astype(np.float32)
        return found

    def words_of(self, tokens: Sequence[int]) -> list[str]:
        """Returns for each token of the multilingual model the word that it stands for; see `multilingual.Model`.

        Raises:
            NoMeaning: its tokens cannot be read.
        """
        with self._guard:
            embedder: Any = self._loaded().embedder
            words: list[str] = embedder.words_of(tokens)
            return words

    def _embedded(self, method: Literal["embed_questions", "embed_passages"], text: str) -> Floats:
        model = self._loaded()
        with model.guard:
            vector: Floats = getattr(model.embedder, method)([text])[0]
            return vector

    def _loaded(self) -> _SharedModel:
        if self._model is None:
            self._model = models.of(self._choice, self._key())
        return self._model


class _SharedModel:
    """A loaded model, which one vault uses at a time."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder: Final = embedder
        self.guard: Final = threading.Lock()


class Models:
    """The loaded models, each for as long as a vault uses it. They are shared because their weights take 300 MB."""

    def __init__(self) -> None:
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        """Forget all models: in a child after a fork a lock may be held by a thread of the parent."""
        self._guard = threading.Lock()
        self._loaded: WeakValueDictionary[tuple[Choice, EmbedderKey], _SharedModel] = WeakValueDictionary()

    def of(self, choice: Choice, key: EmbedderKey) -> _SharedModel:
        """Returns the chosen embedder, ready to use. `key` is its current key: a replaced model is loaded again.

        Raises:
            NoMeaning: its package, its weights or its address is missing or damaged.
        """
        if choice.address:  # it has no weights to share, and a slow one must not delay other vaults
            return _SharedModel(embedders.load(choice))
        with self._guard:
            found = self._loaded.get((choice, key))
            if found is None:
                found = self._loaded[choice, key] = _SharedModel(embedders.load(choice))
            return found


models: Final = Models()
forks.renew(models)

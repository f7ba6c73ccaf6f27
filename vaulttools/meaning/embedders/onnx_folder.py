"""Embeds with a local folder that holds a sentence-transformers model in ONNX format."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import xxhash

from vaulttools.meaning import onnx_file
from vaulttools.meaning.embedders import EmbedderKey, NoMeaning
from vaulttools.meaning.local_model import embedding_with, encodable, of_length_one, onnx_session

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaulttools.meaning.embedders import Choice, Floats

_TOKENIZER: Final = "tokenizer.json"

_VERSION: Final = 1
"""Raise it whenever the same folder gives other vectors."""

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
"""Of several graphs in a folder the first of these is used, else the first by name. Those with all bits come first."""

_INPUTS: Final[dict[str, Callable[[NDArray[Any]], NDArray[Any]]]] = {
    "input_ids": lambda ids: ids,
    "attention_mask": np.ones_like,
    "token_type_ids": np.zeros_like,
    "position_ids": lambda ids: np.arange(ids.shape[1], dtype=ids.dtype)[np.newaxis],
}
"""The inputs that a graph may have, made from the tokens of one text."""

_NUMBERS: Final = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}

_WHOLE: Final = "sentence_embedding"
"""The output with one vector per text; other outputs have one per token."""

_POOLED: Final[dict[str, Callable[[NDArray[Any]], NDArray[Any]]]] = {
    "mean": lambda rows: rows.mean(axis=0),
    "first": lambda rows: rows[0],
    "greatest": lambda rows: rows.max(axis=0),
    "last": lambda rows: rows[-1],
}


_MOST_TOKENS: Final = 512
"""Upper bound of a text's tokens, even if a model could read more: few passages have as many."""

_STEPS: Final = ("Transformer", "Pooling", "Normalize")
"""The supported modules of a model; vectors get the length 1 in any case."""

_POOLING: Final = {
    "mean": "mean",
    "mean_tokens": "mean",
    "mean_sqrt_len_tokens": "mean",  # another length, but the same direction
    "cls": "first",
    "cls_token": "first",
    "max": "greatest",
    "max_tokens": "greatest",
    "lasttoken": "last",
}
"""How the vectors of all tokens become one, by the names of the sentence transformers."""

_OF_QUESTIONS: Final = ("query",)
_OF_PASSAGES: Final = ("document", "passage", "corpus")
"""The names of prompts that the sentence transformers use, in this order."""

_E5: Final = re.compile(r"(?<![a-z0-9])e5-(?:small|base|large)(?!.*instruct)")
"""Names of models that need the two prompts below, though no file in their folders says so."""
_E5_PROMPTS: Final = ("query: ", "passage: ")


def takes(choice: Choice) -> bool:
    """Whether the choice is a folder with a model of the sentence transformers, perhaps without its graph. A folder of
    `model2vec` is not taken: it may have a graph, too, but always has weights beside it."""
    if not choice.where or choice.is_endpoint:
        return False
    place = Path(choice.where).expanduser()
    if not (_models(place) or (place / "modules.json").is_file()):
        return False
    kind = _model_type(place)
    return kind != "model2vec" and (kind != "" or not (place / "model.safetensors").is_file())


def key_of(choice: Choice) -> EmbedderKey:
    """Return a key with the digest of a folder's weights, tokenizer and settings, without its path: it may change."""
    place = Path(choice.where).expanduser()
    model = _model(place)
    digest = xxhash.xxh3_128(repr((_VERSION, *_recipe(place))).encode())
    file = model
    try:
        beside = onnx_file.external_files(model)
        for file in (model, place / _TOKENIZER, *beside):
            with file.open("rb") as opened:
                digest.update(hashlib.file_digest(opened, xxhash.xxh3_128).digest())
    except ValueError as error:
        raise NoMeaning(f"{model.name} of the model in {choice.where} is damaged or incomplete: {error}") from error
    except OSError as error:
        raise NoMeaning(
            f"The model in {choice.where} needs {file.name}, which cannot be read: {error.strerror}"
        ) from error
    return EmbedderKey("onnx", "", digest.hexdigest())


class Model:
    """A model that was downloaded or exported into a folder. Only its graph is run."""

    def __init__(self, choice: Choice) -> None:
        key_of(choice)  # raises if a file is missing or damaged, before `onnxruntime` reads files that the graph names
        folder = choice.where
        place = Path(folder).expanduser()
        self._name = f"The model in {folder}"
        self._recipe = _recipe(place)
        self._tokenizer = _tokenizer(place)
        self._before, self._after = self._around()
        self._room = self._recipe.most_tokens - len(self._before) - len(self._after)
        self._read = self._room - len(self._encoded(self._recipe.for_passages))
        if self._read < 1:
            raise NoMeaning(f"{self._name} reads {self._recipe.most_tokens} tokens: those around every text fill them")
        model = _model(place)
        try:
            self._session = onnx_session(str(model))
        except ImportError:
            raise
        except Exception as error:  # `onnxruntime` raises errors of its own
            raise NoMeaning(
                f"{model.name} of the model in {folder} is damaged or not for onnxruntime ({type(error).__name__})"
            ) from error
        self._inputs = self._asked()
        names = [output.name for output in self._session.get_outputs()]
        self._output = next((name for name in (_WHOLE, "last_hidden_state") if name in names), names[0])
        self._dimensions = self._tried()

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """See `Embedder`."""
        return self._embedded(self._tokens(texts, self._recipe.for_passages, self._room))

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """See `Embedder`."""
        return self._embedded(self._tokens(texts, self._recipe.for_questions, self._room))

    def knows(self, text: str) -> bool:
        """Always true: the folder does not say which languages the model knows."""
        return True

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """See `TokenEmbedder`: the tokens of passages, without the prompt."""
        return self._tokens(texts, "", self._read)

    def embedded_tokens(self, tokens: Sequence[int]) -> Floats:
        """See `TokenEmbedder`. There is no prompt: a static fit finds as much without it."""
        return self._embedded([[token] for token in tokens])

    def _tokens(self, texts: Sequence[str], prompt: str, most: int) -> list[list[int]]:
        with embedding_with(self._name):
            return [self._encoded(prompt + text)[:most] for text in texts]

    def _encoded(self, text: str) -> list[int]:
        text = encodable(text.strip())
        found: list[int] = self._tokenizer.encode(
            text.lower() if self._recipe.is_lower else text, add_special_tokens=False
        ).ids
        return found

    def _embedded(self, texts: Sequence[Sequence[int]]) -> Floats:
        """Embed one text at a time: in a batch the last bits of a vector depend on the other texts."""
        vectors = np.zeros((len(texts), self._dimensions), np.float32)
        with embedding_with(self._name):
            for number, tokens in enumerate(texts):
                if tokens or self._before or self._after:
                    vectors[number] = self._vector(tokens)
        return of_length_one(self._name, vectors)

    def _vector(self, tokens: Sequence[int]) -> NDArray[Any]:
        ids = [[*self._before, *tokens, *self._after]]
        given = {name: _INPUTS[name](np.array(ids, kind)) for name, kind in self._inputs.items()}
        found: NDArray[Any] = self._session.run([self._output], given)[0][0]
        return found if self._output == _WHOLE else _POOLED[self._recipe.pooling](found.astype(np.float32))

    def _around(self) -> tuple[list[int], list[int]]:
        """Return the tokens before and after every text."""
        with embedding_with(self._name):
            own, whole = (self._tokenizer.encode("a", add_special_tokens=added).ids for added in (False, True))
        for start in range(len(whole) - len(own) + 1):
            if whole[start : start + len(own)] == own:
                return whole[:start], whole[start + len(own) :]
        raise NoMeaning(f"{self._name} has a tokenizer that puts tokens inside a text, not only before and after it")

    def _asked(self) -> dict[str, type]:
        """Return the type of each input of the graph, by its name."""
        asked = {put.name: put.type for put in self._session.get_inputs()}
        unknown = sorted(name for name, kind in asked.items() if name not in _INPUTS or kind not in _NUMBERS)
        if unknown or "input_ids" not in asked:
            raise NoMeaning(
                f"{self._name} asks for {', '.join(unknown or asked)}; it must ask for input_ids and at most "
                "attention_mask, token_type_ids and position_ids, as whole numbers"
            )
        return {name: _NUMBERS[kind] for name, kind in asked.items()}

    def _tried(self) -> int:
        """Return the dimensions of a vector. It tries the last token, which the graph lacks for a wrong tokenizer."""
        try:
            found = self._vector([self._tokenizer.get_vocab_size() - 1])
        except Exception as error:  # `onnxruntime` raises errors of its own
            raise NoMeaning(
                f"{self._name} cannot embed its tokenizer's last token ({type(error).__name__}): "
                f"its graph and its {_TOKENIZER} should belong together, and take texts of any length"
            ) from error
        if found.ndim != 1 or found.dtype.kind != "f":
            raise NoMeaning(
                f"{self._name} gives {self._output}, which must be a vector of floats for each text or token"
            )
        return len(found)


class _Recipe(NamedTuple):
    """How texts become vectors, apart from the graph and the tokenizer."""

    most_tokens: int
    """Upper bound of a text's tokens, including those around every text."""
    pooling: str
    """`mean`, `first`, `greatest` or `last`."""
    for_questions: str
    """The prompt before a question."""
    for_passages: str
    is_lower: bool
    """Whether texts become lower case."""


def _recipe(folder: Path) -> _Recipe:
    """Read the recipe from the JSON files of a folder; each file may be missing."""
    pooling = _object(folder, f"{_pooling_folder(folder)}/config.json")
    texts = _object(folder, "sentence_bert_config.json")
    for_questions, for_passages = _prompts(folder)
    if (for_questions or for_passages) and pooling.get("include_prompt") is False:
        raise NoMeaning(f"The model in {folder} leaves prompts out of its vectors (include_prompt): not supported")
    is_lower = texts.get("do_lower_case") is True
    return _Recipe(_most_tokens(folder, texts), _kind(folder, pooling), for_questions, for_passages, is_lower)


def _model_type(folder: Path) -> str:
    """Return the `model_type` of `config.json`; empty if there is none."""
    try:
        found = _object(folder, "config.json").get("model_type")
    except NoMeaning:
        return ""
    return found if isinstance(found, str) else ""


def _pooling_folder(folder: Path) -> str:
    modules = _content(folder, "modules.json", [])
    if not isinstance(modules, list) or not all(isinstance(module, dict) for module in modules):
        raise NoMeaning(f"modules.json of the model in {folder} is damaged: it should hold a list of objects")
    found = "1_Pooling"
    for module in modules:
        step = str(module.get("type")).rpartition(".")[2]
        if step not in _STEPS:
            raise NoMeaning(f"The model in {folder} has a step {step}; only {', '.join(_STEPS)} are supported")
        if step == "Pooling":
            found = str(module.get("path"))
    if not re.fullmatch(r"\w[\w.-]*", found):
        raise NoMeaning(f"modules.json of the model in {folder} is damaged: its Pooling should have a folder as path")
    return found


def _kind(folder: Path, pooling: dict[str, Any]) -> str:
    named, prefix = pooling.get("pooling_mode"), "pooling_mode_"
    flags = [key.removeprefix(prefix) for key in pooling if key.startswith(prefix) and pooling[key]]
    modes = [str(named)] if named else flags
    kind = _POOLING.get(modes[0]) if len(modes) == 1 else None
    if modes and kind is None:
        raise NoMeaning(
            f"The model in {folder} pools by {' and '.join(modes)}: one of mean, cls, max and lasttoken is expected"
        )
    return kind or "mean"


def _most_tokens(folder: Path, texts: dict[str, Any]) -> int:
    length = texts.get("max_seq_length") or _object(folder, "tokenizer_config.json").get("model_max_length")
    if length is None:
        return _MOST_TOKENS
    if isinstance(length, bool) or not isinstance(length, (int, float)) or not length >= 1:
        raise NoMeaning(f"The model in {folder} has no usable maximum length: max_seq_length should be a number")
    return int(min(length, _MOST_TOKENS))


def _prompts(folder: Path) -> tuple[str, str]:
    """Return the prompts before questions and before passages. E5 without a file of prompts is known by its name."""
    name = "config_sentence_transformers.json"
    if not (folder / name).exists():
        names = [str(_object(folder, name).get("_name_or_path")) for name in ("config.json", "onnx/config.json")]
        return _E5_PROMPTS if any(_E5.search(name.lower()) for name in names) else ("", "")
    settings = _object(folder, name)
    prompts = settings.get("prompts") or {}
    if not isinstance(prompts, dict) or not all(isinstance(prompt, str) for prompt in prompts.values()):
        raise NoMeaning(f"{name} of the model in {folder} is damaged: its prompts should be texts")
    default = prompts.get(str(settings.get("default_prompt_name")), "")
    first, second = (
        next((prompts[name] for name in names if name in prompts), default) for names in (_OF_QUESTIONS, _OF_PASSAGES)
    )
    return first, second


def _object(folder: Path, name: str) -> dict[str, Any]:
    """Return the object in a JSON file; an empty one if the file is missing."""
    found = _content(folder, name, {})
    if not isinstance(found, dict):
        raise NoMeaning(f"{name} of the model in {folder} is damaged: it should hold a JSON object")
    return found


def _content(folder: Path, name: str, missing: object) -> Any:
    """Return the content of a JSON file; `missing` if there is no file."""
    try:
        return json.loads((folder / name).read_bytes())
    except FileNotFoundError:
        return missing
    except OSError as error:
        raise NoMeaning(f"{name} of the model in {folder} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise NoMeaning(f"{name} of the model in {folder} is damaged: it should hold JSON") from error


def _models(place: Path) -> list[Path]:
    """Return the graphs in a folder, the preferred one first."""
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


def _tokenizer(place: Path) -> Any:
    from tokenizers import Tokenizer

    try:
        found = Tokenizer.from_file(str(place / _TOKENIZER))
    except Exception as error:  # `tokenizers` raises nothing narrower
        raise NoMeaning(f"{_TOKENIZER} of the model in {place} is damaged, or not of the package tokenizers") from error
    found.no_truncation()
    found.no_padding()
    return found

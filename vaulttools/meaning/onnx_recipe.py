"""Reads from a folder of the sentence transformers how texts become vectors."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final, NamedTuple

from vaulttools.meaning.embedder import NoMeaning

MOST_TOKENS: Final = 512
"""Tokens of a text that are read, where a model could read more: a passage has rarely so many."""

_STEPS: Final = ("Transformer", "Pooling", "Normalize")
"""What the modules of a model may be; vectors are made as long as 1 in any case."""

_POOLING: Final = {
    "mean": "mean",
    "mean_tokens": "mean",
    "mean_sqrt_len_tokens": "mean",  # longer or shorter, but of the same direction
    "cls": "first",
    "cls_token": "first",
    "max": "greatest",
    "max_tokens": "greatest",
    "lasttoken": "last",
}
"""How one vector is made of those of all tokens, by the names that the sentence transformers have for it."""

_OF_QUESTIONS: Final = ("query",)
_OF_PASSAGES: Final = ("document", "passage", "corpus")
"""The names that the sentence transformers look for among the prompts, in this order."""

_E5: Final = re.compile(r"(?<![a-z0-9])e5-(?:small|base|large)(?!.*instruct)")
"""Models that need the two prompts below, and whose folders have no file that says so."""
_E5_PROMPTS: Final = ("query: ", "passage: ")


class Recipe(NamedTuple):
    """How texts become vectors, beside what the graph and the tokenizer say of it."""

    most_tokens: int
    """Tokens of a text that are read, those among them that stand before and behind every text."""
    pooling: str
    """`mean`, `first`, `greatest` or `last`."""
    for_questions: str
    """What stands before a question."""
    for_passages: str
    is_lower: bool
    """Whether texts are made lower case."""


def read(folder: Path) -> Recipe:
    """What the JSON files of a folder say; each may be missing.

    Raises:
        NoMeaning: one is damaged, or asks for what is not known.
    """
    pooling = _object(folder, f"{_pooling_folder(folder)}/config.json")
    texts = _object(folder, "sentence_bert_config.json")
    for_questions, for_passages = _prompts(folder)
    if (for_questions or for_passages) and pooling.get("include_prompt") is False:
        raise NoMeaning(f"The model in {folder} leaves prompts out of its vectors (include_prompt), which is not known")
    return Recipe(
        _most_tokens(folder, texts),
        _kind(folder, pooling),
        for_questions,
        for_passages,
        texts.get("do_lower_case") is True,
    )


def model_type(folder: Path) -> str:
    """What `config.json` calls the kind of model; empty where it says nothing."""
    try:
        found = _object(folder, "config.json").get("model_type")
    except NoMeaning:
        return ""
    return found if isinstance(found, str) else ""


def _pooling_folder(folder: Path) -> str:
    modules = _content(folder, "modules.json")
    if modules is None:
        return "1_Pooling"
    if not isinstance(modules, list) or not all(isinstance(module, dict) for module in modules):
        raise NoMeaning(f"modules.json of the model in {folder} is damaged: it should hold a list of objects")
    found = "1_Pooling"
    for module in modules:
        step = str(module.get("type")).rpartition(".")[2]
        if step not in _STEPS:
            raise NoMeaning(f"The model in {folder} has a step {step}, and only {', '.join(_STEPS)} are known")
        if step == "Pooling":
            found = str(module.get("path"))
    if not re.fullmatch(r"\w[\w.-]*", found):
        raise NoMeaning(f"modules.json of the model in {folder} is damaged: its Pooling should have a folder as path")
    return found


def _kind(folder: Path, pooling: dict[str, Any]) -> str:
    named = pooling.get("pooling_mode")
    modes = [str(named)] if named else [key[13:] for key in pooling if key[:13] == "pooling_mode_" and pooling[key]]
    kind = _POOLING.get(modes[0]) if len(modes) == 1 else None
    if modes and kind is None:
        raise NoMeaning(
            f"The model in {folder} pools by {' and '.join(modes)}: one of mean, cls, max and lasttoken is expected"
        )
    return kind or "mean"


def _most_tokens(folder: Path, texts: dict[str, Any]) -> int:
    length = texts.get("max_seq_length") or _object(folder, "tokenizer_config.json").get("model_max_length")
    if length is None:
        return MOST_TOKENS
    if isinstance(length, bool) or not isinstance(length, (int, float)) or not length >= 1:
        raise NoMeaning(f"The model in {folder} has no usable maximum length: max_seq_length should be a number")
    return int(min(length, MOST_TOKENS))


def _prompts(folder: Path) -> tuple[str, str]:
    """What stands before questions and before passages. E5 without a file of prompts is known by its name."""
    settings = _content(folder, "config_sentence_transformers.json")
    if settings is None:
        names = [str(_object(folder, name).get("_name_or_path")) for name in ("config.json", "onnx/config.json")]
        return _E5_PROMPTS if any(_E5.search(name.lower()) for name in names) else ("", "")
    prompts = _object(folder, "config_sentence_transformers.json").get("prompts") or {}
    if not isinstance(prompts, dict) or not all(isinstance(prompt, str) for prompt in prompts.values()):
        raise NoMeaning(
            f"config_sentence_transformers.json of the model in {folder} is damaged: its prompts should be texts"
        )
    default = prompts.get(str(settings.get("default_prompt_name")), "")
    first, second = (
        next((prompts[name] for name in names if name in prompts), default) for names in (_OF_QUESTIONS, _OF_PASSAGES)
    )
    return first, second


def _object(folder: Path, name: str) -> dict[str, Any]:
    """A file's object; an empty one where the file is missing."""
    found = _content(folder, name)
    if found is not None and not isinstance(found, dict):
        raise NoMeaning(f"{name} of the model in {folder} is damaged: it should hold a JSON object")
    return found or {}


def _content(folder: Path, name: str) -> Any:
    """What a JSON file holds; None where it is missing."""
    try:
        return json.loads((folder / name).read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NoMeaning(f"{name} of the model in {folder} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise NoMeaning(f"{name} of the model in {folder} is damaged: it should hold JSON") from error

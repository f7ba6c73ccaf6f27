"""Defines what an embedder does, and how its vectors are kept apart.

An embedder turns texts into vectors whose directions are near each other when the texts mean nearly the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from vaulttools.errors import VaultToolsError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float32]


class NoMeaning(VaultToolsError):
    """Nothing can be embedded now; the sentence says why. Ranked search goes on with words alone."""


@dataclass(frozen=True, slots=True)
class EmbedderKey:
    """What decides how an embedder's vectors look: vectors of two keys cannot be compared."""

    name: str
    version: str
    """Of the package, or the address of the endpoint."""
    digest: str
    """Of the weights; empty where they cannot be seen."""
    is_packaged: bool = False
    """Whether a package of the registry brings the weights."""


class Embedder(Protocol):
    """Turns texts into vectors of length 1, one row a text, all with the same number of dimensions.

    The vector of a text depends on nothing but the text, so that a rebuilt index holds the same vectors.
    """

    @property
    def key(self) -> EmbedderKey:
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


@runtime_checkable
class TokenEmbedder(Protocol):
    """An embedder whose tokens can be reached, so that a static encoder can be fitted to it."""

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text that are read, without those that stand before and behind every text."""

    def embedded_tokens(self, tokens: Sequence[int]) -> Floats:
        """Vectors of length 1, a row for each token as if it were a text; a row depends on nothing but its token."""


@contextmanager
def packages_needed() -> Iterator[None]:
    """A failing import within the block as `NoMeaning`, with what installs the packages."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise NoMeaning("An embedder needs the extra: pip install '.[semantic]' in the checkout") from error
    except ImportError as error:
        raise NoMeaning(f"A package of the extra cannot be loaded: {error}") from error

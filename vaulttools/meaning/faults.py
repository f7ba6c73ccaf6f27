"""Turns faults of a model that runs in this process into `NoMeaning`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from vaulttools.meaning.embedder import NoMeaning

if TYPE_CHECKING:
    from vaulttools.meaning.embedder import Floats


@contextmanager
def embedding_with(name: str) -> Iterator[None]:
    """Whatever goes wrong while a model embeds in the block as `NoMeaning`.

    What runs it raises errors of its own kinds, for damaged weights as for memory that it does not get.
    """
    try:
        yield
    except Exception as error:
        raise NoMeaning(f"{name} cannot embed ({type(error).__name__}): if that lasts, install it again") from error


def check(name: str, vectors: Floats) -> None:
    """Nothing, when all numbers of some vectors are finite.

    Raises:
        NoMeaning: they are not, as with damaged weights.
    """
    if not np.isfinite(vectors).all():
        raise NoMeaning(f"{name} gives vectors that are not finite: install it again")

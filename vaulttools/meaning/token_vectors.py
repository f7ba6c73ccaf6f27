"""Embeds single tokens, and keeps their vectors in a file.

A static encoder is made of them (`static_fit`). A vault has few thousand tokens, and vaults share most of them.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vaulttools.meaning import arrays
from vaulttools.meaning.embedder import EmbedderKey, TokenEmbedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaulttools.meaning.embedder import Floats

_VERSION: Final = 1
"""Raised when the file changes, or what is in it."""


class TokenVectors:
    """The vectors of a model's tokens, those that were asked for so far."""

    def __init__(self, model: TokenEmbedder, key: EmbedderKey, folder: Path | None) -> None:
        """Read what is kept.

        Args:
            model: What embeds tokens that are not kept.
            key: The vectors are kept under it.
            folder: They are kept there; None: only in memory.
        """
        name = hashlib.sha256("\0".join((str(_VERSION), key.name, key.version, key.digest)).encode()).hexdigest()[:16]
        self._model = model
        self._file = folder / f"tokens-{name}.bin" if folder is not None else None
        self._tokens: NDArray[np.int32] = np.empty(0, np.int32)
        self._rows: NDArray[np.float16] = np.empty((0, 0), np.float16)
        kept = self._read()
        if kept is not None:
            self._tokens, self._rows = kept
        self._new = 0

    def of(self, tokens: NDArray[Any]) -> Floats:
        """A row for each token, in 16 bits a number whether it was kept or not.

        Raises:
            NoMeaning: the model cannot embed now.
        """
        missing = np.setdiff1d(tokens, self._tokens).astype(np.int32)
        if len(missing):
            new = self._model.embedded_tokens(missing.tolist()).astype(np.float16)
            together = np.concatenate([self._tokens, missing])
            order = np.argsort(together)
            rows = np.concatenate([self._rows, new]) if len(self._tokens) else new
            self._tokens, self._rows = together[order], rows[order]
            self._new += len(missing)
        return self._rows[np.searchsorted(self._tokens, tokens)].astype(np.float32)

    def _read(self) -> tuple[NDArray[np.int32], NDArray[np.float16]] | None:
        if self._file is None:
            return None
        try:
            kept = arrays.unpacked(self._file.read_bytes())
        except OSError:
            return None
        return (kept[0], kept[1]) if kept is not None and len(kept) == 2 else None

    def keep(self, least: int = 1) -> None:
        """Keep the new ones, where there are so many: the last process that writes wins, and what it lacks is embedded
        again."""
        if self._file is None or self._new < least:
            return
        self._new = 0
        new = self._file.with_name(f"{self._file.name}.{os.urandom(4).hex()}.new")
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            new.write_bytes(arrays.packed([self._tokens, self._rows]))
            new.replace(self._file)
        except OSError:  # then they are made again by the next process
            with suppress(OSError):
                new.unlink()

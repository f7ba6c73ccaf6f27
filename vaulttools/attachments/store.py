"""Stores extracted texts in a folder beside the index, one file per content."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Final

from vaulttools.attachments.extracted import CHARACTERS, Extracted, dump, load

VERSION: Final = 1
"""Incremented with every change of an extraction's result; files of older versions are removed."""

_BYTES: Final = CHARACTERS * 4
"""Most bytes of a stored text."""

_YOUNG_SECONDS: Final = 3_600.0
"""Seconds that a file without a row in the index is kept: its row may just be being written."""


_UNUSED_SECONDS: Final = 60 * 86_400.0
"""Seconds after which an unused text is removed; with an index, `sweep` removes more."""

_DAY_SECONDS: Final = 86_400.0


class ExtractStore:
    """The folder, created with the first text. If the disk fails, texts are not stored but extracted again."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._is_tidy = False

    def get(self, digest: bytes) -> Extracted | None:
        """Returns the result for a content's digest; None if it is not stored."""
        file = self._file(digest)
        try:
            inflater = zlib.decompressobj()
            extracted = load(inflater.decompress(file.read_bytes(), _BYTES))
            if os.path.getmtime(file) < time.time() - _DAY_SECONDS:
                os.utime(file)
            return extracted
        except (OSError, ValueError, zlib.error):
            return None

    def put(self, digest: bytes, extracted: Extracted) -> None:
        """Store a result atomically."""
        file = self._file(digest)
        new = file.with_name(f"{file.name}.{os.urandom(4).hex()}.new")
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, exist_ok=True)
            try:
                new.write_bytes(zlib.compress(dump(extracted)))
                new.replace(file)
            finally:
                new.unlink(missing_ok=True)
        if not self._is_tidy:
            self._is_tidy = True
            self._remove(lambda file: True, time.time() - _UNUSED_SECONDS)

    def sweep(self, digests: Collection[bytes]) -> None:
        """Remove the results of all other contents."""
        kept = {self._file(digest).name for digest in digests}
        self._remove(lambda file: file.name not in kept, time.time() - _YOUNG_SECONDS)

    def _remove(self, is_unwanted: Callable[[Path], bool], before: float) -> None:
        """Remove files that were not used after `before` (seconds since 1970)."""
        with suppress(OSError):
            for file in list(self._folder.iterdir()):
                if is_unwanted(file) and os.path.getmtime(file) < before:
                    file.unlink(missing_ok=True)

    def _file(self, digest: bytes) -> Path:
        return self._folder / f"{digest.hex()}-{VERSION}"

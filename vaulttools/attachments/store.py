"""Keeps extracted texts in a folder beside the index, one file for each content."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Final

from vaulttools.attachments.extracted import CHARACTERS, Extracted, dump, load

VERSION: Final = 1
"""Raised with every change of what an extraction gives; the files of older versions are removed."""

_BYTES: Final = CHARACTERS * 4
"""Bytes of the largest text that is read back."""

_YOUNG_SECONDS: Final = 3_600.0
"""Seconds for which a file stays that no row of the index names: its row may be being written."""


class Store:
    """The folder, made when something is kept. When the disk fails, nothing is kept, and extracted again when asked."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def get(self, digest: bytes) -> Extracted | None:
        """What was extracted from a content; None when that is not kept."""
        try:
            inflater = zlib.decompressobj()
            return load(inflater.decompress(self._file(digest).read_bytes(), _BYTES))
        except (OSError, ValueError, zlib.error):
            return None

    def put(self, digest: bytes, extracted: Extracted) -> None:
        """Keep what was extracted, whole or not at all."""
        file = self._file(digest)
        new = file.with_name(f"{file.name}.{os.urandom(4).hex()}.new")
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, exist_ok=True)
            try:
                new.write_bytes(zlib.compress(dump(extracted)))
                new.replace(file)
            finally:
                new.unlink(missing_ok=True)

    def sweep(self, digests: Collection[bytes]) -> None:
        """Remove what was extracted from other contents than these."""
        kept = {self._file(digest).name for digest in digests}
        oldest = time.time() - _YOUNG_SECONDS
        with suppress(OSError):
            for file in list(self._folder.iterdir()):
                if file.name not in kept and os.path.getmtime(file) < oldest:
                    file.unlink(missing_ok=True)

    def _file(self, digest: bytes) -> Path:
        return self._folder / f"{digest.hex()}-{VERSION}"

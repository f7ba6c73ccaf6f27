"""Real vaults: the repository does not have them; tests use them where they lie beside the project."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

_PLACE = Path(__file__).parents[2] / "shared" / "corpus"

OBSIDIAN_HELP = Path(os.environ.get("VAULTTOOLS_CORPUS") or _PLACE / "obsidian-help.tar.xz")
"""Obsidian's help vault, 6,289 notes."""

RUST_RFCS = _PLACE / "rust-rfcs.tar.xz"
"""The Rust language's requests for comments, 654 notes."""


def corpus_archive(path: Path) -> tarfile.TarFile:
    """An archive that is unpacked with the "data" filter, without the argument for it: Python 3.11.0 to 3.11.3 have
    neither."""
    archive = tarfile.open(path)  # noqa: SIM115 - the caller closes it
    archive.extraction_filter = getattr(tarfile, "data_filter", None)
    return archive

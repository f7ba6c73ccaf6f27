"""Reads a settings file of the vault's config folder, which no caller ever sees."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from vaulttools.files import disk

_MOST_BYTES: Final = 1 << 20
"""Of settings that are read; Obsidian writes a few KiB."""
_OPEN_FLAGS: Final = os.O_RDONLY | sum(getattr(os, f"O_{name}", 0) for name in ("NONBLOCK", "CLOEXEC", "BINARY"))


def read(file: Path) -> Mapping[str, Any]:
    """The JSON object that a file holds; an empty one where there is no such file, or it holds something else.

    Raises:
        OSError: it is there, and cannot be read.
    """
    try:
        found = json.loads(_text(file))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _text(file: Path) -> bytes:
    """What a file holds; `{}` when it is none, or too large. An error is believed when it comes twice."""
    with suppress(OSError):
        return _read(file)
    try:
        return _read(file)
    except OSError:
        # The error is kept nowhere: it would keep this call's frames, and with them all that an answer is made of.
        if disk.is_gone(file):
            return b"{}"
        raise


def _read(file: Path) -> bytes:
    if not stat.S_ISREG(disk.stat(file).st_mode):  # a FIFO would be waited for
        return b"{}"
    with disk.fdopen(disk.open_file(file, _OPEN_FLAGS), "rb") as opened:
        text: bytes = opened.read(_MOST_BYTES + 1)
    return text if len(text) <= _MOST_BYTES else b"{}"

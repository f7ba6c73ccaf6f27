"""Tells which files are attachments with text, and whether their extra is installed."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Final, Literal

Kind = Literal["pdf", "docx"]

INSTALL: Final = "pip install '.[files]' in the checkout"
"""The command that brings the extra."""

_BY_ENDING: Final[dict[str, Kind]] = {".pdf": "pdf", ".docx": "docx"}
_PDF: Final = b"%PDF-"
_ZIP: Final = b"PK\x03\x04"

OLE: Final = b"\xd0\xcf\x11\xe0"
"""How a DOCX begins that Word has encrypted: the ZIP archive lies in a container of the older format."""

HEAD_BYTES: Final = 1024
"""Bytes at the beginning of a file among which a PDF has its signature (ISO 32000 lets other bytes stand before it)."""


def kind_of(path: str) -> Kind | None:
    """The kind of attachment that a file is by its name; None: another file."""
    return _BY_ENDING.get(path[path.rfind(".") :].lower()) if "." in path[-5:] else None


def is_of(kind: Kind, head: bytes) -> bool:
    """Whether a file that begins with these bytes is of the kind; a text that is named `.pdf` is not."""
    return _PDF in head[:HEAD_BYTES] if kind == "pdf" else head.startswith((_ZIP, OLE))


def is_searched(path: str) -> bool:
    """Whether a file is an attachment by its name, and the extra that gives its text is installed."""
    return kind_of(path) is not None and is_installed()


@cache
def is_installed() -> bool:
    """Whether the extra `[files]` is installed."""
    return all(find_spec(name) is not None for name in ("pypdfium2", "PIL"))

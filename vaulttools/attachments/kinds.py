"""Lists the kinds of attachments, and tells which files are of them.

A further kind is an entry of `KINDS` and a module of this folder that has its name and an `extract`.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Final, NamedTuple

INSTALL: Final = "pip install '.[files]' in the checkout"
"""The command that brings the extra."""

FILE_BYTES: Final = 50 * 1024 * 1024
"""Bytes of the largest attachment that is read. Larger ones hold pictures."""

OLE: Final = b"\xd0\xcf\x11\xe0"
"""How a DOCX begins that Word has encrypted: the ZIP archive lies in a container of the older format."""


class Kind(NamedTuple):
    """A kind of attachment with text."""

    name: str
    """That of the module that extracts it: its `extract` gives what `Extracted` is of an opened file."""
    ending: str
    """Of a file's name, in lower case, with its dot."""
    signatures: tuple[bytes, ...]
    """One of them stands in the file's head."""
    head_bytes: int
    """Bytes of the head."""
    packages: tuple[str, ...] = ()
    """What the extractor imports beside the standard library; the extra `[files]` brings it."""

    def begins(self, head: bytes) -> bool:
        """Whether a file that begins with these bytes is of the kind; a text that is named `.pdf` is not."""
        return any(signature in head[: self.head_bytes] for signature in self.signatures)


KINDS: Final = (
    # ISO 32000 lets other bytes stand before the signature.
    Kind("pdf", ".pdf", (b"%PDF-",), head_bytes=1024, packages=("pypdfium2", "pypdfium2_raw")),
    Kind("docx", ".docx", (b"PK\x03\x04", OLE), head_bytes=4),
)

NAMES: Final = " or ".join(kind.name.upper() for kind in KINDS)
"""For a sentence: `PDF or DOCX`."""

HEAD_BYTES: Final = max(kind.head_bytes for kind in KINDS)

IMAGE: Final = "image"
"""What the process that extracts is asked for beside the kinds: the picture of an image."""

NOTHING: Final = "nothing"
"""What it is asked for to see whether it works."""

PACKAGES: Final = (*(package for kind in KINDS for package in kind.packages), "PIL")
"""All that the process imports beside the standard library; PIL is for images."""

_IMAGES: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff")
"""SVG is text, and read as such."""

_BY_ENDING: Final = {kind.ending: kind for kind in KINDS}


def kind_of(path: str) -> Kind | None:
    """The kind of attachment that a file is by its name; None: another file."""
    return _BY_ENDING.get(path[path.rfind(".") :].lower())


def is_image(path: str) -> bool:
    """Whether a file is an image by its name."""
    return path.lower().endswith(_IMAGES)


def is_searched(path: str) -> bool:
    """Whether a file is an attachment by its name, and the extra that gives its text is installed."""
    return kind_of(path) is not None and is_installed()


@cache
def is_installed() -> bool:
    """Whether the extra `[files]` is installed."""
    return all(find_spec(name) is not None for name in PACKAGES)

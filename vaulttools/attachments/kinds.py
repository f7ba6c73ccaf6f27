"""Lists the kinds of attachments, and recognises their files.

To add a kind, add an entry to `KINDS`, and a module of that name with a function `extract` to this folder.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Final, NamedTuple

FILE_BYTES: Final = 50 * 1024 * 1024
"""Larger attachments (bytes) are not read: they hold mostly pictures."""

OLE: Final = b"\xd0\xcf\x11\xe0"
"""Beginning of a DOCX that Word has encrypted: the ZIP archive lies in a container of the older format."""


class Kind(NamedTuple):
    """A kind of attachment with text."""

    name: str
    """Name of the extracting module, whose `extract` returns the `Extracted` of an opened file."""
    ending: str
    """File extension in lower case, with its dot."""
    signatures: tuple[bytes, ...]
    """The file's head contains one of these."""
    head_bytes: int
    """Bytes of the head."""
    packages: tuple[str, ...] = ()
    """Packages that the extractor imports; the extra `[files]` installs them."""

    def begins(self, head: bytes) -> bool:
        """Whether a file with this head is of the kind; a text named `.pdf` is not."""
        return any(signature in head[: self.head_bytes] for signature in self.signatures)


KINDS: Final = (
    # ISO 32000 allows other bytes before the signature.
    Kind("pdf", ".pdf", (b"%PDF-",), head_bytes=1024, packages=("pypdfium2", "pypdfium2_raw")),
    Kind("docx", ".docx", (b"PK\x03\x04", OLE), head_bytes=4),
)

NAMES: Final = " or ".join(kind.name.upper() for kind in KINDS)
"""Names of all kinds for a sentence: `PDF or DOCX`."""

HEAD_BYTES: Final = max(kind.head_bytes for kind in KINDS)

IMAGE: Final = "image"
"""Besides the kinds, a request to the extracting process: return the picture of an image."""

NOTHING: Final = "nothing"
"""A request to check that the process works."""

PACKAGES: Final = (*(package for kind in KINDS for package in kind.packages), "PIL")
"""All third-party packages that the process imports; PIL is for images."""

_IMAGES: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff")
"""Without SVG, which is read as text."""

_BY_ENDING: Final = {kind.ending: kind for kind in KINDS}


def kind_of(path: str) -> Kind | None:
    """Returns the kind of attachment by a file's name; None for another file."""
    return _BY_ENDING.get(path[path.rfind(".") :].lower())


def is_image(path: str) -> bool:
    """Whether a file is an image, judged by its name."""
    return path.lower().endswith(_IMAGES)


def is_searched(path: str) -> bool:
    """Whether a file is an attachment, judged by its name, and the extra that extracts text is installed."""
    return kind_of(path) is not None and is_installed()


@cache
def is_installed() -> bool:
    """Whether the extra `[files]` is installed."""
    return all(find_spec(name) is not None for name in PACKAGES)

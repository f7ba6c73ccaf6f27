"""Picture: an image as an answer can hold it, and which files are images."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Final

PICTURE_BYTES: Final = 768 * 1024
"""Bytes of a picture in an answer: 1 MiB in base64, as MCP sends it."""

SHOWN_AS_THEY_ARE: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""What clients show; other formats are turned into one of these."""

_ENDINGS: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff")
"""SVG is text, and read as such."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An image, scaled down where it was too large."""

    mime_type: str
    """Of `data`."""
    width: int
    """Pixels of the file's image, as the height."""
    height: int
    shown_width: int
    """Pixels of `data`, as the height."""
    shown_height: int
    data: bytes


def is_image(path: str) -> bool:
    """Whether a file is an image by its name."""
    return path.lower().endswith(_ENDINGS)


def dump(picture: Picture | None) -> bytes:
    """The same as JSON."""
    if picture is None:
        return b"null"
    size = [picture.width, picture.height, picture.shown_width, picture.shown_height]
    return json.dumps([picture.mime_type, *size, base64.b64encode(picture.data).decode()]).encode()


def load(data: bytes) -> Picture | None:
    """What `dump` made. The bytes may come from a process that a hostile file has taken over.

    Raises:
        ValueError: they are not what `dump` makes.
    """
    value = json.loads(data)
    if value is None:
        return None
    try:
        mime_type, *size, encoded = value
        width, height, shown_width, shown_height = map(int, size)
        picture = Picture(mime_type, width, height, shown_width, shown_height, base64.b64decode(encoded))
    except (TypeError, ValueError) as error:
        raise ValueError("not a picture") from error
    if picture.mime_type not in SHOWN_AS_THEY_ARE or len(picture.data) > PICTURE_BYTES:
        raise ValueError("not a picture")
    return picture

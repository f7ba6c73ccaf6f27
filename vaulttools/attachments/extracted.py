"""Holds the result of an extraction: a text, a failure, or a picture.

The result comes as JSON from a process that a hostile file may have taken over, so each value is checked.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Final, Literal, get_args

from vaulttools.files.document import DocumentPart

Failure = Literal["no text", "encrypted", "damaged", "extraction too costly"]
"""Why an attachment gives no text; `no text`: its pages hold only pictures, as in a scan."""

FAILURES: Final[tuple[Failure, ...]] = get_args(Failure)

CHARACTERS: Final = 16 * 1024 * 1024
"""Most characters of one text, as in the largest indexed file: about 8,000 pages."""

PICTURE_BYTES: Final = 768 * 1024
"""Most bytes of a picture in an answer: 1 MiB in base64, as MCP sends it."""

SHOWN_AS_THEY_ARE: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""Formats that clients show; others are converted."""


class TooMuchText(Exception):
    """The text has more than `CHARACTERS`. Never leaves the child process."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """Text or failure of one attachment."""

    text: str = ""
    r"""Lines that end with `\n`, without control characters."""
    parts: tuple[DocumentPart, ...] = ()
    """Starts of pages or of heading sections, in the order of lines."""
    is_whole: bool = True
    """False if a page could not be read, or the text exceeds the limits of time or size."""
    failure: Failure | None = None
    """Why there is no text; then the other fields are empty."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An image, scaled down if it was too large."""

    mime_type: str
    """Type of `data`."""
    width: int
    """Pixels of the file's image, like `height`."""
    height: int
    shown_width: int
    """Pixels of `data`, like `shown_height`."""
    shown_height: int
    data: bytes


def dump(extracted: Extracted) -> bytes:
    """Returns the result as JSON."""
    parts = [[part.line, part.page, list(part.heading)] for part in extracted.parts]
    value = {"text": extracted.text, "parts": parts, "is_whole": extracted.is_whole, "failure": extracted.failure}
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def load(data: bytes) -> Extracted:
    """Parses the output of `dump`.

    Raises:
        ValueError: `data` is not such output.
    """
    try:
        value = json.loads(data)
        text, parts, is_whole, failure = (value[name] for name in ("text", "parts", "is_whole", "failure"))
        if failure is not None:
            return Extracted(failure=FAILURES[FAILURES.index(failure)])
        checked = tuple(_part(line, page, heading) for line, page, heading in parts)
        return Extracted(_checked(text), checked, is_whole is True)
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError("not what an extraction gives") from error


def _checked(text: object) -> str:
    if not isinstance(text, str) or len(text) > CHARACTERS or "\0" in text or "\r" in text:
        raise ValueError("not a text")
    return text


def _part(line: object, page: object, heading: object) -> DocumentPart:
    if not isinstance(line, int) or not isinstance(page, int | None) or not isinstance(heading, list):
        raise TypeError
    return DocumentPart(line, page, tuple(map(str, heading)))


def dump_picture(picture: Picture | None) -> bytes:
    """Returns the picture as JSON."""
    if picture is None:
        return b"null"
    size = [picture.width, picture.height, picture.shown_width, picture.shown_height]
    return json.dumps([picture.mime_type, *size, base64.b64encode(picture.data).decode()]).encode()


def load_picture(data: bytes) -> Picture | None:
    """Parses the output of `dump_picture`.

    Raises:
        ValueError: `data` is not such output.
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
